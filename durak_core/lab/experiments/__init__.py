"""Experiments: manifests, results and reports. docs/experiments/README.md describes the files."""

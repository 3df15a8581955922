"""Experiments: manifests, results and reports. docs/matches.md describes the files."""

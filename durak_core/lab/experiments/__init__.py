"""Experiments as files: a manifest says what is played, a folder keeps what came of it, a report shows it.

`manifest` reads the file by means of `kinds`, which know what each kind of table holds;
`works` are the pieces of work that have a result each, `folder` and `results` keep them and do
what is missing, and `report` writes text and pictures. docs/experiments/README.md describes files.
"""

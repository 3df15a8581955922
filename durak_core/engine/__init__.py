"""The engine of docs/protocol.md, a search in a separate process, and its client.

`server` answers, `client` sends through a `process`, and `protocol` formats the lines. This module imports
neither side.
"""

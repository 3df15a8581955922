"""The engine of docs/protocol.md, a search in a separate process, and its client.

`server` answers, `client` sends through a `process`, and `protocol` and `history` format the lines. This
module imports neither side.
"""

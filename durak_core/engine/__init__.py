"""The engine protocol of docs/protocol.md: a search in a process that reads and writes lines of text.

`server` answers, `client` asks through a `process`, and `protocol` and `history` read and write the lines.
Nothing is imported here, so that neither side loads the other.
"""

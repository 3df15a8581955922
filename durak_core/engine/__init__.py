"""The engine protocol of docs/protocol.md: a search as a process that speaks lines of text.

`durak_core.engine.server` answers, `durak_core.engine.client` asks, and
`durak_core.engine.protocol` knows how either is written. Nothing is imported here, so that neither
side pays for the other.
"""

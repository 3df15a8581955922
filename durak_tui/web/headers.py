"""Security headers: the page runs only its own code and cannot be framed by other sites."""

from __future__ import annotations

from typing import Final

from aiohttp import web

_POLICY: Final = "Content-Security-Policy"
_NOTHING: Final = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_HEADERS: Final = {
    _POLICY: _NOTHING,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def page_policy(nonce: str) -> dict[str, str]:
    """Return the header that allows a page its marked scripts and styles, its fonts and its socket."""
    own = (
        f"script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; "
        "font-src 'self'; img-src data:; connect-src 'self'"
    )
    return {_POLICY: f"{_NOTHING}; {own}"}


async def add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """Add the headers to a response of any kind, unless it has its own."""
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)

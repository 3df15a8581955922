"""The app in the browser: a server of pages, each of which drives an app process of its own.

`server` needs the extra ``web``; `driver` is the other end, in the process of a visitor. What is promised to
whom stands in docs/security.md.
"""

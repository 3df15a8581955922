"""The app in the browser: a server that runs one app process per page.

`server` needs the extra ``web``. `driver` runs in the visitor's process. For the guarantees see
docs/host-in-a-browser.md.
"""

"""Games with friends: a table server, and the seats that connect to it.

Everything here needs the extra ``web``. For the guarantees see docs/friends.md.
"""

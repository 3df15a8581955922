"""How strong the agents are: plays the matches of a manifest and writes their tables.

`manifest` reads what is to be played, `results` keeps what was, `tables` shows it, and
``python3 -m benchmarks.strength`` does all of it.
"""

"""Where the text of the kernel runs: in CPython, or as machine code."""

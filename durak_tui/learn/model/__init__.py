"""Progress and tasks: lessons, puzzle selection and solving, spaced repetition of mistakes, daily deals."""

"""The judgement of a game, move by move: how good what was played is, by what each player could know.

Nothing here searches. `questions` says what has to be asked about a game, an engine or a search answers
with scored lines, and `Review` makes marks, accuracies and curves of the answers; see docs/review.md.
"""

from durak_core.review.judgement import Estimate, Judgement, ScoredLine, Unjudged, judge, mark_of
from durak_core.review.key_moves import TurningPoint, turning_point, worst_moves
from durak_core.review.measures import game_accuracy, move_accuracy
from durak_core.review.report import PlayerReport, Review, judgement_text, percent_text
from durak_core.review.subject import Question, questions

__all__ = [
    "Estimate",
    "Judgement",
    "PlayerReport",
    "Question",
    "Review",
    "ScoredLine",
    "TurningPoint",
    "Unjudged",
    "game_accuracy",
    "judge",
    "judgement_text",
    "mark_of",
    "move_accuracy",
    "percent_text",
    "questions",
    "turning_point",
    "worst_moves",
]

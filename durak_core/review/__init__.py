"""The move-by-move analysis of a game, from what each player could know (docs/review.md).

Nothing here searches. `questions` lists the positions of a game, an engine or a search evaluates them, and
`Review` computes marks, accuracies and curves.
"""

from durak_core.review.evaluation import (
    Estimate,
    MoveEvaluation,
    ScoredLine,
    Unevaluated,
    evaluate_move,
    mark_of,
    reason_for_best,
)
from durak_core.review.key_moves import TurningPoint, turning_point, worst_moves
from durak_core.review.measures import game_accuracy, move_accuracy
from durak_core.review.report import PlayerReport, Review, evaluation_text, percent_text
from durak_core.review.subject import Question, question_of, questions

__all__ = [
    "Estimate",
    "MoveEvaluation",
    "PlayerReport",
    "Question",
    "Review",
    "ScoredLine",
    "TurningPoint",
    "Unevaluated",
    "evaluate_move",
    "evaluation_text",
    "game_accuracy",
    "mark_of",
    "move_accuracy",
    "percent_text",
    "question_of",
    "questions",
    "reason_for_best",
    "turning_point",
    "worst_moves",
]

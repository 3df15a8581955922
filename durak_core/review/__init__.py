"""The move-by-move analysis of a game, from what each player could know (docs/review.md).

Nothing here searches. `questions` lists the positions of a game, an engine or a search evaluates them, and
`Review` computes marks, accuracies and curves.
"""

from durak_core.review.evaluation import (
    MoveEvaluation,
    PlayerReport,
    Question,
    Review,
    TurningPoint,
    Unevaluated,
    evaluate_move,
    evaluation_text,
    game_accuracy,
    is_known,
    mark_of,
    move_accuracy,
    percent_text,
    question_of,
    questions,
    reason_for_best,
    turning_point,
    with_comparison,
    with_playouts,
    worst_moves,
)

__all__ = [
    "MoveEvaluation",
    "PlayerReport",
    "Question",
    "Review",
    "TurningPoint",
    "Unevaluated",
    "evaluate_move",
    "evaluation_text",
    "game_accuracy",
    "is_known",
    "mark_of",
    "move_accuracy",
    "percent_text",
    "question_of",
    "questions",
    "reason_for_best",
    "turning_point",
    "with_comparison",
    "with_playouts",
    "worst_moves",
]

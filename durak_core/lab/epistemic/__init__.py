"""Epistemic logic of card locations: Kripke models, formulas and public announcements.

>>> from durak_core.lab.epistemic import KripkeModel, Scenario, parse_formula
>>> deal = Scenario.of("6s7s8s", hands=(1, 1, 1))
>>> model = KripkeModel.of(deal)
>>> model.size
6
>>> model.holds(parse_formula("K0 in(6s,0) -> !K0 in(7s,1)"))
True
"""

from durak_core.lab.epistemic.formulas import (
    And,
    Common,
    Everybody,
    Formula,
    Implies,
    In,
    Knows,
    Not,
    Or,
    Possible,
    cards_of,
    parse_formula,
)
from durak_core.lab.epistemic.model import (
    MAX_PICTURE,
    MAX_WORLDS,
    KripkeModel,
    World,
    count_worlds,
    write_dot,
    write_svg,
)
from durak_core.lab.epistemic.questions import (
    FormulaAnswer,
    PathStep,
    answer,
    counterexample,
    deal_of,
    model_of_cards,
)
from durak_core.lab.epistemic.updates import after, read_types
from durak_core.lab.epistemic.worlds import Scenario

__all__ = [
    "MAX_PICTURE",
    "MAX_WORLDS",
    "And",
    "Common",
    "Everybody",
    "Formula",
    "FormulaAnswer",
    "Implies",
    "In",
    "Knows",
    "KripkeModel",
    "Not",
    "Or",
    "PathStep",
    "Possible",
    "Scenario",
    "World",
    "after",
    "answer",
    "cards_of",
    "count_worlds",
    "counterexample",
    "deal_of",
    "model_of_cards",
    "parse_formula",
    "read_types",
    "write_dot",
    "write_svg",
]

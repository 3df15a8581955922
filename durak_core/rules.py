"""Rule options and presets, named and checked as in docs/rules.md.

>>> Rules.preset("perevodnoy", seats=3).text
'perevodnoy:seats=3'
>>> Rules.parse("podkidnoy:lowest_rank=2,attack_limit=none").deck_size
52
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Final, TypeAlias

from durak_core.cards import Card, Rank, deck_cards
from durak_core.errors import DurakError, Message, RulesError, alternatives, by_rule, unknown
from durak_core.options import Option

OptionValue: TypeAlias = int | bool | str | None

LONGEST_TEXT: Final = 2000
"""Longest spec of rules or of an agent, in characters."""


@dataclass(frozen=True)
class RuleOption(Option):
    """One option of `Rules`; ``paragraph`` is its paragraph in docs/rules.md."""

    paragraph: str = ""

    REFUSAL: ClassVar[type[DurakError]] = RulesError

    def check(self, value: object) -> OptionValue:
        """Return a valid value; raise `RulesError` otherwise."""
        if isinstance(value, bool | str) or value is None:
            if self.show(value) in self.choices and value not in self.values:
                return value
        elif isinstance(value, int) and self.low is not None and self.low <= value <= (self.high or 0):
            return int(value)
        raise self.refused(value)

    def refused(self, value: object) -> DurakError:
        refusal = Option.refused(self, value)
        return RulesError(by_rule(self.paragraph, refusal.message))


_WORDS: Final[dict[str, OptionValue]] = {"yes": True, "no": False, "never": None, "none": None}
_RANK_WORDS: Final = {
    word: 10 + place for place, letter in enumerate("TJQKA") for word in (letter, letter.lower())
}
_YES_NO: Final = ("yes", "no")
_JOKERS: Final = 2
_TEAMS: Final = {"2x2": (4, 2), "2x3": (6, 2), "3x2": (6, 3)}
"""Seats and number of teams by division (rules 2.2)."""


def _option(  # noqa: PLR0913, PLR0917 - the fields of `RuleOption`
    default: OptionValue,
    paragraph: str,
    summary: str,
    choices: tuple[str, ...] = (),
    low: int | None = None,
    high: int | None = None,
    values: Mapping[str, OptionValue] = _WORDS,
) -> Any:  # noqa: ANN401 - the type of the field's default
    meant = {word: value for word, value in values.items() if word in choices or values is not _WORDS}
    option = RuleOption("", summary, default, choices, low, high, paragraph, values=meant)
    return field(default=default, metadata={"option": option})


PRESETS: Final[Mapping[str, Mapping[str, OptionValue]]] = {
    "podkidnoy": {},
    "perevodnoy": {"transfer": True},
    "zarlykov": {"attack_limit": None},
    "huji": {"redeal_same_suit": 5},
    "groningen": {"deal_all": True, "forced_play": True, "throw_in": "attacker", "pile_on": False},
    "van-khan": {"throw_in": "attacker", "pile_on": False, "attack_limit": None},
    "larsenbier": {"transfer": True, "attack_style": "volley", "attack_limit": None},
    "online": {"attack_style": "volley", "first_bout_limit": 5, "first_limit_lasts": "until_beaten"},
}


@dataclass(frozen=True)
class Rules:
    """One variant of Durak; every field is an option of docs/rules.md.

    Rules with equal options are equal. ``base`` is the preset that their spec starts from. Invalid or
    contradictory values raise `RulesError`.
    """

    seats: int = _option(2, "2.1", "number of players", low=2, high=6)
    lowest_rank: int = _option(
        *(6, "1.2", "lowest rank of the deck: 6 for 36 cards, 2 for 52, 9 for 24"),
        low=2,
        high=14,
        values=_RANK_WORDS,
    )
    suits: int = _option(4, "1.2", "number of suits in the deck, in the order ♠ ♥ ♦ ♣", low=1, high=4)
    trumps: bool = _option(True, "1.4", "whether one suit is trumps", _YES_NO)
    lowest_beats_ace: str | None = _option(
        None, "1.5", "aces that the lowest card of their suit beats", ("none", "trump", "any")
    )
    jokers: str | None = _option(
        None,
        "1.6",
        "two jokers: either beats any other card, or only the suits of its colour",
        ("none", "any", "colour"),
    )
    teams: str | None = _option(
        None, "2.2", "partners: two against two, three against three, or three pairs", ("none", *_TEAMS)
    )
    partner_plays_on: bool = _option(
        False, "2.2.8", "whether a partner who is out is played for in that place", _YES_NO
    )
    hand_size: int = _option(6, "3.1", "cards in a full hand", low=1, high=26)
    deal_all: bool = _option(False, "3.3", "deal the whole deck at once", _YES_NO)
    redeal_same_suit: int | None = _option(
        None, "3.4", "deal again if a hand has this many cards of one suit", ("never",), 2, 13
    )
    redeal_trump_ace: bool = _option(False, "3.5", "deal again if the trump card is an ace", _YES_NO)
    next_first_attacker: str = _option(
        "lowest_trump",
        "4.2",
        "first attacker of the next game in a series",
        ("lowest_trump", "under_fool", "after_fool"),
    )
    attack_limit: int | None = _option(6, "5.2", "most attack cards in a bout", ("none",), 1, 52)
    first_bout_limit: int | None = _option(
        None, "5.2", "most attack cards in the first bout", ("none",), 1, 52
    )
    first_limit_lasts: str = _option(
        "one_bout",
        "5.2",
        "first_bout_limit holds in one bout, or until one is beaten off",
        ("one_bout", "until_beaten"),
    )
    attack_style: str = _option(
        "one_by_one", "5.4", "one card at a time, or several before the answer", ("one_by_one", "volley")
    )
    throw_in: str = _option("all", "5.6", "seats that may throw in", ("all", "neighbours", "attacker"))
    forced_play: bool = _option(False, "5.8", "no passing or taking while a card could be played", _YES_NO)
    lowest_card: str = _option(
        "any",
        "5.10",
        "which card may be played: any, or the lowest that fits in defence or always",
        ("any", "defence", "always"),
    )
    exchange_trump: bool = _option(
        False, "5.9", "exchanging the lowest trump for the face-up card under the talon", _YES_NO
    )
    pile_on: bool = _option(True, "6.2", "throwing in after the defender takes", _YES_NO)
    transfer: bool = _option(False, "7", "the transfer game, perevodnoy", _YES_NO)
    transfer_first_bout: bool = _option(True, "7.3", "whether the first bout may be transferred", _YES_NO)
    show_trump: bool = _option(False, "7.4", "transferring by showing a trump", _YES_NO)
    show_trump_once: str = _option(
        "game", "7.4", "how often a seat may transfer by showing: once a game or a bout", ("game", "bout")
    )
    draws: bool = _option(True, "8.3", "whether a game can be drawn", _YES_NO)
    stall_limit: int = _option(60, "8.5", "taken bouts in a row that make a draw", low=1, high=1000)
    series_score: str = _option(
        "losses", "8.6", "score of a series: lost games, or points by place", ("losses", "places")
    )
    visibility: str = _option("closed", "9.3", "open shows all cards to all", ("closed", "open"))
    base: str = field(default="podkidnoy", compare=False)

    def __post_init__(self) -> None:
        for name, option in OPTIONS.items():
            option.check(getattr(self, name))
        if self.teams is not None and _TEAMS[self.teams][0] != self.seats:
            fitting = [teams for teams, (seats, _) in _TEAMS.items() if seats == self.seats]
            raise RulesError(
                "teams={teams} is for {needed} seats, not {seats}: choose seats={needed} or teams={fitting}",
                rule="2.2",
                teams=self.teams,
                needed=_TEAMS[self.teams][0],
                seats=self.seats,
                fitting=alternatives(*fitting, "none"),
            )
        if self.partner_plays_on and self.teams != "2x2":
            raise RulesError(
                "partner_plays_on is for two against two: choose teams=2x2 or partner_plays_on=no",
                rule="2.2.8",
            )
        if self.teams is not None and self.series_score == "places":
            raise RulesError(
                "series_score=places is for players on their own: choose teams=none or series_score=losses",
                rule="8.6",
            )
        if self.base not in PRESETS:
            raise _no_preset(self.base)
        if self.deck_size < self.seats * self.hand_size:
            raise RulesError(
                "a deck of {deck} cards cannot give {seats} seats {hand} cards each: choose fewer "
                "seats, fewer cards each or a larger deck",
                rule="1.3",
                deck=self.deck_size,
                seats=self.seats,
                hand=self.hand_size,
            )
        least = -(-self._least_without_jokers // self.suits)
        if self.redeal_same_suit is not None and self.redeal_same_suit <= least:
            raise RulesError(
                "redeal_same_suit={value}: some hand always has {least} cards of one suit, so "
                "no deal would ever stand; choose {more} or more, or never",
                rule="3.4",
                value=self.redeal_same_suit,
                least=least,
                more=least + 1,
            )

    @classmethod
    def preset(cls, name: str, **options: OptionValue) -> Rules:
        """Return a preset (rules 12), with options changed by name; raise `RulesError` if one is invalid."""
        if name not in PRESETS:
            raise _no_preset(name)
        _check_names(options)
        values: dict[str, Any] = {**PRESETS[name], **options}
        return cls(base=name, **values)

    @classmethod
    def parse(cls, text: str) -> Rules:
        """Parse ``preset`` or ``preset:option=value,option=value``; raise `RulesError` if invalid."""
        if len(text) > LONGEST_TEXT:
            raise RulesError(
                "rules of {count} characters: expected at most {most}", count=len(text), most=LONGEST_TEXT
            )
        name, _, rest = text.strip().partition(":")
        return cls.preset(name, **cls.read_options(rest.split(",") if rest.strip() else []))

    @staticmethod
    def read_options(settings: list[str]) -> dict[str, OptionValue]:
        """Parse ``option=value`` texts into a dict; raise `RulesError` if one is invalid."""
        options: dict[str, OptionValue] = {}
        for setting in settings:
            name, equals, value = setting.strip().partition("=")
            if not equals:
                raise RulesError(
                    "{setting!r}: expected option=value, as in attack_limit=none", setting=setting
                )
            _check_names((name,))
            options[name] = OPTIONS[name].read(value)
        return options

    def changed(self, **options: OptionValue) -> Rules:
        _check_names(options)
        values: dict[str, Any] = dict(options)
        return replace(self, **values)

    @cached_property
    def differences(self) -> dict[str, OptionValue]:
        """The options that differ from the preset ``base``, by name."""
        preset = PRESETS[self.base]
        usual = {name: preset.get(name, option.default) for name, option in OPTIONS.items()}
        return {name: getattr(self, name) for name in OPTIONS if getattr(self, name) != usual[name]}

    @cached_property
    def text(self) -> str:
        """The spec; `Rules.parse` reads it back."""
        parts = [f"{name}={OPTIONS[name].show(value)}" for name, value in self.differences.items()]
        return self.base + (":" + ",".join(parts) if parts else "")

    @cached_property
    def deck(self) -> tuple[Card, ...]:
        """The cards of the deck by their numbers, lowest spade first (rules 1.2 and 1.6)."""
        return deck_cards(self.lowest_rank, self.suits, jokers=self.jokers is not None)

    @cached_property
    def deck_mask(self) -> int:
        return sum(card.mask for card in self.deck)

    @property
    def deck_size(self) -> int:
        """Number of cards, 1 to 54."""
        return self.suits * (Rank.ACE - self.lowest_rank + 1) + (0 if self.jokers is None else _JOKERS)

    @property
    def largest_hand(self) -> int:
        """Largest number of cards dealt to a hand (rules 3.1, 3.3)."""
        return -(-self.deck_size // self.seats) if self.deal_all else self.hand_size

    @property
    def _least_without_jokers(self) -> int:
        """Number of cards that some hand has besides jokers in every deal."""
        largest = (self.deck_size % self.seats if self.deal_all else 0) or self.seats  # number of such hands
        return self.largest_hand - (self.jokers is not None and largest <= _JOKERS)

    @property
    def team_count(self) -> int:
        """Number of teams; without teams, each seat is its own team (rules 2.2)."""
        return self.seats if self.teams is None else _TEAMS[self.teams][1]

    def team_of(self, seat: int) -> int:
        """Return the number of a seat's team; without teams, the seat (rules 2.2)."""
        return seat % self.team_count

    def members(self, team: int) -> tuple[int, ...]:
        return tuple(range(team, self.seats, self.team_count))

    def partners(self, seat: int) -> tuple[int, ...]:
        return tuple([other for other in self.members(self.team_of(seat)) if other != seat])

    def __str__(self) -> str:
        return self.text


def as_rules(given: Rules | str) -> Rules:
    """Return rules given as `Rules` or as text; raise `RulesError` if they are neither."""
    return given if isinstance(given, Rules) else Rules.parse(str(given))


OPTIONS: Final[Mapping[str, RuleOption]] = {
    one.name: replace(one.metadata["option"], name=one.name) for one in fields(Rules) if one.metadata
}


def _no_preset(name: str) -> RulesError:
    return RulesError(unknown(Message("there is no preset {name}", name=repr(name)), name, PRESETS))


def _check_names(options: Iterable[str]) -> None:
    for name in options:
        if name not in OPTIONS:
            what = Message("there is no option {name}", name=repr(name))
            raise RulesError(unknown(what, name, OPTIONS))

"""Rule options and settings in players' words: groups, names, values and explanations.

All texts are English; `house_words` translates them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from durak_core import OPTIONS, PRESETS, Rank, Rules
from durak_core.rules import OptionValue
from durak_tui.text.i18n import gettext, mark, pgettext
from durak_tui.text.phrases import game_words

CONTEXT: Final = "house rules"
"""The translation context of these texts."""
_ANY_NUMBER: Final = "number"
_DECK: Final = "{count}, from {rank} up"
ONLINE: Final = "online"
"""The preset whose options together have a name of their own."""
_AS_ONLINE: Final = "as in the popular app"


@dataclass(frozen=True, slots=True)
class HouseRule:
    """An option in words.

    Attributes:
        option: Its name in `OPTIONS`.
        values: Words by value. The entry ``number`` is a template for any ``{number}``.
        numbers: The numbers offered, if fewer than the option allows.
        needs: Another option without which this one has no effect.
    """

    option: str
    label: str
    sentence: str
    values: Mapping[str, str] = field(default_factory=dict)
    numbers: Sequence[int] = ()
    needs: str = ""

    def choices(self, value: str) -> tuple[str, ...]:
        option = OPTIONS[self.option]
        numbers = self.numbers
        if not numbers and option.low is not None and option.high is not None:
            numbers = range(int(option.low), int(option.high) + 1)
        choices = (*option.choices, *map(str, numbers))
        return choices if value in choices else (*choices, value)

    def words(self, value: str) -> str:
        if self.option == "lowest_rank":
            return _deck_words(int(value))
        template = self.values.get(value) or self.values.get(_ANY_NUMBER, "{number}")
        return pgettext(CONTEXT, template, number=value)


def house_words(text: str) -> str:
    return pgettext(CONTEXT, text)


def house_texts() -> Iterator[str]:
    yield from (_DECK, _AS_ONLINE, *GAMES.values(), *GROUPS)
    for rule in _BY_OPTION.values():
        yield from (rule.label, rule.sentence, *rule.values.values())
    for _options, name, sentence in SETS.values():
        yield from (name, sentence)


def _deck_words(lowest: int) -> str:
    letter = Rank(lowest).letter
    rank = pgettext("card", letter) if lowest > Rank.TEN else str(lowest)
    return pgettext(CONTEXT, _DECK, count=Rules(lowest_rank=lowest, hand_size=1).deck_size, rank=rank)


GAMES: Final[Mapping[str, str]] = {
    "podkidnoy": "more cards may be thrown in",
    "perevodnoy": "attacks can be transferred, too",
}
"""The games, by preset, with a description."""

GROUPS: Final[Mapping[str, Sequence[HouseRule]]] = {
    "Deck": (
        HouseRule(
            "lowest_rank",
            "Cards in the deck",
            "36 cards are usual; 52 make a long game, 24 a short one.",
            numbers=range(2, Rank.JACK + 1),
        ),
        HouseRule(
            "suits",
            "Suits",
            "With fewer suits the deck is smaller.",
            {"4": "all four", "3": "three, no clubs", "2": "spades and hearts", "1": "spades"},
        ),
        HouseRule(
            "trumps", "Trumps", "A trump beats every card of another suit.", {"yes": "one suit", "no": "none"}
        ),
        HouseRule(
            "lowest_beats_ace",
            "The lowest card beats",
            "Many let the lowest card of a suit beat its ace: the six with 36 cards, the two with 52.",
            {"none": "no ace", "trump": "the trump ace", "any": "the ace of its suit"},
        ),
        HouseRule(
            "jokers",
            "Jokers",
            "A black and a red joker join the deck. Nothing beats them, and they are no trumps.",
            {"none": "none", "any": "beat all other cards", "colour": "beat the suits of their colour"},
        ),
    ),
    "Deal": (
        HouseRule(
            "hand_size",
            "Cards each",
            "Each player is dealt this many, and draws up to it after every bout while the talon lasts.",
        ),
        HouseRule(
            "deal_all",
            "The rest of the deck",
            "What is not dealt is drawn, bout after bout.",
            {"no": "is drawn from", "yes": "is dealt out at once"},
        ),
        HouseRule(
            "redeal_same_suit",
            "A new deal",
            "Whether a hand that is nearly all of one suit is dealt again.",
            {"never": "never", _ANY_NUMBER: "at {number} of one suit"},
        ),
        HouseRule(
            "redeal_trump_ace",
            "A trump ace turned up",
            "Whether the cards are dealt again if the card that shows the trumps is an ace.",
            {"no": "stays", "yes": "deals again"},
            needs="trumps",
        ),
        HouseRule(
            "next_first_attacker",
            "Next game",
            "Who attacks first if several games are played in a row.",
            {
                "lowest_trump": "the lowest trump begins",
                "under_fool": "the fool is attacked first",
                "after_fool": "the player after the fool begins",
            },
        ),
        HouseRule(
            "visibility",
            "Hands",
            "With open hands, all players see all cards, and the order of the talon.",
            {"closed": "closed", "open": "open"},
        ),
    ),
    "Attack": (
        HouseRule(
            "attack_limit",
            "Cards in a bout",
            "At most this many attack cards in a bout, and never more than the defender holds.",
            {"none": "no limit", _ANY_NUMBER: "at most {number}"},
            range(1, 13),
        ),
        HouseRule(
            "first_bout_limit",
            "In the first bout",
            "Many play the first bout of a game with at most five cards.",
            {"none": "as in any other", _ANY_NUMBER: "at most {number}"},
            range(1, 13),
        ),
        HouseRule(
            "first_limit_lasts",
            "That limit holds",
            "Many keep it until the first attack is beaten off, however many bouts are taken before.",
            {"one_bout": "in one bout", "until_beaten": "until one is beaten off"},
            needs="first_bout_limit",
        ),
        HouseRule(
            "attack_style",
            "Attack with",
            "Whether each card is answered before the next one, or several may come together.",
            {"one_by_one": "one card at a time", "volley": "several cards at once"},
        ),
        HouseRule(
            "forced_play",
            "Passing and taking",
            "Whether you may pass or take although you have a card to play.",
            {"no": "whenever you like", "yes": "only without a card to play"},
        ),
        HouseRule(
            "lowest_card",
            "Lowest card",
            "Whether you must play the lowest card that fits; trumps and jokers come last.",
            {"any": "any card", "defence": "when defending", "always": "always"},
        ),
        HouseRule(
            "exchange_trump",
            "Exchanging a trump",
            "Whether the attacker may exchange the lowest trump for the card under the talon before a bout.",
            {"no": "not allowed", "yes": "allowed"},
            needs="trumps",
        ),
    ),
    "Throwing in": (
        HouseRule(
            "throw_in",
            "Who throws in",
            "Cards thrown in have a rank that lies on the table.",
            {
                "all": "all players",
                "neighbours": "the defender's neighbours",
                "attacker": "only the attacker",
            },
        ),
        HouseRule(
            "pile_on",
            "When the defender takes",
            "Whether more cards may be thrown in to a defender who takes.",
            {"yes": "more may be thrown in", "no": "nothing more"},
        ),
    ),
    "Transfer": (
        HouseRule(
            "transfer_first_bout",
            "The first bout",
            "Whether attacks can be transferred in the first bout, too.",
            {"yes": "may be transferred", "no": "may not be transferred"},
            needs="transfer",
        ),
        HouseRule(
            "show_trump",
            "Showing a trump",
            "Showing the trump of the attack's rank transfers the attack. You keep the card.",
            {"no": "does nothing", "yes": "transfers"},
            needs="transfer",
        ),
        HouseRule(
            "show_trump_once",
            "It can be shown",
            "Whether who has shown a trump may show it again in another bout.",
            {"game": "once a game", "bout": "once a bout"},
            needs="show_trump",
        ),
    ),
    "End": (
        HouseRule(
            "partner_plays_on",
            "When a partner is out",
            "Two against two: whether the partner left alone attacks and defends in both places.",
            {"no": "the place is skipped", "yes": "the other plays for both"},
            needs="teams",
        ),
        HouseRule(
            "draws",
            "Last cards go together",
            "What happens when the last two run out of cards in the same bout.",
            {"yes": "a draw", "no": "the defender is the fool"},
        ),
        HouseRule(
            "stall_limit",
            "Taking in turns",
            "A game that gets nowhere ends in a draw.",
            {_ANY_NUMBER: "a draw after {number} bouts"},
            (10, 20, 40, 60, 100, 200, 1000),
        ),
        HouseRule(
            "series_score",
            "Score of several games",
            "Whether only lost games count, or you get a point for each player who is out after you.",
            {"losses": "games lost", "places": "points by place"},
        ),
    ),
}
"""House rules by heading. Game and number of players are chosen elsewhere."""

SETS: Final[Mapping[str, tuple[Mapping[str, OptionValue], str, str]]] = {
    "usual": ({}, "the usual ones", "The rules as most people play them."),
    ONLINE: (
        PRESETS[ONLINE],
        _AS_ONLINE,
        "Several attack cards at once, and five until the first attack is beaten off.",
    ),
    "short": ({"lowest_rank": 9}, "a short game", "24 cards, from the nine up."),
    "long": ({"lowest_rank": 2}, "a long game", "52 cards, from the two up."),
    "strict": (
        {"forced_play": True, "draws": False},
        "strict",
        "You play if you can, and there is always a fool.",
    ),
    "open": ({"visibility": "open"}, "open hands", "All players see all cards."),
}
"""Named house rules: options that differ from the game's, their name and what they mean."""
_BY_OPTION: Final = {rule.option: rule for rules in GROUPS.values() for rule in rules}


def with_set(rules: Rules, name: str) -> Rules:
    """Return the game with the named house rules in place of its own."""
    kept = {option: value for option, value in rules.differences.items() if option not in _BY_OPTION}
    return Rules.preset(rules.base, **kept, **SETS[name][0])


def set_name(rules: Rules) -> str:
    """Return the name of a game's house rules in `SETS`; empty if they have none."""
    return next((name for name in SETS if with_set(rules, name) == rules), "")


def house_rules_text(rules: Rules) -> str:
    """Return the differences from the preset in a line; empty if there are none."""
    return ", ".join(_differences(rules))


def rules_words(rules: Rules) -> str:
    """Return a game's name, its number of players and its house rules."""
    return ", ".join(filter(None, (game_words(rules), house_rules_text(rules))))


def house_rules_count(rules: Rules) -> int:
    """Return the number of differences from the preset that `house_rules_text` lists."""
    return len([*_differences(rules)])


def _differences(rules: Rules) -> Iterator[str]:
    differences = {name: value for name, value in rules.differences.items() if name in _BY_OPTION}
    if PRESETS[ONLINE].items() <= differences.items():
        differences = {name: value for name, value in differences.items() if name not in PRESETS[ONLINE]}
        yield house_words(_AS_ONLINE)
    for name, value in differences.items():
        rule = _BY_OPTION[name]
        yield f"{house_words(rule.label)}: {rule.words(OPTIONS[name].show(value))}"


SETTINGS: Final[Mapping[str, tuple[str, str]]] = {
    "name": (mark("Your name"), mark("What you are called at the table.")),
    "language": (mark("Language"), mark("For everything on screen. Saved files don't change.")),
    "colours": (mark("Colours of the suits"), mark("Two as in most decks, or four.")),
    "size": (mark("Size of the cards"), mark("Small cards leave more room for the table.")),
    "sort": (mark("Order of your hand"), mark("How your cards lie; trumps come last.")),
    "descending": (mark("Highest first"), mark("Highest cards on the left.")),
    "ascii": (mark("Letters for suits"), mark("For terminals without ♠ ♥ ♦ ♣ and lines.")),
    "theme": (mark("Colours"), mark("The colours around the cards.")),
    "reduced_motion": (mark("Less motion"), mark("Turn off card animations.")),
    "alert": (mark("Your turn"), mark("If this window is not in front.")),
    "sounds": (mark("Sounds"), mark("Cards, your turn, the end of a game.")),
    "pace": (mark("Pace of play"), mark("How long your opponents wait before they move.")),
    "coach": (mark("Hints on every turn"), mark("A hint on each of your turns; such games are not rated.")),
    "confirm": (mark("Ask first"), mark("Before you take what you could beat.")),
    "remarks": (mark("Table talk"), mark("Your opponents say something now and then.")),
    "only_moves": (mark("Play my only move"), mark("If you have just one move, it plays itself.")),
    "cursor": (mark("The cursor starts"), mark("If on no card, Enter alone plays nothing.")),
    "figures": (mark("Figures"), mark("Percentages in hints and reviews.")),
    "nearby": (
        mark("Tables nearby"),
        mark("Show your own table in the local network, and look for others there."),
    ),
    "review_time": (mark("Review: time per move"), mark("More time is more accurate, but slower.")),
    "keys": (mark("Keys"), mark("What each key does, and how to change it.")),
}
"""The label and the explanation of each setting, in the order of the screen."""


def setting_words(name: str) -> dict[str, str]:
    return {
        "colours": {"two": gettext("black and red"), "four": gettext("one for each suit")},
        "size": {
            "auto": gettext("as large as fits"),
            "giant": pgettext("size", "giant"),
            "huge": pgettext("size", "huge"),
            "large": pgettext("size", "large"),
            "normal": pgettext("size", "medium"),
            "small": pgettext("size", "small"),
            "tiny": pgettext("size", "tiny"),
        },
        "cursor": {
            "none": pgettext("cursor", "on no card"),
            "middle": pgettext("cursor", "on the middle card"),
        },
        "sort": {"suit": gettext("by suit"), "rank": gettext("by rank"), "drawn": gettext("as they came")},
        "alert": {
            "off": pgettext("alert", "only the title"),
            "bell": pgettext("alert", "rings the bell"),
            "notification": pgettext("alert", "notifies you"),
        },
        "pace": {
            "0.5x": pgettext("pace", "slow"),
            "1x": pgettext("pace", "normal"),
            "2x": pgettext("pace", "fast"),
            "4x": pgettext("pace", "very fast"),
            "instant": pgettext("pace", "no pauses"),
        },
    }[name]

"""How the game goes by the rules in force, for beginners."""

from __future__ import annotations

from collections.abc import Callable

from durak_core import Rules, Suit
from durak_tui.text.i18n import say, say_as, say_count
from durak_tui.text.phrases import players_words, preset_text, rank_text

Chapter = tuple[str, str]
"""What a paragraph is about, in a word or two, and what it says."""


def game_words(rules: Rules) -> str:
    """Name a game and how many play it, such as ``podkidnoy, 3 players``."""
    return f"{preset_text(rules.base)}, {players_words(rules.seats, rules.team_count)}"


def how_the_game_goes(rules: Rules, label: Callable[[str], str], *, ascii_only: bool) -> tuple[Chapter, ...]:
    """Tell a game from the deal to its end, and what to press; ``label`` names the key of an action."""
    chapters = (
        (say_as("how", "Aim"), _aim(rules)),
        (say_as("how", "Partners"), _partners(rules)),
        (say_as("how", "Cards"), _cards(rules, ascii_only=ascii_only)),
        (say_as("how", "Attack"), _attack(rules)),
        (say_as("how", "Defence"), _defence(rules)),
        (say_as("how", "Transfer"), _transfer(rules)),
        (say_as("how", "Throw in"), _throwing_in(rules)),
        (say_as("how", "Beaten"), _beaten_off(rules)),
        (say_as("how", "Taken"), _taken(rules)),
        (say_as("how", "End"), _end(rules)),
        (say_as("how", "Keys"), _keys(rules, label)),
    )
    return tuple(chapter for chapter in chapters if chapter[1])


def _joined(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


def _aim(rules: Rules) -> str:
    if rules.teams is not None:
        return say(
            "Get rid of all your cards, and help your partners to. The last team with cards has lost: its "
            "players are the fools, the duraks."
        )
    return say("Get rid of all your cards. Whoever is left with cards at the end is the durak, the fool.")


def _partners(rules: Rules) -> str:
    if rules.teams is None:
        return ""
    if rules.team_count == 2:
        seated = say("Every other player is your partner.")
    else:
        seated = say("Your partner sits opposite.")
    rest = say("Partners do not attack each other, and do not see or tell each other's cards.")
    return _joined(seated, say("Partners do not attack each other.") if rules.visibility == "open" else rest)


def _cards(rules: Rules, *, ascii_only: bool) -> str:
    ranks = [rank_text(card, ascii=ascii_only) for card in rules.deck if card.suit is Suit.SPADES]
    order = say("Low to high: {ranks}.", ranks=" ".join(ranks))
    deck = len(rules.deck)
    if rules.deal_all:
        dealt = say("All {deck} cards are dealt.", deck=deck)
        trumps = say("The last one dealt shows the trump suit.")
    else:
        dealt = say_count(
            "Of {deck} cards each player gets {count}; the rest is the talon.",
            "Of {deck} cards each player gets {count}; the rest is the talon.",
            rules.hand_size,
            deck=deck,
        )
        trumps = say("The card face up under it shows the trumps.")
    return _joined(dealt, trumps if rules.trumps else say("There are no trumps."), order)


def _attack(rules: Rules) -> str:
    lowest = say("Whoever holds the lowest trump attacks first.") if rules.trumps else ""
    volley = rules.attack_style == "volley"
    several = say("Several cards of one rank may be laid at once.") if volley else ""
    if rules.seats == 2:
        card = say("The attacker lays any card for the other player to beat.")
    elif rules.teams is not None:
        card = say("The attacker lays any card for the next opponent to beat.")
    else:
        card = say("The attacker lays any card for the next player to beat.")
    return _joined(lowest, card, several)


def _defence(rules: Rules) -> str:
    if rules.trumps:
        beats = say(
            "A higher card of the same suit beats a card, and so does any trump; only a higher trump beats "
            "a trump."
        )
    else:
        beats = say("A higher card of the same suit beats a card.")
    if rules.forced_play:
        return _joined(beats, say("If you can, you must; if not, take."))
    return _joined(beats, say("If you cannot or will not, take."))


def _transfer(rules: Rules) -> str:
    if not rules.transfer:
        return ""
    if rules.seats == 2:
        passed = say(
            "Or, before beating any, lay another card of that rank: then the other has to beat both."
        )
    elif rules.teams is not None:
        passed = say(
            "Or, before beating any, lay another card of that rank: then the next opponent has to beat both."
        )
    else:
        passed = say(
            "Or, before beating any, lay another card of that rank: then the next player has to beat both."
        )
    shown = say("Showing the trump of that rank does as well, once a game.") if rules.show_trump else ""
    first = "" if rules.transfer_first_bout else say("Not in the first bout.")
    return _joined(passed, shown, first)


def _throwing_in(rules: Rules) -> str:
    if rules.seats == 2 or rules.throw_in == "attacker":
        who = say("Then the attacker may add cards of ranks that already lie on the table.")
    elif rules.throw_in == "neighbours":
        who = say("Then the neighbours may add cards of ranks that already lie on the table.")
    elif rules.teams is not None:
        who = say("Then all opponents may add cards of ranks that already lie on the table.")
    else:
        who = say("Then all the others may add cards of ranks that already lie on the table.")
    if rules.attack_limit is None:
        most = say("Never more in all than the defender has cards.")
    else:
        most = say_count(
            "Never more than {count} in all, nor more than the defender has cards.",
            "Never more than {count} in all, nor more than the defender has cards.",
            rules.attack_limit,
        )
    return _joined(who, most)


def _beaten_off(rules: Rules) -> str:
    cards = say("All is beaten, nobody adds more: the table is cleared, and the defender attacks next.")
    return _joined(cards, _drawing(rules))


def _drawing(rules: Rules) -> str:
    if rules.deal_all:
        return ""
    return say(
        "All draw up to {hand} cards again, the attacker first, the defender last.", hand=rules.hand_size
    )


def _taken(rules: Rules) -> str:
    if rules.seats == 2:
        turn = say("The defender picks up the whole table, and the other attacks again.")
        more = say("Before that the attacker may add more cards.")
    else:
        turn = say("The defender picks up the whole table and does not attack next.")
        more = say("Before that the others may add more cards.")
    if rules.teams is not None:
        more = say("Before that the opponents may add more cards.")
    return _joined(turn, more if rules.pile_on else "")


def _end(rules: Rules) -> str:
    if rules.teams is not None:
        return _end_of_teams(rules)
    if rules.deal_all:
        out = say("Whoever has no cards left is safe.")
    else:
        out = say("Once the talon is gone, whoever has no cards left is safe.")
    if rules.draws:
        return _joined(out, say("If the last two run out together, nobody is the fool."))
    return _joined(out, say("If the last two run out together, the defender is the fool."))


def _end_of_teams(rules: Rules) -> str:
    last = say("Whoever has no cards left when there are none to draw is out; the partners play on.")
    if rules.draws:
        return _joined(last, say("If the last teams run out together, nobody has lost."))
    return _joined(last, say("If the last teams run out together, the defender's team has lost."))


def _keys(rules: Rules, label: Callable[[str], str]) -> str:
    fields = {
        name: label(f"table.{name}")
        for name in ("left", "right", "play", "done", "take", "transfer", "hint", "undo")
    }
    lines = (
        say(
            "{left} {right} and {play} play a card, or click; dim cards cannot be played now.",
            **fields,
        ),
        say("{done}: no more cards. {take}: take.", **fields),
        say("{transfer}: transfer.", **fields) if rules.transfer else "",
        say("{hint}: advice. {undo}: take a move back. {help}: all keys.", help=label("app.help"), **fields),
    )
    return _joined(*lines)

"""The beginner's introduction to the rules in use."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from durak_core import Rules, Suit
from durak_tui.text.i18n import gettext, ngettext, pgettext
from durak_tui.text.phrases import rank_text, suit_text

Chapter = tuple[str, str]
"""A heading of a word or two, and the text."""


def how_the_game_goes(rules: Rules, label: Callable[[str], str], *, ascii_only: bool) -> tuple[Chapter, ...]:
    """Return the chapters from deal to end, with keys; ``label`` names an action's key."""
    chapters = (
        (pgettext("how", "Aim"), _aim(rules)),
        (pgettext("how", "Partners"), _partners(rules)),
        (pgettext("how", "Cards"), _cards(rules, ascii_only=ascii_only)),
        (pgettext("how", "Attack"), _attack(rules)),
        (pgettext("how", "Defence"), _defence(rules)),
        (pgettext("how", "Transfer"), _transfer(rules)),
        (pgettext("how", "Throw in"), _throwing_in(rules)),
        (pgettext("how", "Beaten"), _beaten_off(rules)),
        (pgettext("how", "Taken"), _taken(rules)),
        (pgettext("how", "End"), _end(rules)),
        (pgettext("how", "Keys"), _keys(rules, label)),
    )
    told = ((heading, " ".join(sentences)) for heading, sentences in chapters)
    return tuple([chapter for chapter in told if chapter[1]])


def _aim(rules: Rules) -> Iterator[str]:
    if rules.teams is not None:
        yield gettext(
            "Get rid of all your cards, and help your partners do the same. The last team with cards "
            "has lost: its players are the fools, the duraks."
        )
    else:
        yield gettext("Get rid of all your cards. The last player with cards is the durak, the fool.")


def _partners(rules: Rules) -> Iterator[str]:
    if rules.teams is None:
        return
    if rules.team_count == 2:
        yield gettext("Every other player is your partner.")
    else:
        yield gettext("Your partner sits opposite.")
    if rules.visibility == "open":
        yield gettext("Partners do not attack each other.")
    else:
        yield gettext("Partners do not attack each other, and neither see nor discuss each other's cards.")


def _cards(rules: Rules, *, ascii_only: bool) -> Iterator[str]:
    deck = len(rules.deck)
    if rules.deal_all:
        yield gettext("All {deck} cards are dealt.", deck=deck)
    else:
        yield ngettext(
            "Of {deck} cards each player gets {count}; the rest is the talon.",
            "Of {deck} cards each player gets {count}; the rest is the talon.",
            rules.hand_size,
            deck=deck,
        )
    if not rules.trumps:
        yield gettext("There are no trumps.")
    elif rules.deal_all:
        yield gettext("The last one dealt shows the trump suit.")
    else:
        yield gettext("The card face up under it shows the trumps.")
    yield from _new_deal(rules)
    if rules.suits < len(Suit):
        suits = dict.fromkeys(card.suit for card in rules.deck if not card.is_joker)
        yield gettext("Suits: {suits}.", suits=" ".join(suit_text(suit, ascii=ascii_only) for suit in suits))
    if rules.visibility == "open":
        yield gettext("All cards lie open.")
    ranks = [rank_text(card, ascii=ascii_only) for card in rules.deck if card.is_of(Suit.SPADES)]
    yield gettext("Low to high: {ranks}.", ranks=" ".join(ranks))


def _new_deal(rules: Rules) -> Iterator[str]:
    if rules.redeal_trump_ace and rules.trumps:
        yield gettext("If it is an ace, the cards are dealt again.")
    if rules.redeal_same_suit is not None:
        yield ngettext(
            "If a hand has {count} card of one suit, the cards are dealt again.",
            "If a hand has {count} cards of one suit, the cards are dealt again.",
            rules.redeal_same_suit,
        )


def _has_exchange(rules: Rules) -> bool:
    return rules.exchange_trump and rules.trumps and not rules.deal_all


def _attack(rules: Rules) -> Iterator[str]:
    if rules.trumps:
        yield gettext("The player with the lowest trump attacks first.")
    if rules.next_first_attacker == "under_fool":
        yield gettext("In the next game the fool is attacked first.")
    elif rules.next_first_attacker == "after_fool":
        yield gettext("In the next game the player after the fool attacks first.")
    if rules.seats == 2:
        yield gettext("The attacker lays any card for the other player to beat.")
    elif rules.teams is not None:
        yield gettext("The attacker lays any card for the next opponent to beat.")
    else:
        yield gettext("The attacker lays any card for the next player to beat.")
    if rules.attack_style == "volley":
        yield gettext("Several cards of one rank may be laid at once.")
    if _has_exchange(rules):
        yield gettext(
            "With the lowest trump in hand, the attacker may first exchange it for the face-up card."
        )


def _defence(rules: Rules) -> Iterator[str]:
    if rules.trumps:
        yield gettext(
            "A higher card of the same suit beats a card, and so does any trump; only a higher trump beats "
            "a trump."
        )
    else:
        yield gettext("A higher card of the same suit beats a card.")
    if rules.lowest_beats_ace == "any":
        yield gettext("The lowest card of a suit beats its ace.")
    elif rules.lowest_beats_ace == "trump" and rules.trumps:
        yield gettext("The lowest trump beats the trump ace.")
    if rules.jokers == "any":
        yield gettext("A joker beats every other card; nothing beats a joker.")
    elif rules.jokers == "colour":
        yield gettext("The black joker beats all ♠ and ♣, the red one all ♥ and ♦; nothing beats a joker.")
    if rules.lowest_card == "defence":
        yield gettext("Use the lowest card that beats it.")
    elif rules.lowest_card == "always":
        yield gettext("Attack and defend with the lowest card that fits.")
    if rules.forced_play:
        yield gettext("If you can, you must; if not, take.")
    else:
        yield gettext("If you cannot or will not, take.")


def _transfer(rules: Rules) -> Iterator[str]:
    if not rules.transfer:
        return
    if rules.seats == 2:
        yield gettext(
            "Or, before beating any, lay another card of that rank: then the other has to beat both."
        )
    elif rules.teams is not None:
        yield gettext(
            "Or, before beating any, lay another card of that rank: then the next opponent has to beat both."
        )
    else:
        yield gettext(
            "Or, before beating any, lay another card of that rank: then the next player has to beat both."
        )
    if rules.show_trump and rules.show_trump_once == "game":
        yield gettext("Showing the trump of that rank (proyezdnoy) does as well, once a game.")
    elif rules.show_trump:
        yield gettext("Showing the trump of that rank (proyezdnoy) does as well, once a bout.")
    if not rules.transfer_first_bout:
        yield gettext("Not in the first bout.")


def _throwing_in(rules: Rules) -> Iterator[str]:
    if rules.seats == 2 or rules.throw_in == "attacker":
        yield gettext("Then the attacker may add cards of ranks that already lie on the table.")
    elif rules.throw_in == "neighbours":
        yield gettext("Then the neighbours may add cards of ranks that already lie on the table.")
    elif rules.teams is not None:
        yield gettext("Then all opponents may add cards of ranks that already lie on the table.")
    else:
        yield gettext("Then all the others may add cards of ranks that already lie on the table.")
    if rules.attack_limit is None:
        yield gettext("Never more in all than the defender has cards.")
    else:
        yield ngettext(
            "Never more than {count} in all, nor more than the defender has cards.",
            "Never more than {count} in all, nor more than the defender has cards.",
            rules.attack_limit,
        )
    yield from _first_limit(rules)


def _first_limit(rules: Rules) -> Iterator[str]:
    limit = rules.first_bout_limit
    if limit is None or (rules.attack_limit is not None and limit >= rules.attack_limit):
        return
    if rules.first_limit_lasts == "until_beaten":
        yield ngettext(
            "Until the first attack is beaten off: {count} at most.",
            "Until the first attack is beaten off: {count} at most.",
            limit,
        )
    else:
        yield ngettext("In the first bout: {count} at most.", "In the first bout: {count} at most.", limit)


def _beaten_off(rules: Rules) -> Iterator[str]:
    yield gettext(
        "If all is beaten and no card is added, the bout ends: the table is cleared, and the defender "
        "attacks next."
    )
    if not rules.deal_all:
        yield gettext(
            "All draw up to {hand} cards again, the attacker first, the defender last.", hand=rules.hand_size
        )


def _taken(rules: Rules) -> Iterator[str]:
    if rules.seats == 2:
        yield gettext("The defender picks up the whole table, and the other attacks again.")
    else:
        yield gettext("The defender picks up the whole table and does not attack next.")
    if not rules.pile_on:
        yield gettext("No more cards are added then.")
    elif rules.teams is not None:
        yield gettext("Before that the opponents may add more cards.")
    elif rules.seats == 2:
        yield gettext("Before that the attacker may add more cards.")
    else:
        yield gettext("Before that the others may add more cards.")


def _end(rules: Rules) -> Iterator[str]:
    if rules.teams is not None:
        out = gettext("Once the talon is gone, a player with no cards left is out; the partners play on.")
        both = gettext(
            "Once the talon is gone, a player with no cards left is out; the partner plays for both."
        )
        yield both if rules.partner_plays_on else out
        draw = gettext("If the last teams run out together, nobody has lost.")
        fool = gettext("If the last teams run out together, the defender's team has lost.")
    else:
        if rules.deal_all:
            yield gettext("A player with no cards left is safe.")
        else:
            yield gettext("Once the talon is gone, a player with no cards left is safe.")
        draw = gettext("If the last two run out together, nobody is the fool.")
        fool = gettext("If the last two run out together, the defender is the fool.")
    yield draw if rules.draws else fool
    if rules.stall_limit != Rules().stall_limit:
        yield ngettext(
            "The game also ends after {count} bout taken in a row with no card drawn.",
            "The game also ends after {count} bouts taken in a row with no card drawn.",
            rules.stall_limit,
        )
    if rules.series_score == "places":
        yield gettext("Over several games you get a point for each player who is out after you.")


def _keys(rules: Rules, label: Callable[[str], str]) -> Iterator[str]:
    fields = {
        name: label(f"table.{name}")
        for name in ("left", "right", "play", "done", "take", "transfer", "hint", "undo")
    }
    yield gettext(
        "{left} {right} and {play} play a card, or click; dim cards cannot be played now.", **fields
    )
    yield gettext("{done}: no more cards. {take}: take.", **fields)
    if rules.transfer:
        yield gettext("{transfer}: transfer.", **fields)
    if _has_exchange(rules):
        yield gettext("{transfer}: exchange a trump.", **fields)
    help_key = label("app.help")
    yield gettext("{hint}: hint. {undo}: take a move back. {help}: all keys.", help=help_key, **fields)

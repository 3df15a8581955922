"""What the six opponents say at the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from durak_tui.text.i18n import mark, translate

Occasion: TypeAlias = Literal["takes", "gave", "beaten_off", "out", "fool"]

_REMARKS: Final[Mapping[str, Mapping[Occasion, tuple[str, ...]]]] = {
    "misha": {
        "takes": (mark("More cards is better, right?"), mark("I'll take them. I like the pictures.")),
        "gave": (mark("Did that work? It worked!"), mark("Oh! Sorry. I think.")),
        "beaten_off": (mark("I beat them all! Did you see?"), mark("Wait, was that my turn?")),
        "out": (mark("I'm out? I'm out! What does that mean?"),),
        "fool": (mark("Can we play again? I nearly had it."),),
    },
    "tanya": {
        "takes": (mark("Fine, I'll keep them company."), mark("I wasn't looking. Was that mine?")),
        "gave": (mark("Don't pull such a face!"), mark("A little present from me.")),
        "beaten_off": (mark("Tea, anyone?"), mark("See? I do pay attention. Sometimes.")),
        "out": (mark("I'll put the kettle on."),),
        "fool": (mark("Oh well. It was a nice evening."),),
    },
    "boris": {
        "takes": (mark("A big hand is a rich hand!"), mark("Pile it on, I have pockets.")),
        "gave": (mark("Eat up, don't be shy!"), mark("That's how it's done on Thursdays.")),
        "beaten_off": (mark("Is that all you've got?"), mark("Next, please!")),
        "out": (mark("Ha! Who's dealing next?"),),
        "fool": (mark("The cards were marked. Again!"),),
    },
    "olga": {
        "takes": (mark("I'll need these later."), mark("A small investment.")),
        "gave": (mark("Trumps are for saving, dear."), mark("I did wonder about that.")),
        "beaten_off": (mark("Neatly done, I believe."), mark("Let's go on.")),
        "out": (mark("Thank you, that will do."),),
        "fool": (mark("I won't forget this."),),
    },
    "viktor": {
        "takes": (mark("Hm. I have a plan for these."), mark("Taking is a move, too.")),
        "gave": (mark("I thought so."), mark("I was counting on that.")),
        "beaten_off": (mark("In my day we attacked harder."), mark("As expected.")),
        "out": (mark("Forty years of practice."),),
        "fool": (mark("Well played. It won't happen twice."),),
    },
    "nina": {
        "takes": (mark("Come to granny, my dears."), mark("Never mind, I've carried heavier bags.")),
        "gave": (mark("Eat, child, you're thin."), mark("Take them, take them. Granny has more.")),
        "beaten_off": (mark("And you hoped to surprise an old woman!"), mark("I've seen better, dear.")),
        "out": (mark("Now I can get on with my knitting."),),
        "fool": (mark("You're not from my street, are you?"),),
    },
}


def remark_of(key: str, occasion: Occasion, number: int) -> str:
    """Return an opponent's remark on an occasion; the number picks one of several."""
    remarks = _REMARKS[key][occasion]
    return translate(remarks[number % len(remarks)])

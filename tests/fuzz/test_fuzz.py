"""Whatever comes from outside is read or refused in a sentence, soon, and leaves nothing behind."""

from __future__ import annotations

import os
import resource
import time

import pytest

from fuzz.mutation import Mutator
from fuzz.readings import check_sentence
from fuzz.remembered import REMEMBERED
from fuzz.targets import Target, targets

TARGETS = {target.name: target for target in targets()}

SECONDS = 1.0
"""Processor time that any input may take."""

MEGABYTES = 64
"""How much the largest memory in use may grow after the first quarter of a long run."""

SEED = int(os.environ.get("DURAK_FUZZ_SEED", "1"))
INPUTS = int(os.environ.get("DURAK_FUZZ_INPUTS", "2000000"))
"""Of a long run, over all targets; runs with other seeds have other inputs."""

PIECES = (
    *(",", '"', "'", "\\", "[", "]", "{", "}", "(", " ", "\n", "0", "a", "=", ":", "!", "+", ".", "-", "/"),
    *(
        'a="',
        ',a="b"',
        ',a="\\"',
        "a=b,",
        "a.",
        "{} ",
        "{\\}} ",
        '[T "x"]\n',
        "0:6c ",
        "6c",
        "6c,",
        "?1/",
        "x6c",
    ),
    *(
        "K0 ",
        "in(6s,1)&",
        "in(6s,1)->",
        "C{0,",
        "[a]\n",
        "[[a]]\n",
        "a=1\n",
        "a.b.",
        '"a".',
        "'''",
        '"a":[',
        "1..2,",
    ),
    *("info ", " continuation", "{a}", "\\u0041", "- ", "\t"),
)
"""What hostile texts repeat."""


def each_target():
    return pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)


def problem(target: Target, text: str) -> str:
    """Say what is wrong with how a target reads a text; nothing where all is well."""
    began = time.process_time()
    try:
        try:
            target.read(text)
        except target.errors as error:
            check_sentence(str(error))
    except Exception as error:  # noqa: BLE001 - every other one is a finding
        return f"{type(error).__name__}: {error!s:.300}"
    return "" if time.process_time() - began < SECONDS else "too slow"


def is_read(target: Target, text: str) -> bool:
    try:
        target.read(text)
    except target.errors:
        return False
    return True


def shortened(target: Target, text: str, wrong: str) -> str:
    """Leave out of a text what does not matter to what is wrong with it."""
    size, tries = len(text) // 2, 0
    while size and tries < 300:
        for start in range(0, len(text), size):
            tries += 1
            shorter = text[:start] + text[start + size :]
            if problem(target, shorter)[:20] == wrong[:20]:
                text = shorter
                break
        else:
            size //= 2
    return text


def check(target: Target, text: str) -> None:
    wrong = problem(target, text)
    if wrong == "too slow":  # the machine may have been busy with something else
        wrong = problem(target, text)
    if wrong:
        pytest.fail(f"{target.name}: {wrong} for {shortened(target, text, wrong)[:3000]!a}")


def megabytes() -> float:
    """Return the most memory that this process has ever used."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.mark.parametrize(("name", "text"), REMEMBERED, ids=[name for name, _ in REMEMBERED])
def test_what_was_once_read_wrongly_is_read_rightly(name, text):
    """Each of these was a finding."""
    check(TARGETS[name], text)


@each_target()
def test_nearly_right_texts_are_read_or_refused(target):
    """Real texts, at least one of which is read, and some that come of them by chance."""
    assert any(is_read(target, text) for text in target.texts)
    mutator = Mutator(target.texts, SEED, target.most)
    for text in (*target.texts, *[mutator.text() for _ in range(40)]):
        check(target, text)


@pytest.mark.slow
@each_target()
def test_many_nearly_right_texts_are_read_or_refused(target, capsys):
    """Hundreds of thousands, as many and by which seed as the environment says; memory does not grow."""
    mutator = Mutator(target.texts, SEED + 1, target.most)
    count = INPUTS // len(TARGETS)
    began, least = time.process_time(), 0.0
    slowest, size = 0.0, 0
    for number in range(count):
        if number == count // 4:
            least = megabytes()
        text = mutator.text()
        start = time.process_time()
        check(target, text)
        slowest, size = max((slowest, size), (time.process_time() - start, len(text)))
    grown = megabytes() - least
    figures = f"{count} inputs, {time.process_time() - began:.0f} s, slowest {slowest:.3f} s (of {size})"
    with capsys.disabled():
        print(f"\n{target.name}: {figures}; {megabytes():.0f} MB, {grown:.0f} MB since a quarter ", end="")  # noqa: T201
    assert grown <= MEGABYTES


def seconds(target: Target, text: str) -> float:
    """Return the least processor time of some tries to read a text."""
    tries = []
    while len(tries) < 3 and not (tries and tries[-1] < 0.01):
        began = time.process_time()
        problem(target, text)
        tries.append(time.process_time() - began)
    return min(tries)


def check_growth(target: Target, parts: tuple[str, str], piece: str, length: int) -> None:
    """Read a text with many of a piece in it, and one with an eighth of them; squares would take 64 times.

    Both numbers are even: an odd backslash would be refused at once, where an even one is read and written.
    """
    long, short = ((piece * (size // len(piece) // 2 * 2)).join(parts) for size in (length, length // 8))
    taken = seconds(target, long)
    if taken > 0.02:
        assert taken < 24 * seconds(target, short), f"{taken:.3f} s for {piece!r} between {parts}"


@each_target()
def test_the_time_to_read_grows_with_the_length_alone(target):
    """A sixth of the pieces, others for the next target, each at some place of some text."""
    for number in range([*TARGETS].index(target.name) % 6, len(PIECES), 6):
        piece, text = PIECES[number], target.texts[number % len(target.texts)]
        cut = (len(text), len(text) // 2, 0)[number // 3 % 3]
        check_growth(target, (text[:cut], text[cut:]), piece, target.most // 6)


@pytest.mark.slow
@each_target()
def test_the_time_to_read_long_texts_grows_with_the_length_alone(target):
    """Each piece comes in at three places of each text."""
    for piece in PIECES:
        for text in target.texts[:5]:
            for cut in (len(text), len(text) // 2, 0):
                check_growth(target, (text[:cut], text[cut:]), piece, target.most)

#!/usr/bin/env bash
# Textual calls `on_complete` of an animation that was replaced and never completed.
#
# Guess: `on_complete`, "a callable to invoke when the animation is finished", is called after the last frame.
# Fact: an animation of one hour is replaced at once by another of the same attribute. Its `on_complete` is called
#   within a frame, while the attribute is still near its start.
# Source: textual/_animator.py, `Animator._animate`: the current animation's `on_complete` is called when it is
#   replaced. The docstrings of `animate` do not mention it.
# Hurt: a card that flies to the table and is removed by `on_complete`: a second move of the same card removes it, or
#   counts it twice, at the moment the flight is redirected.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check textual==8.2.8
"$folder/venv/bin/python" - <<'PYTHON'
import asyncio
from importlib.metadata import version

from textual.app import App
from textual.widgets import Static

print("textual", version("textual"))


class Cards(App):
    def compose(self):
        yield Static("card")


async def main():
    done = []
    app = Cards()
    async with app.run_test() as pilot:
        card = app.query_one(Static)
        card.styles.animate("opacity", 0.0, duration=3600, on_complete=lambda: done.append("first"))
        await pilot.pause()
        before = list(done)
        card.styles.animate("opacity", 0.5, duration=3600, on_complete=lambda: done.append("second"))
        for _ in range(100):
            await pilot.pause(0.02)
            if done:
                break
        return before, done, card.styles.opacity


before, done, opacity = asyncio.run(main())
print("expected: nothing is complete within seconds")
print("happened: complete", done, "opacity", round(opacity, 2))
assert before == []
assert done == ["first"]
assert opacity > 0.9
PYTHON

#!/usr/bin/env bash
# Dismissing a Textual screen that another one covers removes the other one, and answers for the first.
#
# Guess: `screen.dismiss(result)` removes that screen.
# Fact: with screens A and B on the stack, `A.dismiss("x")` calls A's callback with "x" and removes B. A stays, and B's
#   callback is never called.
# Source: textual/screen.py `Screen.dismiss` calls its own callback, then `self.app.pop_screen()`, which pops the top.
# Hurt: a timer or worker that closes its dialog while another dialog has opened above it: the player's open dialog
#   disappears, the finished one stays, and code that awaits the other answer waits for ever.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check textual==8.2.8
"$folder/venv/bin/python" - <<'PYTHON'
import asyncio
from importlib.metadata import version

from textual.app import App
from textual.screen import ModalScreen

print("textual", version("textual"))


async def main():
    answers = []
    app = App()
    async with app.run_test() as pilot:
        lower, upper = ModalScreen(name="A"), ModalScreen(name="B")
        app.push_screen(lower, lambda answer: answers.append(("A", answer)))
        app.push_screen(upper, lambda answer: answers.append(("B", answer)))
        await pilot.pause()
        lower.dismiss("x")
        await pilot.pause()
        return answers, [screen.name for screen in app.screen_stack[1:]]


answers, left = asyncio.run(main())
print("expected: A answers x, and B is left")
print("happened: answers", answers, "left", left)
assert answers == [("A", "x")]
assert left == ["A"]
PYTHON

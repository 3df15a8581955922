"""An engine that says what a test wants, at once; started as a program, with the manner as its argument.

``advise`` reports at every go and searches on until stop. ``crash`` ends at every go, ``crash-once FILE``
only where FILE is not there yet. ``judge`` reports and chooses at once. ``hang`` says nothing after go.
``answer ACTION`` always chooses that.
``legal`` does as ``advise``, with a line for each legal action, in their order. ``decide`` does as ``legal``,
and chooses the first of them at once.
``note FILE`` can be given threads and a network, writes all that it hears to FILE, else does as ``judge``.
"""

import sys
from pathlib import Path

REPORT = """info string machine code
info iterations {count} nodes 7 time 10 backend compiled
info line 1 action take score 0.7100 interval 0.7000 0.7200 visits 1200 exact no continuation 6s Kd
info line 2 action pass score 0.4000 interval 0.3000 0.5000 visits 800 exact no
info line 3 action 6c score 0.0000 interval 0.0000 0.0000 visits 0 exact yes in 2 continuation 7c"""


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def legal_report(observation, count):
    """Report all legal actions, each ten points below the one before."""
    from durak_core import read_observation  # noqa: PLC0415 - the other manners do without the library

    lines = [f"info iterations {count} nodes 7 time 10 backend compiled"]
    for rank, action in enumerate(read_observation(observation).legal_actions, 1):
        score = max(0.05, 0.9 - rank / 10)
        interval = f"{score - 0.01:.4f} {score + 0.01:.4f}"
        lines.append(
            f"info line {rank} action {action} score {score:.4f} interval {interval} visits 9 exact no"
        )
    return "\n".join(lines)


def answer(manner, observation, count):
    """Report, and choose where the manner does so at once."""
    if manner not in {"legal", "decide"}:
        return REPORT.format(count=count) + "\nbestmove take" * (manner in {"judge", "note"})
    report = legal_report(observation, count)
    best = report.partition("line 1 action ")[2].partition(" score")[0]
    return report + f"\nbestmove {best}" * (manner == "decide")


def crashes(manner, rest):
    """Tell whether to end now; with a file only once."""
    if manner == "crash-once":
        path = Path(rest[0])
        if not path.exists():
            path.touch()
            return True
    return manner == "crash"


def main(manner, *rest):
    answers = {
        "durak": "id name Fake\nprotocol 1\ndurakok",
        "isready": "readyok",
        "stop": "info string still there" if manner == "hang" else "bestmove take",
    }
    if manner == "note":
        answers["durak"] = (
            "id name Fake\noption name Threads type number default 1 min 1 max 8\n"
            "option name Net type text default auto\nprotocol 1\ndurakok"
        )
    searches, observation = 0, ""
    for line in sys.stdin:
        if manner == "note":
            with Path(rest[0]).open("a", encoding="utf-8") as heard:
                heard.write(line)
        word = line.split()[0]
        if word == "quit" or (word == "go" and crashes(manner, rest)):
            return
        if word == "observation":
            observation = line.partition(" ")[2].strip()
        if word in answers:
            say(answers[word])
        elif word == "go" and manner == "answer":
            searches += 1
            say(f'info message {{"template": "told so", "values": {{}}}}\nbestmove {rest[0]}')
        elif word == "go" and manner != "hang":
            searches += 1
            say(answer(manner, observation, 1000 * searches))


if __name__ == "__main__":
    main(*sys.argv[1:])

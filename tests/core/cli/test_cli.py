"""The `durak` command, one subcommand after the other."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner
from commands import bad, good
from talking import OPENING

from durak_core import AGENTS, OPTIONS, PRESETS, Rules, State, read_json_lines, rules_text
from durak_core.cli import cli

TINY = "podkidnoy:suits=1,lowest_rank=10,hand_size=2"


def test_help_lists_all_commands() -> None:
    """In the order in which people need them."""
    text = good("--help")
    for name in ("match", "deal", "replay", "rules", "agents", "perft"):
        assert re.search(rf"^  {name} +\w", text, re.MULTILINE)
        assert "Usage: " in good(name, "--help")


def test_the_version_is_the_projects() -> None:
    """Also in a checkout that is not installed."""
    assert re.fullmatch(r"durak \d+\.\d+\.\d+\n", good("--version"))


def test_match_prints_games_and_a_table() -> None:
    """One line a game while they are few, then wins, draws, losses, intervals and means."""
    text = good("match", "greedy", "random", "--games", "4", "--seed", "1")
    assert text.startswith("4 games, rules podkidnoy, seed 1\n")
    line = r"^game \d: (draw|fool: (greedy|random) at seat [01]), \d+ bouts, \d+ plies$"
    assert len(re.findall(line, text, re.MULTILINE)) == 4
    assert "score" in text
    assert re.search(r"│ greedy +│ +\d │ +\d │ +\d │ +[\d.]+ % │ +[\d.]+ to [\d.]+ │$", text, re.MULTILINE)
    assert re.search(r"ms a move ┃\n┡.*\n│ greedy +│ +[\d.]+ │\n", text)
    assert re.search(
        r"4 games, [\d.]+ bouts and [\d.]+ plies a game, [\d,]+ decisions and [\d,]+ games a second", text
    )


def test_match_with_many_games_is_silent_until_the_table() -> None:
    """No line a game beyond twenty."""
    assert "game 1:" not in good("match", "random", "random", "--games", "21", "--seed", "1")


def test_match_of_three_shows_the_fools_share() -> None:
    """The number of agents makes the seats."""
    text = good("match", "greedy", "random", "smart", "--games", "3", "--seed", "1")
    assert "podkidnoy:seats=3" in text
    assert "loss rate" in text
    assert "equal players would have 33.3% each" in text


def test_match_takes_rules_options_and_seats() -> None:
    """Presets, text forms, --set, --seats and --open."""
    text = good(
        *("match", "greedy", "random", "--games", "2", "--seed", "1", "--rules", "perevodnoy:show_trump=yes"),
        *("--set", "lowest_rank=2", "--set", "hand_size=4,draws=no", "--seats", "4", "--open"),
    )
    rules = Rules.preset(
        "perevodnoy", show_trump=True, lowest_rank=2, hand_size=4, draws=False, seats=4, visibility="open"
    )
    assert f"rules {rules}, seed 1" in text
    assert "seats=4" in good("match", "greedy", "random", "--rules", "podkidnoy:seats=4", "--games", "1")


def test_a_match_on_several_processes_is_the_same_match(tmp_path) -> None:
    """The same games in the file and the same table."""
    words = ("match", "smart", "random", "--games", "60", "--seed", "1", "--json")
    tables = []
    for jobs in ("1", "2", "0"):
        text = good(*words, str(tmp_path / jobs), "--jobs", jobs)
        tables.append(re.findall(r"^│ \w+ +│ +\d+ │ +\d+ │ +\d+ │ +[\d.]+ % │[^│]+│", text, re.MULTILINE))
        assert "intervals from 30 deals" in text
        assert re.search(r"^smart against random: \+\d+ Elo \(\+\d+ to \+(\d+|inf)\)$", text, re.MULTILINE)
    assert len(tables[0]) == 2
    assert tables[0] == tables[1] == tables[2]
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes() == (tmp_path / "0").read_bytes()


def test_games_side_by_side_cannot_be_told_move_by_move(tmp_path) -> None:
    """What --verbose and --log would write is refused together with --jobs."""
    for option in (("--verbose",), ("--log", str(tmp_path / "log"))):
        assert "--jobs 2 cannot tell the moves" in bad("match", "greedy", "random", "--jobs", "2", *option)
    assert not (tmp_path / "log").exists()


def test_a_single_agent_plays_against_itself() -> None:
    """Two seats are the least."""
    text = good("match", "greedy", "--games", "2", "--seed", "1")
    assert "rules podkidnoy, seed 1" in text
    assert "50.0 % │ 50.0 to 50.0" in text
    assert "one agent on both seats: its score is 50 % by definition" in text


def test_a_match_writes_its_results(tmp_path) -> None:
    """The figures of the tables, with the losses by place and the verdict of a stopping rule."""
    path = tmp_path / "results.json"
    words = ("match", "greedy", "random", "--seed", "1", "--results", str(path))
    text = good(*words, "--games", "60")
    told = json.loads(path.read_text(encoding="utf-8"))
    assert (told["rules"], told["seed"], told["games"]) == ("podkidnoy", 1, 60)
    assert [f"{one['losses']}" for one in told["places"]] == re.findall(
        r"^│ [12](?: \(attacks first\))? +│ +(\d+) │", text, re.MULTILINE
    )
    assert re.search(
        r"^duplicate deals (saved|cost another) \d+% \(± \d+%\) of the games", text, re.MULTILINE
    )
    twins = good("match", "greedy", "greedy", "--sprt", "0,20", "--max-games", "80", "--results", str(path))
    told = json.loads(path.read_text(encoding="utf-8"))
    assert told["verdict"] in twins
    assert "undecided after 40 deals, all of them tied" in told["verdict"]


def test_without_agents_random_plays() -> None:
    """As in the Charles University thesis, whose word for the number of games works too."""
    lines = good("match", "--total-games", "2", "--seed", "1").splitlines()[:3]
    assert lines == good("match", "random", "--games", "2", "--seed", "1").splitlines()[:3]
    assert lines[0] == "2 games, rules podkidnoy, seed 1"


def test_match_draws_a_seed_and_shows_it() -> None:
    """So that every match can be repeated."""
    text = good("match", "greedy", "random", "--games", "2")
    seed = re.search(r"seed (\d+)", text)
    assert seed
    again = good("match", "greedy", "random", "--games", "2", "--seed", seed[1])
    assert re.findall(r"^game.*", again, re.MULTILINE) == re.findall(r"^game.*", text, re.MULTILINE)


def test_verbose_and_log_tell_the_whole_game(tmp_path) -> None:
    """Every bout, hand, legal card, choice and reason."""
    log = tmp_path / "match.log"
    text = good("match", "greedy", "smart", "--games", "2", "--seed", "1", "--verbose", "--log", str(log))
    written = log.read_text(encoding="utf-8")
    assert written in text
    assert written.count("game 1  rules podkidnoy") == 1
    who = r"seat \d (greedy|smart)"
    assert re.search(rf"^ Bout 1: {who} attacks {who}, at most 6 cards$", written, re.MULTILINE)
    assert re.search(rf"^    {who} +(\w\w ?){{6}}$", written, re.MULTILINE)
    line = rf"^  {who} (plays|beats) [\w ]+: [a-z ,]+  \(hand [\w ]+; may [\w> ]+\)$"
    assert len(re.findall(line, written, re.MULTILINE)) > 40
    for words in ("has beaten off the attack", r"takes up (\w\w ?)+", r"draws (\w\w ?)+", "is out, place 1"):
        assert re.search(rf"^  {who} {words}$", written, re.MULTILINE), words
    assert [path.name for path in tmp_path.iterdir()] == ["match.log"]


def test_verbose_colours_trumps_on_a_terminal(tmp_path) -> None:
    """All of them and nothing else, also in a defence such as 9cx8d; the file stays plain."""
    log = tmp_path / "match.log"
    game = ("match", "greedy", "--games", "1", "--seed", "1", "--verbose", "--log", str(log))
    shown = CliRunner().invoke(cli, game, env={"FORCE_COLOR": "1", "TERM": "xterm", "NO_COLOR": ""}).stdout
    plain = log.read_text(encoding="utf-8")
    (trumps,) = re.findall(r"trump .(\w)$", plain, re.MULTILINE)
    coloured = re.findall(r"\x1b\[1;94m(.*?)\x1b\[0m", shown)
    assert len(coloured) == len(re.findall(rf"[2-9TJQKA]{trumps}\b|[2-9TJQKA]{trumps}(?=x)", plain)) > 50
    assert {card[1:] for card in coloured} == {trumps}
    assert plain in re.sub(r"\x1b\[[0-9;]*m", "", shown)


def test_json_holds_the_games(tmp_path) -> None:
    """One object a line, in the project's form; an old file is replaced."""
    path = tmp_path / "games.jsonl"
    path.write_text("old\n", encoding="utf-8")
    good("match", "greedy", "random", "--games", "3", "--seed", "1", "--json", str(path))
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["format"] for line in lines] == ["durak-game/1"] * 3
    records = read_json_lines("\n".join(lines))
    assert [record.players[0] for record in records] == ["greedy", "random", "greedy"]
    assert all(record.result is not None for record in records)


def test_games_keep_what_searches_found(tmp_path) -> None:
    """In the log and, on request, in JSON: an entry for each action, from any number of processes."""
    path, log = tmp_path / "games.jsonl", tmp_path / "match.log"
    words = ("match", "mcts:limit=5,samples=2", "greedy", "--games", "2", "--seed", "1", "--findings")
    good(*words, "--json", str(path), "--log", str(log))
    written = path.read_text(encoding="utf-8")
    good(*words, "--json", str(path), "--jobs", "2")
    assert path.read_text(encoding="utf-8") == written
    for game in map(json.loads, written.splitlines()):
        assert len(game["findings"]) == len(game["actions"])
        told = [found for found in game["findings"] if found]
        assert all(found["unit"] == "score" and found["lines"] for found in told)
        assert f"    searched {told[0]['nodes']} nodes, " in log.read_text(encoding="utf-8")
    assert "--findings is about" in bad(*words)


def test_a_stalled_game_says_so() -> None:
    """Rules 8.5."""
    stalling = ("random:uniform", "--seats", 3, "--games", 20, "--seed", 2, "--set", "stall_limit=1")
    text = good("match", *stalling, "--verbose")
    assert "the game is over: 1 taken bouts in a row (rules 8.5)" in text
    assert ": draw, " in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("match", "greedy", "nobody"), "there is no agent 'nobody'"),
        (("match", ""), "there is no agent ''"),
        (("match", "+"), "there is no agent '+'"),
        (("match", "gready", "random"), "did you mean greedy?"),
        (("match", "random:speed=1", "random"), "no option of random 'speed'"),
        (("match", "greedy", "random", "--rules", "perevodnoi"), "did you mean perevodnoy"),
        (("match", "greedy", "random", "--set", "transfr=yes"), "did you mean transfer"),
        (("match", "greedy", "random", "--set", "transfer"), "expected option=value"),
        (("match", "greedy", "random", "smart", "--seats", "2"), "3 agents on 2 seats"),
        (("match", "greedy", "random", "--seats", "7"), "expected a number from 2 to 6"),
        (("match", "greedy", "random", "--games", "0"), "--games"),
        (("match", "greedy", "random", "--seed", "-3"), "-3 is not in the range 0<=x<=9223372036854775807"),
        (
            ("match", "greedy", "random", "--log", "/no/such/folder/x"),
            "/no/such/folder/x cannot be written: there is no such folder",
        ),
        (("match", "greedy", "random", "--json", "/"), "/ cannot be written: it is a folder"),
        (("exploit", "greedy", "--out", "/no/run", "--json", "/"), "/ cannot be written: it is a folder"),
        (("export", ""), "cannot be read: it is a folder"),
        (("export", "/"), "cannot be read: it is a folder"),
        (("bench", "--seconds", "nan"), "nan is not a number"),
        (("solve", TINY, "--within", "NaN"), "nan is not a number"),
        (("exploit", "greedy", "--out", "/no/run", "--hours", "nan"), "nan is not a number"),
        (("deal", "--seed", "-1"), "-1 is not in the range"),
        (("analyse", OPENING, "--seed", "-1"), "-1 is not in the range"),
        (("review", "games.jsonl", "--seed", "-1"), "-1 is not in the range"),
        (("bench", "--seed", f"{2**63}"), "9223372036854775808 is not in the range"),
        (("solve", TINY, "--seed", f"{2**63}"), "9223372036854775808 is not in the range"),
        (("exploit", "greedy", "--out", "/no/run", "--seed", f"{2**63 - 2}"), "is not in the range"),
        (("deal", "--seats", "1"), "seats=1"),
        (("perft", "--depth", "0"), "--depth"),
        (("rules", "podkidnoi"), "did you mean podkidnoy"),
        (("rules", "--paragraph", "99.9"), "the rules have no paragraph '99.9'"),
        (("match", "greedy", "random", "--games", "1e3"), "'1e3' is not a valid integer"),
        (("solve", TINY, "--within", "low"), "'low' is not a valid number"),
        (("solve", TINY, "--agents", "greedy:open"), "greedy:open sees all cards"),
        (("experiment", "ran"), "there is no command 'ran'; did you mean run? There are: list, report, run"),
        (("mach",), "there is no command 'mach'; did you mean match?"),
        (("xyzzy",), "there is no command 'xyzzy'; there are: play, match"),
    ],
)
def test_errors_are_one_clear_line(arguments: tuple[str, ...], message: str) -> None:
    """Exit code 2, what was wrong and what would be right."""
    assert message in bad(*arguments)


def test_deal_shows_the_deal() -> None:
    """Hands sorted with suit symbols, trump, talon, first attacker."""
    text = good("deal", "--seed", "7", "--seats", "3")
    state = State.deal(Rules(seats=3), 7)
    assert state.trump_card is not None
    for seat, hand in enumerate(state.hands):
        row = re.search(rf"^seat {seat}  (.*)$", text, re.MULTILINE)
        assert row
        shown = row[1].split()
        assert set(shown) == {card.pretty for card in hand}
        assert shown == [card.pretty for card in hand if card.suit != state.trump_suit] + [
            card.pretty for card in hand if card.suit == state.trump_suit
        ]
    assert f"trump   {state.trump_card.pretty}\n" in text
    assert f"talon   18 cards: {' '.join(card.pretty for card in state.talon)}\n" in text
    assert text.endswith(f"seat {state.first_attacker} attacks first\n")
    assert "trump   none" in good("deal", "--seed", "7", "--set", "trumps=no")
    assert "talon   0 cards\n" in good("deal", "--seed", "7", "--rules", "groningen")


def test_perft_counts() -> None:
    """Depth by depth, or for each first action."""
    state = State.deal(Rules(), 7)
    assert good("perft", "--seed", "7", "--depth", "3").splitlines() == [
        "rules podkidnoy, seed 7",
        *(f"depth {depth}: {state.perft(depth)}" for depth in (1, 2, 3)),
    ]
    divided = good("perft", "--seed", "7", "--depth", "3", "--divide").splitlines()
    assert [line.split() for line in divided[1:-1]] == [
        [str(action), str(count)] for action, count in state.divide(3).items()
    ]
    assert divided[-1] == f"depth 3: {state.perft(3)}"


def test_rules_lists_presets_and_options() -> None:
    """Everything there is, with paragraph numbers; a preset's differences bear a star."""
    text = good("rules")
    for name in (*PRESETS, *OPTIONS):
        assert name in text
    zarlykov = good("rules", "zarlykov")
    assert re.search(r"attack_limit +│ none \* +│ 5\.2 +│", zarlykov)
    assert zarlykov.count(" * ") == 1
    assert re.search(r"seats +│ 4 \* +│ 2\.1 +│", good("rules", "podkidnoy:seats=4"))


def test_rules_prints_the_law() -> None:
    """The whole text, or a paragraph."""
    assert good("rules", "--text") == rules_text()
    assert good("rules", "--paragraph", "5.3").startswith("5.3 Every attack card after the first")


def test_agents_are_listed_with_their_options() -> None:
    """Name, style, sentence, options."""
    text = good("agents")
    for name, info in AGENTS.items():
        assert name in text
        assert info.style in text
    assert "uniform=off" in text


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("perft", "--depth", "99999999999999999999"), "is not in the range 1<=x<=100"),
        (("deal", "--seed", "٣"), "'٣' is not a valid integer"),
        (("match", "ismcts:iterations=٣", "random"), "iterations=٣"),
    ],
)
def test_numbers_have_bounds_and_latin_digits(words: tuple[str, ...], why: str) -> None:
    assert why in bad(*words)

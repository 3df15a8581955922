"""Trains a belief network, which estimates where each hidden card is, and writes it to a file.

python3 -m benchmarks.learning.hands --out FILE [--rules podkidnoy] [--decisions 6000000] [--steps 6000]
    [--seed 11]

The shipped network `dmc` plays against itself, with some random actions. At each decision the belief network
learns from the observation who holds each unseen card, by binary cross-entropy. On games with another seed
the squared error per card is compared with uniform deals. The commit and the seed are printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from benchmarks.exits import with_exit_codes
from durak_core import DurakError, Rules
from durak_core.agents.learned import shipped_network
from durak_core.files import write_bytes_atomically
from durak_core.kernel.position import MASK63, derive
from durak_core.lab.experiments.results import commit
from durak_core.lab.learn.arrays import Arrays, Bits, Int64s, network_bytes
from durak_core.lab.learn.network import Actor, Parameters, forward, initial_parameters, parameters_of
from durak_core.lab.learn.vector import Setting, VectorGames
from durak_core.search.backend.backend import backend
from durak_core.search.network.encoding import CARDS, ENCODING, card_input, input_size
from durak_core.search.network.weights import HANDS, About

TABLES = 512
BATCH = 1024
HIDDEN = (256, 256)
RATE = 1e-3
EXPLORING = 0.02
"""Share of the decisions that are any."""
CHECKED = 100_000
"""Decisions of an evaluation."""
UNSEEN = slice(5 * CARDS, 6 * CARDS)
"""The plane of unseen cards among the inputs."""


def collect(rules: Rules, decisions: int, seed: int) -> tuple[Arrays, int]:
    """Play until so many decisions were taken, and return them and how many games ended.

    The arrays are the active inputs, their numbers, and bits of each card's holder, as `held_by`
    writes them; a row for each decision.

    Raises:
        DurakError: If the package has no network for the rules.
    """
    network = shipped_network("dmc", rules)
    if network is None:
        raise DurakError("the package has no network dmc for {rules}: expected rules with one", rules=rules)
    runner = backend("learn")
    games = VectorGames(Setting(rules, seed, skips=True), TABLES, runner)
    actor = Actor([one.detach() for one in parameters_of(network)], runner.functions)
    games.reset()
    everybody = np.arange(TABLES)
    memory = (np.array([derive(seed, 1)], np.int64), np.zeros(TABLES, np.int64), np.zeros(TABLES, np.float32))
    rows: dict[str, list[np.ndarray]] = {"active": [], "lengths": [], "held": []}
    ended = 0
    while len(rows["held"]) * TABLES < decisions:
        rows["active"].append(games.active.copy())
        rows["lengths"].append(games.lengths.copy())
        rows["held"].append(np.packbits(held_by(games, rules.seats), axis=1))
        actor.choose(everybody, games, EXPLORING, memory)
        games.step_places(memory[1])
        ended += int((games.ended >= 0).sum())
    return {name: np.concatenate(parts) for name, parts in rows.items()}, ended


def held_by(games: VectorGames, seats: int) -> Bits:
    """Return each card's holder: a plane of cards for each other seat, clockwise, (n, 52 * (seats - 1))."""
    positions, n = games.positions, np.arange(games.games)
    lanes = positions["trump_mask"].astype(np.uint64)[:, np.newaxis] >> np.arange(0, 64, 16, dtype=np.uint64)
    suits = np.argmax(lanes & np.uint64(0xFFFF) != 0, axis=1)
    numbers = _NUMBERS[suits]
    planes = [
        positions["hands"][n, (games.turns + i) % seats].astype(np.uint64)[:, np.newaxis] >> numbers
        & np.uint64(1)
        for i in range(1, seats)
    ]
    return np.concatenate(planes, axis=1).astype(np.uint8)


def _numbers() -> np.ndarray:
    """Return the number of the card in each place of a plane, by trump suit; uint64, (4, 52)."""
    numbers = np.zeros((4, CARDS), np.uint64)
    for trump in range(4):
        for suit in range(4):
            for rank in range(2, 15):
                numbers[trump, card_input(16 * suit + rank, trump)] = 16 * suit + rank
    return numbers


_NUMBERS = _numbers()


def unpacked(data: Arrays, chosen: Int64s, rules: Rules) -> tuple[torch.Tensor, torch.Tensor]:
    """Return inputs and targets of some decisions as zeros and ones, float32."""
    inputs = np.zeros((len(chosen), input_size(rules.seats)), np.float32)
    active = data["active"][chosen].astype(np.int64)
    row, place = np.nonzero(np.arange(active.shape[1]) < data["lengths"][chosen][:, np.newaxis])
    inputs[row, active[row, place]] = 1
    held = np.unpackbits(data["held"][chosen], axis=1)[:, : CARDS * (rules.seats - 1)]
    return torch.from_numpy(inputs), torch.from_numpy(held.astype(np.float32))


def asked(inputs: torch.Tensor, rules: Rules) -> torch.Tensor:
    """Return which outputs count: unseen cards of every other seat."""
    return inputs[:, UNSEEN].repeat(1, rules.seats - 1)


def fit(data: Arrays, rules: Rules, steps: int, seed: int) -> Parameters:
    """Train a network on decisions, at a rate that falls to a hundredth."""
    outputs = CARDS * (rules.seats - 1)
    active = rules.deck_size + 6 * rules.seats
    parameters = initial_parameters(input_size(rules.seats), HIDDEN, active, seed, outputs)
    adam = torch.optim.Adam(parameters, lr=RATE, fused=True)
    chance = np.random.default_rng(seed)
    for step in range(steps):
        adam.param_groups[0]["lr"] = RATE * (1.01 - step / steps)
        inputs, targets = unpacked(data, chance.integers(0, len(data["held"]), BATCH), rules)
        counts = asked(inputs, rules)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            values = forward(parameters, inputs.bfloat16())
        losses = torch.nn.functional.binary_cross_entropy_with_logits(
            values.float(), targets, reduction="none"
        )
        loss = (losses * counts).sum() / counts.sum()
        adam.zero_grad(set_to_none=True)
        loss.backward()
        adam.step()
    return [one.detach() for one in parameters]


def errors(parameters: Parameters, data: Arrays, rules: Rules) -> tuple[float, float]:
    """Return the mean squared error per unseen card of a network, and of uniform deals."""
    sums = torch.zeros(3, dtype=torch.float64)
    for start in range(0, len(data["held"]), BATCH):
        chosen = np.arange(start, min(start + BATCH, len(data["held"])))
        inputs, targets = unpacked(data, chosen, rules)
        counts = asked(inputs, rules)
        said = torch.sigmoid(forward(parameters, inputs))
        seats = (len(chosen), rules.seats - 1, CARDS)
        missing = (targets * counts).reshape(seats).sum(2, keepdim=True)
        blind = missing / inputs[:, UNSEEN].sum(1).clamp(min=1)[:, None, None]
        wrong = (blind.expand(seats).reshape(targets.shape) - targets) ** 2
        sums += torch.stack([((said - targets) ** 2 * counts).sum(), (wrong * counts).sum(), counts.sum()])
    return float(sums[0] / sums[2]), float(sums[1] / sums[2])


def check(given: argparse.Namespace) -> None:
    """Check the numbers of the command line.

    Raises:
        DurakError: If one of them is out of range.
    """
    if min(given.decisions, given.steps) < 1 or not 0 <= given.seed <= MASK63:
        raise DurakError(
            "expected --decisions and --steps of 1 or more, --seed from 0 to {most}", most=MASK63
        )


@with_exit_codes("nothing is written")
def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rules", default="podkidnoy")
    parser.add_argument("--decisions", type=int, default=6_000_000)
    parser.add_argument("--steps", type=int, default=6_000)
    parser.add_argument("--seed", type=int, default=11)
    given = parser.parse_args(arguments)
    check(given)
    torch.set_num_threads(1)
    rules = Rules.parse(given.rules)
    data, games = collect(rules, given.decisions, given.seed)
    parameters = fit(data, rules, given.steps, given.seed)
    held_out, _ = collect(rules, min(CHECKED, given.decisions), derive(given.seed, 2))
    said, blind = errors(parameters, held_out, rules)
    numbers = np.concatenate([one.numpy().ravel() for one in parameters]).tolist()
    widths = (input_size(rules.seats), *HIDDEN, CARDS * (rules.seats - 1))
    about = About(ENCODING, HANDS, rules.text, widths, games, learner=HANDS)
    write_bytes_atomically(given.out, network_bytes(about, numbers))
    print(f"commit {commit()}, seed {given.seed}, {rules}, {games:,} games")
    print(f"squared error of an unseen card {said:.4f}, dealt blindly {blind:.4f}")


if __name__ == "__main__":
    main()

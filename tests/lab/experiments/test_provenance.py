"""Where results come from: the commit that a checkout is at."""

import subprocess
from pathlib import Path

import durak_core
from durak_core.lab.experiments.results import commit


def test_a_checkout_names_its_commit() -> None:
    package = Path(durak_core.__file__).parent
    command = ["git", "-C", str(package), "rev-parse", "--short", "HEAD"]
    head = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    assert commit().removesuffix("+") == head

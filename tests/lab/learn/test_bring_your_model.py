"""The agents of the page play matches with models of each library, and refuse those for other rules."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

np = pytest.importorskip("numpy", reason="numpy comes with numba or the extra lab")

from durak_core import AgentError  # noqa: E402 - after the check
from durak_core.lab import N_ACTIONS, Match, input_size, play_match  # noqa: E402
from durak_core.lab.experiments.dataset import DataSet, write_dataset  # noqa: E402

PAGE = Path(__file__).parents[3] / "docs/bring-your-model.md"
MISSING = "comes with the extra examples"


def programs(folder: Path) -> None:
    """Write the files of the page."""
    for text in re.findall(
        r"```python\n(# (?:\w+\.py)\n.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL
    ):
        (folder / text.split()[1]).write_text(text, encoding="utf-8")


def check_plays(folder: Path, spec: str) -> None:
    """A match of two deals ends; at a table with other rules the first game does not begin."""
    assert len(list(play_match(Match("podkidnoy", (f"{folder / spec}", "greedy"), 4, 1)))) == 4
    with pytest.raises(AgentError, match=f"633 inputs .* 3 seats have {input_size(3)} inputs"):
        next(play_match(Match("podkidnoy:seats=3", (f"{folder / spec}", "greedy"), 1, 1)))


@pytest.mark.filterwarnings("ignore")
def test_a_policy_of_sb3_contrib_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contrib = pytest.importorskip("sb3_contrib", reason=f"sb3-contrib {MISSING}")
    from durak_core.lab.learn.adapters.sb3_games import sb3_games  # noqa: PLC0415 - after the check

    monkeypatch.chdir(tmp_path)
    programs(tmp_path)
    contrib.MaskablePPO("MlpPolicy", sb3_games(2), policy_kwargs={"net_arch": [8]}).save("ppo.zip")
    check_plays(tmp_path, "ppo_agent.py:Policy")


@pytest.mark.filterwarnings("ignore")
def test_a_network_of_pytorch_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch", reason="the extra learn is not installed")
    monkeypatch.chdir(tmp_path)
    programs(tmp_path)
    torch.jit.script(torch.nn.Linear(input_size(2), N_ACTIONS)).save("net.pt")
    check_plays(tmp_path, "torch_agent.py:Net")


@pytest.mark.parametrize("version", [1, 2])
def test_a_clone_of_the_data_set_plays(version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program learns from a few games as written by `durak dataset`, and in the columns of version 1."""
    pytest.importorskip("sklearn", reason=f"scikit-learn {MISSING}")
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra export is not installed")
    monkeypatch.chdir(tmp_path)
    programs(tmp_path)
    write_dataset(tmp_path / "set", DataSet(1, 20, 2, ("random", "greedy"), "mcts:limit=2,samples=2"))
    if version == 1:
        (file,) = (tmp_path / "set/games").glob("*.parquet")
        table = parquet.read_table(file)
        names = ["deck" if name == "hidden_deck" else name for name in table.column_names]
        parquet.write_table(table.rename_columns(names), file)
    program = [sys.executable, "clone.py", str(tmp_path / "set/games"), "20"]
    subprocess.run(program, check=True, env={"PYTHONPATH": str(PAGE.parents[1])})
    check_plays(tmp_path, "clone_agent.py:Clone")


def test_a_model_in_onnx_runtime_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    onnx = pytest.importorskip("onnx", reason=f"onnx {MISSING}")
    pytest.importorskip("onnxruntime", reason=f"onnxruntime {MISSING}")
    monkeypatch.chdir(tmp_path)
    programs(tmp_path)
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    weights = np.random.default_rng(1).random((input_size(2), N_ACTIONS), np.float32)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["seen", "weights"], ["scores"])],
        "linear",
        [helper.make_tensor_value_info("seen", kind, [1, input_size(2)])],
        [helper.make_tensor_value_info("scores", kind, [1, N_ACTIONS])],
        [onnx.numpy_helper.from_array(weights, "weights")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, "net.onnx")
    check_plays(tmp_path, "onnx_agent.py:Onnx")

"""The tools of packaging/ can be imported."""

from pathlib import Path
from runpy import run_path

import pytest

FOLDER = Path(__file__).parents[2] / "packaging"
TOOLS = [*sorted(path.name for path in FOLDER.glob("*.py")), "bench"]


@pytest.mark.parametrize("name", TOOLS)
def test_tools_can_be_imported(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    assert run_path(str(FOLDER / name))["__doc__"]


def test_picture_of_portfolio_is_drawn() -> None:
    made = run_path(str(FOLDER / "portfolio_learning.py"))
    losses = [[[1.1, 1.0]], [[1.2, 1.1]], [[1.3, 1.2]]]
    judged = made["OrderScores"](["table"], made["np"].array(losses[: len(made["ORDERS"])]))
    assert made["picture"]("key", judged).startswith("<svg")

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


def test_portfolio_figure_is_drawn() -> None:
    script_globals = run_path(str(FOLDER / "portfolio_learning.py"))
    losses = [[[1.1, 1.0]], [[1.2, 1.1]], [[1.3, 1.2]]]
    scores = script_globals["OrderScores"](
        ["table"], script_globals["np"].array(losses[: len(script_globals["ORDERS"])])
    )
    assert script_globals["picture"]("key", scores).startswith("<svg")

"""Names of the runs of a comparison."""

from typing import Any

from studio.compare.cell_names import make_cell_name
from studio.gui.shell.frame.top_bar import _format_run_title
from studio.space.library import load


def test_run_of_cell_shows_title_of_space(make_view: Any) -> None:
    cell = make_view(name=make_cell_name("my · table", "DivBO", "perceptron", 3))
    title = load("perceptron").title
    assert cell.name == f"my · table · DivBO · {title} · 3"
    name = make_cell_name("my · table", "DivBO", "sklearn-cash", 3)
    default = make_view(name=name, settings={"source": {"target": "y"}})
    assert default.name == "my · table · DivBO · 3", "the default space is not named"
    assert _format_run_title(default) == default.name, "without its target"
    mine = make_view(name="mine", settings={"source": {"target": "y"}})
    assert _format_run_title(mine) == "y · mine"
    for own in ("DivBO from 24", "a · b · c · 3", "a · b · sklearn-cash · x", "sklearn-cash · 3"):
        assert make_view(name=own).name == own

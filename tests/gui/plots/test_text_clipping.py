"""Plot texts neither overlap nor are cut, in any language, size and unit."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox

from studio import language
from studio.document.store import Document
from studio.gui.base import theme
from studio.gui.base.localisation import set_languages
from studio.gui.pages.live.registry import REGISTRY
from studio.gui.plots.base.plot import Plot
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subjects import Subject
from studio.gui.session.learner_names import get_learner_name
from studio.measure import Measure
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, TableSource
from studio.space.space import Space
from tests.gui.painted_texts import find_collisions, find_elided, find_outside, read_painted_texts
from tests.gui.plots.conftest import Answering, PlotHelper

pytestmark = pytest.mark.slow

TRIALS = 12

HOUSES, CURRENTS = 2e5, 1e-6
"""Scales of the targets."""

FOUR, TWO = (597, 267), (572, 515)
"""Size of one of four plots at 1366 × 768, and of one of two at a larger font size."""

CASES = (
    pytest.param(HOUSES, "xx", 1.0, FOUR, id="houses-xx"),
    pytest.param(HOUSES, "fr", 1.3, TWO, id="houses-fr-130"),
    pytest.param(CURRENTS, "en", 1.0, FOUR, id="currents-en"),
)


@pytest.fixture(scope="session")
def make_run_of_scale(tmp_path_factory: pytest.TempPathFactory) -> Callable[[float], Subject]:
    """Return a cached function that makes finished runs with a scale of targets."""
    return cache(lambda size: _make_finished_run(tmp_path_factory.mktemp("measured"), size))


def _make_finished_run(folder: Path, size: float) -> Subject:
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(70, 2))
    target = size * (2 + rows[:, 0] + 0.3 * rng.normal(size=70))
    lines = [f"{a:.4f},{b:.4f},{y:.6g}" for (a, b), y in zip(rows, target, strict=True)]
    table = folder / "table.csv"
    table.write_text("\n".join(["a,b,price", *lines]) + "\n")
    settings = RunSettings(
        method="EO-mse",
        budget=TRIALS,
        workers=1,
        source=TableSource(path=str(table)),
        overrides={"proposer.slots": 3},
    )
    with Document.create(folder / "work.studio") as document:
        run_id = document.runs.add("measured", settings.to_json())
        assert Engine(document, run_id, lambda _: None, InlinePool).execute_run() == "finished"
        row, trials, iterations = (
            document.runs.get(1),
            document.trials.list_all(1),
            document.trials.list_iterations(1),
        )
    space = Space.from_json(row.settings["space"])
    root = space.find_root_choice()
    assert root is not None
    series = RunSeries(
        measure=Measure("median absolute error", ""),
        branch_parameter=root.name,
        branches=tuple(map(str, root.choices)),
    )
    series.extend(trials, iterations)
    return Subject(
        folder / "work.studio", 1, series, None, space, settings=RunSettings.from_row(row)
    )


@pytest.fixture
def set_language_and_font_size(qapp: QApplication) -> Iterator[Callable[[str, float], None]]:
    """Return a function that sets language and font size for one test."""

    def begin(code: str, scale: float) -> None:
        if code not in (*language.list_languages(), language.PSEUDO):
            pytest.skip("its catalogue is not compiled")
        set_languages(code)
        theme.apply(qapp, theme.LIGHT, scale)

    yield begin
    set_languages("en")


def is_name(text: str, plot: Plot, space: Space) -> bool:
    """Return whether an elided text is a name from the run or an entry of a chooser."""
    stem = text.rstrip("…").rstrip()
    chooser_texts = [each.currentText() for each in plot.findChildren(QComboBox)]
    root = space.find_root_choice()
    learners = [str(each) for each in root.choices] if root else []
    names = [*chooser_texts, *space.names, *learners, *map(get_learner_name, learners)]
    return any(stem in name for name in names)


@pytest.mark.parametrize(("size", "code", "scale", "room"), CASES)
def test_plot_texts_are_not_truncated(
    size: float,
    code: str,
    scale: float,
    room: tuple[int, int],
    make_run_of_scale: Callable[[float], Subject],
    set_language_and_font_size: Callable[[str, float], None],
    analysis: Mapping[str, Answering],
    qtbot: Any,
    subtests: pytest.Subtests,
) -> None:
    set_language_and_font_size(code, scale)
    subject = make_run_of_scale(size)
    assert subject.space is not None
    for kind in REGISTRY:
        with subtests.test(plot=kind.key):
            plot = kind(PlotHelper(analysis))
            qtbot.addWidget(plot)
            plot.resize(*room)
            plot.show()
            # Deferred, as on the page: during a resize the canvas still has its old size.
            plot.redraw_requested.connect(plot.refresh, Qt.ConnectionType.QueuedConnection)
            plot.follow(subject)
            for _ in range(4):
                QApplication.processEvents()
            assert plot.empty_text == ""
            texts = read_painted_texts(plot)
            assert texts
            assert find_collisions(texts) == []
            assert find_outside(plot, texts) == []
            assert [
                each for each in find_elided(texts) if not is_name(each, plot, subject.space)
            ] == []
            plot.hide()

"""The benchmarks of the plots, with a small run."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from bench.gui.endurance import follow_to_end
from bench.gui.stress import InProcessHelper, make_document, measure
from studio.gui.pages.live.page import LivePage
from studio.gui.plots.base.subjects import Subjects
from studio.gui.plots.ensemble.diversity import DiversityPlot
from studio.gui.plots.quality.progress import ProgressPlot
from studio.gui.session.session import Session

pytestmark = pytest.mark.slow


def test_artificial_run_is_drawn_and_measured(qtbot: QtBot, tmp_path: Path) -> None:
    session = Session()
    session.open(make_document(tmp_path, trials=60, members=5))
    subject = Subjects(session).get_current()
    assert subject is not None
    assert len(subject.series.trials) == 60
    assert len(subject.series.iterations[-1].members) == 5
    assert subject.series.failed.sum() == 1
    for plot in (ProgressPlot, DiversityPlot):
        measurements = measure(plot, subject)
        assert measurements["drawn"] == 1.0
        assert 0 < measurements["draw_ms"] <= measurements["draw_max_ms"]
    session.close()


def test_hour_long_benchmark_counts_redraws(qtbot: QtBot, tmp_path: Path) -> None:
    session = Session()
    page = LivePage(session, InProcessHelper())
    qtbot.addWidget(page)
    page.resize(1280, 800)
    page.show()
    measurements = follow_to_end(
        page, session, make_document(tmp_path, trials=20, members=5), redraws=150
    )
    assert measurements["plots"] == 4.0
    assert 150 <= measurements["redraws"] < 154
    assert measurements["growth_mb"] == measurements["end_mb"] - measurements["trials_mb"]
    # The artificial run forward to its end, then back and forth.
    assert session.run_selection.iteration in range(14, 21)
    session.close()

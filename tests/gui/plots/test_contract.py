"""Contract of all live plots."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject, QPointF, Qt
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from studio.gui.base import theme
from studio.gui.pages.live.registry import REGISTRY
from studio.gui.plots.base.frame import NO_RUN
from studio.gui.plots.base.header import Explanation
from studio.gui.plots.base.plot import QUESTION_TITLES, Plot
from studio.gui.plots.base.subjects import Subject

pytestmark = pytest.mark.slow

SubjectMaker = Callable[..., Subject]


@pytest.fixture(params=REGISTRY, ids=lambda plot: plot.key)
def plot(request: pytest.FixtureRequest, qtbot: Any, recorded_helper: Any) -> Plot:
    new_plot: Plot = request.param(recorded_helper)
    qtbot.addWidget(new_plot)
    new_plot.resize(640, 400)
    return new_plot


def test_contract_keys_are_unique() -> None:
    assert len({plot.key for plot in REGISTRY}) == len(REGISTRY)


def test_contract_plot_describes_itself(plot: Plot) -> None:
    assert plot.key
    assert plot.title
    assert len(plot.summary) > 20
    assert len(plot.explanation) > 200
    assert plot.question in QUESTION_TITLES
    assert plot.source
    assert plot.title in plot.accessibleName()


def test_contract_plot_without_run_shows_hint(plot: Plot) -> None:
    plot.follow(None)
    assert plot.empty_text == NO_RUN


def test_contract_plot_without_trials_shows_reason(
    plot: Plot, make_recorded_subject: SubjectMaker
) -> None:
    plot.follow(make_recorded_subject(0))
    assert plot.empty_text
    assert plot.empty_text != NO_RUN


@pytest.mark.parametrize("chosen", [None, 5, 20])
def test_contract_plot_draws_live_and_earlier_iterations(
    plot: Plot, make_recorded_subject: SubjectMaker, chosen: int | None
) -> None:
    plot.follow(make_recorded_subject(20, chosen))
    assert plot.empty_text == ""
    assert plot.read_out


def test_contract_plot_is_incremental_and_resets(
    plot: Plot, make_recorded_subject: SubjectMaker
) -> None:
    for length in (6, 12, 20):
        plot.follow(make_recorded_subject(length))
        assert plot.empty_text == ""
    plot.follow(None)
    assert plot.empty_text == NO_RUN


def test_contract_reply_is_drawn_by_scheduler(
    plot: Plot,
    make_recorded_subject: SubjectMaker,
    recorded_helper: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recorded_helper.holds_replies = True
    plot.follow(make_recorded_subject(20))
    redraw_requests: list[bool] = []
    plot.redraw_requested.connect(lambda: redraw_requests.append(True))
    draw_calls: list[bool] = []
    draw = plot.draw
    monkeypatch.setattr(plot, "draw", lambda subject: (draw_calls.append(True), draw(subject)))
    recorded_helper.release()
    assert draw_calls == []
    assert bool(redraw_requests) == bool(recorded_helper.asked)
    plot.follow(plot.subject)
    assert draw_calls
    assert plot.empty_text == ""


class _PaintCounter(QObject):
    """Counts the paint events of a widget."""

    def __init__(self, watched: QWidget) -> None:
        super().__init__(watched)
        self.count = 0
        watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        self.count += event.type() == QEvent.Type.Paint
        return super().eventFilter(watched, event)


def test_delayed_painting_yields_to_event_loop(
    recorded_helper: Any, make_recorded_subject: SubjectMaker, qtbot: Any
) -> None:
    plot = REGISTRY[0](recorded_helper)
    qtbot.addWidget(plot)
    with qtbot.waitExposed(plot):
        plot.show()
    plot.follow(make_recorded_subject(10))
    QApplication.processEvents()
    paints = _PaintCounter(plot.canvas.viewport())
    plot.delay_painting()
    plot.delay_painting()  # drawn twice before it is painted
    plot.follow(make_recorded_subject(20))
    QApplication.sendPostedEvents()
    assert not paints.count
    qtbot.waitUntil(lambda: paints.count > 0)
    paints.count = 0
    plot.follow(make_recorded_subject(15))
    QApplication.sendPostedEvents()
    assert paints.count


def test_contract_drawing_is_painted_once(
    plot: Plot, make_recorded_subject: SubjectMaker, qtbot: Any
) -> None:
    with qtbot.waitExposed(plot):
        plot.show()
    for iteration in (17, 18):
        plot.follow(make_recorded_subject(20, iteration))
        QApplication.processEvents()
    QApplication.processEvents()
    paints = _PaintCounter(plot.canvas.viewport())
    plot.follow(make_recorded_subject(20, 19))
    for _ in range(3):
        QApplication.processEvents()
    assert paints.count <= 1


def test_contract_plot_can_be_exported(
    plot: Plot, make_recorded_subject: SubjectMaker, tmp_path: Path
) -> None:
    plot.follow(make_recorded_subject(20))
    plot.save_picture(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 1000
    plot.save_vectors(tmp_path / "plot.svg")
    drawing = (tmp_path / "plot.svg").read_text(encoding="utf-8")
    assert QSvgRenderer(str(tmp_path / "plot.svg")).isValid()
    assert "<text" in drawing
    assert "<path" in drawing or "<polyline" in drawing
    assert plot.header.menu_button.isVisibleTo(plot)
    plot.save_numbers(tmp_path / "plot.csv")
    with (tmp_path / "plot.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert len(rows) > 1
    assert all(len(row) == len(rows[0]) for row in rows)


def test_contract_plot_uses_current_theme(
    recorded_helper: Any, make_recorded_subject: SubjectMaker, qtbot: Any, qapp: QApplication
) -> None:
    plots = [kind(recorded_helper) for kind in REGISTRY]
    for plot in plots:
        qtbot.addWidget(plot)
        plot.resize(640, 400)
        plot.follow(make_recorded_subject(20))
        plot.show()
    light = [plot.grab().toImage() for plot in plots]
    theme.apply(qapp, theme.DARK)
    dark = [plot.grab().toImage() for plot in plots]
    behind = [
        plot.key
        for plot, before, after in zip(plots, light, dark, strict=True)
        if before.pixelColor(before.width() // 2, 8) == after.pixelColor(after.width() // 2, 8)
    ]
    assert behind == []


def test_contract_hovering_raises_no_error(plot: Plot, make_recorded_subject: SubjectMaker) -> None:
    plot.follow(make_recorded_subject(20))
    plot.show()
    for x in range(-20, 700, 60):
        for y in range(-20, 420, 60):
            assert isinstance(plot.describe_item_at(QPointF(x, y)), str)


def test_contract_f1_opens_explanation(plot: Plot, qtbot: Any) -> None:
    plot.show()
    qtbot.keyClick(plot, Qt.Key.Key_F1)
    panel = plot.findChild(Explanation)
    assert panel is not None
    assert panel.isVisible()
    texts = [label.text() for label in panel.findChildren(QLabel)]
    assert plot.title in texts
    assert any(plot.source in text for text in texts)
    with qtbot.waitSignal(panel.destroyed):
        qtbot.keyClick(panel, Qt.Key.Key_Escape)

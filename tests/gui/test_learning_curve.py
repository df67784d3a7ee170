"""The learning curve view: estimate, job and result."""

import dataclasses
import json
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from studio import language
from studio.analysis.answers.learning_curve import CurveCost, LearningCurve
from studio.analysis.learning_curve.storage import store_curve
from studio.document.trials import Iteration
from studio.figures.shapes import Dot, Path, TextLabel
from studio.gui.base.command_job import CommandJob
from studio.gui.base.localisation import set_languages
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.results.page import ResultsPage
from studio.gui.pages.results.views.learning_curve import (
    LearningCurveView,
    _has_cut_bars,
    draw_curve,
    draw_preview,
)
from studio.gui.session.session import Session
from studio.gui.widgets import kit
from studio.trial import Trial
from tests.gui.painted_texts import read_painted_texts
from tests.gui.visible_content import get_visible_text, press
from tests.results import make_result

pytestmark = pytest.mark.slow

CURVE = LearningCurve(
    rows=(50, 50, 100, 100, 200, 200, 400),
    losses=(0.4, 0.42, 0.35, 0.34, 0.3, 0.31, 0.27),
    low=(0.3, 0.3, 0.3, 0.3, 0.25, 0.25, None),
    high=(0.5, 0.5, 0.4, 0.4, 0.35, 0.35, None),
    on="test",
    metric="error",
    unit="%",
    outlook="lower",
    later=0.25,
    later_low=0.24,
    later_high=0.26,
    fitted_rows=(50.0, 400.0, 800.0),
    fitted=(0.41, 0.28, 0.25),
    sentence="Twice the rows would lower the error.",
)


@pytest.fixture
def page(session: Session, helper: Any, qtbot: QtBot) -> ResultsPage:
    document = session.document
    split = {"train": np.arange(4), "validation": np.arange(4, 8), "test": np.arange(8, 12)}
    run = document.runs.add("EO-sqm", {"method": "EO-sqm", "metric": "error"}, split=split)
    document.trials.add(
        run,
        Trial(1, {"algorithm": "knn"}, 0, 0.05),
        np.zeros((4, 2), np.float16),
        None,
        Iteration(1, 1, 0.05, None, 0.05, None, ((1, 1.0),)),
    )
    document.runs.set_result(run, make_result())
    document.runs.set_state(run, "finished")
    session.following.poll()
    session.run_selection.choose_run(run)
    results_page = ResultsPage(session, RunModel(session, helper), helper)
    qtbot.addWidget(results_page)
    results_page.show()
    return results_page


def test_learning_curve_view_shows_time_estimate_and_result(
    page: ResultsPage, helper: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper.replaced["curve_cost"] = lambda _: CurveCost(130.0, 1, 7, 100, "test")
    press(page, "More data?")
    view = page.views.get_view(LearningCurveView)
    qtbot.waitUntil(view.button.isEnabled)
    assert "(7 " in get_visible_text(view)
    assert view.preview.isVisible(), "what it will draw"
    assert view.description_label.text().endswith(" 2 min 10 s.")
    answer = json.loads(json.dumps(dataclasses.asdict(CURVE)))
    commands: list[list[str]] = []

    def run(arguments: list[str], done: Any, _: str) -> None:
        commands.append(arguments)
        done(answer)

    monkeypatch.setattr(view.line, "run", run)
    press(view, "Find out")
    assert commands[0][0] == "learning-curve"
    assert CURVE.sentence in get_visible_text(view)
    assert view.picture.diagram is not None
    assert not view.preview.isVisible()
    set_languages("fr")
    try:
        view._show_curve(dataclasses.replace(CURVE, unit=""), unit="")
        view.picture.resize(700, 400)
        painted = [each.text for each in read_painted_texts(view.picture)]
    finally:
        set_languages(language.ENGLISH)
    assert "0,30" in painted, "the decimal mark is localised once, in steps of 0.05"
    press(page, "Answer")
    press(page, "More data?")
    assert CURVE.sentence in get_visible_text(view)
    assert "2 min" not in get_visible_text(view), "it is there"
    page.job_tracker.register(CommandJob(["export"], page))
    assert page.job_tracker.subcommand == "export"
    assert not view.reason_label.isVisible(), "nothing is left to be available"


def test_focus_stays_in_view_during_computation(
    page: ResultsPage, helper: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper.replaced["curve_cost"] = lambda _: CurveCost(130.0, 1, 7, 100, "test")
    monkeypatch.setattr(CommandJob, "start", lambda _: None)
    window = QWidget()
    qtbot.addWidget(window)
    kit.column(QPushButton("document"), page, parent=window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    press(page, "More data?")
    view = page.views.get_view(LearningCurveView)
    qtbot.waitUntil(view.button.isEnabled)
    view.button.setFocus()
    qtbot.keyClick(view.button, Qt.Key.Key_Space)
    assert window.focusWidget() is view.line.stop_button
    assert page.job_tracker.job is not None
    page.job_tracker.job.done.emit(json.loads(json.dumps(dataclasses.asdict(CURVE))))
    assert window.focusWidget() is view.sentence_label
    page.setParent(None)  # it closes automatically


def test_stored_curve_is_shown_until_outdated(
    page: ResultsPage, session: Session, helper: Any, qtbot: QtBot
) -> None:
    helper.replaced["curve_cost"] = lambda _: CurveCost(130.0, 1, 7, 100, "test")
    run = session.run_selection.run_id
    store_curve(session.document, run, CURVE)
    press(page, "More data?")
    view = page.views.get_view(LearningCurveView)
    # Worded by this version, regardless of the stored sentence.
    sentence = "Another 400 rows would lower the error by about 3.0 percentage points"
    assert sentence in get_visible_text(view)
    session.document.trials.add(
        run,
        Trial(2, {"algorithm": "knn"}, 0, 0.06),
        np.zeros((4, 2), np.float16),
        None,
        Iteration(2, 1, 0.05, None, 0.05, None, ((1, 1.0),)),
    )
    session.following.poll()
    qtbot.waitUntil(lambda: sentence not in get_visible_text(view))


def test_learning_curve_view_explains_unavailability(
    page: ResultsPage, helper: Any, qtbot: QtBot
) -> None:
    helper.replaced["curve_cost"] = lambda _: CurveCost(reason="There are 4 rows to learn from.")
    press(page, "More data?")
    view = page.views.get_view(LearningCurveView)
    qtbot.waitUntil(lambda: "There are 4 rows" in get_visible_text(view))
    assert not view.button.isEnabled()
    assert not view.preview.isVisible()


def test_preview_shows_error_of_result() -> None:
    shapes = draw_preview("7 %", "Error rate").shapes
    error_dots = [each for each in shapes if isinstance(each, Dot) and each.colour != "raised"]
    assert len(error_dots) == 1
    texts = [each.text for each in shapes if isinstance(each, TextLabel)]
    assert texts.count("7 %") == 1
    assert texts.count("?") == 4


def test_curve_figure_has_dots_and_forecast() -> None:
    dots = [each for each in draw_curve(CURVE, "Error", "").shapes if isinstance(each, Dot)]
    assert len(dots) == 8
    across = [each.x for each in dots]
    assert across == sorted(across)
    assert dots[-1].colour == "muted"


def find_strokes(curve: LearningCurve) -> list[Path]:
    """Return the horizontal strokes at the ends of the forecast's interval."""
    lines = [each for each in draw_curve(curve, "Log loss", "").shapes if isinstance(each, Path)]
    return [each for each in lines if each.colour == "muted" and each.width == 2.0]


def test_huge_test_bars_do_not_hide_forecast() -> None:
    small = dataclasses.replace(
        CURVE,
        losses=(0.521, 0.52, 0.515, 0.514, 0.51, 0.511, 0.508),
        low=(0.3,) * 7,
        high=(0.8,) * 7,
        unit="",
        later=0.505,
        later_low=0.495,
        later_high=0.508,
        fitted_rows=(50.0, 400.0, 800.0),
        fitted=(0.52, 0.508, 0.505),
    )
    for curve in (small, CURVE):
        top, bottom = sorted(stroke.points[0][1] for stroke in find_strokes(curve))
        diagram = draw_curve(curve, "Log loss", "")
        dot = next(d for d in diagram.shapes if isinstance(d, Dot) and d.colour == "muted")
        (left, _), (right, _) = find_strokes(curve)[0].points
        assert left < dot.x - dot.radius and right > dot.x + dot.radius
        if curve is small:
            assert bottom - top > 4 * dot.radius, "longer than the dot that covers it"
        ends = [y for each in diagram.shapes if isinstance(each, Path) for _, y in each.points]
        assert min(ends) >= 0 and max(ends) <= diagram.height
    assert _has_cut_bars(small)
    assert len(draw_curve(small, "", "").caption) > len(draw_curve(CURVE, "", "").caption)
    moderate = dataclasses.replace(small, low=(0.494,) * 7, high=(0.525,) * 7)
    assert not _has_cut_bars(moderate), "as they fit"
    level = dataclasses.replace(
        moderate, losses=(0.5,) * 7, fitted=(), fitted_rows=(), later=None, later_low=None
    )
    assert not _has_cut_bars(dataclasses.replace(level, later_high=None))

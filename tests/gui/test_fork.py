"""Forking a run at an iteration, from the button to the new run."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from studio.document.store import Document
from studio.document.trials import Iteration
from studio.errors import UsageError
from studio.gui.base import theme
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.run.runs.actions import ExtendBudgetDialog
from studio.gui.pages.run.runs.fork_dialog import (
    DEFAULT_MINUTES,
    DEFAULT_TRIALS,
    ForkDialog,
    list_fork_methods,
)
from studio.gui.session.session import Session
from studio.gui.shell import pages
from studio.gui.shell.window import MainWindow
from studio.proposers.method import list_methods
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, TableSource
from studio.trial import Trial
from tests.results import make_result

pytestmark = pytest.mark.slow

ROWS = "\n".join(f"{i},{i * 7 % 11},{'yes' if i * 7 % 11 > 5 else 'no'}" for i in range(60))


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    """Return a document with a finished run of four trials."""
    (tmp_path / "t.csv").write_text(f"a,b,target\n{ROWS}\n")
    path = tmp_path / "work.studio"
    settings = RunSettings(
        method="RS", budget=4, workers=1, source=TableSource(path=str(tmp_path / "t.csv"))
    )
    with Document.create(path) as document:
        run_id = document.runs.add("RS", settings.to_json())
        Engine(document, run_id, lambda _: None, InlinePool).execute_run()
    return path


def test_fork_dialog_lists_methods(make_view: Any, qtbot: QtBot) -> None:
    methods = [each for each in list_methods() if "binary" not in each.rejections]
    dialog = ForkDialog(make_view(), 12, methods)
    qtbot.addWidget(dialog)
    assert dialog.method_choice.count() == len(methods)
    assert dialog.get_changed_settings() == {"method": "RS-ES", "budget": 200, "seconds": None}, (
        "another one"
    )
    dialog.method_choice.activated.emit([each.key for each in methods].index("DivBO"))
    dialog.limit.models.selectAll()
    qtbot.keyClicks(dialog.limit.models, "20")
    assert dialog.get_changed_settings() == {"method": "DivBO", "budget": 20, "seconds": None}


def test_fork_offers_only_methods_of_same_evaluation(make_view: Any) -> None:
    def list_method_keys(**settings: Any) -> set[str]:
        view = make_view(settings={"metric": "error", "source": {"task": "binary"}, **settings})
        return {each.key for each in list_fork_methods(view, list_methods())}

    assert {"RS", "DivBO"} <= list_method_keys(method="RS")
    assert not {"best", "gp-r", "gp-sel"} & list_method_keys(method="RS"), "they would be rejected"
    assert {"best", "RS-ES"} <= list_method_keys(method="best")
    assert "gp-sel" in list_method_keys(method="RS", overrides={"evaluation.selection": 0.2})


@pytest.mark.parametrize(
    ("given", "iteration", "limit"),
    [
        ({"budget": 20}, 12, {"budget": 20, "seconds": None}),
        ({"budget": 12}, 12, {"budget": 12 + DEFAULT_TRIALS, "seconds": None}),
        ({"budget": None, "seconds": 90.0}, 3, {"budget": None, "seconds": 90.0}),
        (
            {"budget": None, "seconds": 31.0},
            3,
            {"budget": None, "seconds": 30.0 + 60 * DEFAULT_MINUTES},
        ),
        ({"budget": None, "seconds": 60.0}, 0, {"budget": None, "seconds": 60.0}),
    ],
)
def test_fork_dialog_proposes_remaining_budget(
    make_view: Any, qtbot: QtBot, given: dict[str, Any], iteration: int, limit: dict[str, Any]
) -> None:
    view = make_view(settings={"method": "RS", "metric": "error", **given})
    view.iterations += [Iteration(k, details={"elapsed": 10.0 * k}) for k in range(1, 13)]
    view.trials += [Trial(k, {}, 0, 0.5) for k in range(1, 13)]
    dialog = ForkDialog(view, iteration, [])
    qtbot.addWidget(dialog)
    assert dialog.get_changed_settings() == {"method": "RS", **limit}


def test_fork_dialog_proposes_time_for_trial_and_end_of_run(make_view: Any, qtbot: QtBot) -> None:
    settings = {"method": "RS", "metric": "error", "budget": None, "seconds": 60.0}
    view = make_view(settings=settings, state="finished", result=make_result(seconds=43.0))
    view.trials += [Trial(1, {}, 0, 0.4, fit_seconds=9.0), Trial(2, {}, 0, 0.4, fit_seconds=5.0)]
    details = [{"elapsed": 23.0, "timing": (13.0, 14.0)}, {"elapsed": 38.0, "timing": (23.0, 23.0)}]
    view.iterations += [Iteration(k, details=each) for k, each in enumerate(details, 1)]
    for iteration in (1, 2):
        dialog = ForkDialog(view, iteration, [])
        qtbot.addWidget(dialog)
        seconds = dialog.get_changed_settings()["seconds"]
        least = 2 * (14.0 + 9.0 + 5.0)
        extra = seconds - details[iteration - 1]["elapsed"]
        assert least <= extra <= least + 15.0
        assert extra % 15.0 == 0.0, "a round number"


def test_window_forks_run_at_shown_iteration(
    finished: Path, helper: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session()
    engines: list[int] = []
    monkeypatch.setattr(session.control, "start", engines.append)
    window = MainWindow(session, helper)
    qtbot.addWidget(window, before_close_func=lambda _: window.session.close())
    monkeypatch.setitem(pages.PAGE_FACTORIES, "live", lambda _: QWidget())
    window.show()
    window.opening.open_path(finished)
    qtbot.waitUntil(lambda: window.run.catalogue is not None)
    session.run_selection.choose_iteration(3)
    qtbot.mouseClick(window.slider.fork_button, Qt.MouseButton.LeftButton)
    dialog = window.findChild(ForkDialog)
    assert isinstance(dialog, ForkDialog)
    dialog.limit.models.selectAll()
    qtbot.keyClicks(dialog.limit.models, "5")
    promised = dialog.name.placeholderText()
    assert {"export.pickle", "export.report"} <= {each.key for each in window.list_all_commands()}
    with qtbot.waitSignal(window.starter.started) as blocker:
        qtbot.mouseClick(dialog.go_button, Qt.MouseButton.LeftButton)
    assert engines == blocker.args
    original, fork = sorted(session.runs.views, key=lambda view: view.row.id)
    assert fork.budget == 5
    assert fork.row.name == promised == "RS-ES from 3"
    assert [each.row.id for each in session.run_selection.overlaid_runs] == [original.row.id]
    assert [trial.configuration for trial in fork.trials] == [
        trial.configuration for trial in original.trials[:3]
    ]


def test_fork_waits_for_methods(
    finished: Path, helper: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session()
    window = MainWindow(session, helper)
    qtbot.addWidget(window, before_close_func=lambda _: window.session.close())
    monkeypatch.setitem(pages.PAGE_FACTORIES, "live", lambda _: QWidget())
    window.show()
    helper.holds_replies = True
    session.open(finished)
    window.show_page("live")
    for _ in range(2):
        qtbot.mouseClick(window.slider.fork_button, Qt.MouseButton.LeftButton)
    assert window.findChild(ForkDialog) is None
    assert window.toast.isVisible(), "not silently"
    helper.release()
    (dialog,) = window.findChildren(ForkDialog)
    assert not window.toast.isVisible()
    dialog.reject()


def test_catalogue_is_requested_again_after_failure(helper: Any, qtbot: QtBot) -> None:
    session = Session()
    model = RunModel(session, helper)

    def fail(_: object) -> None:
        raise UsageError("no")

    helper.replaced["catalogue"] = fail
    with qtbot.waitSignal(model.failed):
        model.request_catalogue()
    del helper.replaced["catalogue"]
    with qtbot.waitSignal(model.catalogue_loaded):
        model.request_catalogue()
    session.close()


def test_invalid_number_blocks_fork(make_view: Any, qtbot: QtBot) -> None:
    dialog = ForkDialog(
        make_view(), 25, [each for each in list_methods() if "binary" not in each.rejections]
    )
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.limit.models.selectAll()
    qtbot.keyClicks(dialog.limit.models, "10")
    assert not dialog.go_button.isEnabled()
    assert "26" in dialog.go_button.toolTip()
    qtbot.keyClick(dialog.limit.models, Qt.Key.Key_Return)
    assert dialog.isVisible()
    qtbot.waitUntil(lambda: find_cut_texts(dialog) == [])
    dialog.limit.choice.activated.emit(1)
    assert dialog.go_button.isEnabled()
    dialog.limit.choice.activated.emit(0)
    assert not dialog.go_button.isEnabled()
    dialog.limit.models.selectAll()
    qtbot.keyClicks(dialog.limit.models, "30")
    assert dialog.go_button.isEnabled()


def find_cut_texts(dialog: QWidget) -> list[str]:
    """Return the wrapped texts with insufficient height."""
    labels = [each for each in dialog.findChildren(QLabel) if each.isVisible() and each.wordWrap()]
    return [each.text() for each in labels if each.height() < each.heightForWidth(each.width())]


def test_invalid_number_blocks_more_budget(make_view: Any, qtbot: QtBot) -> None:
    dialog = ExtendBudgetDialog(make_view())
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.limit.models.selectAll()
    qtbot.keyClicks(dialog.limit.models, "0")
    assert not dialog.go_button.isEnabled()
    dialog.limit.choice.activated.emit(1)
    assert dialog.go_button.isEnabled()


def test_fork_dialog_fits_screen_at_large_font_size(
    make_view: Any, qtbot: QtBot, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    available = QRect(0, 0, 1366, 728)
    screen = SimpleNamespace(availableGeometry=lambda: available)
    monkeypatch.setattr(ForkDialog, "screen", lambda _: screen)
    theme.apply(qapp, theme.LIGHT, 2.0)
    try:
        dialog = ForkDialog(make_view(), 12, list_methods())
        qtbot.addWidget(dialog)
        dialog.move(433, 100)
        dialog.show()
        for _ in range(5):
            QApplication.processEvents()
        assert available.contains(dialog.frameGeometry())
        assert dialog.rect().contains(dialog.go_button.geometry())
        assert find_cut_texts(dialog) == []
    finally:
        theme.apply(qapp, theme.LIGHT)

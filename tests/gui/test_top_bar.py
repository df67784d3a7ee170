"""The top bar: run controls and messages."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.gui.base import theme
from studio.gui.session.run_view import RunView
from studio.gui.shell.frame.top_bar import TopBar
from tests.results import make_result


@pytest.fixture
def bar(qtbot: QtBot) -> TopBar:
    top_bar = TopBar()
    qtbot.addWidget(top_bar)
    return top_bar


def test_run_controls_are_hidden_without_run(bar: TopBar) -> None:
    assert not bar.pause_button.isEnabled()
    assert not bar.stop_button.isEnabled()


@pytest.mark.parametrize(
    ("state", "asked", "stops"),
    [
        ("running", "pause", True),
        ("waiting", "pause", True),
        ("paused", "continue", True),
        ("stopped", "continue", False),
    ],
)
def test_run_button_label_matches_action(
    bar: TopBar, make_view: Callable[..., RunView], state: str, asked: str, stops: bool
) -> None:
    actions: list[str] = []
    bar.pause_pressed.connect(lambda: actions.append("pause"))
    bar.continue_pressed.connect(lambda: actions.append("continue"))
    bar.show_run(make_view(state=state))
    bar.pause_button.click()
    assert actions == [asked]
    assert bar.pause_button.accessibleName().lower() == asked
    assert bar.stop_button.isEnabled() is stops


def test_result_button_precedes_continue_button(
    bar: TopBar, make_view: Callable[..., RunView]
) -> None:
    bar.show_run(make_view(state="stopped", result=make_result()))
    assert bar.pause_button.property("kind") != "primary"


@pytest.mark.parametrize(
    ("state", "texts"),
    [
        ("running", ("", "New run", "")),
        ("paused", ("", "New run", "CONTINUE")),
        ("stopped", ("", "New run", "CONTINUE")),
        ("failed", ("", "NEW RUN", "Continue")),
        ("finished", ("RUN", "", "")),
    ],
)
def test_run_new_run_and_continue_are_distinguished(
    bar: TopBar, make_view: Callable[..., RunView], state: str, texts: tuple[str, str, str]
) -> None:
    """The primary button (in capitals) is highlighted."""
    bar.set_can_run(True, "Start")
    bar.show_run(make_view(state="paused"))
    bar.show_run(make_view(state=state))
    buttons = (bar.run_button, bar.new_button, bar.pause_button)
    for button, text in zip(buttons, texts, strict=True):
        usable = button.isEnabled() and not button.isHidden()
        assert usable is (bool(text) or (button is bar.pause_button and state == "running"))
        if text:
            assert button.text().lower() == button.accessibleName().lower() == text.lower()
            assert (button.property("kind") == "primary") is text.isupper()
    assert bar.can_start(), "by its key"


def test_click_on_run_does_not_reach_swapped_button(
    qtbot: QtBot, make_view: Callable[..., RunView]
) -> None:
    actions: list[str] = []
    now = [100.0]
    bar = TopBar(clock=lambda: now[0])
    qtbot.addWidget(bar)
    bar.set_can_run(True, "Start")
    bar.run_pressed.connect(lambda: actions.append("start"))
    bar.new_run_pressed.connect(lambda: actions.append("new"))
    bar.continue_pressed.connect(lambda: actions.append("continue"))
    bar.resize(1200, bar.height())
    bar.show()

    def press(place: QPoint) -> list[str]:
        QApplication.processEvents()  # the layout
        actions.clear()
        now[0] += 10.0
        target = bar.childAt(place)
        if target is not None and target not in {bar, bar.messages}:
            QTest.mouseClick(target, Qt.MouseButton.LeftButton, pos=target.mapFrom(bar, place))
        return actions.copy()

    bar.show_run(make_view(state="finished"))
    QApplication.processEvents()
    of_run = bar.run_button.geometry().center()
    assert press(of_run) == ["start"]
    bar.show_run(make_view())
    QApplication.processEvents()
    of_new = bar.new_button.geometry().center()
    assert press(of_new) == ["new"], "it starts nothing"
    assert press(of_run) == [], "intended for Run, which needs no active run"
    for state in ("paused", "stopped", "failed"):
        bar.show_run(make_view(state=state))
        assert press(of_new) == ["new"], "it stays in its place"
        assert press(of_run) == []
    bar.show_run(make_view(state="finished"))
    assert press(of_new) == [], "intended for New run at the end of the run"


def test_focus_does_not_move_from_run_to_pause(
    qtbot: QtBot, make_view: Callable[..., RunView]
) -> None:
    bar = TopBar()
    qtbot.addWidget(bar)
    bar.set_can_run(True, "Start")
    bar.show()
    bar.activateWindow()
    bar.run_button.setFocus()
    bar.show_run(make_view())
    assert not bar.pause_button.hasFocus()
    assert not bar.stop_button.hasFocus()
    assert not bar.new_button.hasFocus()


def test_finished_run_has_no_pause_or_stop(bar: TopBar, make_view: Callable[..., RunView]) -> None:
    bar.show_run(make_view(state="finished"))
    assert not bar.pause_button.isEnabled()
    assert not bar.stop_button.isEnabled()
    assert bar.state.text() == "finished · 0 of 200 trials"


def test_pending_start_is_shown(bar: TopBar, make_view: Callable[..., RunView]) -> None:
    bar.show_run(make_view())
    bar.set_busy("Starting…")
    assert bar.state.text() == "Starting…"
    bar.set_busy("")
    assert bar.state.text() == "0 of 200 trials"


@pytest.mark.parametrize(("asked", "expected"), [("stop", "stopping…"), ("pause", "pausing…")])
def test_pending_request_is_shown_immediately(
    bar: TopBar, make_view: Callable[..., RunView], asked: str, expected: str
) -> None:
    view = make_view()
    view.pending_request = asked
    bar.show_run(view)
    assert bar.state.text() == f"{expected} · 0 of 200 trials"
    assert not bar.pause_button.isEnabled()
    assert bar.stop_button.isEnabled() is (asked != "stop")


def test_run_button_explains_obstacle(bar: TopBar, make_view: Callable[..., RunView]) -> None:
    reason = "Open a table first"
    bar.set_can_run(False, reason)
    assert not bar.run_button.isEnabled()
    assert bar.run_button.toolTip() == bar.state.text() == reason
    bar.show_run(make_view())
    assert bar.state.text() == "0 of 200 trials"
    bar.show_run(make_view(state="finished"))
    assert bar.state.text().startswith("finished · 0 of 200 trials")
    assert bar.state.text().endswith(f"? {reason}"), "a separate question, in every language"
    bar.set_can_run(True, "Start")
    assert bar.state.text() == "finished · 0 of 200 trials"
    bar.show_run(None)
    assert bar.state.text() == ""


def test_pending_start_can_be_stopped(bar: TopBar) -> None:
    bar.set_busy("Starting…")
    assert bar.stop_button.isEnabled()
    bar.set_busy("")
    assert not bar.stop_button.isEnabled()


def test_repeated_run_clicks_start_one_run(qtbot: QtBot) -> None:
    start_times: list[float] = []
    now = 100.0
    bar = TopBar(clock=lambda: now)
    qtbot.addWidget(bar)
    bar.run_pressed.connect(lambda: start_times.append(now))
    bar.set_can_run(True, "")
    for _ in range(20):  # a key held for six seconds
        bar.run_button.click()
        now += 0.3
    now += 1.0
    bar.run_button.click()
    assert [round(each) for each in start_times] == [100, 107]


def test_late_second_click_is_ignored(qtbot: QtBot) -> None:
    now, start_times = [100.0], []
    bar = TopBar(clock=lambda: now[0])
    qtbot.addWidget(bar)

    def start() -> None:
        start_times.append(now[0])
        now[0] += 5.0

    bar.run_pressed.connect(start)
    bar.set_can_run(True, "")
    bar.run_button.click()
    now[0] += 0.1
    bar.run_button.click()
    assert start_times == [100.0]


def test_pause_and_stop_are_shown_for_active_run(
    bar: TopBar, make_view: Callable[..., RunView]
) -> None:
    buttons = (bar.pause_button, bar.stop_button)
    visibility = {}
    for state in ("running", "paused", "stopped", "finished"):
        bar.show_run(make_view(state=state))
        visibility[state] = tuple(each.isVisibleTo(bar) for each in buttons)
    assert visibility == {
        "running": (True, True),
        "paused": (True, True),
        "stopped": (True, False),
        "finished": (False, False),
    }
    bar.show_run(None)
    assert not bar.chosen_run_button.isEnabled()
    bar.set_can_run(False, "no table")
    assert not bar.chosen_run_button.isEnabled(), "without a document there are no pages"
    bar.show_document("t.studio", "")
    assert bar.chosen_run_button.isEnabled(), "it leads to the page with the full reason"
    assert bar.chosen_run_button.toolTip() == "no table"
    bar.set_busy("Reading the table")
    assert (bar.pause_button.isVisibleTo(bar), bar.stop_button.isVisibleTo(bar)) == (False, True)


def test_recording_has_no_pause_or_stop(bar: TopBar, make_view: Callable[..., RunView]) -> None:
    for is_replay in (False, True):
        bar.show_run(make_view(), played=is_replay)
        assert bar.pause_button.isHidden() is is_replay
        assert bar.stop_button.isHidden() is is_replay


def test_run_of_comparison_cannot_be_continued_separately(
    bar: TopBar, make_view: Callable[..., RunView]
) -> None:
    bar.show_run(make_view(state="interrupted"), in_study=True)
    assert bar.pause_button.isHidden()
    bar.show_run(make_view(state="interrupted"))
    assert not bar.pause_button.isHidden()


def test_run_button_keeps_width_after_presentation(bar: TopBar, qapp: QApplication) -> None:
    width = bar.run_button.minimumWidth()
    theme.apply(qapp, theme.LIGHT, 1.4)
    assert bar.run_button.minimumWidth() > width
    theme.apply(qapp, theme.LIGHT)
    assert bar.run_button.minimumWidth() == width


def test_run_is_requested_by_key_while_another_is_active(
    bar: TopBar, make_view: Callable[..., RunView]
) -> None:
    requests: list[bool] = []
    bar.run_pressed.connect(lambda: requests.append(True))
    bar.set_can_run(True, "Start")
    bar.show_run(make_view())
    bar.request_start()
    assert requests == [True]
    bar.set_can_run(False, "Open a table first")
    assert not bar.can_start()

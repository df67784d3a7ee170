"""The bar at the top."""

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from studio.gui.run_view import RunView
from studio.gui.top_bar import TopBar


@pytest.fixture
def bar(qtbot: QtBot) -> TopBar:
    made = TopBar()
    qtbot.addWidget(made)
    return made


def test_without_a_run_there_is_nothing_to_pause_or_stop(bar: TopBar) -> None:
    assert not bar.pause_button.isEnabled()
    assert not bar.stop_button.isEnabled()


@pytest.mark.parametrize(
    ("state", "wish", "stops"),
    [
        ("running", "pause", True),
        ("waiting", "pause", True),
        ("paused", "continue", True),
        ("stopped", "continue", False),
    ],
)
def test_the_button_says_what_it_does(
    bar: TopBar, make_view: Callable[..., RunView], state: str, wish: str, stops: bool
) -> None:
    heard: list[str] = []
    bar.pause_pressed.connect(lambda: heard.append("pause"))
    bar.continue_pressed.connect(lambda: heard.append("continue"))
    bar.show_run(make_view(state=state))
    bar.pause_button.click()
    assert heard == [wish]
    assert bar.pause_button.accessibleName().lower() == wish
    assert bar.stop_button.isEnabled() is stops


def test_a_finished_run_is_neither_paused_nor_stopped(
    bar: TopBar, make_view: Callable[..., RunView]
) -> None:
    bar.show_run(make_view(state="finished"))
    assert not bar.pause_button.isEnabled()
    assert not bar.stop_button.isEnabled()
    assert bar.state.text() == "finished · 0 of 200"


def test_a_start_under_way_is_said(bar: TopBar, make_view: Callable[..., RunView]) -> None:
    bar.show_run(make_view())
    bar.set_busy("Starting…")
    assert bar.state.text() == "Starting…"
    bar.set_busy("")
    assert bar.state.text() == "0 of 200"

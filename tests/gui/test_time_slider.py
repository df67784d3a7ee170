"""The time slider: its label, its marks, playback of iterations."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.document.trials import Iteration
from studio.gui.base import theme
from studio.gui.session.run_view import RunView
from studio.gui.shell.bars.time_slider import DEFAULT_SPEED, IterationMarks, Player, TimeSlider
from studio.trial import Trial
from tests.facts import contains_facts


@pytest.fixture
def slider(qtbot: QtBot) -> TimeSlider:
    new_slider = TimeSlider()
    qtbot.addWidget(new_slider)
    return new_slider


def test_displayed_iteration_is_not_signalled_as_selected(slider: TimeSlider, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(slider.iteration_chosen):
        slider.show_time(0, None)
        slider.show_time(83, None)
        slider.show_time(84, 12)
    assert slider.text_label.text() == "iteration 12 of 84"


@pytest.mark.parametrize(
    ("state", "expected", "button"),
    [
        ("waiting", "iteration 12 · live", "Live"),
        ("running", "iteration 12 · live", "Live"),
        ("paused", "iteration 12 of 12", "To the end"),
        ("finished", "iteration 12 of 12", "To the end"),
        ("stopped", "iteration 12 of 12", "To the end"),
        ("interrupted", "iteration 12 of 12", "To the end"),
    ],
)
def test_live_label_depends_on_run_state(
    slider: TimeSlider,
    qtbot: QtBot,
    make_view: Callable[..., RunView],
    state: str,
    expected: str,
    button: str,
) -> None:
    view = make_view(state="running" if state == "interrupted" else state)
    view.is_alive = state != "interrupted"
    view.iterations = [Iteration(n, 1, 0.2, None, 0.1) for n in range(1, 13)]
    slider.show_run(view, None)
    assert (slider.text_label.text(), slider.live_button.text()) == (expected, button)
    assert slider.live_button.accessibleName() == button
    slider.show_run(view, 5)
    assert slider.text_label.text() == "iteration 5 of 12"
    with qtbot.waitSignal(slider.iteration_chosen) as blocker:
        slider.live_button.click()
    assert blocker.args == [None]


def test_reserved_width_follows_size_of_type(slider: TimeSlider, qapp: QApplication) -> None:
    theme.style_window(slider)
    slider.show()
    slider.show_time(1000, 12)
    width = slider.text_label.minimumWidth()
    theme.apply(qapp, theme.LIGHT, 2.0)
    slider.show_time(1000, 13)
    assert slider.text_label.minimumWidth() > 1.5 * width
    theme.apply(qapp, theme.LIGHT)
    assert slider.text_label.minimumWidth() == width, "before the time changes"


def test_slider_buttons_do_not_take_focus(slider: TimeSlider, qtbot: QtBot) -> None:
    with qtbot.waitActive(slider):
        slider.show()
    slider.show_time(12, 5)
    slider.iteration_chosen.connect(lambda chosen: slider.show_time(12, chosen))
    slider.play_button.setFocus()
    for button in (slider.live_button, slider.fork_button):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert slider.play_button.hasFocus()
    assert slider.speed_button.focusPolicy() == Qt.FocusPolicy.TabFocus
    slider.speed_button.setFocus()
    menu = slider.speed_button.menu()
    menu.aboutToShow.emit()
    menu.actions()[0].trigger()
    assert slider.play_button.hasFocus()
    slider.show_time(12, 5)
    slider.live_button.setFocus()
    qtbot.keyClick(slider.live_button, Qt.Key.Key_Space)
    assert slider.play_button.hasFocus(), "not the button that opens a dialog"
    slider.slider.setFocus()
    playback: Any = SimpleNamespace(paused=False, is_finished=False, speed=1.0)
    with qtbot.waitSignal(slider.recording_pressed):
        slider.show_recording(playback)
        qtbot.keyClick(slider.focusWidget(), Qt.Key.Key_Space)


@pytest.mark.parametrize("last", [7, 15, 101])
def test_click_on_slider_selects_iteration(slider: TimeSlider, qtbot: QtBot, last: int) -> None:
    slider.resize(600, 40)
    slider.show()
    slider.show_time(last, None)
    iterations: list[object] = []
    slider.iteration_chosen.connect(iterations.append)
    middle = QPoint(slider.slider.width() // 2, slider.slider.height() // 2)
    qtbot.mouseClick(slider.slider, Qt.MouseButton.LeftButton, pos=middle)
    assert isinstance(iterations[0], int)
    assert len(iterations) == 1
    assert abs(iterations[0] - (last + 1) / 2) <= 1
    qtbot.keyClick(slider.slider, Qt.Key.Key_End)
    assert iterations[-1] is None


def test_slider_range_covers_longer_run(
    slider: TimeSlider, make_view: Callable[..., RunView]
) -> None:
    view = make_view(state="finished")
    view.iterations = [Iteration(n, 1, 0.2, None, 0.1) for n in range(1, 13)]
    slider.show_run(view, 20, last=30)
    assert slider.slider.maximum() == 30 and slider.slider.value() == 20
    assert contains_facts(slider.text_label.text(), "20", "12")
    iterations: list[object] = []
    slider.iteration_chosen.connect(iterations.append)
    slider.player.step()
    assert iterations == [21]
    widths = set()
    for iteration in (3, 12, 13, None):
        slider.show_run(view, iteration, last=1300)
        widths.add(slider.text_label.minimumWidth())
    assert len(widths) == 1, "the slider keeps its length"
    slider.show_run(view, 12, last=30)
    assert slider.text_label.text() == "iteration 12 of 12", "its own, not the other run's"
    live = make_view(state="running")
    live.iterations = view.iterations
    slider.show_run(live, None, last=30)
    assert slider.text_label.text() == "iteration 12 · live"


def test_recording_shows_no_number_of_iterations_while_run_grows(slider: TimeSlider) -> None:
    playback: Any = SimpleNamespace(paused=False, is_finished=False, speed=1.0)
    slider.show_recording(playback)
    slider.show_time(30, None, newest=30)
    assert contains_facts(slider.text_label.text(), "iteration 30")
    assert slider.text_label.text().count("30") == 1, "beside it: 30 of 80 trials"
    slider.show_time(30, 12, newest=30)
    assert contains_facts(slider.text_label.text(), "12", "30")
    slider.show_time(80, None)
    assert slider.text_label.text().count("80") == 2, "it has finished"


def watched(last: int, chosen: int | None) -> tuple[Player, list[object], list[bool]]:
    player, iterations, playing = Player(), [], []
    player.moved.connect(iterations.append)
    player.playing_changed.connect(playing.append)
    player.show_time(last, chosen)
    return player, iterations, playing


def test_playback_from_live_starts_at_first_iteration(qtbot: QtBot) -> None:
    player, iterations, playing = watched(4, None)
    player.toggle()
    while player.playing:
        player.show_time(4, iterations[-1])
        player.step()
    assert iterations == [1, 2, 3, None]
    assert playing == [True, False]


def test_playback_starts_at_selected_iteration(qtbot: QtBot) -> None:
    player, iterations, _ = watched(9, 5)
    player.toggle()
    player.step()
    player.toggle()
    assert iterations == [6]
    assert not player.playing


def test_user_selection_stops_playback(qtbot: QtBot) -> None:
    player, _, playing = watched(9, 5)
    player.toggle()
    player.step()
    player.show_time(9, 6)
    assert player.playing
    player.show_time(9, 2)
    assert playing == [True, False]


def test_playback_continues_with_new_iterations(qtbot: QtBot) -> None:
    player, iterations, _ = watched(3, 2)
    player.toggle()
    player.show_time(5, 2)
    player.step()
    assert iterations == [3]


def test_playback_needs_iterations(qtbot: QtBot) -> None:
    player, iterations, playing = watched(1, None)
    player.toggle()
    assert iterations == []
    assert playing == []


def test_playback_speed_is_remembered(qtbot: QtBot) -> None:
    assert Player().speed == DEFAULT_SPEED
    Player().set_speed(20)
    assert Player().speed == 20


def test_slider_marks_show_improvements_and_failures(make_view: Callable[..., RunView]) -> None:
    view, marks = make_view(), IterationMarks()
    for number, (best, loss) in enumerate(
        [(None, None), (2, 0.3), (2, 0.4), (4, 0.2), (4, None)], start=1
    ):
        view.trials.append(Trial(number, {}, number, loss, "" if loss else "crashed"))
        view.iterations.append(Iteration(number, best))
        marks.extend(view)
    marks.extend(view)
    assert marks.improvements == [2, 4]
    assert marks.failed_iterations == [1, 5]


def test_slider_plays_and_shows_marks(qtbot: QtBot, make_view: Callable[..., Any]) -> None:
    slider = TimeSlider()
    qtbot.addWidget(slider)
    view = make_view()
    view.iterations = [Iteration(number, 1 + number // 3) for number in range(1, 9)]
    slider.iteration_chosen.connect(lambda chosen: slider.show_run(view, chosen))
    slider.resize(900, 40)
    slider.show()
    slider.show_run(view, None)
    plain = slider.grab().toImage()
    assert slider.play_button.isEnabled()
    qtbot.keyClick(slider.slider, Qt.Key.Key_Space)
    assert slider.player.playing
    assert slider.text_label.text() == "iteration 1 of 8"
    assert slider.play_button.accessibleName() == "Stop playing"
    qtbot.keyClick(slider.slider, Qt.Key.Key_Right)
    assert not slider.player.playing
    slider.show_run(make_view(id=2), None)
    assert not slider.play_button.isEnabled()
    assert slider.grab().toImage() != plain

"""Playback of iterations, and marks of the time slider."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.document.trials import Iteration
from studio.gui.session.run_view import RunView
from studio.gui.shell.bars.time_slider import DEFAULT_SPEED, IterationMarks, Player, TimeSlider
from studio.trial import Trial


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

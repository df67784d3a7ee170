"""Playback of a recording, and its controls."""

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from studio.data.samples import Recording, list_recordings
from studio.document import shapes
from studio.document.store import Document
from studio.document.trials import Iteration
from studio.gui.session.session import Session
from studio.gui.shell.bars.replay_bar import (
    SUMMARY_KEY,
    RecordingSummary,
    ReplayBar,
    RunComparison,
    describe_recording,
    describe_what_to_watch,
)
from studio.gui.shell.documents.documents import confirm_closing
from studio.gui.shell.window import MainWindow
from studio.gui.widgets import kit
from studio.language import tr
from studio.trial import Trial
from tests.gui.visible_content import get_visible_text

pytestmark = pytest.mark.slow


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    path = tmp_path / "r.studio"
    with Document.create(path) as document:
        for name in ("EO-sig", "BO-best"):
            run = document.runs.add(name, {"method": name, "budget": 4})
            for number in range(1, 5):
                trial = Trial(
                    number=number, configuration={}, seed=0, loss=None, cause="c", remedy="r"
                )
                details = {"elapsed": float(number)}
                document.trials.add(run, trial, None, None, Iteration(number, details=details))
            document.runs.set_state(run, "finished")
    new_session = Session()
    new_session.open(path)
    yield new_session
    new_session.close()


@pytest.fixture
def bar(session: Session, qtbot: QtBot) -> ReplayBar:
    replay_bar = ReplayBar(session)
    qtbot.addWidget(replay_bar)
    return replay_bar


@pytest.fixture
def window(session: Session, helper: Any, qtbot: QtBot) -> Iterator[MainWindow]:
    main_window = MainWindow(session, helper)
    qtbot.addWidget(main_window)
    main_window.show()
    yield main_window
    main_window.session.close()


def test_playback_ends_in_original_state_of_runs(
    session: Session, bar: ReplayBar, qtbot: QtBot
) -> None:
    assert bar.isHidden()
    session.play()
    assert not bar.isHidden()
    assert [len(view.trials) for view in session.runs.views] == [0, 0]
    assert [view.state for view in session.runs.views] == ["running", "running"]
    assert session.following.playback is not None
    session.following.playback.speed = 60.0
    qtbot.waitUntil(lambda: all(len(view.trials) == 4 for view in session.runs.views))
    assert [view.state for view in session.runs.views] == ["finished", "finished"]
    assert "over" in get_visible_text(bar)
    qtbot.mouseClick(bar.end_button, Qt.MouseButton.LeftButton)
    assert session.following.playback is None
    assert bar.isHidden()
    assert [len(view.trials) for view in session.runs.views] == [4, 4]


def test_play_button_controls_recording(window: MainWindow, session: Session, qtbot: QtBot) -> None:
    slider = window.slider
    session.play()
    window.show_page("live")
    playback = session.following.playback
    assert playback is not None
    buttons = window.findChildren(QPushButton)
    names = [each.accessibleName() for each in buttons if each.isVisible()]
    assert {name for name in names if "recording" in name.lower()} == {
        tr("Pause the recording"),
        tr("End the recording"),
    }
    slider.play_button.click()
    assert playback.paused
    assert slider.play_button.accessibleName() == tr("Resume the recording")
    session.control.send_request(1, "continue")
    assert not playback.paused
    slider.speed_button.menu().aboutToShow.emit()
    slider.speed_button.menu().actions()[-1].trigger()
    assert playback.speed == 4.0
    assert slider.speed_button.text() == "4 ×"
    session.control.send_request(1, "stop")
    qtbot.waitUntil(lambda: len(session.runs.views[0].trials) == 4)
    (other,) = {1, 2} - {session.run_selection.run_id}
    session.run_selection.overlay(other, enabled=True)
    qtbot.waitUntil(lambda: slider.play_button.accessibleName() == tr("Play the recording again"))
    session.run_selection.choose_iteration(2)
    assert slider.play_button.accessibleName() == tr("Play"), "looking back, it plays iterations"
    session.run_selection.choose_iteration(None)
    slider.play_button.click()
    assert len(session.runs.views[0].trials) == 0
    assert [view.row.id for view in session.run_selection.overlaid_runs] == [other]
    assert session.following.playback is not None
    assert session.following.playback.speed == 4.0


def test_replay_without_runs_shows_message(tmp_path: Path, qtbot: QtBot) -> None:
    session = Session()
    session.create(tmp_path / "e.studio")
    with qtbot.waitSignal(session.failed) as blocker:
        session.play()
    assert "nothing to play" in blocker.args[0]
    assert session.is_open
    session.close()


def test_leaving_recording_requires_no_confirmation(
    session: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    session.play()
    assert session.runs.in_progress
    monkeypatch.setattr(QMessageBox, "exec", lambda _: pytest.fail("it asked"))
    assert confirm_closing(session, window)


@pytest.mark.parametrize("recording", list_recordings(), ids=lambda each: each.key)
def test_bar_describes_what_to_watch(recording: Recording, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "played.studio"
    path.write_bytes(recording.path.read_bytes())
    session = Session()
    session.open(path)
    summary = session.read_value(SUMMARY_KEY, partial(shapes.pick, RecordingSummary))
    session.play()
    window = QWidget()
    qtbot.addWidget(window)
    bar = ReplayBar(session)
    kit.column(bar, None, parent=window)
    assert summary is not None
    watch = describe_what_to_watch(summary)
    window.resize(880, 500)
    window.show()
    qtbot.waitUntil(lambda: bar.width() > 800)
    assert watch and bar.text.startswith(" ".join(watch))
    assert not bar.more_button.isVisibleTo(bar), "what matters is shown"
    session.close()


def test_bar_height_is_constant_after_end_of_recording(session: Session, qtbot: QtBot) -> None:
    summary = RecordingSummary(
        RunComparison(
            80, 719, 27, 20, 12, 9, 2, seed=3, seeds=5, ahead=4, difference=(-0.02, 0.001)
        )
    )
    first, *reasons = describe_recording(summary)
    session.set_note(SUMMARY_KEY, asdict(summary))
    window = QWidget()
    qtbot.addWidget(window)
    bar = ReplayBar(session)
    kit.column(bar, None, parent=window)
    session.play()
    window.resize(700, 700)
    window.show()
    before = bar.minimumSizeHint().height()
    playback = session.following.playback
    assert playback is not None
    playback.speed = 1000.0
    qtbot.waitUntil(lambda: bar.text.startswith(first))
    assert "may be chance" in bar.text, "without a click"
    assert reasons[-1] not in bar.text
    assert bar.more_button.isVisible()
    assert bar.heightForWidth(700) <= before
    qtbot.mouseClick(bar.more_button, Qt.MouseButton.LeftButton)
    assert bar.text == " ".join((first, *reasons))
    assert not bar.more_button.isVisible()
    assert bar.heightForWidth(700) > before
    session.stop_playing()


def test_strip_of_runs_leaves_its_height_to_recording_in_short_window(
    window: MainWindow, qtbot: QtBot
) -> None:
    runs = window.session.run_selection.listed_runs
    assert len(runs) > 1
    window.show_page("live")
    window.resize(1366, 768)
    window.session.play()
    assert window.strip.isVisibleTo(window.bottom)
    window.resize(911, 512)
    qtbot.waitUntil(lambda: not window.strip.isVisibleTo(window.bottom))
    assert window.slider.isVisibleTo(window.bottom)
    window.session.stop_playing()
    assert window.strip.isVisibleTo(window.bottom), "needed to choose among runs"

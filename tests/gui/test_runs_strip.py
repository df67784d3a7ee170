"""The strip of runs."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.document.trials import Iteration
from studio.gui.run_view import RunView
from studio.gui.runs_strip import RunsStrip


def test_each_run_has_a_chip_that_chooses_it(
    qtbot: QtBot, make_view: Callable[..., RunView]
) -> None:
    strip = RunsStrip()
    qtbot.addWidget(strip)
    views = [make_view(id=1, name="RS"), make_view(id=2, state="finished")]
    views[1].iterations = [Iteration(1, 1, 0.1, None, 0.042)]
    strip.show_runs(views, 2, {1: "%", 2: "%"})
    assert strip._chips[2].isChecked()
    assert "finished" in strip._chips[2].accessibleName()
    assert "4.2 %" in strip._chips[2].accessibleName()
    with qtbot.waitSignal(strip.run_chosen) as told:
        qtbot.mouseClick(strip._chips[1], Qt.MouseButton.LeftButton)
    assert told.args == [1]
    strip.show_runs(views[:1], 1, {})
    assert list(strip._chips) == [1]


def test_every_state_can_be_drawn(qtbot: QtBot, make_view: Callable[..., RunView]) -> None:
    strip = RunsStrip()
    qtbot.addWidget(strip)
    states = ("waiting", "running", "paused", "stopped", "finished", "failed")
    views = [make_view(id=i, state=state) for i, state in enumerate(states)]
    views.append(make_view(id=9))
    views[-1].alive = False
    strip.show_runs(views, None, {})
    strip.show()
    assert not strip.grab().isNull()

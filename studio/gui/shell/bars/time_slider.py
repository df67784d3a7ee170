"""The time slider: every plot follows it back to any iteration of the chosen run."""

from dataclasses import dataclass, field

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QActionGroup, QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

from studio.gui.base.language import grouped, mark, ntr, tr
from studio.gui.base.theme import GRID
from studio.gui.session.run_view import RunView
from studio.gui.shell.bars.player import SPEEDS, Player
from studio.gui.shell.bars.time_track import TimeTrack
from studio.gui.widgets import kit

_TIP = mark(
    "Look back at any iteration (arrow keys; End follows the run; the space bar plays).\n"
    "Ticks above the line: a better single model was found. Below it: a trial failed."
)


@dataclass
class Marks:
    """Iterations of one run; only what is new is looked at.

    Attributes
    ----------
    better : list of int
        Iterations after which another trial was the best single model.
    failed : list of int
        Iterations whose trial failed.
    """

    better: list[int] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)
    _seen: int = 0
    _judged: int = 0
    _best: int | None = None

    def take(self, view: RunView) -> bool:
        """Add what the run has new; say whether that changed a mark."""
        before = len(self.better) + len(self.failed)
        for iteration in view.iterations[self._seen :]:
            if iteration.best != self._best:
                self._best = iteration.best
                self.better.append(iteration.number)
        for trial in view.trials[self._judged :]:
            if trial.status == "failed":
                self.failed.append(trial.number)
        self._seen, self._judged = len(view.iterations), len(view.trials)
        return len(self.better) + len(self.failed) != before


class TimeSlider(QWidget):
    """Chooses an iteration, or "live": the newest, whatever comes; and runs through them all.

    Pulling the handle to the right end, or the button after it, follows the run again. Of a run
    from which nothing comes any more that is the end, and is called so.
    """

    iteration_chosen = Signal(object)
    """The number of an iteration, ``None`` for live."""

    fork_wanted = Signal()
    """Somebody wants to fork the run from the shown iteration."""

    def __init__(self) -> None:
        super().__init__()
        self._marks = Marks()
        self._view: RunView | None = None
        self.player = Player(self)
        self.player.moved.connect(self.iteration_chosen)
        self.player.playing_changed.connect(lambda _: self._show_play())
        self.play_button = kit.button(
            "", self.player.toggle, kind="quiet", icon="play", name=tr("Play")
        )
        self.speed_button = kit.button(
            "",
            lambda: None,
            kind="quiet",
            tip=tr("How fast the iterations play"),
            name=tr("Speed of playing"),
        )
        self.speed_button.setMenu(self._speeds())
        self.slider = TimeTrack()
        self.slider.setAccessibleName(tr("Iteration"))
        self.slider.setToolTip(tr(_TIP))
        self.slider.setMinimum(1)
        self.slider.valueChanged.connect(self._moved)
        self.text = kit.label("", "muted")
        self.text.setMinimumWidth(170)
        self.live_button = kit.button(
            "", lambda: self.iteration_chosen.emit(None), kind="quiet", name=tr("Live")
        )
        self.fork_button = kit.button(
            tr("Fork from here…"),
            self.fork_wanted.emit,
            kind="quiet",
            tip=tr("Start a new run with the models up to this iteration and another method"),
        )
        kit.row(
            self.play_button,
            self.speed_button,
            (self.slider, 1),
            GRID,
            self.text,
            self.live_button,
            self.fork_button,
            on=self,
        )
        self._showing = False
        self._show_play()
        self.show_time(0, None)

    def show_run(self, view: RunView | None, chosen: int | None) -> None:
        """Show a run (``None``: there is none) looked at at ``chosen``, with its marks."""
        if view is not self._view:
            self._view, self._marks = view, Marks()
            self.player.stop()
        if view is not None:
            self._marks.take(view)
        self.slider.show_marks(self._marks.better, self._marks.failed)
        going = view is not None and view.state in {"waiting", "running"}
        self.show_time(0 if view is None else len(view.iterations), chosen, going=going)

    def show_time(self, last: int, chosen: int | None, *, going: bool = False) -> None:
        """Show a run with ``last`` iterations, looked at at ``chosen`` (``None``: the newest).

        ``going`` is whether more of them may come.
        """
        self._showing = True
        self.slider.setEnabled(last > 1)
        self.slider.setMaximum(max(1, last))
        self.slider.setValue(last if chosen is None else chosen)
        self._showing = False
        self.player.show_time(last, chosen)
        if last == 0:
            words = tr("no iteration yet")
        elif chosen is None and going:
            words = tr("iteration {number} · live", number=grouped(last))
        else:
            shown = grouped(last if chosen is None else chosen)
            words = tr("iteration {number} of {all}", number=shown, all=grouped(last))
        self.text.setText(words)
        self.live_button.setText(tr("Live") if going else tr("To the end"))
        self.live_button.setAccessibleName(self.live_button.text())
        self.live_button.setToolTip(
            tr("Follow the run: always show the newest iteration")
            if going
            else tr("Show the last iteration of the run")
        )
        self.live_button.setEnabled(chosen is not None)
        self.fork_button.setEnabled(last > 0)
        self.play_button.setEnabled(last > 1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Play at the space bar wherever in the slider the focus is."""
        if event.key() == Qt.Key.Key_Space:
            self.player.toggle()
        else:
            super().keyPressEvent(event)

    def _speeds(self) -> QMenu:
        menu = QMenu(self)
        group = QActionGroup(menu)
        for speed in SPEEDS:
            action = menu.addAction(
                ntr("{count} iteration a second", "{count} iterations a second", speed)
            )
            action.setCheckable(True)
            action.setChecked(speed == self.player.speed)
            action.triggered.connect(lambda _=False, s=speed: self._set_speed(s))
            group.addAction(action)
        return menu

    def _set_speed(self, speed: int) -> None:
        self.player.set_speed(speed)
        self._show_play()

    def _show_play(self) -> None:
        playing = self.player.playing
        kit.give_icon(self.play_button, "pause" if playing else "play")
        words = tr("Stop playing") if playing else tr("Play")
        self.play_button.setAccessibleName(words)
        tip = tr("Stay at this iteration") if playing else tr("Run through all iterations")
        self.play_button.setToolTip(tr("{what} (space bar)", what=tip))
        self.speed_button.setText(tr("{speed}/s", speed=self.player.speed))

    def _moved(self, value: int) -> None:
        if not self._showing:
            self.iteration_chosen.emit(None if value == self.slider.maximum() else value)

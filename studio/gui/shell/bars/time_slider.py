"""Time slider for the iteration of all plots, with the only play button, also of recordings."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

from PySide6.QtCore import QObject, QRectF, QSettings, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QSlider, QStyle, QWidget

from studio.document.follow import Playback
from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import escape_mnemonics, make_plain_tip
from studio.gui.session.run_view import RunView
from studio.gui.session.wording import describe_time
from studio.gui.widgets import kit
from studio.language import N_, group_digits, ntr, number, tr

SPEEDS = (1, 2, 5, 10, 20, 50)
"""Playback speeds in iterations per second."""

RECORDING_SPEEDS = (0.5, 1.0, 2.0, 4.0)
"""Speeds of a recording, as multiples of the recorded speed."""

DEFAULT_SPEED = 5

_SPEED_KEY = "live/speed"


class Player(QObject):
    """Playback from iteration to iteration until the newest.

    Attributes:
        speed: Iterations per second, one of :data:`SPEEDS`.

    Signals:
        moved: Another iteration is shown; ``None`` at the end: live.
        playing_changed: It began or stopped.
    """

    moved = Signal(object)
    playing_changed = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._newest = 0
        self._iteration: int | None = None
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.step)
        stored_speed = str(QSettings().value(_SPEED_KEY, DEFAULT_SPEED))
        self.speed = next((each for each in SPEEDS if str(each) == stored_speed), DEFAULT_SPEED)

    @property
    def playing(self) -> bool:
        """Whether it is playing."""
        return self._timer.isActive()

    def set_speed(self, speed: int) -> None:
        """Set the speed, also for the next playback."""
        self.speed = speed
        QSettings().setValue(_SPEED_KEY, speed)
        if self.playing:
            self._timer.start(round(1000 / speed))

    def show_time(self, last: int, chosen: int | None) -> None:
        """Update the shown iteration; a selection made elsewhere stops the playback."""
        self._newest = last
        if self.playing and chosen != self._iteration:
            self.stop()
        self._iteration = chosen

    def toggle(self) -> None:
        """Start playback (from the first iteration if the newest is shown), or stop it."""
        if self.playing:
            self.stop()
        elif self._newest > 1:
            self._timer.start(round(1000 / self.speed))
            self.playing_changed.emit(True)
            if self._iteration is None or self._iteration >= self._newest:
                self._set_iteration(1)

    def stop(self) -> None:
        """Stop at the current iteration."""
        if self.playing:
            self._timer.stop()
            self.playing_changed.emit(False)

    def step(self) -> None:
        """Move to the next iteration; playback ends at the newest."""
        next_iteration = (self._iteration or 0) + 1
        if next_iteration >= self._newest:
            self.stop()
            self._set_iteration(None)
        else:
            self._set_iteration(next_iteration)

    def _set_iteration(self, iteration: int | None) -> None:
        self._iteration = iteration
        self.moved.emit(iteration)


_HANDLE_WIDTH = 14
_TICK_LENGTH, _GAP = 4, 5


class TimeTrack(QSlider):
    """A slider that jumps to a click, like those of video players.

    Qt's default mouse handling would turn a click next to the handle into a page step.
    """

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._improvements: tuple[int, ...] = ()
        self._failed: tuple[int, ...] = ()

    def show_marks(self, improved: Iterable[int], failed: Iterable[int]) -> None:
        """Mark iterations: better models above the groove, failed trials below."""
        marks = tuple(improved), tuple(failed)
        if marks != (self._improvements, self._failed):
            self._improvements, self._failed = marks
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), _HANDLE_WIDTH + 2 * _TICK_LENGTH)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(Qt.PenStyle.NoPen)
        tokens, middle = theme.current(), self.height() / 2
        for marks, colour, top in (
            (self._improvements, tokens.good, middle - _GAP - _TICK_LENGTH),
            (self._failed, tokens.bad, middle + _GAP),
        ):
            painter.setBrush(theme.colour(colour))
            # A thousand marks need as many ticks as there are pixels for them.
            for x in sorted({self._get_x(each) for each in marks}):
                painter.drawRect(QRectF(x - 0.75, top, 1.5, _TICK_LENGTH))
        painter.end()
        super().paintEvent(event)

    def _get_x(self, value: int) -> int:
        span = self.width() - _HANDLE_WIDTH
        return _HANDLE_WIDTH // 2 + QStyle.sliderPositionFromValue(
            self.minimum(), self.maximum(), value, span
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._move_to_pointer(event)
        else:
            event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self._move_to_pointer(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.setSliderDown(False)

    def _move_to_pointer(self, event: QMouseEvent) -> None:
        x, span = round(event.position().x()) - _HANDLE_WIDTH // 2, self.width() - _HANDLE_WIDTH
        self.setValue(QStyle.sliderValueFromPosition(self.minimum(), self.maximum(), x, span))


_SLIDER_TIP = N_(
    "Look back at any iteration (arrow keys; End follows the run; the space bar plays).\n"
    "Ticks above the line: a better single model was found. Below it: a trial failed."
)


@dataclass
class IterationMarks:
    """Iterations of one run with a new best model or a failed trial, updated incrementally."""

    improvements: list[int] = field(default_factory=list)
    failed_iterations: list[int] = field(default_factory=list)
    _n_iterations_read: int = 0
    _n_trials_read: int = 0
    _best: int | None = None

    def extend(self, view: RunView) -> None:
        """Add the run's new iterations."""
        for iteration in view.iterations[self._n_iterations_read :]:
            if iteration.best != self._best:
                self._best = iteration.best
                self.improvements.append(iteration.number)
        for trial in view.trials[self._n_trials_read :]:
            if trial.status == "failed":
                self.failed_iterations.append(trial.number)
        self._n_iterations_read, self._n_trials_read = len(view.iterations), len(view.trials)


_MIN_TEXT_WIDTH = 170
"""Minimum width of the text in pixels, at a scale of 1."""


class TimeSlider(QWidget):
    """Selects an iteration, or "live" for the newest, and plays iterations.

    Dragging the handle to the right end, or pressing the button next to it, follows the run again.
    For a finished run, the button is labelled "end".

    The same two buttons control a recording, unless the user views an earlier iteration of it.
    """

    iteration_chosen = Signal(object)
    """An iteration was chosen, ``None`` for live."""

    recording_pressed = Signal()
    """Pausing, resuming or replaying the recording was requested."""

    recording_speed_chosen = Signal(float)
    """Another of the :data:`RECORDING_SPEEDS` was chosen."""

    fork_requested = Signal()
    """A fork from the shown iteration was requested."""

    def __init__(self) -> None:
        super().__init__()
        self._marks = IterationMarks()
        self._view: RunView | None = None
        self.player = Player(self)
        self.player.moved.connect(self.iteration_chosen)
        self.player.playing_changed.connect(lambda _: self._show_play())
        self._widest_text = ""
        theme.get_notifier().changed.connect(self._reserve_text_width)
        self._recording: Playback | None = None
        self._selected_iteration: int | None = None
        self.play_button = kit.button(
            "", self.toggle_play, kind="quiet", icon="play", name=tr("Play")
        )
        tip = tr("Playback speed of the iterations")
        self.speed_button = kit.button(
            "", lambda: None, kind="quiet", tip=tip, name=tr("Playback speed")
        )
        menu = QMenu(self)
        menu.aboutToShow.connect(self._fill_speeds)
        menu.triggered.connect(lambda _: self.play_button.setFocus())
        self.speed_button.setMenu(menu)
        self.slider = TimeTrack()
        self.slider.setAccessibleName(tr("Iteration"))
        self.slider.setAccessibleDescription(tr(_SLIDER_TIP))
        self.slider.setMinimum(1)
        self.slider.valueChanged.connect(self._on_slider)
        self.text_label = kit.label("", "muted")
        # on the slider itself, the tooltip would cover the chips
        self.text_label.setToolTip(make_plain_tip(tr(_SLIDER_TIP)))
        self.live_button = kit.button(
            "", lambda: self.iteration_chosen.emit(None), kind="quiet", name=tr("Live")
        )
        tip = tr("Start a new run with the models up to this iteration and another method")
        self.fork_button = kit.button(
            tr("Fork from here…"), self.fork_requested.emit, kind="quiet", tip=tip
        )
        # A click keeps the focus, and thus the space bar, where it was: one button opens a menu,
        # one disables itself, and one opens a dialog.
        for button in (self.speed_button, self.live_button, self.fork_button):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        kit.row(
            self.play_button,
            self.speed_button,
            (self.slider, 1),
            GRID,
            self.text_label,
            self.live_button,
            self.fork_button,
            parent=self,
        )
        self._is_updating = False
        self._last = 0
        self.show_time(0, None)

    def show_run(self, view: RunView | None, chosen: int | None, *, last: int = 0) -> None:
        """Show a run (``None``: none) at iteration ``chosen``, with its marks."""
        if view is not self._view:
            self._view, self._marks = view, IterationMarks()
            self.player.stop()
        if view is not None:
            self._marks.extend(view)
        self.slider.show_marks(self._marks.improvements, self._marks.failed_iterations)
        is_active = view is not None and view.state in {"waiting", "running"}
        n_iterations = 0 if view is None else len(view.iterations)
        newest = n_iterations if is_active else None
        self.show_time(max(n_iterations, last), chosen, newest=newest, last_iteration=n_iterations)

    def show_recording(self, recording: Playback | None) -> None:
        """Show a recording's state; ``None`` for none. The space bar pauses a new recording."""
        begins = self._recording is None and recording is not None
        self._recording = recording
        self._show_play()
        if begins:
            self.play_button.setFocus()

    @property
    def controls_recording(self) -> bool:
        """Whether the play button controls the recording: not at an earlier iteration of it."""
        return self._recording is not None and self._selected_iteration is None

    def toggle_play(self) -> None:
        """Play or stop the iterations; a recording is paused, resumed or played again."""
        if self.controls_recording:
            self.recording_pressed.emit()
        else:
            self.player.toggle()

    def show_time(
        self,
        last: int,
        chosen: int | None,
        *,
        newest: int | None = None,
        last_iteration: int | None = None,
    ) -> None:
        """Show runs with at most ``last`` iterations at iteration ``chosen`` (``None``: the end).

        ``newest`` is the newest iteration of an unfinished run, ``last_iteration`` that of the
        selected run if another shown run is longer.
        """
        is_active, last_iteration = newest is not None, last_iteration or last
        self._is_updating = True
        self.slider.setEnabled(last > 1)
        self.slider.setMaximum(max(1, last))
        self.slider.setValue(last if chosen is None else chosen)
        self._is_updating = False
        self._last, self._selected_iteration = last, chosen
        self.player.show_time(last, chosen)
        self._show_play()
        if last == 0:
            text = tr("no iteration yet")
        elif chosen is None and newest is not None:
            # Without the number of iterations, as that of trials is beside it: "30 of 80".
            number = group_digits(newest)
            text = tr("iteration {number}", number=number)
            if self._recording is None:
                text = tr("iteration {number} · live", number=number)
        else:
            text = describe_time(last if chosen is None else chosen, last_iteration)
        self.text_label.setText(text)
        self._widest_text = describe_time(last, last_iteration)
        self._reserve_text_width()
        self.live_button.setText(tr("Live") if is_active else tr("To the end"))
        self.live_button.setAccessibleName(self.live_button.text())
        self.live_button.setToolTip(
            tr("Follow the run: always show the newest iteration")
            if is_active
            else tr("Show the last iteration of the run")
        )
        if chosen is None and self.live_button.hasFocus():
            self.play_button.setFocus()
        self.live_button.setEnabled(chosen is not None)
        self.fork_button.setEnabled(last > 0)

    def _reserve_text_width(self, _: object = None) -> None:
        """Reserve the width of the last iteration's text, so that the slider keeps its length."""
        widest = self.text_label.fontMetrics().horizontalAdvance(self._widest_text)
        self.text_label.setMinimumWidth(max(theme.pixels(_MIN_TEXT_WIDTH), widest))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Toggle playback on Space, wherever in the bar the focus is."""
        if event.key() == Qt.Key.Key_Space:
            self.toggle_play()
        else:
            super().keyPressEvent(event)

    def _fill_speeds(self) -> None:
        menu = self.speed_button.menu()
        menu.clear()
        recording = self._recording if self.controls_recording else None
        if recording is not None:
            for factor in RECORDING_SPEEDS:
                action = menu.addAction(escape_mnemonics(f"{number(factor)} ×"))
                action.setCheckable(True)
                action.setChecked(factor == recording.speed)
                action.triggered.connect(partial(self.recording_speed_chosen.emit, factor))
            return
        for speed in SPEEDS:
            action = menu.addAction(
                ntr("{count} iteration a second", "{count} iterations a second", speed)
            )
            action.setCheckable(True)
            action.setChecked(speed == self.player.speed)
            action.triggered.connect(lambda _=False, s=speed: self._set_speed(s))

    def _set_speed(self, speed: int) -> None:
        self.player.set_speed(speed)
        self._show_play()

    def _show_play(self) -> None:
        recording = self._recording if self.controls_recording else None
        if recording is not None:
            playing = not recording.is_finished and not recording.paused
            name = tr("Pause the recording") if playing else tr("Resume the recording")
            if recording.is_finished:
                name = tr("Play the recording again")
            tip, speed = name, f"{number(recording.speed)} ×"
            speed_tip = tr("Playback speed of the recording")
        else:
            playing = self.player.playing
            name = tr("Stop playing") if playing else tr("Play")
            tip = tr("Stay at this iteration") if playing else tr("Run through all iterations")
            speed = tr("{speed}/s", speed=self.player.speed)
            speed_tip = tr("Playback speed of the iterations")
        kit.set_icon(self.play_button, "pause" if playing else "play")
        self.play_button.setEnabled(recording is not None or self._last > 1)
        self.play_button.setAccessibleName(name)
        self.play_button.setToolTip(make_plain_tip(tr("{what} (space bar)", what=tip)))
        self.speed_button.setText(speed)
        self.speed_button.setToolTip(make_plain_tip(speed_tip))

    def _on_slider(self, value: int) -> None:
        if not self._is_updating:
            self.iteration_chosen.emit(None if value == self.slider.maximum() else value)

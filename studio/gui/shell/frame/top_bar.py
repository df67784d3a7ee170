"""The bar at the top of the window: document, Run, the chosen run and its state."""

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QMenu, QSizePolicy, QWidget

from studio.gui.base import theme
from studio.gui.base.command import append_shortcut
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.session.run_speed import SpeedMeter
from studio.gui.session.wording import describe_run, format_progress
from studio.gui.widgets import kit
from studio.gui.widgets.run_marks import Swatch
from studio.language import N_, tr

if TYPE_CHECKING:
    from studio.gui.session.run_view import RunView


class ChosenRunButton(kit.Button):
    """A button of two lines: the chosen run, with its colour if there are others, and its state."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "quiet")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
        self.title, self.state = kit.ElidedLabel(""), kit.ElidedLabel("", "small")
        self.swatch = Swatch()
        theme.set_font_size(self.title, theme.BODY, bold=True)
        for line in (self.title, self.state):
            line.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        margin = (GRID, GRID // 2, GRID, GRID // 2)
        title_row = kit.row(self.swatch, (self.title, 1))
        self._lines = kit.column(
            None, title_row, self.state, None, parent=self, spacing=1, margin=margin
        )

    def sizeHint(self) -> QSize:
        """Return the width of the text, so that focus and hover frame it tightly."""
        lines = (self.title, self.state)
        width = max(each.fontMetrics().horizontalAdvance(each.text()) for each in lines)
        swatch_width = 0 if self.swatch.isHidden() else self.swatch.width() + GRID
        return QSize(width + swatch_width + 3 * GRID, self.minimumSizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Return the height of both lines and the minimum width."""
        return QSize(0, self._lines.minimumSize().height())

    def show_title(self, title: str, state: str, *, has_pages: bool) -> None:
        """Show title and state; without a run, the state is why none can start, or empty.

        ``has_pages``: whether a document is open, whose pages the button leads to.
        """
        kit.show_text(self.title, title)
        self.state.setText(state)
        self.updateGeometry()
        self.setEnabled(has_pages and bool(title or state))
        tip = tr("Watch the run, or look at another one") if title else state
        self.setToolTip(make_plain_tip(tip))
        self.setAccessibleName(": ".join(filter(None, (title, state))) or tr("No run"))


BAR_HEIGHT = 56

_RUN_WIDTH = 104
"""Width of the Run button, at a scale of 1."""

_DOUBLE_PRESS_SECONDS = 0.6
"""Seconds after a click on Run within which further clicks are ignored."""

_PAUSE_TIP = N_("Pause: trials in progress finish; no new ones start")
_CONTINUE_TIP = N_("Continue this run where it left off")
_PAUSE_KEYS = "Ctrl+."


class TopBar(QFrame):
    """Shows the open document and the chosen run's state; emits the user's actions.

    Args:
        clock: Returns seconds, which distinguish a held key from repeated presses.
    """

    run_pressed = Signal()
    new_run_pressed = Signal()
    """Setting up another run was requested."""

    pause_pressed = Signal()
    continue_pressed = Signal()
    stop_pressed = Signal()
    theme_pressed = Signal()
    present_pressed = Signal()
    find_pressed = Signal()

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.setProperty("role", "bar")
        kit.set_accent_priority(self, kit.AccentPriority.BAR)
        self.setFixedHeight(BAR_HEIGHT)
        self.menu = QMenu(self)
        self.document_button = kit.Button(tr("No document"))
        self.document_button.setProperty("kind", "quiet")
        kit.set_icon(self.document_button, "file")
        self.document_button.setMenu(self.menu)
        self.document_button.setAccessibleName(tr("Document menu"))
        self.document_button.setToolTip(tr("Open, save or close documents"))
        self.document_button.setMaximumWidth(260)
        self.run_button = kit.button(
            tr("Run"),
            self.request_start,
            kind="primary",
            icon="play",
            tip=append_shortcut(
                tr("Start a run with the settings of the Data, Space and Run pages"), "Ctrl+Return"
            ),
        )
        # Not at Run's position, as a run may end just before one of them is clicked.
        tip = tr("Look at the settings of another run, and start it")
        self.new_button = kit.button(tr("New run"), self.new_run_pressed.emit, icon="add", tip=tip)
        self.pause_button = kit.button(
            "",
            self._pause_or_continue,
            icon="pause",
            name=tr("Pause"),
            tip=append_shortcut(tr(_PAUSE_TIP), _PAUSE_KEYS),
        )
        self.stop_button = kit.button(
            "",
            self.stop_pressed.emit,
            icon="stop",
            name=tr("Stop"),
            tip=append_shortcut(tr("Stop and keep the results so far"), "Ctrl+Shift+."),
        )
        self.chosen_run_button = ChosenRunButton()
        self.title, self.state = self.chosen_run_button.title, self.chosen_run_button.state
        self.messages = QWidget()
        kit.row((self.chosen_run_button, 0), None, parent=self.messages)
        name = tr("Light or dark")
        tip = tr("Change between light and dark")
        self.theme_button = kit.button(
            "", self.theme_pressed.emit, kind="quiet", icon="moon", name=name, tip=tip
        )
        self.find_button = kit.button(
            "",
            self.find_pressed.emit,
            kind="quiet",
            icon="search",
            name=tr("Find a command"),
            tip=append_shortcut(tr("Find a command, page, run, plot or method"), "Ctrl+K"),
        )
        self.present_button = kit.button(
            "",
            self.present_pressed.emit,
            kind="quiet",
            icon="present",
            name=tr("Presentation mode"),
            tip=append_shortcut(
                tr("Large type for a projector; press Esc to leave it"), "Shift+F5"
            ),
        )
        for each in (self.find_button, self.present_button, self.theme_button):
            # Keep the focus in the page on a click, so that its keys still work.
            each.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        kit.row(
            self.document_button,
            GRID,
            self.run_button,
            GRID,
            (self.messages, 1),
            # At the right, so that the left parts do not move when these appear and disappear.
            self.pause_button,
            self.stop_button,
            self.new_button,
            self.find_button,
            self.present_button,
            self.theme_button,
            parent=self,
            margin=(GRID, 0, 2 * GRID, 0),
        )
        self._view: RunView | None = None
        self._iteration: int | None = None
        self._is_playback = self._is_study_cell = False
        self._busy = self._blocking_reason = self._ready = ""
        self._can_run = self._has_document = False
        self.speed_meter = SpeedMeter()
        self._clock = clock
        self._last_press = -math.inf
        self.show_run(None)
        theme.get_notifier().changed.connect(self._show_again)

    def show_document(self, name: str, folder: str) -> None:
        """Show the name and folder of the open document."""
        text = name or tr("No document")
        elided = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, 180)
        self.document_button.setText(elided)
        self.document_button.setToolTip(
            make_plain_tip(folder or tr("Open, save or close documents"))
        )
        self._has_document = bool(name)
        self._show_again()

    def set_can_run(self, enabled: bool, reason: str) -> None:
        """Enable or disable Run; ``reason`` is its tooltip, shown beside it if no run is active."""
        self._can_run, self._ready = enabled, reason
        self._blocking_reason = "" if enabled else reason
        self._show_again()

    def request_start(self) -> None:
        """Request a run, also while another one is active, once per click or double click."""
        if self._clock() - self._last_press >= _DOUBLE_PRESS_SECONDS:
            self.run_pressed.emit()
        # Measured after the run was started, as starting may take longer than a double click.
        self._last_press = self._clock()

    def can_start(self) -> bool:
        """Return whether a run can be started now."""
        return self._can_run

    def _show_start(self, *, for_new_run: bool, failed: bool) -> None:
        """Enable Run, or New run while a run is active or could continue (``for_new_run``)."""
        if for_new_run and self.run_button.hasFocus():
            # Otherwise the focus would move to Pause, and the next Space would press it.
            self.chosen_run_button.setFocus()
        self.run_button.setMinimumWidth(theme.pixels(_RUN_WIDTH))
        self.new_button.setVisible(for_new_run)
        self.run_button.setEnabled(self._can_run and not for_new_run)
        new_run_tip = tr("A run is in progress or can be continued. For another one: “New run”.")
        tip = new_run_tip if for_new_run else self._ready
        self.run_button.setToolTip(make_plain_tip(tip))
        self.run_button.setAccessibleDescription(tip)
        kit.set_primary(self.new_button, failed)

    def set_busy(self, text: str) -> None:
        """Show the activity before a run starts; empty for none."""
        self._busy = text
        self._show_again()

    def _show_again(self) -> None:
        self.show_run(
            self._view, self._iteration, played=self._is_playback, in_study=self._is_study_cell
        )

    def show_run(
        self,
        view: "RunView | None",
        iteration: int | None = None,
        *,
        played: bool = False,
        in_study: bool = False,
    ) -> None:
        """Show the chosen run's name and state, at an iteration if given."""
        self._view, self._iteration = view, iteration
        self._is_playback, self._is_study_cell = played, in_study
        # A playback has no engine to pause or stop; a comparison is continued on its page.
        is_fixed = played or (in_study and view is not None and view.resumable)
        resumable = view is not None and view.resumable and not is_fixed
        has_request = view is not None and bool(view.pending_request)
        active = view is not None and not view.has_ended and not is_fixed
        # Both buttons are visible only during a run.
        self.stop_button.setVisible(bool(self._busy) or active)
        self.stop_button.setEnabled(
            bool(self._busy)
            or (active and not (view is not None and view.pending_request == "stop"))
        )
        self.pause_button.setVisible(active or resumable)
        self.pause_button.setEnabled((active or resumable) and not has_request)
        self.pause_button.setProperty("icon_name", "play" if resumable else "pause")
        self.pause_button.setText(tr("Continue") if resumable else "")
        self.pause_button.setAccessibleName(tr("Continue") if resumable else tr("Pause"))
        # After a failed run, the suggested action is another run.
        failed = view is not None and view.state == "failed"
        self._show_start(for_new_run=active or resumable, failed=failed)
        # After a stopped run, it is to look at the result.
        done = view is not None and view.state == "stopped" and view.row.result is not None
        advised = resumable and not failed and not done
        kit.set_primary(self.pause_button, advised)
        tip = tr(_CONTINUE_TIP if resumable else _PAUSE_TIP)
        self.pause_button.setToolTip(make_plain_tip(append_shortcut(tip, _PAUSE_KEYS)))
        self.chosen_run_button.show_title(*self._describe_run(view), has_pages=self._has_document)

    def _describe_run(self, view: "RunView | None") -> tuple[str, str]:
        if self._busy:
            return tr("New run"), self._busy
        if view is None:
            return "", self._blocking_reason
        if self._is_playback and not view.has_ended:
            return _format_run_title(view), format_progress(view)
        line = describe_run(view, self.speed_meter.estimate_speed(view), self._iteration)
        if view.has_ended and self._blocking_reason:
            # The problem concerns the next run, so it is labelled as such beside the state of an
            # ended one.
            line = tr("{state} · Another run? {reason}", state=line, reason=self._blocking_reason)
        return _format_run_title(view), line

    def _pause_or_continue(self) -> None:
        if self._view is not None and self._view.resumable:
            self.continue_pressed.emit()
        else:
            self.pause_pressed.emit()


def _format_run_title(view: "RunView") -> str:
    """Name a run by its target column and its name, which in a comparison includes the data set."""
    from studio.compare.cell_names import drop_repetition  # loads numpy, only needed for a run

    if drop_repetition(view.row.name) != view.row.name:
        return view.name
    return " · ".join(filter(None, (view.settings.source.target, view.name)))

"""The bar at the top: the document, the run's controls and state, and the look."""

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QMenu, QPushButton, QSizePolicy, QWidget

from studio.gui.base import theme
from studio.gui.base.keys import with_keys
from studio.gui.base.theme import GRID
from studio.gui.base.tips import plain_tip
from studio.gui.session.pace import Pace
from studio.gui.session.wording import progress, run_line
from studio.gui.widgets import kit
from studio.language import N_, tr

if TYPE_CHECKING:
    from studio.gui.session.run_view import RunView


class LookedAt(QPushButton):
    """A button of two lines: which run is looked at, and how it stands."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "quiet")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Expanding)
        self.setToolTip(tr("Watch the run, or look at another one"))
        self.title, self.state = kit.ElidedLabel(""), kit.ElidedLabel("", "small")
        theme.give_font(self.title, theme.BODY, bold=True)
        for words in (self.title, self.state):
            words.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        margin = (GRID, 0, GRID, 0)
        self._lines = kit.column(
            None, self.title, self.state, None, on=self, spacing=1, margin=margin
        )

    def sizeHint(self) -> QSize:
        """Be as wide as the words, so that focus and hover frame them and no empty bar."""
        lines = (self.title, self.state)
        wide = max(each.fontMetrics().horizontalAdvance(each.text()) for each in lines)
        return QSize(wide + 3 * GRID, self.minimumSizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Be as high as both lines, and as narrow as need be."""
        return QSize(0, self._lines.minimumSize().height())

    def show_words(self, title: str, state: str) -> None:
        """Say these; without a run there is nothing to press."""
        kit.show_text(self.title, title)
        self.state.setText(state)
        self.updateGeometry()
        self.setEnabled(bool(title))
        self.setAccessibleName(": ".join(filter(None, (title, state))) or tr("No run"))


HEIGHT = 56

_RUN_WIDTH = 104
"""Width of Run, whether it says "Run" or "New run", at a scale of 1."""

_DOUBLE_PRESS_SECONDS = 0.6
"""A press of Run less than this many seconds after another one belongs to it."""

_PAUSE_TIP = N_("Pause: trials in progress finish; no new ones start")
_CONTINUE_TIP = N_("Continue this run where it left off")
_PAUSE_KEYS = "Ctrl+."


class TopBar(QFrame):
    """Says what is open and what the chosen run does; everything it offers is a signal.

    Args:
        clock: Returns seconds; they separate a key that is held down from one pressed again.
    """

    run_pressed = Signal()
    pause_pressed = Signal()
    continue_pressed = Signal()
    stop_pressed = Signal()
    theme_pressed = Signal()
    find_pressed = Signal()

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.setProperty("role", "bar")
        self.setFixedHeight(HEIGHT)
        self.menu = QMenu(self)
        self.document_button = QPushButton(tr("No document"))
        self.document_button.setProperty("kind", "quiet")
        kit.give_icon(self.document_button, "file")
        self.document_button.setMenu(self.menu)
        self.document_button.setAccessibleName(tr("Document menu"))
        self.document_button.setToolTip(tr("Open, save or close documents"))
        self.document_button.setMaximumWidth(260)
        self.run_button = kit.button(
            tr("Run"),
            self._run,
            kind="primary",
            icon="play",
            tip=with_keys(
                tr("Start a run with the settings of the Data, Space and Run pages"), "Ctrl+Return"
            ),
        )
        self.pause_button = kit.button(
            "",
            self._pause_or_continue,
            icon="pause",
            name=tr("Pause"),
            tip=with_keys(tr(_PAUSE_TIP), _PAUSE_KEYS),
        )
        self.stop_button = kit.button(
            "",
            self.stop_pressed.emit,
            icon="stop",
            name=tr("Stop"),
            tip=with_keys(tr("Stop and keep everything found so far"), "Ctrl+Shift+."),
        )
        self.looked_at = LookedAt()
        self.title, self.state = self.looked_at.title, self.looked_at.state
        self.messages = QWidget()
        kit.row((self.looked_at, 0), None, on=self.messages)
        self.theme_button = kit.button(
            "",
            self.theme_pressed.emit,
            kind="quiet",
            icon="moon",
            name=tr("Light or dark"),
            tip=tr("Change between light and dark"),
        )
        self.find_button = kit.button(
            "",
            self.find_pressed.emit,
            kind="quiet",
            icon="search",
            name=tr("Find a command"),
            tip=with_keys(tr("Find a command, page, run, plot or method"), "Ctrl+K"),
        )
        kit.row(
            self.document_button,
            GRID,
            self.run_button,
            GRID,
            (self.messages, 1),
            # At the right: what is at the left keeps its place as they come and go.
            self.pause_button,
            self.stop_button,
            self.find_button,
            self.theme_button,
            on=self,
            margin=(GRID, 0, 2 * GRID, 0),
        )
        self._view: RunView | None = None
        self._played = False
        self._busy = self._obstacle = ""
        self.pace = Pace()
        self._clock = clock
        self._pressed = -math.inf
        self.show_run(None)

    def show_document(self, name: str, where: str) -> None:
        """Say which document is open, and where it is."""
        text = name or tr("No document")
        shown = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, 180)
        self.document_button.setText(shown)
        self.document_button.setToolTip(where or tr("Open, save or close documents"))

    def set_can_run(self, can: bool, why: str) -> None:
        """Offer Run or not; ``why`` is its tooltip, and is said beside it where no run goes on."""
        self.run_button.setEnabled(can)
        self.run_button.setToolTip(plain_tip(why))
        self.run_button.setAccessibleDescription(why)
        self._obstacle = "" if can else why
        self.show_run(self._view, played=self._played)

    def set_busy(self, text: str) -> None:
        """Say what is being done before a run begins; empty to stop saying it."""
        self._busy = text
        self.show_run(self._view, played=self._played)

    def _run(self) -> None:
        """Ask for one run, however often and fast it is pressed."""
        now = self._clock()
        once_more = now - self._pressed < _DOUBLE_PRESS_SECONDS
        self._pressed = now
        if not once_more:
            self.run_pressed.emit()

    def show_run(self, view: "RunView | None", *, played: bool = False) -> None:
        """Show the chosen run's name and state; what was asked of it is said at once.

        Args:
            view: The run.
            played: Whether it is a recording.
        """
        self._view, self._played = view, played
        # Nothing works on a recording: there is nothing to pause or to stop.
        resumable = view is not None and view.resumable and not played
        asked = view is not None and bool(view.asked)
        active = view is not None and not view.ended and not played
        # Both are there only while something runs that they could end.
        self.stop_button.setVisible(bool(self._busy) or active)
        self.stop_button.setEnabled(
            bool(self._busy) or (active and not (view is not None and view.asked == "stop"))
        )
        self.pause_button.setVisible(active or resumable)
        self.pause_button.setEnabled((active or resumable) and not asked)
        self.pause_button.setProperty("icon_name", "play" if resumable else "pause")
        self.pause_button.setText(tr("Continue") if resumable else "")
        self.pause_button.setAccessibleName(tr("Continue") if resumable else tr("Pause"))
        # Beside a run that goes on or could, it says that another one would begin; after a run
        # that failed, that is what helps.
        another, failed = active or resumable, view is not None and view.state == "failed"
        self.run_button.setText(tr("New run") if another else tr("Run"))
        self.run_button.setMinimumWidth(theme.pixels(_RUN_WIDTH))
        self.run_button.setAccessibleName(self.run_button.text())
        self.run_button.setProperty("icon_name", "add" if another else "play")
        kit.set_role(self.run_button, "primary" if failed or not another else "", "kind")
        kit.set_role(self.pause_button, "primary" if resumable and not failed else "", "kind")
        for button in (self.pause_button, self.run_button):
            kit.redraw_icon(button)
        words = tr(_CONTINUE_TIP if resumable else _PAUSE_TIP)
        self.pause_button.setToolTip(with_keys(words, _PAUSE_KEYS))
        self.looked_at.show_words(*self._words(view))

    def _words(self, view: "RunView | None") -> tuple[str, str]:
        if self._busy:
            return tr("New run"), self._busy
        if view is None:
            return "", self._obstacle
        if self._played and not view.ended:
            return _called(view), progress(view)
        line = run_line(view, self.pace.of(view))
        if view.ended and self._obstacle:
            # Said of the next run: beside the state of one that is over it would read as its own.
            line = tr("{state} · Next run: {obstacle}", state=line, obstacle=self._obstacle)
        return _called(view), line

    def _pause_or_continue(self) -> None:
        if self._view is not None and self._view.resumable:
            self.continue_pressed.emit()
        else:
            self.pause_pressed.emit()


def _called(view: "RunView") -> str:
    """Name a run by its column to predict and its own name."""
    return " · ".join(filter(None, (view.settings.source.target, view.name)))

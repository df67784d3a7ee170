"""The window without its actions: models of its document, bars, and pages."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMainWindow, QScrollArea, QStackedWidget, QWidget

from studio.gui.base import theme
from studio.gui.base.command import Command, HasCommands
from studio.gui.base.preferences import get_appearance
from studio.gui.pages.welcome.page import WelcomePage
from studio.gui.shell.commands.command_registry import get_action_log
from studio.gui.shell.frame.layout import CentralWidget
from studio.gui.shell.frame.page_list import PAGES, WELCOME
from studio.gui.widgets import kit
from studio.gui.widgets.keyboard_focus import clear_focus_and_hover, clear_hover
from studio.gui.widgets.swatch import Swatch

if TYPE_CHECKING:
    from studio.gui.base.helper_client import HelperClient
    from studio.gui.session.session import Session
import math
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QFontMetrics, QShowEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QLabel, QMenu, QPushButton, QSizePolicy

from studio.gui.base.command import append_shortcut
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import plain_tip
from studio.gui.session.run_speed import SpeedMeter
from studio.gui.session.wording import describe_run, format_progress
from studio.language import N_, tr

if TYPE_CHECKING:
    from studio.gui.session.run_view import RunView


class ChosenRunButton(kit.Button):
    """A button of two lines: the chosen run, with its colour beside other runs, and its state."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "quiet")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Expanding)
        self.setToolTip(tr("Watch the run, or look at another one"))
        self.title, self.state = kit.ElidedLabel(""), kit.ElidedLabel("", "small")
        self.swatch = Swatch()
        theme.set_font_size(self.title, theme.BODY, bold=True)
        for line in (self.title, self.state):
            line.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        margin = (GRID, 0, GRID, 0)
        title_row = kit.row(self.swatch, (self.title, 1))
        self._lines = kit.column(
            None, title_row, self.state, None, on=self, spacing=1, margin=margin
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

    def show_title(self, title: str, state: str) -> None:
        """Show title and state; without a run the button is disabled."""
        kit.show_text(self.title, title)
        self.state.setText(state)
        self.updateGeometry()
        self.setEnabled(bool(title))
        self.setAccessibleName(": ".join(filter(None, (title, state))) or tr("No run"))


BAR_HEIGHT = 56

_MIN_HEIGHT_WITH_BAR = 520
"""Height below which a presented window has no top bar, at a scale of 1."""

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
        clock: Returns seconds; they distinguish a held key from one pressed again.
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
            self._on_run_clicked,
            kind="primary",
            icon="play",
            tip=append_shortcut(
                tr("Start a run with the settings of the Data, Space and Run pages"), "Ctrl+Return"
            ),
        )
        # Not in Run's place: a run may end just before one of them is clicked.
        self.new_button = kit.button(
            tr("New run"),
            self._on_run_clicked,
            icon="add",
            tip=append_shortcut(tr("Start another run with these settings"), "Ctrl+Return"),
        )
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
            tip=append_shortcut(tr("Stop and keep everything found so far"), "Ctrl+Shift+."),
        )
        self.chosen_run_button = ChosenRunButton()
        self.title, self.state = self.chosen_run_button.title, self.chosen_run_button.state
        self.messages = QWidget()
        kit.row((self.chosen_run_button, 0), None, on=self.messages)
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
            tip=append_shortcut(tr("Find a command, page, run, plot or method"), "Ctrl+K"),
        )
        for each in (self.find_button, self.theme_button):
            # Keep the focus in the page on a click, so that its keys still work.
            each.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        kit.row(
            self.document_button,
            GRID,
            self.run_button,
            GRID,
            (self.messages, 1),
            # At the right, so that the left parts stay in place as they appear and disappear.
            self.pause_button,
            self.stop_button,
            self.new_button,
            self.find_button,
            self.theme_button,
            on=self,
            margin=(GRID, 0, 2 * GRID, 0),
        )
        self._view: RunView | None = None
        self._iteration: int | None = None
        self._is_playback = self.is_study_cell = False
        self._busy = self._obstacle = self._ready = ""
        self._can_run = self._starts_another = False
        self.speed_meter = SpeedMeter()
        self._clock = clock
        self._last_press = -math.inf
        self.show_run(None)

    def show_document(self, name: str, where: str) -> None:
        """Show the name and folder of the open document."""
        text = name or tr("No document")
        elided = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, 180)
        self.document_button.setText(elided)
        self.document_button.setToolTip(plain_tip(where or tr("Open, save or close documents")))

    def set_can_run(self, can: bool, reason: str) -> None:
        """Enable or disable Run; ``reason`` is its tooltip, shown beside it if no run is active."""
        self._can_run, self._ready = can, reason
        self._obstacle = "" if can else reason
        self.show_run(self._view, self._iteration, played=self._is_playback)

    @property
    def start_button(self) -> QPushButton:
        """The button that starts a run now: Run, or New run beside one that is not over."""
        return self.new_button if self._starts_another else self.run_button

    def click_start(self) -> None:
        """Press the button that starts a run now."""
        self.start_button.click()

    def can_start(self) -> bool:
        """Return whether a run can be started now."""
        return self.start_button.isEnabled()

    def _show_start(self, *, another: bool, failed: bool) -> None:
        """Enable Run or New run; ``another``: beside a run that is active or could continue."""
        self._starts_another = another
        if another and self.run_button.hasFocus():
            # Otherwise the focus would move to Pause, and the next Space would press it.
            self.chosen_run_button.setFocus()
        self.run_button.setMinimumWidth(theme.pixels(_RUN_WIDTH))
        self.new_button.setVisible(another)
        self.run_button.setEnabled(self._can_run and not another)
        self.new_button.setEnabled(self._can_run)
        new_run_tip = tr("A run is in progress or can be continued: “New run” starts another one.")
        for button, tip in (
            (self.run_button, new_run_tip if another else self._ready),
            (self.new_button, self._ready),
        ):
            button.setToolTip(plain_tip(tip))
            button.setAccessibleDescription(tip)
        kit.set_role(self.new_button, "primary" if failed else "", "kind")
        kit.redraw_icon(self.new_button)

    def set_busy(self, text: str) -> None:
        """Show the activity before a run starts; empty for none."""
        self._busy = text
        self.show_run(self._view, self._iteration, played=self._is_playback)

    def _on_run_clicked(self) -> None:
        """Request one run per click or double click."""
        if self._clock() - self._last_press >= _DOUBLE_PRESS_SECONDS:
            self.run_pressed.emit()
        # Measured after the start, which may outlast the second click.
        self._last_press = self._clock()

    def show_run(
        self, view: "RunView | None", iteration: int | None = None, *, played: bool = False
    ) -> None:
        """Show the chosen run's name and state; pending requests are shown at once.

        Args:
            view: The run.
            iteration: The one looked back at; ``None`` for none.
            played: Whether it is a recording.
        """
        self._view, self._iteration, self._is_playback = view, iteration, played
        # A playback has no engine to pause or stop; a comparison is continued on its page.
        is_fixed = played or bool(self.is_study_cell and view and view.resumable)
        resumable = view is not None and view.resumable and not is_fixed
        has_request = view is not None and bool(view.asked)
        active = view is not None and not view.ended and not is_fixed
        # Both are visible only during a run.
        self.stop_button.setVisible(bool(self._busy) or active)
        self.stop_button.setEnabled(
            bool(self._busy) or (active and not (view is not None and view.asked == "stop"))
        )
        self.pause_button.setVisible(active or resumable)
        self.pause_button.setEnabled((active or resumable) and not has_request)
        self.pause_button.setProperty("icon_name", "play" if resumable else "pause")
        self.pause_button.setText(tr("Continue") if resumable else "")
        self.pause_button.setAccessibleName(tr("Continue") if resumable else tr("Pause"))
        # After a failed run, another one leads on.
        failed = view is not None and view.state == "failed"
        self._show_start(another=active or resumable, failed=failed)
        kit.set_role(self.pause_button, "primary" if resumable and not failed else "", "kind")
        kit.redraw_icon(self.pause_button)
        tip = tr(_CONTINUE_TIP if resumable else _PAUSE_TIP)
        self.pause_button.setToolTip(plain_tip(append_shortcut(tip, _PAUSE_KEYS)))
        self.chosen_run_button.show_title(*self._describe_run(view))

    def _describe_run(self, view: "RunView | None") -> tuple[str, str]:
        if self._busy:
            return tr("New run"), self._busy
        if view is None:
            return "", self._obstacle
        if self._is_playback and not view.ended:
            return _format_run_title(view), format_progress(view)
        line = describe_run(view, self.speed_meter.of(view), self._iteration)
        if view.ended and self._obstacle:
            # The obstacle concerns the next run, so it is labelled beside the state of an ended
            # one.
            line = tr("{state} · Another run? {obstacle}", state=line, obstacle=self._obstacle)
        return _format_run_title(view), line

    def _pause_or_continue(self) -> None:
        if self._view is not None and self._view.resumable:
            self.continue_pressed.emit()
        else:
            self.pause_pressed.emit()


def _format_run_title(view: "RunView") -> str:
    """Name a run by its target column and its own name."""
    return " · ".join(filter(None, (view.settings.source.target, view.name)))


RAIL_WIDTH, COLLAPSED_RAIL_WIDTH = 144, 56
_ICON, _ROW = 20, 40
_ACTIVE_SIGN = "  ●"


class Rail(QFrame):
    """A button per page, with icon and name; collapsed, with the icon alone.

    Args:
        pages: Key (also the icon's name), title and one line, in English.
        keys: The shortcut of each page as text, for the tooltips.
    """

    page_chosen = Signal(str)

    def __init__(self, pages: tuple[tuple[str, str, str], ...], keys: dict[str, str]) -> None:
        super().__init__()
        self.setProperty("role", "bar")
        self._titles = {key: tr(title) for key, title, _ in pages}
        self._buttons: dict[str, QPushButton] = {}
        self._collapsed = self._is_live = False
        group = QButtonGroup(self)
        column = kit.column(on=self, spacing=GRID // 2, margin=GRID)
        for key, _, tip in pages:
            page_button = kit.button(
                "",
                partial(self.page_chosen.emit, key),
                kind="rail",
                name=self._titles[key],
                tip=f"{tr(tip)} ({keys[key]})" if keys.get(key) else tr(tip),
            )
            page_button.setProperty("icon_size", _ICON)
            page_button.setProperty("icon_name", key)  # drawn when the buttons are fitted
            page_button.setCheckable(True)
            group.addButton(page_button)
            column.addWidget(page_button)
            self._buttons[key] = page_button
        column.addStretch(1)
        # Beside the icon alone there is no room for it.
        self._dot = QLabel(_ACTIVE_SIGN.strip(), self._buttons["live"])
        self._dot.setProperty("role", "small")
        self._dot.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        theme.notifier().changed.connect(self._fit)
        self._fit()

    def button(self, key: str) -> QPushButton:
        """Return the button of a page."""
        return self._buttons[key]

    def show_page(self, key: str) -> None:
        """Mark the current page; none for an unknown key."""
        for name, page_button in self._buttons.items():
            page_button.setChecked(name == key)

    def set_live(self, live: bool) -> None:
        """Mark the Live page while a run is active."""
        self._is_live = live
        self._update_name("live")

    def set_enabled(self, enabled: bool) -> None:
        """Enable the pages (disabled while no document is open)."""
        for page_button in self._buttons.values():
            page_button.setEnabled(enabled)

    def collapse(self, collapsed: bool) -> None:
        """Show icons alone, or icons with names."""
        if collapsed != self._collapsed:
            self._collapsed = collapsed
            self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        """Fit the buttons again after the style has first been applied."""
        super().showEvent(event)
        self._fit()

    def _fit(self) -> None:
        widest = 0
        for key, page_button in self._buttons.items():
            # Maximum width: with a run's marker, and in bold for the current page.
            page_button.setText(f"  {self._titles[key]}{_ACTIVE_SIGN if key == 'live' else ''}")
            widest = max(
                widest, page_button.sizeHint().width() + _get_extra_bold_width(page_button.text())
            )
            self._update_name(key)
            kit.redraw_icon(page_button)
            page_button.setMinimumHeight(theme.pixels(_ROW))
        full = max(theme.pixels(RAIL_WIDTH), widest + 2 * GRID)
        self.setFixedWidth(theme.pixels(COLLAPSED_RAIL_WIDTH) if self._collapsed else full)
        self._dot.adjustSize()
        self._dot.move(
            theme.pixels(COLLAPSED_RAIL_WIDTH) - 2 * GRID - self._dot.width() - GRID // 2, GRID // 2
        )

    def _update_name(self, key: str) -> None:
        page_button = self._buttons.get(key)
        if page_button is None:
            return
        sign = _ACTIVE_SIGN if key == "live" and self._is_live else ""
        page_button.setText("" if self._collapsed else f"  {self._titles[key]}{sign}")
        if key == "live":
            self._dot.setVisible(bool(sign) and self._collapsed)
        live = tr("{page}, a run is in progress", page=self._titles[key])
        page_button.setAccessibleName(live if sign else self._titles[key])


def _get_extra_bold_width(text: str) -> int:
    """Return the additional width of a text in bold, in pixels."""
    plain, bold = (QFontMetrics(theme.font(theme.BODY, bold=each)) for each in (False, True))
    return max(0, bold.horizontalAdvance(text) - plain.horizontalAdvance(text))


_MIN_EXPANDED_WIDTH = 1100
"""Window width below which the rail shows icons alone, at a scale of 1."""


class _Pages(QStackedWidget):
    """A stack of pages with the size of the current one."""

    def minimumSizeHint(self) -> QSize:
        """Return the current page's minimum size."""
        current = self.currentWidget()
        return super().minimumSizeHint() if current is None else current.minimumSizeHint()


class WindowFrame(QMainWindow):
    """The window with its pages, without actions.

    Actions (open, start, undo, export) are implemented by other classes, which receive the frame
    and report errors through it.

    It is created in two steps: the constructor creates only what is visible at start-up;
    :meth:`add_parts` creates the rest after the first paint.
    """

    def __init__(self) -> None:
        super().__init__()
        self.top_bar = TopBar()
        self.top_bar.set_can_run(False, "")
        self.rail = Rail(
            PAGES, {key: f"Ctrl+{number}" for number, (key, *_) in enumerate(PAGES, start=1)}
        )
        self.rail.set_enabled(False)
        self.welcome = WelcomePage()
        self._stack = _Pages()
        self._stack.addWidget(self.welcome)
        self._pages: dict[str, QWidget] = {WELCOME: self.welcome}
        self._page = WELCOME
        self._state_before_presenting = Qt.WindowState.WindowNoState
        self._inside = CentralWidget(self.top_bar, self.rail, self._stack)
        self.setCentralWidget(self._inside)
        self._theme_top_bar()

    def add_parts(
        self, session: "Session | None" = None, helper: "HelperClient | None" = None
    ) -> None:
        """Create models, commands and initially hidden parts."""
        from studio.gui.shell.frame.window_parts import make_parts

        parts = make_parts(self, self.top_bar.messages, self.all_commands, session, helper)
        self.session, self.helper = parts.session, parts.helper
        self.data, self.run, self.advice = parts.data, parts.run, parts.advice
        self.starter = parts.starter
        self.command_registry, self.palette_box = parts.command_registry, parts.palette_box
        self.help, self.banner, self.toast = parts.help, parts.banner, parts.toast
        self.strip, self.slider, self.bottom = parts.strip, parts.slider, parts.bottom
        self.welcome.draw_pictures()
        self._inside.complete((self.banner, parts.replay), self.bottom, self.help)
        for troubled in (self.session.failed, self.starter.failed, self.run.failed):
            troubled.connect(self.banner.show_message)
        self.top_bar.theme_pressed.connect(get_appearance().toggle)
        self.top_bar.find_pressed.connect(self.palette_box.open)
        self.rail.page_chosen.connect(self.show_page)
        theme.notifier().changed.connect(self._on_theme_change)
        get_appearance().presenting_changed.connect(self._set_presentation_mode)

    # ---- hooks

    def make_page(self, key: str) -> QWidget:
        """Return a new page by its key of :mod:`.page_list`, on first use."""
        raise NotImplementedError

    def all_commands(self) -> list[Command]:
        """Return all available commands, for the palette."""
        raise NotImplementedError

    # ---- pages

    def show_page(self, key: str) -> None:
        """Show a page, created on first use."""
        if key not in self._pages:
            page = self.make_page(key)
            self._pages[key] = page
            self._stack.addWidget(page)
            if isinstance(page, HasCommands):
                self.command_registry.add(page.commands())
        self._page = key
        self._stack.setCurrentWidget(self._pages[key])
        self._stack.updateGeometry()
        self.rail.show_page(key)
        self._fit_bars()
        self.update_help()
        get_action_log().note(f"page.{key}")
        self.show_bottom()

    @property
    def help_topic(self) -> str:
        """The subject of help: the page, or what it shows."""
        return str(getattr(self._pages[self._page], "help_topic", self._page))

    def update_help(self) -> None:
        """Let open context help follow the page."""
        self.help.follow_page(self.help_topic)

    def scroll_to_top(self) -> None:
        """Scroll every page to its top."""
        for page in self._pages.values():
            for area in page.findChildren(QScrollArea):
                area.verticalScrollBar().setValue(0)

    def show_bottom(self) -> None:
        """Show strip and slider on the Live page if there are runs; one run needs no strip."""
        runs = self.session.shown.listed_runs
        self.strip.setVisible(len(runs) > 1)
        self.bottom.setVisible(self._page == "live" and bool(runs))

    @property
    def page(self) -> str:
        """The current page's key."""
        return self._page

    def clear_focus_and_hover(self) -> None:
        """Forget the positions of focus and pointer in the pages, for another document."""
        for page in self._pages.values():
            clear_focus_and_hover(page)
        clear_hover(self.top_bar)

    def page_widget(self, key: str) -> QWidget:
        """Return a page created before."""
        return self._pages[key]

    # ---- appearance

    def _on_theme_change(self) -> None:
        self._fit_bars()
        kit.redraw_icons(self)
        self._theme_top_bar()

    def _theme_top_bar(self) -> None:
        self.top_bar.setFixedHeight(theme.pixels(BAR_HEIGHT))
        self.top_bar.theme_button.setProperty(
            "icon_name", "sun" if theme.current().is_dark else "moon"
        )
        kit.redraw_icon(self.top_bar.theme_button)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide less important bars where space is scarce."""
        super().resizeEvent(event)
        self._fit_bars()

    def _fit_bars(self) -> None:
        """Fit the rail; hide the top bar from an audience on low screens and beside studies."""
        presenting = get_appearance().presenting
        is_low = self.height() < theme.pixels(_MIN_HEIGHT_WITH_BAR)
        self.top_bar.setHidden(presenting and (is_low or self._page == "compare"))
        self.rail.collapse(presenting or self.width() < theme.pixels(_MIN_EXPANDED_WIDTH))

    def _set_presentation_mode(self, on: bool) -> None:
        self._fit_bars()
        self.top_bar.document_button.setVisible(not on)
        # As in presentation programs; afterwards the window returns to its previous state.
        full = Qt.WindowState.WindowFullScreen
        if on:
            self._state_before_presenting = self.windowState()
            self.setWindowState(self.windowState() | full)
        else:
            self.setWindowState(self._state_before_presenting)
            self.toast.dismiss()  # the message may explain how to end this

"""The window without its actions: models of its document, bars, and pages."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QLabel,
    QMainWindow,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QWidget,
)

from studio.gui.base import theme
from studio.gui.base.command import Command, HasCommands
from studio.gui.base.preferences import get_appearance
from studio.gui.base.theme import GRID
from studio.gui.pages.welcome.page import WelcomePage
from studio.gui.shell.commands.command_registry import get_action_log
from studio.gui.shell.frame.page_list import PAGES, WELCOME
from studio.gui.shell.frame.top_bar import BAR_HEIGHT, TopBar
from studio.gui.widgets import kit
from studio.gui.widgets.keyboard_focus import clear_focus_and_hover, clear_hover
from studio.language import tr

if TYPE_CHECKING:
    from studio.gui.base.helper_client import HelperClient
    from studio.gui.session.session import Session


_MIN_HEIGHT_WITH_BAR = 520
"""Height below which a presented window has no top bar, at a scale of 1."""

_MIN_HEIGHT_WITH_STRIP = 600
"""Height below which a recording has no strip of runs: the plot's lines have their names."""

_MIN_HEIGHT_FOR_RUNS = 420
"""Height below which no window has a strip of runs, at a scale of 1: the top bar lists them."""

RAIL_WIDTH, COLLAPSED_RAIL_WIDTH = 144, 56
_ICON, _ROW = 20, 40
_ACTIVE_SIGN = "  ●"


class Rail(QFrame):
    """A button per page, with icon and name; collapsed, with the icon alone."""

    page_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "bar")
        self._titles = {key: tr(title) for key, title, _ in PAGES}
        self._buttons: dict[str, QPushButton] = {}
        self._collapsed = self._is_live = False
        group = QButtonGroup(self)
        column = kit.column(parent=self, spacing=GRID // 2, margin=GRID)
        for number, (key, _, tip) in enumerate(PAGES, start=1):
            page_button = kit.button(
                "",
                partial(self.page_chosen.emit, key),
                kind="rail",
                name=self._titles[key],
                tip=f"{tr(tip)} (Ctrl+{number})",
            )
            page_button.setProperty("icon_size", _ICON)
            page_button.setProperty("icon_name", key)  # drawn when the buttons are fitted
            page_button.setCheckable(True)
            group.addButton(page_button)
            column.addWidget(page_button)
            self._buttons[key] = page_button
        column.addStretch(1)
        # An overlay, as a button that shows only its icon has no space for it.
        self._dot_label = QLabel(_ACTIVE_SIGN.strip(), self._buttons["live"])
        self._dot_label.setProperty("role", "small")
        self._dot_label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        theme.get_notifier().changed.connect(self._fit)
        self._fit()

    def get_button(self, key: str) -> QPushButton:
        """Return the button of a page."""
        return self._buttons[key]

    def show_page(self, key: str) -> None:
        """Mark the current page; none for an unknown key."""
        for name, page_button in self._buttons.items():
            page_button.setChecked(name == key)

    def set_live(self, is_live: bool) -> None:
        """Mark the Live page while a run is active."""
        self._is_live = is_live
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
            # Reserve the maximum width: with a run's marker, and bold for the current page.
            page_button.setText(f"  {self._titles[key]}{_ACTIVE_SIGN if key == 'live' else ''}")
            widest = max(
                widest, page_button.sizeHint().width() + _get_extra_bold_width(page_button.text())
            )
            self._update_name(key)
            kit.redraw_icon(page_button)
            page_button.setMinimumHeight(theme.pixels(_ROW))
        full_width = max(theme.pixels(RAIL_WIDTH), widest + 2 * GRID)
        self.setFixedWidth(theme.pixels(COLLAPSED_RAIL_WIDTH) if self._collapsed else full_width)
        self._dot_label.adjustSize()
        self._dot_label.move(
            theme.pixels(COLLAPSED_RAIL_WIDTH) - 2 * GRID - self._dot_label.width() - GRID // 2,
            GRID // 2,
        )

    def _update_name(self, key: str) -> None:
        page_button = self._buttons.get(key)
        if page_button is None:
            return
        sign = _ACTIVE_SIGN if key == "live" and self._is_live else ""
        page_button.setText("" if self._collapsed else f"  {self._titles[key]}{sign}")
        if key == "live":
            self._dot_label.setVisible(bool(sign) and self._collapsed)
        live = tr("{page}, a run is in progress", page=self._titles[key])
        page_button.setAccessibleName(live if sign else self._titles[key])


def _get_extra_bold_width(text: str) -> int:
    """Return the additional width of a text in bold, in pixels."""
    regular, bold = (QFontMetrics(theme.font(theme.BODY, bold=each)) for each in (False, True))
    return max(0, bold.horizontalAdvance(text) - regular.horizontalAdvance(text))


_MIN_EXPANDED_WIDTH = 1100
"""Window width below which the rail shows icons alone, at a scale of 1."""


class _Pages(QStackedWidget):
    """A stack of pages with the size of the current page."""

    def minimumSizeHint(self) -> QSize:
        current = self.currentWidget()
        return super().minimumSizeHint() if current is None else current.minimumSizeHint()


class WindowFrame(QMainWindow):
    """The window with its pages, without actions.

    Actions (open, start, undo, export) are implemented by other classes, which receive the frame
    and report errors through it.

    It is created in two steps: the constructor creates only the initially visible parts;
    :meth:`add_parts` creates the others after the first paint.
    """

    page_shown = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.top_bar = TopBar()
        self.top_bar.set_can_run(False, "")
        self.rail = Rail()
        self.rail.set_enabled(False)
        self.welcome = WelcomePage()
        self._stack = _Pages()
        self._stack.addWidget(self.welcome)
        self._pages: dict[str, QWidget] = {WELCOME: self.welcome}
        self.page = WELCOME
        self._state_before_presenting = Qt.WindowState.WindowNoState
        # While presenting, none has the focus: Space must neither start a run nor change the page.
        self._focus_policies = {
            each: each.focusPolicy()
            for bar in (self.top_bar, self.rail)
            for each in bar.findChildren(QPushButton)
        }
        self._content = content = QWidget()
        content.setProperty("role", "page")
        self._page_column = kit.column((self._stack, 1), spacing=0)
        separator = kit.make_separator(vertical=True)
        self._middle = kit.row(self.rail, separator, (self._page_column, 1), spacing=0)
        self._column = kit.column(
            self.top_bar, kit.make_separator(), (self._middle, 1), parent=content, spacing=0
        )
        self.setCentralWidget(content)
        theme.style_window(self)
        self._apply_theme_to_top_bar()

    def add_parts(
        self, session: "Session | None" = None, helper: "HelperClient | None" = None
    ) -> None:
        """Create models, commands and initially hidden parts."""
        from studio.gui.base.helper_client import HelperClient
        from studio.gui.drafts.advice_model import AdviceModel
        from studio.gui.drafts.data_model import DataModel
        from studio.gui.drafts.run_model import RunModel
        from studio.gui.drafts.starter import Starter
        from studio.gui.session.session import Session
        from studio.gui.shell.bars.replay_bar import ReplayBar
        from studio.gui.shell.bars.runs_strip import RunsStrip
        from studio.gui.shell.bars.time_slider import TimeSlider
        from studio.gui.shell.commands.command_registry import CommandRegistry
        from studio.gui.shell.commands.palette import CommandPalette
        from studio.gui.shell.help.panel import HelpPanel, HelpPlacement
        from studio.gui.widgets.messages import Banner, Toast

        self.session = session = session or Session(self)
        self.helper = helper = helper or HelperClient(self)
        self.data, self.run = DataModel(session, helper, self), RunModel(session, helper, self)
        self.advice = AdviceModel(self.data, self.run, session, helper, self)
        self.starter = Starter(session, helper, self.data, self.run, self)
        self.command_registry = CommandRegistry(self)
        self.palette_box = CommandPalette(self, self.list_all_commands)
        self.help = HelpPanel(lambda: self.command_registry.commands)
        self.banner, self.toast = Banner(), Toast(self.top_bar.messages)
        self.toast.room_requested.connect(
            lambda height: self._column.setContentsMargins(0, 0, 0, height)
        )
        self.strip, self.slider = RunsStrip(), TimeSlider()
        self.welcome.draw_pictures()
        bar, self.bottom = QFrame(), QWidget()
        bar.setProperty("role", "bar")
        margins = (2 * GRID, GRID, 2 * GRID, GRID)
        kit.column(self.strip, self.slider, parent=bar, spacing=GRID // 2, margin=margins)
        kit.column(kit.make_separator(), bar, parent=self.bottom, spacing=0)
        self._page_column.insertWidget(0, self.banner)
        self._page_column.insertWidget(1, ReplayBar(session))
        session.following.playback_changed.connect(self.show_bottom)
        HelpPlacement(self.help, self._stack, self._middle, self._content)
        self._column.addWidget(self.bottom)
        for troubled in (self.session.failed, self.starter.failed, self.run.failed):
            troubled.connect(self.banner.show_message)
        self.top_bar.theme_pressed.connect(get_appearance().toggle)
        self.top_bar.find_pressed.connect(self.palette_box.open)
        self.rail.page_chosen.connect(self.show_page)
        theme.get_notifier().changed.connect(self._on_theme_change)
        get_appearance().presenting_changed.connect(self._set_presentation_mode)

    # ---- hooks

    def make_page(self, key: str) -> QWidget:
        """Return a new page by its key of :mod:`.page_list`, on first use."""
        raise NotImplementedError

    def list_all_commands(self) -> list[Command]:
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
                self.command_registry.add(page.list_commands())
        self.page = key
        self._stack.setCurrentWidget(self._pages[key])
        self._stack.updateGeometry()
        self.rail.show_page(key)
        self._fit_bars()
        self.update_help()
        get_action_log().record_action(f"page.{key}")
        self.show_bottom()
        self.page_shown.emit()

    @property
    def help_topic(self) -> str:
        """The subject of help: the page, or its content."""
        return str(getattr(self._pages[self.page], "help_topic", self.page))

    def update_help(self) -> None:
        """Update open context help to the current page."""
        self.help.follow_page(self.help_topic)

    def scroll_to_top(self) -> None:
        """Scroll every page to its top."""
        for page in self._pages.values():
            for area in page.findChildren(QScrollArea):
                area.verticalScrollBar().setValue(0)

    def show_bottom(self) -> None:
        """Show strip and slider on the Live page if there are runs; one run needs no strip."""
        runs = self.session.run_selection.listed_runs
        is_short = self.height() < theme.pixels(_MIN_HEIGHT_WITH_STRIP)
        is_crowded = self.height() < theme.pixels(_MIN_HEIGHT_FOR_RUNS) or (
            is_short and self.session.following.playback is not None
        )
        self.strip.setVisible(len(runs) > 1 and not is_crowded)
        self.bottom.setVisible(self.page == "live" and bool(runs))

    def clear_focus_and_hover(self) -> None:
        """Reset the positions of focus and pointer in the pages, for another document."""
        for page in self._pages.values():
            clear_focus_and_hover(page)
        clear_hover(self.top_bar)

    def get_page_widget(self, key: str) -> QWidget:
        """Return an existing page."""
        return self._pages[key]

    def add_strip(self, strip: QWidget) -> None:
        """Add a strip at the bottom of the window, which takes its height from the page."""
        self._column.addWidget(strip)

    # ---- appearance

    def _on_theme_change(self) -> None:
        self._fit_bars()
        kit.redraw_icons(self)
        self._apply_theme_to_top_bar()

    def _apply_theme_to_top_bar(self) -> None:
        self.top_bar.setFixedHeight(theme.pixels(BAR_HEIGHT))
        self.top_bar.theme_button.setProperty(
            "icon_name", "sun" if theme.current().is_dark else "moon"
        )
        kit.redraw_icon(self.top_bar.theme_button)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide less important bars if space is scarce."""
        super().resizeEvent(event)
        self._fit_bars()
        if self.page == "live":
            self.show_bottom()

    def _fit_bars(self) -> None:
        """Fit the rail; hide the top bar from an audience on short screens, and for studies."""
        presenting = get_appearance().is_presenting
        is_short = self.height() < theme.pixels(_MIN_HEIGHT_WITH_BAR)
        self.top_bar.setHidden(presenting and (is_short or self.page == "compare"))
        self.rail.collapse(presenting or self.width() < theme.pixels(_MIN_EXPANDED_WIDTH))

    def _set_presentation_mode(self, enabled: bool) -> None:
        if enabled and not self._stack.isAncestorOf(self.focusWidget() or self):
            self.setFocus()  # Qt would focus Run when the focused document menu is hidden
        for button, policy in self._focus_policies.items():
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus if enabled else policy)
        self._fit_bars()
        self.top_bar.document_button.setVisible(not enabled)
        # As in presentation programs; afterwards the window returns to its previous state.
        full_screen = Qt.WindowState.WindowFullScreen
        if enabled:
            self._state_before_presenting = self.windowState()
            self.setWindowState(self.windowState() | full_screen)
        else:
            self.setWindowState(self._state_before_presenting)
            self.toast.dismiss()  # the message may explain how to leave presentation mode

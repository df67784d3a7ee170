"""The window without what is done in it: the models of its document, bars, and a page."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMainWindow, QScrollArea, QStackedWidget, QWidget

from studio.gui.base import theme
from studio.gui.base.command import Command, HasCommands
from studio.gui.base.look import look
from studio.gui.pages.welcome.page import WelcomePage
from studio.gui.shell.bars.rail import Rail
from studio.gui.shell.bars.top_bar import HEIGHT as BAR_HEIGHT
from studio.gui.shell.bars.top_bar import TopBar
from studio.gui.shell.commands.trail import trail
from studio.gui.shell.frame.layout import Inside
from studio.gui.shell.frame.page_list import PAGES, WELCOME
from studio.gui.widgets import kit

if TYPE_CHECKING:
    from studio.gui.base.helper_client import HelperClient
    from studio.gui.session.session import Session


_NARROW = 1100
"""Width below which the rail shows icons alone, at a scale of 1."""


class _Pages(QStackedWidget):
    """The pages; it needs no more room than the one that is shown."""

    def minimumSizeHint(self) -> QSize:
        """Return what the shown page needs at least."""
        shown = self.currentWidget()
        return super().minimumSizeHint() if shown is None else shown.minimumSizeHint()


class Frame(QMainWindow):
    """A window around pages.

    What can be done in it (open, start, undo, export) is done by others, who are given the frame
    and say there what went wrong; it knows none of them.

    It is made in two steps. The first makes what is seen when the program starts, and imports
    nothing else; :meth:`add_parts` makes all the rest, once that has been painted.
    """

    def __init__(self) -> None:
        super().__init__()
        self.top_bar = TopBar()
        self.top_bar.set_can_run(False, "")
        self.rail = Rail(PAGES, {key: f"Ctrl+{at}" for at, (key, *_) in enumerate(PAGES, start=1)})
        self.rail.set_enabled(False)
        self.welcome = WelcomePage()
        self._stack = _Pages()
        self._stack.addWidget(self.welcome)
        self._pages: dict[str, QWidget] = {WELCOME: self.welcome}
        self._page = WELCOME
        self._before_presenting = Qt.WindowState.WindowNoState
        self._inside = Inside(self.top_bar, self.rail, self._stack)
        self.setCentralWidget(self._inside)
        self._theme_top_bar()

    def add_parts(
        self, session: "Session | None" = None, helper: "HelperClient | None" = None
    ) -> None:
        """Make models, commands and what is hidden at first.

        Args:
            session, helper: Tests give their own; otherwise they are made here.
        """
        from studio.gui.shell.frame.window_parts import make_parts

        made = make_parts(self, self.top_bar.messages, self.all_commands, session, helper)
        self.session, self.helper = made.session, made.helper
        self.data, self.run, self.advice = made.data, made.run, made.advice
        self.starter = made.starter
        self.book, self.palette_box = made.book, made.palette_box
        self.help, self.banner, self.toast = made.help, made.banner, made.toast
        self.strip, self.slider, self.bottom = made.strip, made.slider, made.bottom
        self.welcome.draw_pictures()
        self._inside.complete((self.banner, made.replay), self.bottom, self.help)
        for troubled in (self.session.failed, self.starter.failed, self.run.failed):
            troubled.connect(self.banner.say)
        self.top_bar.theme_pressed.connect(look().toggle)
        self.top_bar.find_pressed.connect(self.palette_box.open)
        self.rail.page_chosen.connect(self.show_page)
        theme.notifier().changed.connect(self._theme_changed)
        look().presenting_changed.connect(self._present)

    # ---- what is put into the frame

    def make_page(self, key: str) -> QWidget:
        """Return a new page of a key of :mod:`.page_list`; asked for at its first time only."""
        raise NotImplementedError

    def all_commands(self) -> list[Command]:
        """Return all that can be done now, for the palette."""
        raise NotImplementedError

    # ---- pages

    def show_page(self, key: str) -> None:
        """Show a page, building it at its first time."""
        if key not in self._pages:
            page = self.make_page(key)
            self._pages[key] = page
            self._stack.addWidget(page)
            if isinstance(page, HasCommands):
                self.book.add(page.commands())
        self._page = key
        self._stack.setCurrentWidget(self._pages[key])
        self._stack.updateGeometry()
        self.rail.show_page(key)
        self.help.follow_page(key)
        trail().note(f"page.{key}")
        self.show_bottom()

    def scroll_up(self) -> None:
        """Have every page begin at its top again."""
        for page in self._pages.values():
            for area in page.findChildren(QScrollArea):
                area.verticalScrollBar().setValue(0)

    def show_bottom(self) -> None:
        """Show strip and slider on the Live page where there are runs; one run needs no strip."""
        runs = self.session.shown.unfolded
        self.strip.setVisible(len(runs) > 1)
        self.bottom.setVisible(self._page == "live" and bool(runs))

    @property
    def page(self) -> str:
        """The key of the page that is shown."""
        return self._page

    def page_widget(self, key: str) -> QWidget:
        """Return a page that was shown before."""
        return self._pages[key]

    # ---- look

    def _theme_changed(self) -> None:
        self._fit_rail()
        kit.redraw_icons(self)
        self._theme_top_bar()

    def _theme_top_bar(self) -> None:
        self.top_bar.setFixedHeight(theme.pixels(BAR_HEIGHT))
        self.top_bar.theme_button.setProperty(
            "icon_name", "sun" if theme.current().is_dark else "moon"
        )
        kit.redraw_icon(self.top_bar.theme_button)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the page more room where there is little."""
        super().resizeEvent(event)
        self._fit_rail()

    def _fit_rail(self) -> None:
        self.rail.collapse(look().presenting or self.width() < theme.pixels(_NARROW))

    def _present(self, on: bool) -> None:
        self._fit_rail()
        for extra in (self.top_bar.document_button, self.top_bar.theme_button):
            extra.setVisible(not on)
        # As a slide show does at the same key; who had a full screen already keeps it at the end.
        full = Qt.WindowState.WindowFullScreen
        if on:
            self._before_presenting = self.windowState()
            self.setWindowState(self.windowState() | full)
        else:
            self.setWindowState(self._before_presenting)
            self.toast.leave()  # it may still say how to end this

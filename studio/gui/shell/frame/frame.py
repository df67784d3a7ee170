"""The window without what is done in it: the models of its document, bars, and a page."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QWidget

from studio.gui.base import theme
from studio.gui.base.command import Command, Commanding
from studio.gui.base.helper_client import HelperClient
from studio.gui.base.look import look
from studio.gui.drafts.advice_model import AdviceModel
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.run_model import RunModel
from studio.gui.drafts.starter import Starter
from studio.gui.session.session import Session
from studio.gui.shell.bars.rail import Rail
from studio.gui.shell.bars.replay_bar import ReplayBar
from studio.gui.shell.bars.runs_strip import RunsStrip
from studio.gui.shell.bars.time_slider import TimeSlider
from studio.gui.shell.bars.top_bar import HEIGHT as BAR_HEIGHT
from studio.gui.shell.bars.top_bar import TopBar
from studio.gui.shell.commands.book import CommandBook
from studio.gui.shell.commands.palette import Palette
from studio.gui.shell.commands.trail import trail
from studio.gui.shell.frame.layout import arranged, bottom_bar
from studio.gui.shell.frame.page_list import PAGES, WELCOME
from studio.gui.shell.help.panel import HelpPanel
from studio.gui.widgets import kit
from studio.gui.widgets.banner import Banner
from studio.gui.widgets.toast import Toast


class Frame(QMainWindow):
    """A window around pages.

    What can be done in it (open, start, undo, export) is done by others, who are given the frame
    and say there what went wrong; it knows none of them.

    Parameters
    ----------
    session, helper
        Tests give their own; otherwise they are made here.
    """

    def __init__(self, session: Session | None = None, helper: HelperClient | None = None) -> None:
        super().__init__()
        self.session = session or Session(self)
        self.helper = helper or HelperClient(self)
        self.data = DataModel(self.session, self.helper, self)
        self.run = RunModel(self.session, self.helper, self)
        self.advice = AdviceModel(self.data, self.run, self.session, self.helper, self)
        self.starter = Starter(self.session, self.helper, self.data, self.run, self)
        self.top_bar = TopBar()
        self.rail = Rail(PAGES, {key: f"Ctrl+{at}" for at, (key, *_) in enumerate(PAGES, start=1)})
        self.book = CommandBook(self)
        self.palette_box = Palette(self, self.all_commands)
        self.help = HelpPanel(lambda: self.book.commands)
        self.banner = Banner()
        self.strip = RunsStrip()
        self.slider = TimeSlider()
        self.bottom = bottom_bar(self.strip, self.slider)
        self._stack = QStackedWidget()
        self._pages: dict[str, QWidget] = {}
        self._page = WELCOME
        self._before_presenting = Qt.WindowState.WindowNoState
        whole = arranged(
            top=self.top_bar,
            rail=self.rail,
            above=(self.banner, ReplayBar(self.session)),
            page=self._stack,
            bottom=self.bottom,
            panel=self.help,
        )
        self.setCentralWidget(whole)
        self.toast = Toast(whole)
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
            if isinstance(page, Commanding):
                self.book.add(page.commands())
        self._page = key
        self._stack.setCurrentWidget(self._pages[key])
        self.rail.show_page(key)
        self.book.give_way(self._pages[key])
        self.help.follow_page(key)
        trail().note(f"page.{key}")
        self.show_bottom()

    def show_bottom(self) -> None:
        """Show strip and slider where there are runs to show, and the page is about them."""
        there = self._page != WELCOME and bool(self.session.shown.unfolded)
        self.bottom.setVisible(there)

    @property
    def page(self) -> str:
        """The key of the page that is shown."""
        return self._page

    def page_widget(self, key: str) -> QWidget:
        """Return a page that was shown before."""
        return self._pages[key]

    # ---- look

    def _theme_changed(self) -> None:
        kit.redraw_icons(self)
        self.top_bar.setFixedHeight(theme.pixels(BAR_HEIGHT))
        self.top_bar.theme_button.setProperty(
            "icon_name", "sun" if theme.current().is_dark else "moon"
        )
        kit.redraw_icon(self.top_bar.theme_button)

    def _present(self, on: bool) -> None:
        self.rail.collapse(on)
        for extra in (self.top_bar.document_button, self.top_bar.theme_button):
            extra.setVisible(not on)
        # As a slide show does at the same key; who had a full screen already keeps it at the end.
        full = Qt.WindowState.WindowFullScreen
        if on:
            self._before_presenting = self.windowState()
            self.setWindowState(self.windowState() | full)
        else:
            self.setWindowState(self._before_presenting)

"""The main window: rail, top bar, page, strip; it ties pages and models together."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QWidget

from studio.errors import StudioError
from studio.gui import kit, last_place, places, theme
from studio.gui.advice_model import AdviceModel
from studio.gui.banner import Banner
from studio.gui.commands.book import CommandBook
from studio.gui.commands.command import Command, Commanding
from studio.gui.commands.palette import Palette
from studio.gui.commands.trail import trail
from studio.gui.data_model import DataModel
from studio.gui.document_watch import DocumentWatch
from studio.gui.documents import Documents
from studio.gui.guidance import Guidance
from studio.gui.help.panel import HelpPanel
from studio.gui.helper_client import HelperClient
from studio.gui.language import tr
from studio.gui.leaving import may_leave
from studio.gui.look import look
from studio.gui.opening import Opening
from studio.gui.pages import PAGES, WELCOME, make_page
from studio.gui.rail import Rail
from studio.gui.replay_bar import ReplayBar
from studio.gui.run_bars import RunBars
from studio.gui.run_model import RunModel
from studio.gui.runs_strip import RunsStrip
from studio.gui.session.session import Session
from studio.gui.starter import Starter
from studio.gui.time_slider import TimeSlider
from studio.gui.top_bar import HEIGHT as BAR_HEIGHT
from studio.gui.top_bar import TopBar
from studio.gui.welcome_page import WelcomePage
from studio.gui.window_actions import WindowActions
from studio.gui.window_commands import passing_commands, window_commands
from studio.gui.window_frame import bottom_bar, frame

_SMALLEST = (1024, 640)
_FIRST = (1280, 800)


class MainWindow(QMainWindow):
    """The one window.

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
        self.opening = Opening(self)
        self.documents = Documents(self)
        self.watch = DocumentWatch(self.session, self)
        self.acts = WindowActions(self)
        self._leaving = False
        self._before_presenting = Qt.WindowState.WindowNoState
        self._pages: dict[str, QWidget] = {}
        self._page = WELCOME
        self._build()
        self._bars = RunBars(self)
        self._connect()
        self.setAcceptDrops(True)
        self.setMinimumSize(*_SMALLEST)
        self.resize(*_FIRST)
        last_place.put_back(self)
        self._theme_changed()
        self._show_document()
        self.setFocus()

    # ---- layout

    def _build(self) -> None:
        self.top_bar = TopBar()
        self.rail = Rail(PAGES, {key: f"Ctrl+{at}" for at, (key, *_) in enumerate(PAGES, start=1)})
        self.book = CommandBook(self)
        self.help = HelpPanel(lambda: self.book.commands)
        self.stack = QStackedWidget()
        self.banner = Banner()
        self.strip = RunsStrip()
        self.slider = TimeSlider()
        self.bottom = bottom_bar(self.strip, self.slider)
        whole = frame(
            top=self.top_bar,
            rail=self.rail,
            above=(self.banner, ReplayBar(self.session)),
            page=self.stack,
            bottom=self.bottom,
            panel=self.help,
        )
        self.setCentralWidget(whole)
        self.guidance = Guidance(self)
        self.palette_box = Palette(self, self.all_commands)
        self.book.add(window_commands(self))
        self.documents.fill_menu(self.top_bar.menu, self.book)
        self.top_bar.menu.aboutToShow.connect(lambda: self.book.add(window_commands(self)))

    def _connect(self) -> None:
        self.top_bar.theme_pressed.connect(look().toggle)
        self.top_bar.find_pressed.connect(self.palette_box.open)
        self.rail.page_chosen.connect(self.show_page)
        self.session.document_changed.connect(self._show_document)
        self.session.failed.connect(self.banner.say)
        self.starter.failed.connect(self.banner.say)
        self.starter.started.connect(lambda _: self.show_page("live"))
        self.run.failed.connect(self.banner.say)
        self.watch.troubled.connect(self.banner.say)
        theme.notifier().changed.connect(self._theme_changed)
        look().presenting_changed.connect(self._present)

    # ---- pages

    def show_page(self, key: str) -> None:
        """Show a page, building it at its first time."""
        if key not in self._pages:
            page = make_page(key, self)
            self._pages[key] = page
            self.stack.addWidget(page)
            if isinstance(page, Commanding):
                self.book.add(page.commands())
        self._page = key
        self.stack.setCurrentWidget(self._pages[key])
        self.rail.show_page(key)
        self.book.give_way(self._pages[key])
        self.help.follow_page(key)
        trail().note(f"page.{key}")
        self._bars.show_bottom()

    @property
    def page(self) -> str:
        """The key of the page that is shown."""
        return self._page

    def page_widget(self, key: str) -> QWidget:
        """Return a page that was shown before."""
        return self._pages[key]

    # ---- the document

    def _show_document(self) -> None:
        path = self.session.path
        self.rail.set_enabled(path is not None)
        self.banner.hide()
        if path is None:
            self.setWindowTitle("Ensemble Studio")
            self.top_bar.show_document("", "")
            self.show_page(WELCOME)
            page = self._pages[WELCOME]
            assert isinstance(page, WelcomePage)
            page.refresh()
        else:
            places.remember(path)
            last_place.keep(path, self)
            self.run.ask_catalogue()
            self.setWindowTitle(tr("{name} – Ensemble Studio", name=path.stem))
            unsaved = places.is_untitled(path)
            kept = tr("Kept automatically; use Save as… to give it a place")
            self.top_bar.show_document(path.name, kept if unsaved else str(path))
        self._bars.show()
        self._bars.show_can_run()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the first file that was dropped."""
        dropped = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        self.opening.open_dropped([Path(each) for each in dropped])

    # ---- commands

    def all_commands(self) -> list[Command]:
        """Return all that can be done now, for the palette."""
        self.book.add(window_commands(self))
        page = self._pages[self._page]
        if isinstance(page, Commanding):
            self.book.add(page.commands())
        # The palette does not offer itself, though it is what was done last.
        offered = [each for each in self.book.commands if each.key != "view.palette"]
        return [*offered, *passing_commands(self)]

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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave help, then presentation mode, on Esc."""
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.help.isVisible():
            self.help.hide()
        elif look().presenting:
            look().present(False)

    # ---- leaving and coming back

    def take_over(self, earlier: "MainWindow") -> None:
        """Be what an earlier window was: its place, document, page, run and iteration."""
        page, full = earlier.page, earlier.windowState()
        self.setGeometry(earlier.geometry())
        try:
            self.session.take_over(earlier.session)
        except StudioError as error:
            self.banner.say(str(error))
            return
        if self.session.is_open:
            self.show_page(page)
        self.setWindowState(full)
        if look().presenting:
            self._present(True)
            self._before_presenting = earlier._before_presenting

    def retire(self) -> None:
        """Go without a question: another window has taken over."""
        self._leaving = True
        self.hide()
        self.helper.close()
        self.deleteLater()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save, do with runs as asked once or preferred, end the helper."""
        if self._leaving:
            event.accept()
            return
        if not may_leave(self.session, self):
            event.ignore()
            return
        self._leaving = True
        self.opening.keep_place()
        look().present(False)
        last_place.keep(self.session.path, self)
        self.session.close()
        self.helper.close()
        event.accept()

"""The main window: rail, top bar, page, strip; it ties pages and models together."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QMainWindow,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from studio.document.runs import RequestKind
from studio.errors import StudioError
from studio.gui import kit, last_place, places, preferences, theme
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
from studio.gui.help.place import HelpPlace
from studio.gui.helper_client import HelperClient
from studio.gui.language import grouped, tr
from studio.gui.look import look
from studio.gui.pages import PAGES, WELCOME, make_page
from studio.gui.rail import Rail
from studio.gui.replay_bar import ReplayBar
from studio.gui.run_model import RunModel
from studio.gui.runs_strip import RunsStrip
from studio.gui.session import Session
from studio.gui.starter import Starter
from studio.gui.theme import GRID
from studio.gui.time_slider import TimeSlider
from studio.gui.top_bar import HEIGHT as BAR_HEIGHT
from studio.gui.top_bar import TopBar
from studio.gui.welcome_page import Sample, WelcomePage
from studio.gui.window_actions import WindowActions
from studio.gui.window_commands import passing_commands, window_commands

_PLACE = "window.place"
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
        self.starter = Starter(self.session, self.helper, self.data, self.run, self)
        self.documents = Documents(self, self.session)
        self.watch = DocumentWatch(self.session, self)
        self.acts = WindowActions(self)
        self._leaving = False
        self._pages: dict[str, QWidget] = {}
        self._page = WELCOME
        self._build()
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
        bottom = QFrame()
        bottom.setProperty("role", "bar")
        rows = QVBoxLayout(bottom)
        rows.setContentsMargins(2 * GRID, GRID, 2 * GRID, GRID)
        rows.setSpacing(GRID // 2)
        rows.addWidget(self.strip)
        rows.addWidget(self.slider)
        self.bottom = QWidget()
        stacked = QVBoxLayout(self.bottom)
        stacked.setContentsMargins(0, 0, 0, 0)
        stacked.setSpacing(0)
        stacked.addWidget(kit.hairline())
        stacked.addWidget(bottom)
        page = QVBoxLayout()
        page.setContentsMargins(0, 0, 0, 0)
        page.setSpacing(0)
        page.addWidget(self.banner)
        page.addWidget(ReplayBar(self.session))
        page.addWidget(self.stack, 1)
        middle = QHBoxLayout()
        middle.setContentsMargins(0, 0, 0, 0)
        middle.setSpacing(0)
        middle.addWidget(self.rail)
        middle.addWidget(kit.hairline(vertical=True))
        middle.addLayout(page, 1)
        whole = QWidget()
        whole.setProperty("role", "page")
        HelpPlace(self.help, self.stack, middle, whole)
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.top_bar)
        column.addWidget(kit.hairline())
        column.addLayout(middle, 1)
        column.addWidget(self.bottom)
        self.setCentralWidget(whole)
        self.guidance = Guidance(self)
        self.palette_box = Palette(self, self.all_commands)
        self.book.add(window_commands(self))
        self.documents.fill_menu(self.top_bar.menu, self.book)
        self.top_bar.menu.aboutToShow.connect(lambda: self.book.add(window_commands(self)))

    def _connect(self) -> None:
        bar, session = self.top_bar, self.session
        bar.run_pressed.connect(self.starter.start)
        bar.pause_pressed.connect(lambda: self._ask("pause"))
        bar.continue_pressed.connect(lambda: self._ask("continue"))
        bar.stop_pressed.connect(self._stop)
        bar.theme_pressed.connect(look().toggle)
        bar.find_pressed.connect(self.palette_box.open)
        self.rail.page_chosen.connect(self.show_page)
        self.strip.run_chosen.connect(session.choose_run)
        self.strip.overlay_wanted.connect(session.overlay)
        self.slider.iteration_chosen.connect(session.choose_iteration)
        self.slider.fork_wanted.connect(self._fork)
        session.document_changed.connect(self._show_document)
        session.runs_changed.connect(self._show_runs)
        session.trials_added.connect(lambda _: self._show_runs())
        session.run_chosen.connect(lambda _: self._show_runs())
        session.iteration_chosen.connect(lambda _: self._show_runs())
        session.overlay_changed.connect(self._show_runs)
        session.failed.connect(self.banner.say)
        self.starter.failed.connect(self.banner.say)
        self.starter.busy_changed.connect(self._starting)
        self.starter.started.connect(lambda _: self.show_page("live"))
        self.run.failed.connect(self.banner.say)
        self.starter.can_changed.connect(self._show_can_run)
        self.watch.troubled.connect(self.banner.say)
        theme.notifier().changed.connect(self._theme_changed)
        self._before_presenting = Qt.WindowState.WindowNoState
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
        self._show_bottom()

    @property
    def page(self) -> str:
        """The key of the page that is shown."""
        return self._page

    def page_widget(self, key: str) -> QWidget:
        """Return a page that was shown before."""
        return self._pages[key]

    # ---- opening

    def open_path(self, path: Path) -> None:
        """Open a document, or a table in a new document."""
        if not places.is_untitled(path):  # those are kept where nobody looks for files
            places.went_to(str(path))
        try:
            if path.suffix.lower() == places.SUFFIX:
                self._keep_place()
                self.session.open(path)
                self._go_back("live" if self.session.runs else "data")
            else:
                self._new_for(path.name.split(".")[0])
                self.data.open_file(path)
                self.show_page("data")
        except StudioError as error:
            self.banner.say(str(error))

    def open_sample(self, sample: Sample) -> None:
        """Open a sample table in a new document."""
        try:
            self._new_for(sample.title)
        except StudioError as error:
            self.banner.say(str(error))
            return
        self.data.open_file(sample.path, sample.target, sample.title)
        self.show_page("data")

    def _new_for(self, name: str) -> None:
        """Make a document for a table, unless the open one is still empty."""
        if not (self.session.is_open and not self.session.runs and not self.data.has_file):
            self.session.create(places.untitled(name))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the first file that was dropped."""
        dropped = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if len(dropped) > 1:
            self.banner.say(
                tr(
                    "{count} files were dropped; only the first was opened.",
                    count=grouped(len(dropped)),
                )
            )
        self.open_path(Path(dropped[0]))

    # ---- runs

    def _ask(self, wish: RequestKind) -> None:
        if self.session.chosen_run is not None:
            self.session.ask_run(self.session.chosen_run, wish)

    def _stop(self) -> None:
        if self.starter.busy:
            self.starter.cancel()
        else:
            self._ask("stop")

    def _fork(self) -> None:
        """Ask how the chosen run shall go on from the shown iteration, and start that."""
        view, catalogue = self.session.chosen, self.run.catalogue
        if view is None or catalogue is None:
            return
        from studio.gui.fork_dialog import ForkDialog

        iteration = self.session.chosen_iteration or len(view.iterations)
        task = str(view.settings["source"]["task"])
        methods = [each for each in catalogue["methods"] if task not in each["refused"]]
        dialog = ForkDialog(view, iteration, methods, self)
        dialog.finished.connect(dialog.deleteLater)
        dialog.accepted.connect(
            lambda: self.starter.fork(view.row.id, iteration, dialog.changes(), dialog.name_given())
        )
        dialog.open()

    def _starting(self, text: str) -> None:
        self.top_bar.set_busy(text)
        self.top_bar.stop_button.setEnabled(bool(text) or self.session.chosen is not None)
        self._show_runs()
        self._show_can_run()

    def _show_runs(self) -> None:
        session = self.session
        units = {
            view.row.id: self.run.unit(str(view.settings.get("metric")))
            for view in session.unfolded_runs
        }
        overlaid = [view.row.id for view in session.overlaid]
        self.strip.show_runs(session.unfolded_runs, session.chosen_run, units, overlaid)
        self.top_bar.show_run(session.chosen)
        if self.starter.busy:
            self.top_bar.stop_button.setEnabled(True)
        self.slider.show_run(session.chosen, session.chosen_iteration)
        self._show_bottom()
        self.rail.set_live(bool(session.active_runs))

    def _show_bottom(self) -> None:
        self.bottom.setVisible(self._page != WELCOME and bool(self.session.unfolded_runs))

    def _show_can_run(self) -> None:
        why = self.starter.obstacle()
        ready = tr("Start a run with these settings (Ctrl+Return)")
        self.top_bar.set_can_run(not why, why or ready)

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
        self._show_runs()
        self._show_can_run()

    def _theme_changed(self) -> None:
        kit.redraw_icons(self)
        self.top_bar.setFixedHeight(theme.pixels(BAR_HEIGHT))
        self.top_bar.theme_button.setProperty(
            "icon_name", "sun" if theme.current().is_dark else "moon"
        )
        kit.redraw_icon(self.top_bar.theme_button)

    # ---- commands

    def all_commands(self) -> list[Command]:
        """Return all that can be done now, for the palette."""
        self.book.add(window_commands(self))
        page = self._pages[self._page]
        if isinstance(page, Commanding):
            self.book.add(page.commands())
        return [*self.book.commands, *passing_commands(self)]

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

    def go_back_to_last(self) -> None:
        """Open what was open last time, if that is preferred."""
        path = last_place.document()
        if preferences.load().reopen and path is not None and not self.session.is_open:
            self.open_path(path)

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

    def _keep_place(self) -> None:
        """Keep in the document which page and run are looked at."""
        if self.session.is_open and self._page != WELCOME:
            place = {"page": self._page, "run": self.session.chosen_run}
            if self.session.note(_PLACE) != place:
                self.session.set_note(_PLACE, place)

    def _go_back(self, otherwise: str) -> None:
        """Show the page and run that were looked at when the document was closed."""
        kept = self.session.note(_PLACE)
        place = kept if isinstance(kept, dict) else {}
        if place.get("run") in {view.row.id for view in self.session.runs}:
            self.session.choose_run(place["run"])
        page = place.get("page")
        self.show_page(page if page in {key for key, *_ in PAGES} else otherwise)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save, do with runs as asked once or preferred, end the helper."""
        if self._leaving:
            event.accept()
            return
        if not self.documents.may_leave():
            event.ignore()
            return
        self._leaving = True
        self._keep_place()
        look().present(False)
        last_place.keep(self.session.path, self)
        self.session.close()
        self.helper.close()
        event.accept()

"""The main window: rail, top bar, page, strip; it ties pages and models together."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QMainWindow,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from studio.document.runs import RequestKind
from studio.errors import StudioError
from studio.gui import kit, places, theme
from studio.gui.banner import Banner
from studio.gui.data_model import DataModel
from studio.gui.documents import Documents
from studio.gui.helper_client import HelperClient
from studio.gui.rail import Rail
from studio.gui.run_model import RunModel
from studio.gui.runs_strip import RunsStrip
from studio.gui.session import Session
from studio.gui.starter import Starter
from studio.gui.theme import GRID
from studio.gui.time_slider import TimeSlider
from studio.gui.top_bar import TopBar
from studio.gui.welcome_page import Sample, WelcomePage

WELCOME = "welcome"
PAGES = (
    ("data", "Data", "The table, what to predict, how rows are divided"),
    ("space", "Space", "Which models and settings are tried: the search space"),
    ("run", "Run", "Method, budget and limits of the next run"),
    ("live", "Live", "Watch the chosen run"),
    ("results", "Results", "The final ensemble: predict and export"),
)
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
        self._pages: dict[str, QWidget] = {}
        self._page = WELCOME
        self._build()
        self._connect()
        self.setAcceptDrops(True)
        self.setMinimumSize(*_SMALLEST)
        self.resize(*_FIRST)
        geometry = QSettings().value("geometry")
        if geometry is not None:
            self.restoreGeometry(geometry)
        self._show_document()
        self.setFocus()

    # ---- layout

    def _build(self) -> None:
        self.top_bar = TopBar()
        self.rail = Rail(PAGES)
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
        page.addWidget(self.stack, 1)
        middle = QHBoxLayout()
        middle.setContentsMargins(0, 0, 0, 0)
        middle.setSpacing(0)
        middle.addWidget(self.rail)
        middle.addWidget(kit.hairline(vertical=True))
        middle.addLayout(page, 1)
        whole = QWidget()
        whole.setProperty("role", "page")
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.top_bar)
        column.addWidget(kit.hairline())
        column.addLayout(middle, 1)
        column.addWidget(self.bottom)
        self.setCentralWidget(whole)
        self.documents.fill_menu(self.top_bar)

    def _connect(self) -> None:
        bar, session = self.top_bar, self.session
        bar.run_pressed.connect(self.starter.start)
        bar.pause_pressed.connect(lambda: self._ask("pause"))
        bar.continue_pressed.connect(lambda: self._ask("continue"))
        bar.stop_pressed.connect(self._stop)
        bar.theme_pressed.connect(toggle_theme)
        self.rail.page_chosen.connect(self.show_page)
        self.strip.run_chosen.connect(session.choose_run)
        self.slider.iteration_chosen.connect(session.choose_iteration)
        self.slider.fork_wanted.connect(self._fork)
        session.document_changed.connect(self._show_document)
        session.runs_changed.connect(self._show_runs)
        session.trials_added.connect(lambda _: self._show_runs())
        session.run_chosen.connect(lambda _: self._show_runs())
        session.iteration_chosen.connect(lambda _: self._show_runs())
        session.failed.connect(self.banner.say)
        self.starter.failed.connect(self.banner.say)
        self.starter.busy_changed.connect(self._starting)
        self.starter.started.connect(lambda _: self.show_page("live"))
        self.run.failed.connect(self.banner.say)
        self.data.changed.connect(self._show_can_run)
        self.data.state_changed.connect(self._show_can_run)
        theme.notifier().changed.connect(self._theme_changed)

    # ---- pages

    def show_page(self, key: str) -> None:
        """Show a page, building it at its first time."""
        if key not in self._pages:
            page = self._makers()[key]()
            self._pages[key] = page
            self.stack.addWidget(page)
        self._page = key
        self.stack.setCurrentWidget(self._pages[key])
        self.rail.show_page(key)
        self._show_bottom()

    @property
    def page(self) -> str:
        """The key of the page that is shown."""
        return self._page

    def page_widget(self, key: str) -> QWidget:
        """Return a page that was shown before."""
        return self._pages[key]

    def _makers(self) -> dict[str, Callable[[], QWidget]]:
        return {
            WELCOME: self._make_welcome,
            "data": self._make_data,
            "space": self._make_space,
            "run": self._make_run,
            "live": self._make_live,
            "results": self._make_results,
        }

    def _make_welcome(self) -> QWidget:
        page = WelcomePage()
        page.sample_chosen.connect(self.open_sample)
        page.table_wanted.connect(self.documents.choose_table)
        page.document_wanted.connect(self.documents.choose_document)
        page.recent_chosen.connect(self.open_path)
        return page

    def _make_data(self) -> QWidget:
        from studio.gui.data_page import DataPage

        page = DataPage(self.data)
        page.table_wanted.connect(self.documents.choose_table)
        return page

    def _make_space(self) -> QWidget:
        from studio.gui.space.page import SpacePage

        return SpacePage(self.session, self.helper)

    def _make_run(self) -> QWidget:
        from studio.gui.advice_line import AdviceModel
        from studio.gui.run_page import RunPage

        self.run.ask_catalogue()
        advice = AdviceModel(self.data, self.run, self.session, self.helper, self)
        return RunPage(self.run, self.data, self.session, advice)

    def _make_live(self) -> QWidget:
        from studio.gui.live_page import LivePage

        return LivePage(self.session, self.helper)

    def _make_results(self) -> QWidget:
        from studio.gui.results_page import ResultsPage

        self.run.ask_catalogue()
        return ResultsPage(self.session, self.run)

    # ---- opening

    def open_path(self, path: Path) -> None:
        """Open a document, or a table in a new document."""
        try:
            if path.suffix.lower() == places.SUFFIX:
                self.session.open(path)
                self.show_page("live" if self.session.runs else "data")
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
            self.banner.say(f"{len(dropped)} files were dropped; only the first was opened.")
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
        dialog.accepted.connect(lambda: self.starter.fork(view.row.id, iteration, dialog.changes()))
        dialog.open()

    def _starting(self, text: str) -> None:
        self.top_bar.set_busy(text)
        self.top_bar.stop_button.setEnabled(bool(text) or self.session.chosen is not None)
        self._show_runs()
        self._show_can_run()

    def _show_runs(self) -> None:
        session = self.session
        units = {
            view.row.id: self.run.unit(str(view.settings.get("metric"))) for view in session.runs
        }
        self.strip.show_runs(session.runs, session.chosen_run, units)
        self.top_bar.show_run(session.chosen)
        if self.starter.busy:
            self.top_bar.stop_button.setEnabled(True)
        last = len(session.chosen.iterations) if session.chosen is not None else 0
        self.slider.show_time(last, session.chosen_iteration)
        self._show_bottom()
        self.rail.set_live(bool(session.active_runs))

    def _show_bottom(self) -> None:
        self.bottom.setVisible(self._page != WELCOME and bool(self.session.runs))

    def _show_can_run(self) -> None:
        if self.starter.busy:
            can, why = False, "A run is being started"
        elif not self.data.has_file:
            can, why = False, "Open a table first"
        elif self.data.error:
            can, why = False, self.data.error
        else:
            can, why = True, "Start a run with these settings (Ctrl+Return)"
        self.top_bar.set_can_run(can, why)

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
            self.run.ask_catalogue()
            self.setWindowTitle(f"{path.stem} – Ensemble Studio")
            unsaved = places.is_untitled(path)
            where = "Kept automatically; use Save as… to give it a place" if unsaved else str(path)
            self.top_bar.show_document(path.name, where)
        self._show_runs()
        self._show_can_run()

    def _theme_changed(self) -> None:
        kit.redraw_icons(self)
        self.top_bar.theme_button.setProperty(
            "icon_name", "sun" if theme.current().is_dark else "moon"
        )
        kit.redraw_icon(self.top_bar.theme_button)

    # ---- leaving

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save, ask once what to do with runs that are going, end the helper."""
        if not self.documents.may_leave():
            event.ignore()
            return
        QSettings().setValue("geometry", self.saveGeometry())
        self.session.close()
        self.helper.close()
        event.accept()


def toggle_theme() -> None:
    """Change between light and dark, and remember it."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    other = theme.LIGHT if theme.current().is_dark else theme.DARK
    QSettings().setValue("theme", other.key)
    theme.apply(app, other)

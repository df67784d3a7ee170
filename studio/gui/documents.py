"""Opening, saving under a name, and closing documents: the document menu and its dialogs."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox, QWidget

from studio.compare.conductor import ask_to_stop, conductor
from studio.errors import StudioError
from studio.gui import places, preferences
from studio.gui.commands.book import CommandBook
from studio.gui.language import mark, ntr, said, tr
from studio.gui.session import Session

TABLES = mark(
    "Tables (*.csv *.tsv *.txt *.csv.gz *.tsv.gz *.gz *.zip *.parquet *.xlsx *.xlsm);;All files (*)"
)
DOCUMENTS = mark("Ensemble Studio documents (*.studio)")


class Documents(QObject):
    """What the document menu does.

    Parameters
    ----------
    window : QWidget
        The main window: it has ``open_path`` and a ``banner``.
    session : Session
        The open document.
    """

    def __init__(self, window: "QWidget", session: Session) -> None:
        super().__init__(window)
        self._window = window
        self._session = session

    def fill_menu(self, menu: QMenu, book: CommandBook) -> None:
        """Put what can be done with documents into the document menu."""
        book.fill(menu, ("document.new", "document.table", "document.open", "document.compare"))
        recent = menu.addMenu(tr("Recent documents"))
        recent.aboutToShow.connect(partial(self._fill_recent, recent))
        menu.addSeparator()
        book.fill(menu, ("document.save-as", "document.folder", "", "edit.undo", "edit.redo", ""))
        book.fill(menu, ("view.palette", "view.settings", "view.present", "help.here", ""))
        book.fill(menu, ("document.close", "document.quit"))

    def _fill_recent(self, menu: QMenu) -> None:
        menu.clear()
        for path in places.recent():
            made = menu.addAction(path.stem.replace("&", "&&"), partial(self._open, path))
            made.setToolTip(str(path))
        if menu.isEmpty():
            menu.addAction(tr("None yet")).setEnabled(False)

    def new(self) -> None:
        """Make an empty document."""
        try:
            self._session.create(places.untitled("untitled"))
            self._window.show_page("data")  # type: ignore[attr-defined]
        except StudioError as error:
            self._say(str(error))

    def compare(self) -> None:
        """Show where methods are compared, in a new document where none is open."""
        try:
            if not self._session.is_open:
                self._session.create(places.untitled(tr("Comparison")))
            self._window.show_page("compare")  # type: ignore[attr-defined]
        except StudioError as error:
            self._say(str(error))

    def choose_table(self) -> None:
        """Ask for a table and open it."""
        self._choose(tr("Open a table"), tr(TABLES))

    def choose_document(self) -> None:
        """Ask for a document and open it."""
        self._choose(tr("Open a document"), tr(DOCUMENTS))

    def _choose(self, title: str, kinds: str) -> None:
        name, _ = QFileDialog.getOpenFileName(self._window, title, places.start_folder(), kinds)
        if name:
            self._open(Path(name))

    def save_as(self) -> None:
        """Ask for a place and move the document there, or copy it if it had a name already."""
        path = self._session.path
        if path is None:
            return
        if self._session.active_runs or self._comparing():
            self._say(tr("Stop or let finish the runs before the document is saved elsewhere."))
            return
        name, _ = QFileDialog.getSaveFileName(
            self._window, tr("Save as"), str(Path(places.start_folder()) / path.name), tr(DOCUMENTS)
        )
        places.went_to(name)
        if name:
            self.save_to(Path(name).with_suffix(places.SUFFIX))

    def save_to(self, target: Path) -> None:
        """Move an untitled document to a place, or copy one that has a name.

        If that fails, the document stays open where it is.
        """
        path = self._session.path
        if path is None or target == path:
            return
        untitled = places.is_untitled(path)
        try:
            self._session.save_now()
            self._session.document.copy_to(target)
        except StudioError as error:
            self._say(
                tr(
                    "The document could not be saved as {target}. {why}",
                    target=target,
                    why=said(str(error)),
                )
            )
            return
        self._session.close()
        if untitled:
            path.unlink(missing_ok=True)
            places.forget(path)
        self._open(target)

    def close(self) -> None:
        """Close the document; its runs go on."""
        self._session.close()

    def may_leave(self) -> bool:
        """Do with runs that are going as preferred, or ask once; False to stay."""
        folded = self._session.folded_runs
        active = [view for view in self._session.active_runs if view.row.id not in folded]
        comparing = self._comparing()
        if not active and not comparing:
            return True
        answer = preferences.load().leaving
        if answer == "ask":
            answer = self._ask(len(active), comparing=comparing)
        if answer in {"pause", "stop"}:
            for view in active:
                self._session.ask_run(view.row.id, "pause" if answer == "pause" else "stop")
            if comparing:
                # Its cells are for whoever conducts it to stop; they go on as if paused.
                ask_to_stop(self._session.document)
        return bool(answer)

    def _comparing(self) -> bool:
        """Whether somebody works on the document's study."""
        if not self._session.is_open:
            return False
        at_work = conductor(self._session.document)
        return at_work is not None and at_work.alive

    def _ask(self, going: int, *, comparing: bool) -> str:
        """Return "keep", "pause", "stop", or "" to stay."""
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(tr("Runs are going"))
        texts = [ntr("A run is going.", "{count} runs are going.", going)] if going else []
        box.setText(" ".join([*texts, tr("A comparison is going.")] if comparing else texts))
        box.setInformativeText(
            tr(
                "They can go on without the window; open the document again to see how far they "
                "are."
            )
        )
        keep = box.addButton(tr("Keep going"), QMessageBox.ButtonRole.AcceptRole)
        pause = box.addButton(tr("Pause"), QMessageBox.ButtonRole.AcceptRole)
        stop = box.addButton(tr("Stop and keep"), QMessageBox.ButtonRole.DestructiveRole)
        cancel = box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        keep.setToolTip(tr("The runs go on; nothing has to be open for that"))
        pause.setToolTip(tr("The runs stop where they are and can be continued"))
        stop.setToolTip(tr("The runs end; everything found so far is kept"))
        cancel.setToolTip(tr("Stay in the window"))
        box.setDefaultButton(keep)
        box.setEscapeButton(cancel)
        box.exec()
        chosen = box.clickedButton()
        for button, answer in ((keep, "keep"), (pause, "pause"), (stop, "stop")):
            if chosen is button:
                return answer
        return ""

    def show_folder(self) -> None:
        """Show the document in the system's file manager."""
        if self._session.path is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._session.path.parent)))

    def _open(self, path: Path) -> None:
        self._window.open_path(path)  # type: ignore[attr-defined]

    def _say(self, text: str) -> None:
        self._window.banner.say(text)  # type: ignore[attr-defined]

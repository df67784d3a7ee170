"""Opening, saving under a name, and closing documents: the document menu and its dialogs."""

import shutil
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox, QWidget

from studio.document.runs import RequestKind
from studio.errors import StudioError
from studio.gui import places
from studio.gui.session import Session
from studio.gui.top_bar import TopBar

TABLES = "Tables (*.csv *.tsv *.txt *.csv.gz *.tsv.gz *.gz *.zip);;All files (*)"
DOCUMENTS = "Ensemble Studio documents (*.studio)"


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
        self._recent_menu: QMenu | None = None

    def fill_menu(self, bar: TopBar) -> None:
        """Put the actions into the document menu."""
        standard = QKeySequence.StandardKey
        for text, shortcut, do in (
            ("New document", standard.New, self.new),
            ("Open a table…", "Ctrl+T", self.choose_table),
            ("Open a document…", standard.Open, self.choose_document),
            ("Save as…", standard.SaveAs, self.save_as),
            ("Close the document", standard.Close, self.close),
            ("Quit", standard.Quit, self._window.close),
        ):
            action = QAction(self)
            action.triggered.connect(lambda _=False, do=do: do())
            bar.add_action(text, shortcut, action)
            self._window.addAction(action)
            if text == "Open a document…":
                self._recent_menu = bar.menu.addMenu("Recent documents")
                self._recent_menu.aboutToShow.connect(self._fill_recent)
                bar.menu.addSeparator()
            if text == "Save as…":
                bar.menu.addSeparator()

    def _fill_recent(self) -> None:
        menu = self._recent_menu
        assert menu is not None
        menu.clear()
        for path in places.recent():
            menu.addAction(path.stem, partial(self._open, path))
        if menu.isEmpty():
            menu.addAction("None yet").setEnabled(False)

    def new(self) -> None:
        """Make an empty document."""
        try:
            self._session.create(places.untitled("untitled"))
            self._window.show_page("data")  # type: ignore[attr-defined]
        except StudioError as error:
            self._say(str(error))

    def choose_table(self) -> None:
        """Ask for a table and open it."""
        self._choose("Open a table", TABLES)

    def choose_document(self) -> None:
        """Ask for a document and open it."""
        self._choose("Open a document", DOCUMENTS)

    def _choose(self, title: str, kinds: str) -> None:
        name, _ = QFileDialog.getOpenFileName(self._window, title, _home(), kinds)
        if name:
            self._open(Path(name))

    def save_as(self) -> None:
        """Ask for a place and move the document there, or copy it if it had a name already."""
        path = self._session.path
        if path is None:
            return
        if self._session.active_runs:
            self._say("Stop or let finish the runs before the document is saved elsewhere.")
            return
        name, _ = QFileDialog.getSaveFileName(
            self._window, "Save as", str(Path(_home()) / path.name), DOCUMENTS
        )
        if name:
            self.save_to(Path(name).with_suffix(places.SUFFIX))

    def save_to(self, target: Path) -> None:
        """Move an untitled document to a place, or copy one that has a name."""
        path = self._session.path
        if path is None or target == path:
            return
        self._session.close()
        try:
            if places.is_untitled(path):
                shutil.move(path, target)
                places.forget(path)
            else:
                shutil.copy2(path, target)
        except OSError as error:
            self._say(f"The document could not be saved as {target}: {error.strerror}.")
            self._open(path)
            return
        self._open(target)

    def close(self) -> None:
        """Close the document; its runs go on."""
        self._session.close()

    def may_leave(self) -> bool:
        """Ask once what shall become of runs that are going; False to stay."""
        active = self._session.active_runs
        if not active:
            return True
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("Runs are going")
        one = len(active) == 1
        box.setText("A run is going." if one else f"{len(active)} runs are going.")
        box.setInformativeText(
            "They can go on without the window; open the document again to see how far they are."
        )
        keep = box.addButton("Keep going", QMessageBox.ButtonRole.AcceptRole)
        pause = box.addButton("Pause", QMessageBox.ButtonRole.AcceptRole)
        stop = box.addButton("Stop and keep", QMessageBox.ButtonRole.DestructiveRole)
        cancel = box.addButton("Cancel", QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(keep)
        box.setEscapeButton(cancel)
        box.exec()
        chosen = box.clickedButton()
        wish: RequestKind | None = None
        if chosen is pause:
            wish = "pause"
        elif chosen is stop:
            wish = "stop"
        elif chosen is not keep:
            return False
        if wish is not None:
            for view in active:
                self._session.ask_run(view.row.id, wish)
        return True

    def _open(self, path: Path) -> None:
        self._window.open_path(path)  # type: ignore[attr-defined]

    def _say(self, text: str) -> None:
        self._window.banner.say(text)  # type: ignore[attr-defined]


def _home() -> str:
    return QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)

"""What commands do in the window, beyond a signal of a button: look at, step, show, undo."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QCursor

from studio.gui.draft_history import DraftHistory
from studio.gui.help import here
from studio.gui.look import look
from studio.gui.session.space import EditedSpace

if TYPE_CHECKING:
    from studio.gui.window import MainWindow


class WindowActions:
    """The window's own actions.

    Parameters
    ----------
    window : MainWindow
        What they act on.
    """

    def __init__(self, window: "MainWindow") -> None:
        self._window = window
        forgotten = window.session.document_changed
        self._drafts = {
            "data": DraftHistory(window.data, forgotten, window),
            "run": DraftHistory(window.run, forgotten, window),
        }

    def undo(self) -> None:
        """Take back the last edit of the page that is shown."""
        if (found := self._undoable()) is not None:
            found.undo()

    def redo(self) -> None:
        """Make again what was undone last on the page that is shown."""
        if (found := self._undoable()) is not None:
            found.redo()

    def undo_text(self) -> str:
        """Return what undo would take back; empty if nothing."""
        found = self._undoable()
        return "" if found is None else found.undo_text

    def redo_text(self) -> str:
        """Return what redo would make again; empty if nothing."""
        found = self._undoable()
        return "" if found is None else found.redo_text

    def _undoable(self) -> "DraftHistory | EditedSpace | None":
        window = self._window
        return window.session.space if window.page == "space" else self._drafts.get(window.page)

    def look_at(self, run: int) -> None:
        """Choose a run and show it."""
        self._window.session.shown.choose_run(run)
        if self._window.page not in {"live", "results"}:
            self._window.show_page("live")

    def follow_live(self) -> None:
        """Let the plots follow the chosen run again."""
        self._window.session.shown.choose_iteration(None)

    def step(self, by: int) -> None:
        """Look so many iterations further; past the last one, follow the run live."""
        view = self._window.session.shown.run
        if view is None or not view.iterations:
            return
        last = len(view.iterations)
        wanted = max(1, (self._window.session.shown.iteration or last) + by)
        self._window.session.shown.choose_iteration(wanted if wanted < last or by < 0 else None)

    def show_plot(self, key: str) -> None:
        """Show a plot of the Live page, wherever it is docked."""
        self._window.show_page("live")
        from studio.gui.live_page import LivePage

        page = self._window.page_widget("live")
        if isinstance(page, LivePage):
            page.open_plot(key)

    def export(self, key: str) -> None:
        """Show the Results page and ask where to export the shown run to in a format."""
        self._window.show_page("results")
        from studio.gui.results_page import ResultsPage

        page = self._window.page_widget("results")
        if isinstance(page, ResultsPage):
            page.take_home.ask(key)

    def choose_method(self, name: str) -> None:
        """Take a method for the next run, and show the Run page."""
        self._window.show_page("run")
        self._window.run.change(method=name, overrides={})

    def toggle_presenting(self) -> None:
        """Begin or end presentation mode."""
        look().present(not look().presenting)

    def toggle_full_screen(self) -> None:
        """Fill the screen, or stop to."""
        self._window.setWindowState(self._window.windowState() ^ Qt.WindowState.WindowFullScreen)

    def show_settings(self) -> None:
        """Open the settings."""
        from studio.gui.settings_dialog import SettingsDialog

        dialog = SettingsDialog(self._window)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def show_help(self) -> None:
        """Show help for the page and what has the focus there, or close it."""
        if self._window.help.isVisible() and self._window.help.here_button.isChecked():
            self._window.help.hide()
        else:
            # What is pointed at is meant; else what has the focus.
            under = self._window.childAt(self._window.mapFromGlobal(QCursor.pos()))
            plot = under is not None and here.plot_around(under) is not None
            self._window.help.open_at(
                self._window.page, under if plot else self._window.focusWidget()
            )

    def show_guide(self) -> None:
        """Show the guide."""
        self._window.help.show()
        self._window.help.show_guide()

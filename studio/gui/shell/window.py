"""The main window: a frame with all of its actions connected."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QShortcut,
)
from PySide6.QtWidgets import QStackedWidget, QWidget

from studio.gui.base import theme, user_paths
from studio.gui.base.command import Command, HasCommands, HasSteps
from studio.gui.base.error_reporting import reporting_errors
from studio.gui.base.menus import close_windows_of
from studio.gui.base.preferences import get_appearance
from studio.gui.base.tooltips import escape_window_title
from studio.gui.shell.documents import window_state
from studio.gui.shell.frame.frame import WindowFrame
from studio.gui.shell.frame.page_list import WELCOME
from studio.language import tr

if TYPE_CHECKING:
    from studio.gui.base.helper_client import HelperClient
    from studio.gui.session.session import Session

_INITIAL_SIZE = (1280, 800)


class PresentingKeys(QObject):
    """Sends keys to the current page in presentation mode, regardless of the focus.

    After a click or a search, the focus would be on a button of the bars, where arrow keys move the
    focus. Space goes to the focused button.
    """

    def __init__(self, window: QWidget, pages: QStackedWidget) -> None:
        super().__init__(window)
        self._window, self._pages = window, pages
        self._shortcuts: list[QShortcut] = []
        pages.currentChanged.connect(self._update_shortcuts)
        get_appearance().presenting_changed.connect(self._update_shortcuts)
        self._update_shortcuts()

    def _update_shortcuts(self, _: object = None) -> None:
        for each in self._shortcuts:
            each.setEnabled(False)
            each.deleteLater()
        page: object = self._pages.currentWidget()
        self._shortcuts = []
        if get_appearance().is_presenting and isinstance(page, HasSteps):
            for key in page.step_keys:
                if key != Qt.Key.Key_Space:
                    shortcut = QShortcut(QKeySequence(key), self._window)
                    shortcut.activated.connect(partial(page.step_by_key, key))
                    self._shortcuts.append(shortcut)


class MainWindow(WindowFrame):
    """The main window.

    Attributes:
        complete: Whether all parts exist, so that it accepts input.

    Args:
        session, helper: Created by default.
        complete: Whether all parts are created; otherwise only the initially visible ones, and it
            is inert before :meth:`add_parts`.
    """

    def __init__(
        self,
        session: "Session | None" = None,
        helper: "HelperClient | None" = None,
        *,
        complete: bool = True,
    ) -> None:
        super().__init__()
        self.complete = self._is_closing = False
        self._shown_path: Path | None = None
        self.setWindowTitle("Ensemble Studio")
        self.setAcceptDrops(True)
        self.setMinimumSize(*theme.MIN_WINDOW_SIZE)
        self.resize(*_INITIAL_SIZE)
        window_state.restore_geometry(self)
        self.setFocus()
        if complete:
            self.add_parts(session, helper)

    def add_parts(
        self, session: "Session | None" = None, helper: "HelperClient | None" = None
    ) -> None:
        """Create the initially hidden parts, and connect everything."""
        from studio.gui.session.document_watch import DocumentWatch
        from studio.gui.shell.pages import connect_welcome
        from studio.gui.shell.run_bars import RunBars
        from studio.gui.shell.window_commands import make_window_commands
        from studio.gui.shell.window_services import WindowServices

        super().add_parts(session, helper)
        self._services = services = WindowServices(self)
        self.opening, self.documents = services.document_opener, services.documents
        self.player, self.tour = services.player, services.tour
        self.window_actions = services.actions
        connect_welcome(self.welcome, services)
        self.watch = DocumentWatch(self.session, self)
        self.watch.problem_found.connect(self.banner.show_message)
        self.bars = RunBars(self, self.window_actions.show_result)
        PresentingKeys(self, self._stack)
        self.command_registry.add(make_window_commands(services))
        self.documents.fill_menu(self.top_bar.menu, self.command_registry)
        self.top_bar.menu.aboutToShow.connect(
            lambda: self.command_registry.add(make_window_commands(services))
        )
        self.session.document_changed.connect(self._show_document)
        self.top_bar.present_pressed.connect(self.window_actions.toggle_presenting)
        self.top_bar.new_run_pressed.connect(self.window_actions.show_next_run)
        self.strip.rename_requested.connect(self.window_actions.rename)
        self.strip.removal_requested.connect(self.window_actions.remove)
        self.starter.started.connect(lambda _: self.show_page("live"))
        self._show_document()
        self.complete = True

    def make_page(self, key: str) -> QWidget:
        """Return a new page, connected to the window's services."""
        from studio.gui.shell.pages import PAGE_FACTORIES

        return PAGE_FACTORIES[key](self._services)

    def list_all_commands(self) -> list[Command]:
        from studio.gui.shell.window_commands import make_contextual_commands, make_window_commands

        self.command_registry.add(make_window_commands(self._services))
        page = self.get_page_widget(self.page)
        if isinstance(page, HasCommands):
            self.command_registry.add(page.list_commands())
        # The palette does not list itself, though it was used last.
        offered = [each for each in self.command_registry.commands if each.key != "view.palette"]
        return [*offered, *make_contextual_commands(self._services)]

    # ---- the document

    def _show_document(self) -> None:
        path = self.session.path
        if path != self._shown_path:
            self._shown_path = path
            close_windows_of(self)  # they belong to the previous document
        self.rail.set_enabled(path is not None)
        self.banner.hide()
        self.toast.hide()
        self.scroll_to_top()
        self.clear_focus_and_hover()
        if path is None:
            self.setWindowTitle("Ensemble Studio")
            self.top_bar.show_document("", "")
            self.welcome.refresh()
            self.show_page(WELCOME)
        else:
            user_paths.add_recent(path)
            window_state.store_window_state(path, self)
            self.run.request_catalogue()
            self.setWindowTitle(tr("{name} – Ensemble Studio", name=escape_window_title(path.stem)))
            unsaved = user_paths.is_untitled(path)
            saved_hint = tr("Saved automatically; use Save as… to choose a location")
            self.top_bar.show_document(path.name, saved_hint if unsaved else str(path))
        self.bars.show()
        self.bars.show_can_run()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the first dropped file."""
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        self.opening.open_dropped([Path(each) for each in paths])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close the tour, then help, then presentation mode, on Esc; pass other keys on."""
        page: object = self.get_page_widget(self.page)
        is_plain_key = self.hasFocus() and not event.modifiers()
        if is_plain_key and isinstance(page, HasSteps) and event.key() in page.step_keys:
            page.step_by_key(event.key())
        elif event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.tour.isVisible():
            self.tour.show_step(0)
        elif self.help.isVisible():
            self.help.hide()
        elif get_appearance().is_presenting:
            get_appearance().set_presenting(False)

    # ---- replacement and closing

    def take_over(self, old_window: "MainWindow") -> None:
        """Take over an earlier window's geometry, document, page, run and iteration."""
        page, window_state = old_window.page, old_window.windowState()
        self.setGeometry(old_window.geometry())
        with reporting_errors(self.banner.show_message):
            self.session.take_over(old_window.session)
            if self.session.is_open:
                self.show_page(page)
            self.setWindowState(window_state)
            if get_appearance().is_presenting:
                self._set_presentation_mode(True)
                self._state_before_presenting = old_window._state_before_presenting

    def close_silently(self) -> None:
        """Close without confirmation, as another window has taken over."""
        self._is_closing = True
        self.hide()
        self.helper.close()
        self.deleteLater()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save, handle active runs as confirmed or preferred, and end the helper."""
        from studio.gui.shell.documents.documents import confirm_closing

        if self._is_closing:
            event.accept()
            return
        if not confirm_closing(self.session, self):
            event.ignore()
            return
        self._is_closing = True
        self.opening.store_view()
        get_appearance().set_presenting(False)
        window_state.store_window_state(self.session.path, self)
        self.session.close()
        self.helper.close()
        event.accept()

"""Start-up of the window, and its replacement when the language changes."""

import builtins
import contextlib
import linecache
import locale
import os
import re
import sys
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QEvent,
    QEventLoop,
    QMessageLogContext,
    QObject,
    QTimer,
    QtMsgType,
    Signal,
    qInstallMessageHandler,
)
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication, QWidget

from studio import language
from studio.assets import RESOURCES
from studio.gui.base import localisation, preferences, user_paths
from studio.gui.base.icons import make_application_icon
from studio.gui.base.preferences import Preferences, get_appearance
from studio.gui.base.user_paths import redirect_unwritable_settings
from studio.system.shared_libraries import QT_LIBRARIES, find_missing_libraries
from studio.system_faults import make_missing_libraries_message
from studio.version import APPLICATION_ID, VERSION

if TYPE_CHECKING:
    from studio.gui.shell.window import MainWindow


class Application(QApplication):
    """The application. macOS delivers files to open as events, other systems as arguments.

    Attributes:
        last_file: The last reported file; the first may arrive before the signal is connected.
    """

    file_requested = Signal(str)
    last_file = ""

    def event(self, event: QEvent) -> bool:
        """Forward a file that macOS asks to open."""
        if isinstance(event, QFileOpenEvent):
            self.last_file = event.file()
            self.file_requested.emit(self.last_file)
            return True
        return super().event(event)


def make_app() -> QApplication:
    """Create the application with its name, and the preferred language and appearance."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        # Qt fills larger areas in separate threads and waits for them; if a run's workers use all
        # cores, a paint of 4 ms then takes 50.
        os.environ.setdefault("QT_NO_GUI_THREADPOOL", "1")
        _register_mime_types()
        _skip_source_reading()
        previous_handler = qInstallMessageHandler(_log_qt_message)
        app = Application(sys.argv[:1])
        qInstallMessageHandler(previous_handler)
        _fix_latin_capitals()
    app.setApplicationName("Ensemble Studio")
    app.setOrganizationName("ensemble-studio")
    app.setApplicationVersion(VERSION)
    app.setDesktopFileName(APPLICATION_ID)
    app.setWindowIcon(make_application_icon())
    redirect_unwritable_settings()  # must be set before the first file is read
    localisation.apply_language()
    get_appearance().apply()
    return app


def _skip_source_reading() -> None:
    """Undo PySide's wrapper around imports.

    The wrapper reads the source of every imported module to detect a feature unused here, and keeps
    it in ``linecache``, which costs 13 MB and a tenth of the start-up time.
    """
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
    linecache.clearcache()


def _fix_latin_capitals() -> None:
    """Disable Turkish and Azeri capitalisation, with which PySide does not find some setters.

    PySide finds the setter of a property by the C library's capital of its first letter: in Turkish
    or Azeri the ``i`` of ``interval`` has no ASCII capital. Displayed texts and input do not depend
    on it.
    """
    if re.fullmatch(b"I", b"i", re.IGNORECASE | re.LOCALE) is None:
        with contextlib.suppress(locale.Error):
            locale.setlocale(locale.LC_CTYPE, "C.UTF-8")


def _register_mime_types() -> None:
    """Register the MIME types of the program's documents for file dialogs.

    To choose an icon, dialogs open each listed file with an unknown suffix. Closing it again drops
    the locks that this process has on it (:mod:`studio.document.connection`), so that other
    processes would consider the document unused.
    """
    system_dirs = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    os.environ["XDG_DATA_DIRS"] = f"{RESOURCES / 'share'}:{system_dirs}"


_FIXED_LOCALE_MESSAGE = "Detected locale "
"""Start of Qt's message on switching to UTF-8, as Python does silently without a locale."""


def _log_qt_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """Forward Qt's messages during start-up, and explain a fatal one."""
    if kind != QtMsgType.QtFatalMsg:
        if not message.startswith(_FIXED_LOCALE_MESSAGE):
            print(message, file=sys.stderr)
        return
    missing_package = find_missing_libraries(QT_LIBRARIES)
    reason = message.partition(".")[0].strip()
    print(
        make_missing_libraries_message(missing_package)
        if missing_package
        else f"There is no screen here that a window can be opened on ({reason}). "
        "'studio run' works without one, and 'studio picture' shows a document as a picture.",
        file=sys.stderr,
        flush=True,
    )
    os._exit(1)


def _warn_of_unwritable_folders(window: "MainWindow") -> None:
    """Warn of unusable folders, after any document is opened, as that clears messages."""
    if warnings := user_paths.get_folder_warnings():
        window.banner.show_message(warnings)


def _collect_garbage_between_events(app: QApplication) -> None:
    """Prevent garbage collection inside calls of Qt, which may hold objects' locks."""
    from pyqtgraph.util.garbage_collector import GarbageCollector

    collector = GarbageCollector()
    # A connection alone does not keep the collector alive, and garbage would not be collected.
    app.setProperty("garbage collector", collector)
    app.aboutToQuit.connect(collector.timer.stop)


def main(file: str | None = None) -> int:
    """Show the window until it closes, by default with the last document; return an exit code."""
    app = make_app()

    shell = Shell()
    window = shell.open_window()

    def open_file(name: str) -> None:
        if shell.window is not None:
            shell.window.opening.open_path(Path(name).absolute())

    assert isinstance(app, Application), "the window's process makes its own"
    app.file_requested.connect(open_file)
    file = app.last_file or file
    # Everything below runs after the first paint, so that the window appears immediately.
    from studio.gui.shell.crash.watch import CrashWatch
    from studio.scratch import remove_stale_folders

    watch = CrashWatch(lambda: shell.window)
    watch.install_hooks()
    if file is not None:
        QTimer.singleShot(0, partial(open_file, file))
    else:
        QTimer.singleShot(0, window.opening.open_last)
    QTimer.singleShot(0, partial(_warn_of_unwritable_folders, window))
    QTimer.singleShot(0, watch.offer_previous_report)
    # Leftovers of killed processes may be large, so they are removed in another thread.
    Thread(target=remove_stale_folders, name="clear away", daemon=True).start()
    QTimer.singleShot(0, partial(_collect_garbage_between_events, app))
    code = app.exec()
    watch.restore_hooks()
    return code


_PAINT_TIMEOUT_MS = 1000
"""Longest wait for a paint: a window may be minimised, or behind a lock screen."""


class Shell(QObject):
    """Owns the current window."""

    def __init__(self) -> None:
        super().__init__()
        self.window: MainWindow | None = None
        self._language = ""  # language of the window, or of its replacement
        preferences.get_notifier().changed.connect(self._on_preferences_change)

    def open_window(self) -> "MainWindow":
        """Show the window, and complete it after its first paint."""
        from studio.gui.shell.window import MainWindow

        self.window = MainWindow(complete=False)
        self._language = language.get_language()
        self.window.show()
        wait_for_first_paint(self.window)
        self.window.add_parts()
        return self.window

    def rebuild(self) -> None:
        """Rebuild the window in place, on the same document, page and run, with open settings."""
        old_window = self.window
        if old_window is None:
            return
        from studio.gui.shell.settings_dialog import SettingsDialog
        from studio.gui.shell.window import MainWindow

        had_dialog = any(each.isVisible() for each in old_window.findChildren(SettingsDialog))
        self.window = MainWindow()
        self.window.take_over(old_window)
        self.window.show()
        old_window.close_silently()
        if had_dialog:  # in which the language was chosen
            self.window.window_actions.show_settings("language")

    def _on_preferences_change(self, new_preferences: Preferences) -> None:
        localisation.apply_language()
        if language.get_language() != self._language and self.window is not None:
            self._language = language.get_language()
            # The dialog that requested it, a child of the old window, must have returned first.
            QTimer.singleShot(0, self.rebuild)


class _FirstPaintFilter(QObject):
    """Ends an event loop after a window's first paint."""

    def __init__(self, loop: QEventLoop) -> None:
        super().__init__()
        self._loop = loop

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self._loop.quit)
        return super().eventFilter(watched, event)


def wait_for_first_paint(window: QWidget) -> None:
    """Wait until a newly shown window is painted.

    Keys, clicks and drops in the meantime are queued, not lost.
    """
    loop = QEventLoop()
    painted = _FirstPaintFilter(loop)
    window.installEventFilter(painted)
    QTimer.singleShot(_PAINT_TIMEOUT_MS, loop, loop.quit)
    loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    window.removeEventFilter(painted)

"""Start the window."""

import sys
from pathlib import Path

from PySide6.QtCore import QSettings, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from studio.gui import theme
from studio.version import VERSION


def make_app() -> QApplication:
    """Make the application with its names and its look, as remembered or as the system has it."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
    app.setApplicationName("Ensemble Studio")
    app.setOrganizationName("ensemble-studio")
    app.setApplicationVersion(VERSION)
    app.setDesktopFileName("ensemble-studio")
    theme.apply(app, theme.THEMES.get(str(QSettings().value("theme")), _system_theme()))
    return app


def main(file: str | None = None) -> int:
    """Show the window until it is closed; return the exit code.

    Parameters
    ----------
    file : str, optional
        A document or a table to open.
    """
    app = make_app()
    from studio.gui.window import MainWindow

    window = MainWindow()
    window.show()
    if file is not None:
        # After the first paint: the window is there at once, whatever the file is.
        QTimer.singleShot(0, lambda: window.open_path(Path(file).absolute()))
    return app.exec()


def _system_theme() -> theme.Theme:
    from PySide6.QtCore import Qt

    scheme = QGuiApplication.styleHints().colorScheme()
    return theme.DARK if scheme is Qt.ColorScheme.Dark else theme.LIGHT

"""Which look the window wears: as preferred or as the system has it, larger when presenting."""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from studio.gui.base import preferences, theme
from studio.gui.base.preferences import SYSTEM, Preferences


class Look(QObject):
    """Keeps the application's theme and scale as preferences, system and presentation ask.

    Args:
        app: What is dressed; the object belongs to it.
    """

    presenting_changed = Signal(bool)

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        self.presenting = False
        self._least = 1.0
        app.styleHints().colorSchemeChanged.connect(self._system_changed)
        preferences.notifier().changed.connect(self._preferences_changed)

    def apply(self) -> None:
        """Apply the look, if it is not the one that is worn already."""
        wanted = preferences.load()
        look = _system_look() if wanted.look == SYSTEM else wanted.look
        usual = wanted.presentation_scale if self.presenting else wanted.type_scale
        factor = max(usual, self._least)
        if (theme.current().key, theme.scale()) != (look, factor) or not self._app.styleSheet():
            theme.apply(self._app, theme.THEMES[look], factor)

    def toggle(self) -> None:
        """Change between light and dark, and remember it."""
        other = theme.LIGHT if theme.current().is_dark else theme.DARK
        preferences.save(preferences.load().changed(look=other.key))
        self.apply()

    def present(self, on: bool) -> None:
        """Begin or end presentation mode."""
        if on != self.presenting:
            self.presenting = on
            self.apply()
            self.presenting_changed.emit(on)

    def enlarge(self, least: float) -> None:
        """Have type at least this many times as large, while a plot fills the screen; 1 ends it."""
        self._least = least
        self.apply()

    @property
    def is_enlarged(self) -> bool:
        """Whether type is larger for a while: for an audience, or with a plot on the screen."""
        return self.presenting or self._least > 1.0

    def _system_changed(self, _: Qt.ColorScheme) -> None:
        self.apply()

    def _preferences_changed(self, _: Preferences) -> None:
        self.apply()


def look() -> Look:
    """Return the application's look, made at the first call."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    found = app.findChild(Look)
    return Look(app) if found is None else found


def _system_look() -> str:
    scheme = QGuiApplication.styleHints().colorScheme()
    return theme.DARK.key if scheme is Qt.ColorScheme.Dark else theme.LIGHT.key

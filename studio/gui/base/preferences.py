"""Preferences of the user on this machine, typed and checked, stored in QSettings.

A stored value of the wrong type or out of range is ignored: settings may come from another version
or an editor, and an invalid one must never prevent the window from opening.
"""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

from PySide6.QtCore import QObject, QSettings, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from studio.errors import UsageError
from studio.gui.base import theme
from studio.language import N_
from studio.runs.choices import ADDRESS_PATTERN, MAX_WORKERS, SearchSettings
from studio.setting import get_setting_names, iter_settings, setting

SYSTEM = "system"
REDUCED_MOTION = "reduced"
_GROUP = "preferences"


@dataclass(frozen=True)
class Preferences:
    """The preferences.

    ``language`` is "system" or the code of a shipped language; ``folder`` holds unnamed documents,
    empty for the default; ``workers`` 0 means one per core; ``clusters`` are addresses separated by
    spaces.
    """

    language: str = setting(
        SYSTEM, title=N_("Language"), help=N_("The language of the window"), group="appearance",
        search_terms=N_("french english german translation français"),
    )  # fmt: skip
    look: str = setting(
        SYSTEM, choices=(SYSTEM, "light", "dark"), group="appearance",
        words=(N_("Same as the system"), N_("Light"), N_("Dark")),
        title=N_("Theme"), search_terms=N_("appearance theme colours night dark light mode"),
        help=N_("Light or dark colours, or the same as the system's"),
    )  # fmt: skip
    type_scale: float = setting(
        1.0, low=1.0, high=2.0, group="appearance",
        title=N_("Text size"), help=N_("Text size in the whole window"),
        search_terms=N_("font bigger larger zoom scale letters"),
    )  # fmt: skip
    presentation_scale: float = setting(
        1.4, low=1.0, high=2.0, group="appearance",
        title=N_("Text size when presenting"),
        help=N_("Text size in presentation mode; slides fill the screen"),
        search_terms=N_("projector stage font zoom"),
    )  # fmt: skip
    workers: int = setting(
        0, low=0, high=MAX_WORKERS, group="work",
        title=N_("Parallel trials (workers)"),
        search_terms=N_("cores cpu processors threads parallel"),
        help=N_("Number of parallel trials in runs of new documents"),
        empty=N_("one per processor core ({count})"),
    )  # fmt: skip
    folder: str = setting(
        "", title=N_(
            "Folder for new documents"
        ), search_terms=N_("folder directory where place path"),
    )  # fmt: skip
    reopen: bool = setting(
        True, group="document", title=N_("Open the last document at start-up"),
        search_terms=N_("startup reopen start page welcome"),
        help=N_("If off, the program opens on the start page"),
    )  # fmt: skip
    leaving: str = setting(
        "ask", choices=("ask", "keep", "pause", "stop"), group="document",
        words=(
            N_("Ask what to do"), N_("Continue in the background"), N_("Pause"),
            N_("Stop and keep the results"),
        ),
        title=N_("When closing while runs are in progress"),
        search_terms=N_("quit exit close background"),
        help=N_("Treatment of runs in progress when the window or their document is closed"),
    )  # fmt: skip
    clusters: str = setting(
        "", pattern=rf"({ADDRESS_PATTERN}( +{ADDRESS_PATTERN})*)?", group="work",
        error_message=N_(
            "Expected addresses of Dask schedulers separated by spaces, such as "
            "tcp://192.168.0.7:8786; {given} was given."
        ),
        title=N_("Trusted clusters (addresses)"), empty=N_("no cluster"),
        search_terms=N_("dask scheduler cluster remote trust allow forget address"),
        help=N_(
            "Clusters this computer connects to without asking. Anyone in control of such an "
            "address can run programs here; delete addresses you no longer trust"
        ),
    )  # fmt: skip

    live: str = setting(
        "simple", choices=("simple", "expert"), group="appearance",
        words=(N_("Simple"), N_("Expert")), title=N_("Live page"),
        search_terms=N_("plots panels docks overview simple expert"),
        help=N_("One large plot and the members of the ensemble, or all plots side by side"),
    )  # fmt: skip
    motion: str = setting(
        SYSTEM, choices=(SYSTEM, REDUCED_MOTION), group="appearance",
        words=(N_("Same as the system"), N_("Reduced")), title=N_("Motion"),
        search_terms=N_("animation reduce motion fade calm"),
        help=N_("Animate changes, or show them at once"),
    )  # fmt: skip

    def with_changes(self, **values: Any) -> Self:
        """Return a copy with the given values changed."""
        return dataclasses.replace(self, **values)

    def get_run_defaults(self) -> dict[str, Any]:
        """Return the preferred default settings of new documents."""
        return {
            name: value
            for name in get_setting_names(SearchSettings)
            if (value := getattr(self, name, 0))
        }


class PreferenceNotifier(QObject):
    """Notifies of changed preferences."""

    changed = Signal(object)


@cache
def get_notifier() -> PreferenceNotifier:
    """Return the singleton; its ``changed`` signal carries the new :class:`Preferences`."""
    return PreferenceNotifier()


def load() -> Preferences:
    """Return the stored preferences, with defaults for missing or invalid ones."""
    settings = QSettings()
    values: dict[str, Any] = {}
    for name, read in _READERS.items():
        try:
            value = read(settings.value(f"{_GROUP}/{name}"))
        except UsageError:
            continue
        if value is not None:
            values[name] = value
    return Preferences(**values)


def save(preferences: Preferences) -> None:
    """Store the preferences and notify the listeners, if any value has changed."""
    if preferences == load():
        return
    settings = QSettings()
    for name, value in dataclasses.asdict(preferences).items():
        settings.setValue(f"{_GROUP}/{name}", value)
    get_notifier().changed.emit(preferences)


def _read_folder(value: Any) -> str | None:
    return value if isinstance(value, str) and Path(value).is_dir() else None


def _read_language(value: Any) -> str | None:
    return value if isinstance(value, str) and value.isalpha() else None


def _read_clusters(value: Any) -> str | None:
    clusters_setting = next(each for each in iter_settings(Preferences) if each.name == "clusters")
    return value if isinstance(value, str) and not clusters_setting.find_problem(value) else None


_READERS: Mapping[str, Callable[[Any], Any]] = {
    **{each.name: each.parse for each in iter_settings(Preferences)},
    "language": _read_language,
    "folder": _read_folder,
    "clusters": _read_clusters,
}


_HEIGHT_AT_1, _MIN_MAGNIFICATION = 550, 1.2
"""Height in pixels required by slides and plots at a scale of 1, and the minimum magnification of
type in presentation mode.
"""


class AppearanceController(QObject):
    """Keeps theme and scale consistent with preferences, system and presentation mode."""

    presenting_changed = Signal(bool)

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        self.is_presenting = False
        self._available_height: int | None = None
        self._min_scale, self._has_fixed_scale = 1.0, False
        app.styleHints().colorSchemeChanged.connect(self.apply)
        get_notifier().changed.connect(self.apply)

    def apply(self, *_: object) -> None:
        """Apply the appearance, unless it is already applied."""
        preferences = load()
        _set_system_scheme(preferences.look)
        theme_key = _get_system_theme() if preferences.look == SYSTEM else preferences.look
        type_scale = preferences.type_scale
        if self.is_presenting:
            type_scale = max(preferences.presentation_scale, type_scale)
        if self.is_presenting and self._available_height is not None:
            min_factor = _MIN_MAGNIFICATION * preferences.type_scale
            type_scale = max(min(type_scale, self._available_height / _HEIGHT_AT_1), min_factor)
        factor = self._min_scale if self._has_fixed_scale else max(type_scale, self._min_scale)
        if (theme.current().key, theme.scale()) != (theme_key, factor) or not theme.is_applied():
            theme.apply(self._app, theme.THEMES[theme_key], factor)

    def toggle(self) -> None:
        """Switch between light and dark theme, and store the choice."""
        other = theme.LIGHT if theme.current().is_dark else theme.DARK
        save(load().with_changes(look=other.key))
        self.apply()

    def set_presenting(self, enabled: bool, available_height: int | None = None) -> None:
        """Begin or end presentation mode.

        Args:
            available_height: The available height in pixels, which limits the type size; by default
                unlimited.
        """
        if enabled != self.is_presenting:
            self.is_presenting, self._available_height = enabled, available_height
            self.apply()
            self.presenting_changed.emit(enabled)

    def enlarge(self, min_scale: float, *, is_fixed: bool = False) -> None:
        """Set the minimum type scale, for a plot in full screen or slides; 1 resets it.

        Args:
            is_fixed: Whether the preferred size of type has no influence.
        """
        self._min_scale, self._has_fixed_scale = min_scale, is_fixed
        self.apply()

    @property
    def is_enlarged(self) -> bool:
        """Whether type is temporarily larger because a plot is in full screen."""
        return self._min_scale > 1.0


def get_appearance() -> AppearanceController:
    """Return the appearance controller, created on first use."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    controller = app.findChild(AppearanceController)
    return AppearanceController(app) if controller is None else controller


def _set_system_scheme(look: str) -> None:
    """Let the system's own dialogs, such as those of files, have the chosen theme."""
    hints, scheme = QGuiApplication.styleHints(), Qt.ColorScheme
    chosen = {theme.DARK.key: scheme.Dark, theme.LIGHT.key: scheme.Light}
    hints.setColorScheme(chosen.get(look, scheme.Unknown))


def _get_system_theme() -> str:
    scheme = QGuiApplication.styleHints().colorScheme()
    return theme.DARK.key if scheme is Qt.ColorScheme.Dark else theme.LIGHT.key

"""Language of the program and of Qt's own dialogs, by preference or system."""

from PySide6.QtCore import QDateTime, QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from studio import language
from studio.gui.base import preferences
from studio.gui.base.preferences import SYSTEM
from studio.language import N_, tr


def set_languages(code: str) -> None:
    """Set Qt's and the program's language; numbers follow the system's format for the language."""
    language.set_language(code, _get_number_separators)


def _get_number_separators(code: str) -> tuple[str, str]:
    locale = QLocale(code)
    return locale.groupSeparator(), locale.decimalPoint()


def format_datetime(seconds: float) -> str:
    """Format a local date and time: 25 Nov 2026, 10:30, in French 25 nov. 2026, 10:30.

    Args:
        seconds: Since 1970.
    """
    moment = QDateTime.fromSecsSinceEpoch(int(seconds))
    return QLocale(language.get_language()).toString(moment, "d MMM yyyy, HH:mm")


_TRANSLATOR_NAME = "qt-texts"


def get_preferred_language() -> str:
    """Return the language code: the user's choice, else the system's."""
    preferred = preferences.load().language
    if preferred == SYSTEM:
        names = [name.split("-")[0] for name in QLocale.system().uiLanguages()]
        return next((name for name in names if name in language.list_languages()), language.ENGLISH)
    return preferred


def apply_language(code: str | None = None) -> None:
    """Set the language of the program and of Qt's dialogs, by default the preferred one."""
    set_languages(get_preferred_language() if code is None else code)
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    for old_translator in app.findChildren(QTranslator, _TRANSLATOR_NAME):
        app.removeTranslator(old_translator)
        old_translator.deleteLater()
    localised_name = language.get_language()
    QLocale.setDefault(
        QLocale.c() if localised_name == language.PSEUDO else _make_locale(localised_name)
    )
    if localised_name in {language.ENGLISH, language.PSEUDO}:
        return
    fallback = _FallbackTranslator(app)
    translator = QTranslator(app)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    translator.load(f"qtbase_{localised_name}", folder)
    for each in (fallback, translator):  # the last one has priority
        each.setObjectName(_TRANSLATOR_NAME)
        app.installTranslator(each)


_QT_TEXTS = (N_("&Look in:"), N_("Files of &type:"), N_("&Folder name:"), N_("Folder"), N_("Drive"))
"""Texts of Qt's file dialog that its own catalogues lack."""


class _FallbackTranslator(QTranslator):
    """Translates texts missing from Qt's catalogue, using the program's catalogue."""

    def translate(
        self, context: str, text: str, about: str | None = None, count: int = -1
    ) -> str | None:
        """Return a listed text's translation; ``None`` for other texts, which stay English."""
        is_listed = context in {"QFileDialog", "QAbstractFileIconProvider"} and text in _QT_TEXTS
        return tr(text) if is_listed else None

    def isEmpty(self) -> bool:
        """Return False: Qt does not query an empty translator."""
        return False


def _make_locale(code: str) -> QLocale:
    """Return a language's locale, without group separators in fields."""
    locale = QLocale(code)
    locale.setNumberOptions(QLocale.NumberOption.OmitGroupSeparator)
    return locale

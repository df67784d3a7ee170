"""What Qt knows of the language in force (:mod:`studio.language`): its signs, and how dates are."""

from PySide6.QtCore import QDateTime, QLocale

from studio import language as speech


def use(language: str) -> None:
    """Speak a language from now on; numbers are written as the system has it for the language."""
    speech.use(language, _signs)


def _signs(language: str) -> tuple[str, str]:
    locale = QLocale(language)
    return locale.groupSeparator(), locale.decimalPoint()


def moment(seconds: float) -> str:
    """Write a local date and time of day: 25 Nov 2026, 10:30, in French 25 nov. 2026, 10:30.

    Args:
        seconds: Since 1970, as clocks and files have it.
    """
    found = QDateTime.fromSecsSinceEpoch(int(seconds))
    return QLocale(speech.current()).toString(found, "d MMM yyyy, HH:mm")

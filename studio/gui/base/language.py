"""The language in force (:mod:`studio.language`), with the system's signs and dates."""

from PySide6.QtCore import QDateTime, QLocale

from studio import language as speech
from studio.language import (
    ENGLISH,
    FOLDER,
    N_,
    PSEUDO,
    available,
    cell,
    current,
    figures,
    grouped,
    localised,
    named,
    ntr,
    number,
    percent,
    setting,
    tr,
    translate,
    written,
)

__all__ = [
    "ENGLISH",
    "FOLDER",
    "N_",
    "PSEUDO",
    "available",
    "cell",
    "current",
    "figures",
    "grouped",
    "localised",
    "moment",
    "named",
    "ntr",
    "number",
    "percent",
    "setting",
    "tr",
    "translate",
    "use",
    "written",
]


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
    return QLocale(current()).toString(found, "d MMM yyyy, HH:mm")

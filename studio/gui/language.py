"""The window's language: English stands in the code, other languages in catalogues.

Every text that the window itself writes goes through :func:`tr` (or :func:`ntr` where a number
decides the form). What other rooms and processes say (a part's title, an option's help, why a
trial failed) comes as English and goes through :func:`said`. A catalogue is an ordinary gettext
file, ``resources/translations/<language>.mo``, made from the ``.po`` of the same name by
``python packaging/translations.py``.
"""

import gettext
import re
import string
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from studio.assets import RESOURCES

ENGLISH, PSEUDO = "en", "xx"
"""The language of the code, and the lengthened one that shows texts without room."""

FOLDER = RESOURCES / "translations"

_ACCENTED = str.maketrans("aeiouycnszAEIOUYCNSZ", "àéîöûÿçñšžÀÉÎÖÛŸÇÑŠŽ")
_SLOT = re.compile(r"\{(\d+)\}")


@dataclass
class _Speech:
    """The language in force."""

    language: str = ENGLISH
    catalogue: gettext.NullTranslations = field(default_factory=gettext.NullTranslations)


_SPEECH = _Speech()


def available() -> tuple[str, ...]:
    """Return the languages that ship: "en", and one for each catalogue."""
    return (ENGLISH, *sorted(path.stem for path in FOLDER.glob("*.mo")))


def current() -> str:
    """Return the language in force ("en", "fr")."""
    return _SPEECH.language


def use(language: str) -> None:
    """Speak a language from now on; one without a catalogue (a system's) leaves English.

    Texts already on the screen stay as they are: the window is built anew after a change.
    """
    path = FOLDER / f"{language}.mo"
    _SPEECH.language, _SPEECH.catalogue = ENGLISH, gettext.NullTranslations()
    if language == PSEUDO:
        _SPEECH.language, _SPEECH.catalogue = PSEUDO, _Pseudo()
    elif path.is_file():
        _SPEECH.language, _SPEECH.catalogue = language, _read(path)
    _templates.cache_clear()


def mark(text: str) -> str:
    """Mark a text for the catalogue that is translated later, where it is shown."""
    return text


def tr(text: str, /, **values: object) -> str:
    """Return a text of the window in the language in force.

    Parameters
    ----------
    text : str
        English; ``{name}`` stands for a value.
    values
        What to put into the braces; without any, braces stay as they are.
    """
    found = _SPEECH.catalogue.gettext(text) if text else ""
    return found.format(**values) if values else found


def ntr(one: str, many: str, count: int, /, **values: object) -> str:
    """Return the form for a count, which ``{count}`` stands for: "1 row", "1,200 rows"."""
    found = _SPEECH.catalogue.ngettext(one, many, count)
    return found.format(**{"count": grouped(count), **values})


def grouped(count: int) -> str:
    """Write a whole number with its thousands grouped as the language has it."""
    return f"{count:,}" if _SPEECH.language != "fr" else f"{count:,}".replace(",", "\u202f")


def said(text: str) -> str:
    """Return a sentence that another room made, in the language in force.

    A sentence with values in it ("Column age is constant.") is found by its template in the
    catalogue ("Column {0} is constant."); one that is not known stays English.
    """
    if _SPEECH.language == ENGLISH or not text:
        return text
    found = _SPEECH.catalogue.gettext(text)
    if found != text:
        return found
    for pattern, template in _templates():
        match = pattern.fullmatch(text)
        if match is not None:
            return template.format(*match.groups())
    return text


@cache
def _read(path: Path) -> gettext.GNUTranslations:
    with path.open("rb") as file:
        return gettext.GNUTranslations(file)


@cache
def _templates() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return patterns of the catalogue's sentences with numbered slots, the longest first."""
    entries = getattr(_SPEECH.catalogue, "_catalog", {})
    made = []
    for source in sorted((s for s in entries if isinstance(s, str)), key=len, reverse=True):
        pieces = _SLOT.split(source)
        if len(pieces) > 1 and entries[source]:
            pattern = "(.+?)".join(re.escape(piece) for piece in pieces[0::2])
            made.append((re.compile(pattern, re.DOTALL), str(entries[source])))
    return tuple(made)


class _Pseudo(gettext.NullTranslations):
    """English with accents and 40 % longer: what does not fit it will not fit German either."""

    def gettext(self, message: str) -> str:
        """Return the text with accents and drawn out; slots for values stay."""
        pieces = []
        for literal, name, spec, _ in string.Formatter().parse(message):
            pieces.append(literal.translate(_ACCENTED))
            if name is not None:
                pieces.append("{" + name + (f":{spec}" if spec else "") + "}")
        return "".join(pieces) + " " + "·" * round(0.4 * len(message))

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Return the form for a count, drawn out."""
        return self.gettext(msgid1 if n == 1 else msgid2)

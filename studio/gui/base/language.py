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
from functools import cache, lru_cache
from pathlib import Path

from studio.assets import RESOURCES

ENGLISH, PSEUDO = "en", "xx"
"""The language of the code, and the lengthened one that shows texts without room."""

FOLDER = RESOURCES / "translations"

_ACCENTED = str.maketrans("aeiouycnszAEIOUYCNSZ", "àéîöûÿçñšžÀÉÎÖÛŸÇÑŠŽ")
_SLOT = re.compile(r"\{(\d+)\}")
_BETWEEN = re.compile(r"(?<=[.!?…]) +(?=\S)")
_GROUPED = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?")
_QUOTED = re.compile(r"(['\"“]).*['\"”]", re.DOTALL)


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
    _said.cache_clear()


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
    return number(count, ",")


def number(value: float, form: str = "g") -> str:
    """Write a number by a format (".1f", ".4g") as the language has it: 12.3, in French 12,3."""
    return written(f"{value:{form}}")


def setting(value: object) -> str:
    """Write the value of a hyperparameter; four digits of a number tell it from others."""
    return number(value, ".4g") if isinstance(value, float) else str(value)


def written(number: str) -> str:
    """Return a number that is written in English as the language has it: 12.3, in French 12,3."""
    if _SPEECH.language != "fr":
        return number
    return number.replace(",", "\u202f").replace(".", ",")


def percent(share: float, digits: int = 1) -> str:
    """Write a share in [0, 1] as percent: 12.3 %, in French 12,3 % with a narrow space."""
    space = "\u202f" if _SPEECH.language == "fr" else " "
    return f"{number(100 * share, f'.{digits}f')}{space}%"


def said(text: str) -> str:
    """Return what another room says, in the language in force.

    A sentence with values in it ("Column age is constant.") is found by its template in the
    catalogue ("Column {0} is constant."); a value that is itself a sentence, or a clause of one
    (:mod:`studio.phrases`), is translated too. Of several sentences that are not known together,
    each is looked for by itself. What is not known stays English.
    """
    return text if _SPEECH.language == ENGLISH or not text else _said(text, _TELLING)


@lru_cache(maxsize=2048)
def _said(text: str, telling: int) -> str:
    found = _whole(text, telling)
    if found is not None:
        return found
    sentences = _BETWEEN.split(text)
    if len(sentences) == 1:
        return text
    return " ".join(_whole(each, telling) or each for each in sentences)


def _whole(text: str, telling: int) -> str | None:
    """Return the translation of a text as it is, or by its template; ``None`` if not known."""
    found = _SPEECH.catalogue.gettext(text)
    if found != text:
        return found
    for pattern, template in _templates(telling):
        match = pattern.fullmatch(text)
        if match is not None:
            return template.format(*map(_value, match.groups()))
    return None


def _value(text: str) -> str:
    """Return a value of a template: translated if it is a known piece of words, else as it is.

    A single word is a name: a column called "first" stays so. What stands in quotes is one, too.
    """
    if _GROUPED.fullmatch(text):
        return written(text)
    if " " not in text or _QUOTED.fullmatch(text):
        return text
    return _said(text, _TELLING_INSIDE)


_TELLING, _TELLING_INSIDE = 8, 5
"""Letters that a template must have beside its slots: "{0} of {1}" would fit any sentence.

The value of another template is a piece of words or a name, so fewer do: "{0} columns"; and so
they do for a piece that begins with words, in small letters: "one of {0}".
"""


@cache
def _read(path: Path) -> gettext.GNUTranslations:
    with path.open("rb") as file:
        return gettext.GNUTranslations(file)


@cache
def _templates(telling: int) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return patterns of the catalogue's sentences with numbered slots, the longest first."""
    entries = getattr(_SPEECH.catalogue, "_catalog", {})
    made = []
    for source in sorted((s for s in entries if isinstance(s, str)), key=len, reverse=True):
        pieces = _SLOT.split(source)
        letters = sum(map(str.isalpha, "".join(pieces[0::2])))
        needed = _TELLING_INSIDE if source[:1].islower() else telling
        if len(pieces) > 1 and entries[source] and letters >= needed:
            pattern = "(.*?)".join(re.escape(_bare(piece)) for piece in pieces[0::2])
            made.append((re.compile(pattern, re.DOTALL), str(entries[source])))
    return tuple(made)


def _bare(piece: str) -> str:
    """Return a piece of a template with its doubled braces as the text has them."""
    return piece.replace("{{", "{").replace("}}", "}")


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

"""The current language: English texts are in the code, translations in catalogues.

Every text that only people read goes through :func:`tr` (or :func:`ntr` where a number decides the
form); the command line and reports leave the language in force at English. What other rooms and
processes say (a part's title, an option's help, why a trial failed) comes as a text or a phrase in
English and goes through :func:`translate`. A catalogue is an ordinary gettext file,
``resources/translations/<language>.mo``, made from the ``.po`` of the same name by ``python
packaging/translations.py``.
"""

import gettext
import re
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from studio import phrases
from studio.assets import RESOURCES
from studio.numerals import Numerals, formatted, significant
from studio.phrases import Phrase

ENGLISH, PSEUDO = "en", "xx"
"""The language of the code, and the lengthened one that shows texts without room."""

FOLDER = RESOURCES / "translations"

_FIGURES = re.compile(r"[\s\de.,+−–<%()\[\]-]*\d[\s\de.,+−–<%()\[\]-]*")
"""A text of nothing but numbers and what is between them: "4.21 [3.90, 4.55]"."""

_ACCENTED = str.maketrans("aeiouycnszAEIOUYCNSZ", "àéîöûÿçñšžÀÉÎÖÛŸÇÑŠŽ")


@dataclass
class _Speech:
    """The language in force."""

    language: str = ENGLISH
    catalogue: gettext.NullTranslations = field(default_factory=gettext.NullTranslations)
    signs: Mapping[int, str] = field(default_factory=dict)
    """Replacements of the comma and the point of an English number."""


_SPEECH = _Speech()


def available() -> tuple[str, ...]:
    """Return the languages that ship: "en", and one for each catalogue."""
    return (ENGLISH, *sorted(path.stem for path in FOLDER.glob("*.mo")))


def current() -> str:
    """Return the language in force ("en", "fr")."""
    return _SPEECH.language


def use(language: str, signs: Callable[[str], tuple[str, str]]) -> None:
    """Set the language; one without a catalogue (the system's) leaves English.

    Texts already on the screen stay as they are: the window is rebuilt after a change.

    Args:
        language: Its code.
        signs: Returns the group separator and the decimal point of a language.
    """
    path = FOLDER / f"{language}.mo"
    _SPEECH.language, _SPEECH.catalogue = ENGLISH, gettext.NullTranslations()
    if language == PSEUDO:
        _SPEECH.language, _SPEECH.catalogue = PSEUDO, _Pseudo()
    elif path.is_file():
        _SPEECH.language, _SPEECH.catalogue = language, _read(path)
    group, point = signs(_SPEECH.language)
    _SPEECH.signs = str.maketrans({",": group, ".": point})


def N_(text: str) -> str:
    """Mark a text for the catalogue that is translated later, where it is shown."""
    return text


def tr(text: str, /, **values: object) -> str:
    """Return a text of the window in the language in force.

    Args:
        text: English; ``{name}`` is a slot for a value.
        values: What to put into the braces; without any, braces stay as they are.
    """
    found = _SPEECH.catalogue.gettext(text) if text else ""
    return found.format(**values) if values else found


def ntr(one: str, many: str, count: int, /, **values: object) -> str:
    """Return the form for a count, the value of ``{count}``: "1 row", "1,200 rows"."""
    found = _SPEECH.catalogue.ngettext(one, many, count)
    return found.format(**{"count": grouped(count), **values})


def grouped(count: int) -> str:
    """Write a whole number with its thousands grouped as the language has it."""
    return number(count, ",")


def number(value: float, form: str = "g") -> str:
    """Write a number by a format as the language has it: 12.3, in French 12,3.

    A format of significant digits (".4g") never costs a digit before the point, and groups
    thousands (:mod:`studio.numerals`).
    """
    return as_read(formatted(value, form))


def written(value: float, how: Numerals, sign: str = "") -> str:
    """Write one of several numbers shown together as the language has it."""
    return as_read(how.text(value, sign))


def cell(value: float) -> str:
    """Write a value of a table's column: a whole number of four digits may be a year."""
    if value == int(value) and abs(value) < 10_000:
        return as_read(str(int(value)))
    return number(value, ".4g")


def ends(low: float, high: float) -> tuple[str, str]:
    """Write the ends of a column's values alike: thousands are grouped in both, or in none.

    They are in none where both may be years.
    """
    if all(each == int(each) and abs(each) < 10_000 for each in (low, high)):
        return cell(low), cell(high)
    return number(low, ",.4g"), number(high, ",.4g")


def setting(value: object) -> str:
    """Write the value of a hyperparameter; numbers have four digits.

    Settings are listed with commas, so thousands are not grouped.
    """
    if not isinstance(value, float):
        return str(value)
    return localised(significant(value).replace(",", ""))


def localised(digits: str) -> str:
    """Return a number that is written in English as the language has it: 12.3, in French 12,3."""
    return digits.translate(_SPEECH.signs)


def as_read(digits: str) -> str:
    """Return the same where it is read and not typed: with a minus sign instead of a hyphen."""
    return localised(digits).replace("-", "−")


def figures(text: str) -> str:
    """Translate an entry of a table or a diagram; plain numbers follow the language's format.

    What lies between two numbers is not taken for a decimal mark: [3.90, 4.55], in French
    [3,90 ; 4,55].
    """
    if not _FIGURES.fullmatch(text):
        return translate(text)
    between = ", " if localised(",") == "," else " ; "
    return between.join(localised(each) for each in text.split(", "))


def percent(share: float, digits: int = 1, *, round_up: bool = True) -> str:
    """Write a share in [0, 1] as percent: 12.3 %, in French 12,3 % with a narrow space.

    What would be rounded to nothing is "< 0.1 %"; unless ``round_up``, so is what would be
    rounded up to 0.1 %.
    """
    least = 10.0**-digits
    if 0 < 100 * share < (least / 2 if round_up else least):
        return tr("< {number} %", number=number(least, f".{digits}f"))
    return tr("{number} %", number=number(100 * share, f".{digits}f"))


def translate(text: str) -> str:
    """Translate a text of another room into the current language.

    A phrase (:mod:`studio.phrases`) is found by its template, and the phrases among its values are
    translated too. Any other text is looked for as it is: the title of a part, or a sentence
    without values. What is not known stays English.
    """
    if isinstance(text, Phrase) and text.values:
        return phrases.written(tr(text.template), text.values, number, named, _quoted)
    return tr(text)


def named(text: str) -> str:
    """Return a name as it is; a phrase, such as "date: year" of a part of dates, translated."""
    return translate(text) if isinstance(text, Phrase) else text


def _quoted(text: str) -> str:
    """Return Python's quotes replaced by those of the language; other text as it is."""
    if len(text) < 2 or text[0] != text[-1] or text[0] not in "'\"":
        return text
    return tr("“{text}”", text=text[1:-1])


@cache
def _read(path: Path) -> gettext.GNUTranslations:
    with path.open("rb") as file:
        return gettext.GNUTranslations(file)


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

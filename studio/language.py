"""The current language: English texts are in the code, translations in catalogues.

Every displayed text goes through :func:`tr` (or :func:`ntr` for plural forms); the command line
uses English, except for reports requested by a window (:func:`set_process_language`). Texts from
other packages and processes (a part's title, an option's help, the cause of a failure) are English
texts or phrases and go through :func:`translate`. A catalogue is an ordinary gettext file,
``resources/translations/<language>.mo``, made from the ``.po`` of the same name by ``python
packaging/translations.py``.
"""

import gettext
import math
import re
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from studio import phrases
from studio.assets import RESOURCES
from studio.currencies import is_money
from studio.numerals import NumeralFormat, format_number, format_significant
from studio.phrases import Phrase

ENGLISH, PSEUDO = "en", "xx"
"""The language of the code, and the pseudo-language that reveals texts with too little space."""

FOLDER = RESOURCES / "translations"

_NUMERIC_TEXT = re.compile(r"[\s\de.,+−–<%()\[\]-]*\d[\s\de.,+−–<%()\[\]-]*")
"""A text of numbers and punctuation only: "4.21 [3.90, 4.55]"."""

_AMOUNT = re.compile(r"([+±−-]?)((?:\w+\u00a0|[^\w\s.,])?)(\d[\d.,]*)((?:\u00a0.+)?)")
"""An amount with its unit before or after it, as :func:`studio.measure.append_unit` writes it."""

_UNIT_FIRST = re.compile(r"([^{}]*)\{unit\}(\{number:[^{}]*\})")
"""The template of an amount with its unit before the number, possibly with a sign."""

_CURRENCY_AFTER_NUMBER = frozenset({"fr"})
"""Languages that write currencies after the number, wherever a table has them: 5 €, 5 $."""

_NEGATIVE = re.compile(r"(?<![\de.])-(?=[\d.])")
"""A hyphen for a minus sign: one before a number, but not between two, as in a date."""

_ACCENTED = str.maketrans("aeiouycnszAEIOUYCNSZ", "àéîöûÿçñšžÀÉÎÖÛŸÇÑŠŽ")


@dataclass
class _LanguageState:
    """The current language."""

    language: str = ENGLISH
    catalogue: gettext.NullTranslations = field(default_factory=gettext.NullTranslations)
    signs: Mapping[int, str] = field(default_factory=dict)
    """Replacements of comma and point in an English number."""


_LANGUAGE = _LanguageState()


def list_languages() -> tuple[str, ...]:
    """Return the available languages: "en", and one for each catalogue."""
    return (ENGLISH, *sorted(path.stem for path in FOLDER.glob("*.mo")))


def get_language() -> str:
    """Return the current language ("en", "fr")."""
    return _LANGUAGE.language


def set_language(language: str, signs: Callable[[str], tuple[str, str]]) -> None:
    """Set the language; English if there is no catalogue for it.

    Texts already on the screen do not change; the window is rebuilt after a change.
    """
    path = FOLDER / f"{language}.mo"
    _LANGUAGE.language, _LANGUAGE.catalogue = ENGLISH, gettext.NullTranslations()
    if language == PSEUDO:
        _LANGUAGE.language, _LANGUAGE.catalogue = PSEUDO, _PseudoLanguage()
    elif path.is_file():
        _LANGUAGE.language, _LANGUAGE.catalogue = language, _read(path)
    group, point = signs(_LANGUAGE.language)
    _LANGUAGE.signs = str.maketrans({",": group, ".": point})


_SEPARATORS = {"fr": ("\N{NARROW NO-BREAK SPACE}", ",")}
"""Group separator and decimal point of languages, for processes without Qt."""


def set_process_language(language: str) -> None:
    """Set the language in a process without Qt, which has the formats of more languages."""
    set_language(language, lambda localised_name: _SEPARATORS.get(localised_name, (",", ".")))


def N_(text: str) -> str:
    """Mark a text for the catalogue, for translation on display."""
    return text


def tr(text: str, /, **values: object) -> str:
    """Translate an English text of the window, with ``{name}`` slots filled by values if any."""
    translation = _LANGUAGE.catalogue.gettext(text) if text else ""
    return translation.format(**values) if values else translation


def ntr(one: str, many: str, count: int, /, **values: object) -> str:
    """Return the plural form for ``{count}``: "1 row", "1,200 rows"."""
    translation = _LANGUAGE.catalogue.ngettext(one, many, count)
    return translation.format(**{"count": group_digits(count), **values})


def group_digits(count: int) -> str:
    """Format an integer with the language's thousands separators."""
    return number(count, ",")


def number(value: float, form: str = "g") -> str:
    """Format a number in the interface language: 12.3, in French 12,3.

    A format of significant digits (".4g") never costs a digit before the point, and groups
    thousands (:mod:`studio.numerals`).
    """
    return localise_display(format_number(value, form))


def format_among(value: float, number_format: NumeralFormat, sign: str = "") -> str:
    """Format one of several numbers shown together, in the interface language."""
    return localise_display(number_format.format(value, sign))


def format_cell(value: float) -> str:
    """Format a value of a table's column: an integer of four digits may be a year."""
    if value == int(value) and abs(value) < 10_000:
        return localise_display(str(int(value)))
    return number(value, ".4g")


def format_range(low: float, high: float) -> tuple[str, str]:
    """Format a range of a column's values, with thousands grouped in both limits or none.

    Thousands are not grouped if both may be years.
    """
    if all(each == int(each) and abs(each) < 10_000 for each in (low, high)):
        return format_cell(low), format_cell(high)
    return number(low, ",.4g"), number(high, ",.4g")


def format_setting(value: object) -> str:
    """Format a hyperparameter's value with four significant digits, without grouping."""
    if not isinstance(value, float):
        return str(value)
    return localise_number(format_significant(value).replace(",", ""))


def localise_number(digits: str) -> str:
    """Localise an English number: 12.3, in French 12,3."""
    return digits.translate(_LANGUAGE.signs)


def localise_display(digits: str) -> str:
    """Localise an English number for display, with a minus sign instead of a hyphen."""
    return localise_number(digits).replace("-", "−")


def translate_figures(text: str) -> str:
    """Translate a cell of a table or a text of a diagram; localise numbers and amounts.

    A separator between two numbers is not a decimal mark: [3.90, 4.55], in French
    [3,90 ; 4,55].
    """
    if not _NUMERIC_TEXT.fullmatch(text):
        if amount_match := _AMOUNT.fullmatch(text):
            sign, prefix, digits, suffix = amount_match.groups()
            before, after = place_unit(prefix, suffix)
            return f"{sign}{before}{localise_number(digits)}{after}"
        return translate(text)
    separator = ", " if localise_number(",") == "," else " ; "
    signed = _NEGATIVE.sub("−", text)
    return separator.join(localise_number(each) for each in signed.split(", "))


def place_unit(before: str, after: str) -> tuple[str, str]:
    """Return the text of a unit before and after a number, as usual in the interface language.

    Args:
        before, after: As in the table: ("£", ""), ("CHF" and a space, ""), or ("", " kg").
    """
    unit = before.rstrip("\N{NO-BREAK SPACE}")
    if unit and not after and get_language() in _CURRENCY_AFTER_NUMBER and is_money([unit]):
        return "", f"\N{NO-BREAK SPACE}{unit}"
    return before, after


def _place_unit_of_amount(text: Phrase) -> Phrase:
    """Return the phrase of an amount with its unit on the interface language's usual side."""
    amount_match = _UNIT_FIRST.fullmatch(text.template)
    unit = text.values.get("unit")
    if amount_match and isinstance(unit, str):
        before, after = place_unit(unit, "")
        if not before:
            sign, digits = amount_match.groups()
            return Phrase(f"{sign}{digits}{{unit}}", {**text.values, "unit": after})
    return text


_MIN_ROUNDED_SHARE = 0.001
"""Minimum share, of two, whose rounding determines the other's."""


_MIN_REST = 1e-9
"""Minimum difference of a share from 1 that is not due to the precision of numbers."""


def format_share(share: float, digits: int = 1, *, round_up: bool = True) -> str:
    """Format a share in [0, 1] as percent: 12.3 %, in French 12,3 % with a narrow space.

    A share that would be rounded to 0 is shown as "< 0.1 %", and one to 100 as "> 99.9 %"; unless
    ``round_up``, so is one that would be rounded up to 0.1 %.
    """
    smallest = 10.0**-digits
    if 0 < 100 * share < (smallest / 2 if round_up else smallest):
        return tr("< {number} %", number=number(smallest, f".{digits}f"))
    # Not for a sum of shares that differs from 1 by the precision of numbers.
    if 1 - share > _MIN_REST and number(100 * share, f".{digits}f") == number(100, f".{digits}f"):
        return tr("> {number} %", number=number(100 - smallest, f".{digits}f"))
    return tr("{number} %", number=number(100 * share, f".{digits}f"))


def format_shares(shares: Sequence[float], *, round_up: bool = True) -> list[str]:
    """Format shares with :func:`format_share`; of two that add up to 1, the larger is the rest."""
    texts = [format_share(each, round_up=round_up) for each in shares]
    if len(shares) == 2 and math.isclose(sum(shares), 1) and min(shares) >= _MIN_ROUNDED_SHARE:
        smaller = float(format_number(100 * min(shares), ".1f"))
        texts[int(shares[1] > shares[0])] = tr("{number} %", number=number(100 - smaller, ".1f"))
    return texts


def translate(text: str) -> str:
    """Translate a text of another package to the current language.

    A phrase (:mod:`studio.phrases`) is found by its template, and phrases among its values are also
    translated. Other texts, such as a part's title or a sentence without values, are looked up
    unchanged. Unknown texts stay English.
    """
    if isinstance(text, Phrase) and text.values:
        text = _place_unit_of_amount(text)
        return phrases.fill_template(
            tr(text.template), text.values, number, translate_name, _localise_quotes
        )
    return tr(text)


def capitalise(text: str) -> str:
    """Return a text for the beginning of a sentence: unlike in Python's, the rest stays."""
    return text[:1].upper() + text[1:]


def translate_name(text: str) -> str:
    """Return a name unchanged; a phrase, such as "date: year" of a part of dates, translated."""
    return translate(text) if isinstance(text, Phrase) else text


def _localise_quotes(text: str) -> str:
    """Replace Python's quotation marks by those of the interface language."""
    if len(text) < 2 or text[0] != text[-1] or text[0] not in "'\"":
        return text
    return tr("“{text}”", text=text[1:-1])


@cache
def _read(path: Path) -> gettext.GNUTranslations:
    with path.open("rb") as file:
        return gettext.GNUTranslations(file)


class _PseudoLanguage(gettext.NullTranslations):
    """English with accents and 40 % longer: if it fits, so does German."""

    def gettext(self, message: str) -> str:
        """Return the text accented and lengthened, with placeholders unchanged."""
        characters = []
        for literal, name, spec, _ in string.Formatter().parse(message):
            characters.append(literal.translate(_ACCENTED))
            if name is not None:
                characters.append("{" + name + (f":{spec}" if spec else "") + "}")
        return "".join(characters) + " " + "·" * round(0.4 * len(message))

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Return the plural form, accented and lengthened."""
        return self.gettext(msgid1 if n == 1 else msgid2)

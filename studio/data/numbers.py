"""How numbers are written in a column, and the one way in which text becomes a number.

The rule, for a cell of text after blanks around it are taken off:

1. If it matches :attr:`NumberFormat.pattern` (digits in groups of three, the decimal mark), the
   grouping characters are removed and the decimal mark becomes a point. A pattern that does not
   match leaves the cell alone, so "3.14" stays 3.14 in a column of decimal commas.
2. The result is read as pandas reads numbers by default (``pandas.to_numeric``, which is the
   reader of ``pandas.read_csv``), so the bits agree with a column that pandas typed itself.
   What it cannot read is not a number.

It is written down like this so that an exported pickle can do exactly the same with pandas alone.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from studio.arrays import Floats
from studio.errors import UsageError
from studio.phrases import phrase

DECIMALS = (".", ",")
THOUSANDS = ("", ",", ".", " ", "'", "_")

LIMIT = 1e30
"""Numbers beyond ±1e30 are taken as ±1e30, which single precision and squares still hold."""

EXACT = 2**53
"""Whole numbers up to this size are exact in double precision."""

_ALIKE = {" ": " \u00a0\u202f\u2009", "'": "'’"}


@dataclass(frozen=True)
class NumberFormat:
    """How the numbers of a file are written.

    Attributes
    ----------
    decimal : str
        The decimal mark: ``"."`` or ``","``.
    thousands : str
        What groups digits by three: one of ``""`` (nothing), ``","``, ``"."``, ``" "`` (any narrow
        or fixed blank too), ``"'"`` and ``"_"``.
    """

    decimal: str = "."
    thousands: str = ""

    def __post_init__(self) -> None:
        if self.decimal not in DECIMALS:
            raise UsageError(
                "The decimal mark must be a point or a comma; {decimal!r} was given.",
                decimal=self.decimal,
            )
        if self.thousands not in THOUSANDS:
            raise UsageError(
                "The mark between thousands must be a comma, a point, a space, an "
                "apostrophe, an underscore or nothing; {thousands!r} was given.",
                thousands=self.thousands,
            )
        if self.decimal == self.thousands:
            raise UsageError(
                "The mark {decimal!r} cannot be used for both decimals and thousands. Choose "
                "another one for one of them.",
                decimal=self.decimal,
            )

    @property
    def is_plain(self) -> bool:
        """Whether pandas reads such numbers by default."""
        return self.decimal == "." and not self.thousands

    @property
    def grouping(self) -> str:
        """The characters that are removed from a number: the thousands mark and its look-alikes."""
        return _ALIKE.get(self.thousands, self.thousands)

    @cached_property
    def pattern(self) -> str:
        """Regular expression (``re.fullmatch``) of the cells that are rewritten; "" if plain."""
        if self.is_plain:
            return ""
        digits = r"[0-9]+"
        if self.thousands:
            mark = f"[{re.escape(self.grouping)}]"
            digits = rf"(?:[0-9]{{1,3}}(?:{mark}[0-9]{{3}})+|[0-9]+)"
        mark = re.escape(self.decimal)
        return rf"[+-]?(?:{digits}(?:{mark}[0-9]*)?|{mark}[0-9]+)(?:[eE][+-]?[0-9]+)?"

    def plain(self, text: str) -> str:
        """Rewrite one cell as a number with a decimal point, if it matches the pattern."""
        if self.is_plain or not re.fullmatch(self.pattern, text):
            return text
        for mark in self.grouping:
            text = text.replace(mark, "")
        return text.replace(self.decimal, ".")


PLAIN = NumberFormat()


def parse_numbers(texts: Sequence[str], number_format: NumberFormat = PLAIN) -> Floats:
    """Read cells as numbers.

    Parameters
    ----------
    texts : sequence of str, length n
        Cells without blanks around them.
    number_format : NumberFormat
        How they are written.

    Returns
    -------
    array, shape (n,), float64
        The numbers; ±inf for infinities and overflows; NaN for what is not a number.
    """
    import pandas as pd

    cells = texts if number_format.is_plain else [number_format.plain(text) for text in texts]
    numbers = pd.to_numeric(np.array(cells, dtype=object), errors="coerce")
    return np.asarray(numbers, dtype=np.float64)


def bounded(numbers: Floats) -> Floats:
    """Return numbers, any shape, as trials see them: ±inf as NaN, all within ±:data:`LIMIT`."""
    kept = np.where(np.isfinite(numbers), numbers, np.nan)
    clipped: Floats = np.clip(kept, -LIMIT, LIMIT)
    return clipped


_GROUPED_POINT = re.compile(r"[+-]?[0-9]{1,3}(\.[0-9]{3})+")
_GROUPED_COMMA = re.compile(r"[+-]?[0-9]{1,3}(,[0-9]{3})+")
_POINT_THEN_COMMA = re.compile(r"[+-]?[0-9]{1,3}(\.[0-9]{3})+,[0-9]+")
_COMMA_THEN_POINT = re.compile(r"[+-]?[0-9]{1,3}(,[0-9]{3})+\.[0-9]+")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?")
_DECIMAL_POINT = re.compile(r"[+-]?[0-9]*\.[0-9]+([eE][+-]?[0-9]+)?")
_OTHER_GROUPS = {
    " ": re.compile(r"[+-]?[0-9]{1,3}([ \u00a0\u202f\u2009][0-9]{3})+([.,][0-9]+)?"),
    "'": re.compile(r"[+-]?[0-9]{1,3}(['’][0-9]{3})+([.,][0-9]+)?"),
}


def guess_format(
    cells: Iterable[str], decimal: str | None, thousands: str | None, separator: str
) -> tuple[NumberFormat, str]:
    """Guess how numbers are written from sample cells; what is given is kept.

    Parameters
    ----------
    cells : iterable of str
        Sample cells of all columns.
    decimal, thousands : str or None
        What the user chose; ``None`` guesses.
    separator : str
        The separator of columns; a semicolon speaks for decimal commas where "1,234" is ambiguous.

    Returns
    -------
    NumberFormat, str
        The format, and one sentence of evidence.
    """
    count = dict.fromkeys(("point", "comma", "both,", "both.", "group.", "group,", " ", "'"), 0)
    example: dict[str, str] = {}
    for cell in cells:
        kind = _kind_of_number(cell.strip())
        if kind:
            count[kind] += 1
            example.setdefault(kind, cell.strip())
    ambiguous = count["group,"] if separator == ";" and not count["both."] else 0
    commas = count["comma"] + count["both,"] + ambiguous
    points = count["point"] + count["both."]
    if decimal is None:
        given_comma = thousands == ","
        decimal = "," if commas > points and not given_comma else "."
    if thousands is None:
        thousands = _guess_thousands(count, decimal)
    seen = example.get("both,") or example.get("comma") or example.get("group,")
    if decimal == "," and seen:
        evidence = phrase("Numbers are written with a decimal comma, as in {seen!r}.", seen=seen)
    elif decimal == "," or not points:
        evidence = phrase("No number shows which it is; {decimal!r} is assumed.", decimal=decimal)
    else:
        seen = example.get("both.") or example.get("point")
        evidence = phrase("Numbers are written with a decimal point, as in {seen!r}.", seen=seen)
    return NumberFormat(decimal, thousands), evidence


def _kind_of_number(cell: str) -> str:
    if not cell or len(cell) > 40 or not (cell[0].isdigit() or cell[0] in "+-.,"):
        return ""
    kinds = (
        ("both,", _POINT_THEN_COMMA),
        ("both.", _COMMA_THEN_POINT),
        ("group,", _GROUPED_COMMA),
        ("group.", _GROUPED_POINT),
        ("comma", _DECIMAL_COMMA),
        ("point", _DECIMAL_POINT),
        *_OTHER_GROUPS.items(),
    )
    for kind, pattern in kinds:
        if pattern.fullmatch(cell):
            if kind == "group." and cell.count(".") > 1:
                return "both,"  # 1.234.567 can only be grouped
            if cell.lstrip("+-").startswith("0"):  # no number with its digits grouped is 0.125
                return {"group.": "point", "group,": "comma"}.get(kind, kind)
            return kind
    return ""


def _guess_thousands(count: dict[str, int], decimal: str) -> str:
    if decimal == "," and (count["both,"] or (count["group."] and not count["point"])):
        return "."
    if decimal == "." and (count["both."] or (count["group,"] and not count["comma"])):
        return ","
    for mark in (" ", "'"):
        if count[mark]:
            return mark
    return ""

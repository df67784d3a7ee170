"""Number formats, and the conversion of text to numbers.

The rule for a text cell without surrounding blanks:

1. The pairs of :attr:`NumberFormat.pairs` rewrite it: units, brackets and other notations
   (:mod:`studio.data.notations`) are removed, then the grouping marks, then the decimal mark
   becomes a point. A pair that does not match leaves the cell unchanged, so "3.14" stays 3.14 in a
   column of decimal commas.
2. The result is read as pandas reads numbers by default (``pandas.to_numeric``, which is the
   reader of ``pandas.read_csv``), so the bits agree with a column that pandas typed itself.
   A cell that it cannot parse is not a number.

The pairs are data, so an exported pickle behaves identically with pandas alone.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from studio.arrays import Floats
from studio.data.notations import (
    BEFORE_UNITS,
    NOTATIONS,
    Pair,
    is_known,
    is_remark,
    make_unit_pairs,
)
from studio.data.texts import to_numbers
from studio.errors import UsageError
from studio.measure import PREFIX_MARK, split_unit

DECIMALS = (".", ",")
THOUSANDS = ("", ",", ".", " ", "'", "_")

MAX_MAGNITUDE = 1e30
"""Numbers are clipped to ±1e30, safe for single precision and squares."""

MAX_EXACT_INTEGER = 2**53
"""Integers up to this size are exact in double precision."""

BLANKS = " \u00a0\u202f\u2007\u2009"
"""Blanks that group digits."""

APOSTROPHES = "'’`´"
EQUAL_MARKS = {" ": BLANKS, "'": APOSTROPHES}
_EXPONENT = r"(?:[eE][+-]?[0-9]+)?"
_HALF_DAYS = tuple(
    (rf"(?i)^0?{hour}(:[0-9:.]+)\s?p\.?\s?m\.?$", rf"{hour + 12}\1") for hour in range(12)
)
_CLOCK_PREFIX = r"(?:klo?\.?|um|at)\s*(?=[0-9])"
_HOUR, _MINUTE = "([01]?[0-9]|2[0-3])", "([0-5][0-9])"
_HALF = r"[ap]\.?\s?m"
CLOCK_WITH_WORDS = (
    rf"(?i:{_CLOCK_PREFIX}{_HOUR}(?:[.:]{_MINUTE})?(?:\s?uhr)?|{_HOUR}[.:]{_MINUTE}\s?(?:uhr|hrs)"
    rf"|{_HOUR}(?:[.:]{_MINUTE}(?::{_MINUTE})?)?\s?{_HALF}|{_HOUR}\s?h\s?{_MINUTE})\.?"
)
"""Times of day with a word: kl. 08.30, klo 8, um 8.30 Uhr, 9.30 AM, 9 pm, 14h30."""

_CLOCK_PAIRS: tuple[Pair, ...] = (
    (r"^\s+|\s+$", ""),
    (rf"(?i)^{_CLOCK_PREFIX}(.*?)(?:\s?uhr)?\.?$", r"\1 uhr"),
    (rf"(?i)^{_HOUR}(?=\s?(?:uhr|{_HALF})\.?$)", r"\1:00"),
    (
        rf"(?i)^{_HOUR}\.{_MINUTE}(?=\s?(?:uhr|hrs|{_HALF})\.?$)|^{_HOUR}\s?h\s?{_MINUTE}$",
        r"\1\3:\2\4",
    ),
    (r"(?i)(?<=:[0-9]{2})\s?(?:uhr|hrs)\.?$", ""),
    (r"^P(?=[0-9T])|T(?=[0-9])", " "),
    (r"(?<=[0-9])\s*[Dd](?:ays?)?(?![a-z]),?", " days "),
    (r"(?<=[0-9])\s*(?:[Hh](?:rs?|ours?)?|Std)\.?(?![a-z])", "h "),
    (r"(?<=[0-9])\s*[Mm](?:ins?|inutes?)?\.?(?![a-z])", "min "),
    (r"(?<=[0-9])\s*[Ss](?:ecs?|econds?|ek)?\.?(?![a-z])", "s "),
    (r"(?i)^12(:[0-9:.]+\s?[ap])\.?\s?m\.?$", r"00\1m"),
    *_HALF_DAYS,
    (r"(?i)(?<=[0-9])\s?a\.?\s?m\.?$", ""),
    (r"^(-?[0-9]{1,3}:[0-9]{2})$", r"\1:00"),
    (r"(?<=:[0-9]{2}),(?=[0-9]+$)", "."),
    (r"^([0-9]{1,3}:[0-9]{2}\.[0-9]+)$", r"00:\1"),
    (r"^[^:a-z]*$", ""),
)
"""Units in pandas' spelling, also those of ISO 8601; PM adds 12 hours; seconds follow hours and
minutes, and hours precede fractional seconds; plain numbers are not durations.
"""


@dataclass(frozen=True)
class NumberFormat:
    """The number format of a column.

    Attributes:
        decimal: The decimal mark: ``"."`` or ``","``.
        thousands: The separator of groups of three digits: one of ``""`` (nothing), ``","``,
            ``"."``, ``" "`` (including narrow and non-breaking blanks), ``"'"`` and ``"_"``.
        notations: Keys of :data:`studio.data.notations.NOTATIONS`.
        units: Signs and words before or after the number without further meaning: ``("$",)``,
            ``("kg",)``.
        lakh: Whether digits may be grouped by two above the thousands, as in 1,45,595.
        duration: Whether cells are durations or times of day (1 days 02:30:00, 02:30), as days.
        leading: Whether most numbers have their unit before them.
    """

    decimal: str = "."
    thousands: str = ""
    notations: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    lakh: bool = False
    duration: bool = False
    leading: bool = False

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
        unknown = [key for key in self.notations if key not in NOTATIONS]
        if unknown:
            raise UsageError(
                "Numbers have no notation {unknown!r}; available: {known}.",
                unknown=unknown[0],
                known=", ".join(NOTATIONS),
            )

    @property
    def is_plain(self) -> bool:
        """Whether pandas parses such numbers by default."""
        return not self.pairs and not self.duration

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Pairs of pattern and replacement that normalise a number to a decimal point.

        A mark between digits is removed only if the whole cell is grouped correctly.
        """
        if self.duration:
            return _CLOCK_PAIRS
        before_units = [key for key in BEFORE_UNITS if key in self.notations]
        after_units = [
            key for key in NOTATIONS if key in self.notations and key not in before_units
        ]
        pairs_list = [
            *(pair for key in before_units for pair in NOTATIONS[key].pairs),
            *make_unit_pairs(self.units),
            *(pair for key in after_units for pair in NOTATIONS[key].pairs),
        ]
        decimal = re.escape(self.decimal)
        if self.thousands:
            mark = f"[{re.escape(EQUAL_MARKS.get(self.thousands, self.thousands))}]"
            groups = rf"(?:[0-9]{{3}}{mark})*[0-9]{{3}}"
            if self.lakh:
                groups = rf"(?:[0-9]{{2,3}}{mark})*[0-9]{{3}}"
            lookahead = rf"(?={groups}(?:{decimal}[0-9]*)?{_EXPONENT}$)"
            pairs_list.append((rf"(?<![0-9]{{4}})(?<=[0-9]){mark}{lookahead}", ""))
        elif pairs_list or self.decimal != ".":
            # No number was large enough for groups: 1.234,50 is unambiguous beside 996,50.
            mark = r"\." if self.decimal == "," else ","
            lookahead = rf"(?=(?:[0-9]{{3}}{mark})*[0-9]{{3}}{decimal}[0-9]+$)"
            pairs_list.append((rf"(?<![0-9]{{4}})(?<=[0-9]){mark}{lookahead}", ""))
        if self.decimal != ".":
            pairs_list.append((rf"^([+-]?[0-9]*){decimal}([0-9]*{_EXPONENT})$", r"\1.\2"))
        return ((r"^\s+|\s+$", ""), *pairs_list) if pairs_list else ()

    def normalise(self, text: str) -> str:
        """Normalise one cell to a number with a decimal point."""
        return apply_pairs((text,), self.pairs)[0]

    @property
    def plain_units(self) -> tuple[str, ...]:
        """The units without remarks."""
        return tuple(
            unit for unit in self.units if is_known(unit, is_prefix=False) or not is_remark(unit)
        )

    @property
    def unit(self) -> str:
        """The unit if there is exactly one, else empty; a leading unit is marked as such."""
        units = self.plain_units
        return units[0] + PREFIX_MARK * self.leading if len(units) == 1 else ""

    @property
    def sample(self) -> str:
        """An example number, such as ``$1,234.5``."""
        if self.duration:
            return "02:30:00"
        digits = f"1{self.thousands}234{self.decimal}5"
        if not self.plain_units:
            return digits
        unit = self.plain_units[0]
        if unit[0] in "%‰°/" and not self.leading:
            return f"{digits}{unit}"
        before, after = split_unit(unit + PREFIX_MARK * self.leading)
        return f"{before}{digits}{after}"


PLAIN = NumberFormat()


def format_json(number_format: NumberFormat) -> dict[str, Any]:
    """Return a format as entries of a JSON object, without defaults of rare options."""
    values = {each.name: getattr(number_format, each.name) for each in fields(number_format)}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in values.items()
        if value or name in {"decimal", "thousands"}
    }


def parse_format(content: Mapping[str, Any]) -> NumberFormat:
    """Parse a format from JSON; raise KeyError or UsageError if marks are missing or unknown."""
    return NumberFormat(
        str(content["decimal"]),
        str(content["thousands"]),
        tuple(map(str, content.get("notations", ()))),
        tuple(map(str, content.get("units", ()))),
        *(bool(content.get(key, False)) for key in ("lakh", "duration", "leading")),
    )


_OF_OTHER_SCRIPTS = frozenset(NOTATIONS["digits"].pairs)  # pairs that do not affect ASCII


def apply_pairs(texts: Iterable[str], pairs: Sequence[Pair]) -> list[str]:
    """Apply pairs to texts in order; texts without a match stay unchanged."""
    cells = list(texts)
    if "".join(cells).isascii():
        pairs = [pair for pair in pairs if pair not in _OF_OTHER_SCRIPTS]
    for pattern, replacement in pairs:
        sub = re.compile(pattern).sub
        cells = [sub(replacement, cell) for cell in cells]
    return cells


def parse_numbers(texts: Sequence[str], number_format: NumberFormat = PLAIN) -> Floats:
    """Parse stripped cells as numbers, (n,): ±inf for infinities and overflows, NaN for others."""
    if number_format.duration:
        import pandas as pd

        cells = np.array(apply_pairs(texts, number_format.pairs), dtype=object)
        durations = pd.to_timedelta(cells, errors="coerce")
        return np.asarray(durations / pd.Timedelta(days=1), dtype=np.float64)
    if number_format.decimal != ".":
        return to_numbers(apply_pairs(texts, number_format.pairs))
    numbers = to_numbers(texts)
    if not number_format.is_plain and len(unparsed := np.flatnonzero(np.isnan(numbers))):
        rewritten = apply_pairs((texts[index] for index in unparsed.tolist()), number_format.pairs)
        numbers[unparsed] = to_numbers(rewritten)
    return numbers


def clip_numbers(numbers: Floats) -> Floats:
    """Return numbers, any shape, for trials: ±inf as NaN, clipped to ±:data:`MAX_MAGNITUDE`.

    If all are valid, the same array is returned; do not modify it.
    """
    if not numbers.size or (numbers.min() >= -MAX_MAGNITUDE and numbers.max() <= MAX_MAGNITUDE):
        return numbers  # NaN fails both comparisons
    finite = np.where(np.isfinite(numbers), numbers, np.nan)
    return np.clip(finite, -MAX_MAGNITUDE, MAX_MAGNITUDE)

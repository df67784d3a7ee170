"""User-defined formats of columns as text: ``decimal:comma,dates:day-first``.

* ``decimal:point`` or ``comma``;
* ``thousands:none``, ``comma``, ``point``, ``space``, ``apostrophe`` or ``underscore``;
* ``dates:`` and one of the orders of :mod:`studio.data.dates`;
* ``missing:`` and the words for missing cells, separated by bars (``missing:NA|unknown``); no other
word then counts as missing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from studio.data.dates import ALL_ORDERS, Order
from studio.data.numbers import NumberFormat
from studio.errors import UsageError

_DECIMALS = {"point": ".", "comma": ","}
_THOUSANDS = {
    "none": "", "comma": ",", "point": ".", "space": " ", "apostrophe": "'", "underscore": "_",
}  # fmt: skip
_SYNTAX = (
    "decimal:point|comma, thousands:none|comma|point|space|apostrophe|underscore, dates:ORDER, "
    "missing:WORD|WORD, with commas between them"
)


@dataclass(frozen=True)
class ColumnReading:
    """The user's format of a column; ``None`` is inferred from the cells.

    Attributes:
        decimal, thousands: The marks in its numbers.
        order: Whether day, month or year comes first in its dates.
        missing: The only words for missing cells.
    """

    decimal: str | None = None
    thousands: str | None = None
    order: Order | None = None
    missing: tuple[str, ...] | None = None

    @property
    def number_format(self) -> NumberFormat | None:
        """The number marks, if chosen."""
        if self.decimal is None and self.thousands is None:
            return None
        decimal = self.decimal or ("," if self.thousands == "." else ".")
        return NumberFormat(decimal, self.thousands or "")

    def with_defaults(self, defaults: "ColumnReading") -> "ColumnReading":
        """Return these choices, with missing ones taken from others."""
        overrides = {name: value for name, value in vars(self).items() if value is not None}
        return replace(defaults, **overrides)

    def to_text(self) -> str:
        """Return the text form, parsed by :func:`column_reading`."""
        entries = []
        if self.decimal is not None:
            entries.append("decimal:" + _get_option_name(_DECIMALS, self.decimal))
        if self.thousands is not None:
            entries.append("thousands:" + _get_option_name(_THOUSANDS, self.thousands))
        if self.order is not None:
            entries.append(f"dates:{self.order}")
        if self.missing is not None:
            entries.append("missing:" + "|".join(self.missing))
        return ",".join(entries)


def _get_option_name(names: Mapping[str, str], mark: str) -> str:
    return next(name for name, each in names.items() if each == mark)


def column_reading(text: str) -> ColumnReading:
    """Parse the text form; raise UsageError if unknown or contradictory."""
    entries: dict[str, str] = {}
    for entry in text.split(","):
        key, colon, value = entry.partition(":")
        if not colon or key.strip() in entries:
            raise _make_reading_error(text)
        entries[key.strip()] = value
    orders = {str(order): order for order in ALL_ORDERS}
    words = entries.pop("missing").split("|") if "missing" in entries else None
    try:
        reading = ColumnReading(
            _DECIMALS[entries.pop("decimal").strip()] if "decimal" in entries else None,
            _THOUSANDS[entries.pop("thousands").strip()] if "thousands" in entries else None,
            orders[entries.pop("dates").strip()] if "dates" in entries else None,
            tuple(dict.fromkeys(map(str.strip, words))) if words else None,
        )
    except KeyError as error:
        raise _make_reading_error(text) from error
    if entries:
        raise _make_reading_error(text)
    _ = reading.number_format  # explains the problem of equal marks
    return reading


def _make_reading_error(text: str) -> UsageError:
    return UsageError(
        "How a column is read must be {forms}; {text!r} was given.", forms=_SYNTAX, text=text
    )

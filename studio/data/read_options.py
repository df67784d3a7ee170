"""Options for reading a file and its columns, light enough for the window to import.

The format of a column as text is ``decimal:comma,dates:day-first``:

* ``decimal:point`` or ``comma``;
* ``thousands:none``, ``comma``, ``point``, ``space``, ``apostrophe`` or ``underscore``;
* ``dates:`` and one of the orders of :mod:`studio.data.dates`;
* ``missing:`` and the words for missing cells, separated by bars (``missing:NA|unknown``); no other
word then counts as missing.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.data import dialect
from studio.data.dates import ALL_ORDERS, Order
from studio.data.numbers import NumberFormat
from studio.errors import UsageError
from studio.phrases import phrase

_CHOICES: Mapping[str, Mapping[str, Any]] = {
    "decimal": {"point": ".", "comma": ","},
    "thousands": {
        "none": "", "comma": ",", "point": ".", "space": " ", "apostrophe": "'", "underscore": "_",
    },
    "dates": {order: order for order in ALL_ORDERS},
}  # fmt: skip
_SYNTAX = (
    "decimal:point|comma, thousands:none|comma|point|space|apostrophe|underscore, dates:ORDER, "
    "missing:WORD|WORD, with commas between them"
)


@dataclass(frozen=True)
class ColumnReading:
    """The user's marks, date order and exclusive missing words of a column; ``None``: inferred."""

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
        """Return these choices, with missing ones taken from ``defaults``."""
        overrides = {name: value for name, value in vars(self).items() if value is not None}
        return dataclasses.replace(defaults, **overrides)

    def to_text(self) -> str:
        """Return the text form, parsed by :func:`parse_column_reading`."""
        values = zip(_CHOICES.items(), (self.decimal, self.thousands, self.order), strict=True)
        entries = [
            f"{key}:{next(word for word, each in choices.items() if each == value)}"
            for (key, choices), value in values
            if value is not None
        ]
        if self.missing is not None:
            entries.append("missing:" + "|".join(self.missing))
        return ",".join(entries)


def parse_column_reading(text: str) -> ColumnReading:
    """Parse the text form; raise UsageError if unknown or contradictory."""
    entries: dict[str, str] = {}
    for entry in text.split(","):
        key, colon, value = entry.partition(":")
        if not colon or key.strip() in entries:
            raise _make_reading_error(text)
        entries[key.strip()] = value
    missing_words = entries.pop("missing", None)
    try:
        values = {key: _CHOICES[key][word.strip()] for key, word in entries.items()}
    except KeyError as error:
        raise _make_reading_error(text) from error
    reading = ColumnReading(
        values.get("decimal"),
        values.get("thousands"),
        values.get("dates"),
        None
        if missing_words is None
        else tuple(dict.fromkeys(map(str.strip, missing_words.split("|")))),
    )
    _ = reading.number_format  # explains the problem of equal marks
    return reading


def _make_reading_error(text: str) -> UsageError:
    return UsageError(
        "The format of a column must be {forms}; {text!r} was given.", forms=_SYNTAX, text=text
    )


_BOOLEAN_WORDS = {"yes": True, "true": True, "no": False, "false": False}

_TYPES: Mapping[str, type] = {"header": bool, "header_row": int, "skip": int}
"""Types of options other than texts."""

_TYPE_ERRORS: Mapping[type, str] = {
    bool: phrase("The header option must be yes or no; {value!r} was given."),
    int: phrase("The option {name!r} must be a whole number; {value!r} was given."),
    str: phrase("The option {name!r} must be text; {value!r} was given."),
}


@dataclass(frozen=True)
class ReadOptions:
    """Options for reading a file; ``None`` means inferred.

    Attributes:
        separator: One character, or "comma", "semicolon", "tab", "bar" or "blank".
        encoding: One of :data:`studio.data.encodings.ENCODINGS`.
        decimal: ``"."`` or ``","``.
        thousands: The group separator; ``""`` for none.
        quote: ``'"'``, ``"'"`` or ``""`` for no quotes.
        header: Whether a row holds the names.
        sheet: Of a workbook (by default the first with a table).
        header_row: The file's row with the names, from 1; rows above it are skipped.
        skip: Number of rows to skip at the beginning.
        columns: Names of columns, each with its format as text.
    """

    separator: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    quote: str | None = None
    header: bool | None = None
    sheet: str | None = None
    header_row: int | None = None
    skip: int | None = None
    missing: tuple[str, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        character_by_name = {
            "comma": ",",
            "semicolon": ";",
            "tab": "\t",
            "\\t": "\t",
            "bar": "|",
            "blank": " ",
        }
        if self.separator is not None:
            separator = character_by_name.get(self.separator, self.separator)
            if len(separator) != 1 or separator in "\r\n\"'\x00":
                raise UsageError(
                    "The separator must be one character, such as , ; | or the word tab; "
                    "{separator!r} was given.",
                    separator=self.separator,
                )
            object.__setattr__(self, "separator", separator)
        if self.quote is not None and self.quote not in dialect.QUOTES:
            raise UsageError(
                "The quote must be \", ' or nothing; {quote!r} was given.", quote=self.quote
            )
        for _, reading in self.columns:
            parse_column_reading(reading)
        if self.skip is not None and self.skip < 0:
            raise UsageError(
                "The number of rows to leave out must be 0 or more; {skip} was given.",
                skip=str(self.skip),
            )
        if self.header_row is not None and not (self.skip or 0) < self.header_row:
            raise UsageError(
                "The row with the names must be counted from 1 and come after the rows left out; "
                "{header_row} was given.",
                header_row=str(self.header_row),
            )
        if self.header is False and self.header_row is not None:
            raise UsageError("Choose either a row with the names or no names, not both.")
        _ = self.number_format  # raises NumberFormat's error if the marks are invalid

    @property
    def number_format(self) -> NumberFormat | None:
        """The number marks, if chosen for all columns."""
        return ColumnReading(self.decimal, self.thousands).number_format

    @property
    def rows_above(self) -> int:
        """The number of rows above the first one that is read."""
        return max(self.skip or 0, (self.header_row or 1) - 1)

    @property
    def readings(self) -> dict[str, ColumnReading]:
        """The user's formats of individual columns, by name."""
        return {name: parse_column_reading(reading) for name, reading in self.columns}

    def for_similar_file(self) -> "ReadOptions":
        """Return options for a similar file, with its own encoding and marks."""
        return dataclasses.replace(self, encoding=None, decimal=None, thousands=None)

    def to_json(self) -> dict[str, Any]:
        """Return the options as a JSON object."""
        content = dataclasses.asdict(self)
        return {**content, "missing": list(self.missing), "columns": dict(self.columns)}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "ReadOptions":
        """Parse options from JSON, by default inferred; raise UsageError for an invalid one."""
        option_names = {each.name for each in dataclasses.fields(cls)}
        unknown = sorted(set(content) - option_names)
        if unknown:
            raise UsageError(
                "Reading has no option {unknown!r}; available: {known}.",
                unknown=unknown[0],
                known=", ".join(sorted(option_names)),
            )
        values = dict(content)
        header = values.get("header")
        if isinstance(header, str):
            values["header"] = _BOOLEAN_WORDS.get(header.lower(), header)
        columns, missing = values.pop("columns", {}), values.pop("missing", ())
        kinds = (("columns", columns, Mapping), ("missing", missing, (list, tuple)))
        for name, value, kind in kinds:
            if not isinstance(value, kind):
                raise UsageError(
                    "The option {name!r} of reading cannot be {value!r}.", name=name, value=value
                )
        for name, value in values.items():
            expected = _TYPES.get(name, str)
            if value is not None and type(value) is not expected:
                raise UsageError(_TYPE_ERRORS[expected], name=name, value=value)
        return cls(
            **values,
            missing=tuple(map(str, missing)),
            columns=tuple((str(name), str(reading)) for name, reading in dict(columns).items()),
        )

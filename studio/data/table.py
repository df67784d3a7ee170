"""A table whose columns have a kind and a role, as the document stores it."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Integers
from studio.currencies import is_money
from studio.data import names
from studio.data.column import (
    KINDS,
    ROLES,
    SINGLE_ROLES,
    VALUE_KINDS,
    Column,
    ColumnKind,
    Role,
    split_date,
    split_text,
)
from studio.data.dates import CENTURY_PIVOT, DatePart
from studio.data.description import ColumnDescription, Finding
from studio.data.distinct import DistinctCells
from studio.data.findings import collect_table_findings, describe_by_choice, from_json
from studio.data.missing import MISSING_TOKENS, WORD_TOKENS
from studio.data.numbers import format_json, parse_format
from studio.data.read_options import ReadOptions
from studio.data.reading import RawTable
from studio.data.terms import Terms, load_terms
from studio.data.treatments import parse_limits, parse_treatment
from studio.errors import DataError
from studio.measure import strip_unit_mark
from studio.system.memory import release_freed

VERSION = 1


@dataclass(frozen=True)
class Table:
    """A table with kinds and roles, from which a problem can be made; findings by level.

    Attributes:
        header_row: The file's row of the names, from 1; ``None`` without one, or if unknown.
    """

    columns: tuple[Column, ...]
    options: ReadOptions
    source: str
    sha256: str
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    header_row: int | None = None

    @classmethod
    def from_raw(
        cls,
        raw: RawTable,
        kinds: Mapping[str, ColumnKind] | None = None,
        roles: Mapping[str, Role] | None = None,
        target: str | None = None,
        treatments: Mapping[str, str] | None = None,
    ) -> "Table":
        """Apply kinds and roles to the columns of a text table.

        Args:
            kinds, roles: The user's choices; the rest is inferred
                (:func:`studio.data.columns.describe_all_columns`).
            target: The column to predict; ``None``: the one with that role, else a guess.
            treatments: Treatments of odd values (:mod:`studio.data.treatments`) in features and the
                target.

        Raises:
            DataError: If a column, kind or role is unknown, or two columns have a role that only
                one can have (target, group, time, weight).
        """
        descriptions = describe_chosen_columns(
            raw, kinds or {}, roles or {}, target, treatments or {}
        )
        return cls.from_raw_table(raw, descriptions, treatments or {})

    @classmethod
    def from_raw_table(
        cls, raw: RawTable, descriptions: Sequence[ColumnDescription], treatments: Mapping[str, str]
    ) -> "Table":
        """Apply kinds and roles (:func:`describe_chosen_columns`) to columns of a text table."""
        columns: list[Column] = []
        for i, column in enumerate(descriptions):
            new_columns = make_columns(raw, i, column.kind, column.role)
            if len(new_columns) == 1:
                _check_kind_possible(new_columns[0], raw.get_distinct(i), raw.formats[i].kind)
                if column.name in treatments and column.role in {"feature", "target"}:
                    new_columns = [
                        new_columns[0].apply_treatment(parse_treatment(treatments[column.name]))
                    ]
            columns += new_columns
        findings = collect_table_findings(raw, descriptions)
        release_freed()
        return cls(
            tuple(columns), raw.options, raw.source, raw.sha256, raw.notes, findings, raw.header_row
        )

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0].values)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(column.name for column in self.columns)

    @property
    def target(self) -> Column | None:
        """The target column, if any."""
        return self.get_single_column("target")

    @property
    def target_unit(self) -> str:
        """The unit of the target's cells: "€"; empty if they have none."""
        return self.target.number_format.unit if self.target is not None else ""

    @property
    def decimal(self) -> str:
        """The decimal mark: a comma if any column shows it."""
        return "," if any(each.number_format.decimal == "," for each in self.columns) else "."

    @property
    def currency(self) -> str:
        """The only currency of the features' and the target's cells; empty for none or several."""
        used_columns = [each for each in self.columns if each.role in {"feature", "target"}]
        units = {each.number_format.unit for each in used_columns}
        currency_units = {unit for unit in units if unit and is_money([strip_unit_mark(unit)])}
        return currency_units.pop() if len(currency_units) == 1 else ""

    def get_single_column(self, role: Role) -> Column | None:
        """Return the column of a unique role (target, group, time, weight)."""
        return next((column for column in self.columns if column.role == role), None)

    @property
    def features(self) -> tuple[Column, ...]:
        """The feature columns."""
        return tuple(column for column in self.columns if column.role == "feature")

    @property
    def known_names(self) -> set[str]:
        """The names of the columns in the file; a date is several columns in the table."""
        return {each.name if each.date is None else each.aliases[-1] for each in self.columns}

    def get_column(self, name: str) -> Column:
        """Return a column by name; raise DataError if there is none."""
        return self.columns[names.find_position(self.names, name, self.source)]

    def select_rows(self, rows: Integers) -> "Table":
        """Return the table with some of its rows: numbers from 0, shape (m,)."""
        columns = (dataclasses.replace(each, values=each.values[rows]) for each in self.columns)
        return dataclasses.replace(self, columns=tuple(columns))

    def to_description(self) -> dict[str, Any]:
        """Return everything but the values, as a JSON object."""
        texts = list(dict.fromkeys(each.term.terms for each in self.columns if each.term))
        return {
            "version": VERSION,
            "n_rows": self.n_rows,
            "source": self.source,
            "sha256": self.sha256,
            "notes": list(self.notes),
            "findings": [dataclasses.asdict(each) for each in self.findings],
            "options": self.options.to_json(),
            "header_row": self.header_row,
            **({"texts": [dataclasses.asdict(each) for each in texts]} if texts else {}),
            "columns": [
                {
                    "name": column.name,
                    "kind": column.kind,
                    "role": column.role,
                    "categories": list(column.categories),
                    "aliases": list(column.aliases),
                    **format_json(column.number_format),
                    **_dump_missing(column.missing_words),
                    "date": None if column.date is None else dataclasses.asdict(column.date),
                    **(
                        {"term": [texts.index(column.term.terms), column.term.index]}
                        if column.term
                        else {}
                    ),
                    "limits": None if column.limits is None else column.limits.to_text(),
                    "merged": [list(pair) for pair in column.merged],
                    **({"spellings": list(column.spellings)} if column.spellings else {}),
                }
                for column in self.columns
            ],
        }

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the values by column as "c0", "c1", …, each shape (n_rows,)."""
        return {f"c{i}": column.values for i, column in enumerate(self.columns)}

    @classmethod
    def from_parts(cls, description: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> "Table":
        """Rebuild a table from arrays (n_rows,); raise DataError if they are inconsistent."""
        try:
            texts = [load_terms(each) for each in description.get("texts", ())]
            columns = tuple(
                _load_column(content, arrays[f"c{i}"], int(description["n_rows"]), texts)
                for i, content in enumerate(description["columns"])
            )
            options = ReadOptions.from_json(description["options"])
            table = cls(
                columns,
                options,
                str(description["source"]),
                str(description["sha256"]),
                tuple(map(str, description["notes"])),
                # Older versions stored tables without these.
                from_json(description.get("findings", ())),
                _load_header_row(description.get("header_row")),
            )
        except (IndexError, KeyError, TypeError, ValueError) as error:
            raise DataError(
                "The stored table is damaged ({error}). Import it again.", error=error
            ) from error
        if not columns or len(set(table.names)) != len(columns):
            raise DataError(
                "The stored table has no columns, or two with the same name. Import it again."
            )
        return table


def _load_header_row(row: object) -> int | None:
    """Check a stored row number; raise ValueError if it is none."""
    if row is None or (type(row) is int and row >= 1):
        return row
    raise ValueError(f"header_row is {row!r}")


def make_columns(raw: RawTable, position: int, kind: ColumnKind, role: Role) -> list[Column]:
    """Return the columns made from one of a text table: for dates and text one per part."""
    name, cells, aliases = raw.names[position], raw.get_distinct(position), raw.aliases[position]
    if kind == "date" and role == "feature":
        return split_date(name, cells, aliases, raw.names)
    if kind == "text" and role == "feature":
        return split_text(name, cells, aliases, raw.names)
    column = Column.from_cells(name, kind, role, cells)
    return [dataclasses.replace(column, aliases=(*aliases, *column.aliases))]


def describe_chosen_columns(
    raw: RawTable,
    kinds: Mapping[str, ColumnKind],
    roles: Mapping[str, Role],
    target: str | None,
    treatments: Mapping[str, str],
) -> tuple[ColumnDescription, ...]:
    """Describe a table's columns with choices, validated as in :meth:`Table.from_raw`."""
    for name in (*kinds, *roles, *treatments, *raw.options.readings):
        raw.find_position(name)
    _check_values(kinds, KINDS, "kind")
    _check_values(roles, ROLES, "role")
    targets = [name for name, role in roles.items() if role == "target"]
    if target is not None:
        targets.append(target)
    if len(set(targets)) > 1:
        raise DataError(
            "Only one column can be predicted; {first!r} and {last!r} were chosen.",
            first=targets[0],
            last=targets[-1],
        )
    for single in SINGLE_ROLES[1:]:
        names_with_role = [name for name, role in roles.items() if role == single]
        if len(names_with_role) > 1:
            raise DataError(
                "Only one column can have the role “{single}”; {first!r} and {second!r} "
                "were chosen.",
                single=single,
                first=names_with_role[0],
                second=names_with_role[1],
            )
    target_name = targets[0] if targets else None
    return describe_by_choice(raw, kinds, roles, target_name, treatments)


def _load_column(
    content: Mapping[str, Any], values: AnyArray, n_rows: int, texts: Sequence[Terms]
) -> Column:
    categories = tuple(map(str, content["categories"]))
    kind, role = content["kind"], content["role"]
    _check_values({content["name"]: kind}, VALUE_KINDS, "kind")
    date = content.get("date")  # older versions stored tables without it, and without treatments
    _check_values({content["name"]: role}, ROLES, "role")
    expected: Any = np.float64 if kind == "number" else np.int32
    if values.dtype != expected or values.shape != (n_rows,):
        raise ValueError(f"column {content['name']!r} has another type or length")
    if kind == "category" and n_rows and not -1 <= values.min() <= values.max() < len(categories):
        raise ValueError(f"column {content['name']!r} has codes without a category")
    return Column(
        name=str(content["name"]),
        kind=kind,
        role=role,
        values=values,
        categories=categories,
        aliases=tuple(map(str, content["aliases"])),
        number_format=parse_format(content),
        date=None
        if date is None
        else DatePart(
            date["part"],
            date["order"],
            bool(date.get("words", False)),
            str(date.get("mark", "")),
            int(date.get("pivot", CENTURY_PIVOT)),
            bool(date.get("polish", False)),
        ),
        term=None
        if "term" not in content
        else texts[content["term"][0]].get_part(content["term"][1]),
        limits=parse_limits(content.get("limits")),
        merged=_load_merged(content.get("merged", ()), categories),
        missing_words=_load_missing(content.get("missing")),
        spellings=_load_spellings(content, values),
    )


def _load_spellings(content: Mapping[str, Any], values: AnyArray) -> tuple[str, ...]:
    """Return the original spellings of a column's values, (n,); old versions kept decimals only."""
    if "decimals" not in content:
        return tuple(map(str, content.get("spellings", ())))
    numbers = np.unique(values[~np.isnan(values)]).tolist()
    texts = (f"{number:.{int(content['decimals'])}f}" for number in numbers)
    return tuple(text.replace(".", str(content["decimal"])) for text in texts)


def _load_merged(content: Any, categories: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return merged values; bare labels, as in old versions, are merged into the last one."""
    pairs = [(each, categories[-1]) if isinstance(each, str) else each for each in content]
    merged = tuple((str(label), str(category)) for label, category in pairs)
    if any(category not in categories for _, category in merged):
        raise ValueError("a label is taken as one that there is not")
    return merged


def _dump_missing(words: frozenset[str]) -> dict[str, Any]:
    """Return the markers of missing cells that differ from those of a numeric column."""
    if words == MISSING_TOKENS:
        return {}
    return {"missing": "words" if words == WORD_TOKENS else sorted(words)}


def _load_missing(content: object) -> frozenset[str]:
    if content is None:
        return MISSING_TOKENS
    return WORD_TOKENS if content == "words" else frozenset(map(str, content))  # type: ignore[call-overload]


def _check_kind_possible(column: Column, cells: DistinctCells, inferred: ColumnKind) -> None:
    """Reject a kind other than the inferred one if no cell is valid."""
    if column.kind == inferred or column.missing < len(column.values):
        return
    filled_cells = cells.stripped.select(~cells.missing)
    if filled_cells:
        raise DataError(
            "{name!r} cannot be a column of kind “{kind}”: none of its cells can be read that "
            "way, for example {first!r} and {last!r}. Undo that choice.",
            name=column.name,
            kind=column.kind if column.date is None else "date",
            first=filled_cells[0][:40],
            last=filled_cells[-1][:40],
        )


def _check_values(values: Mapping[str, Any], allowed: Sequence[str], noun: str) -> None:
    for name, word in values.items():
        if word not in allowed:
            raise DataError(
                "The {noun} of {name!r} must be one of {allowed}; {word!r} was given.",
                noun=noun,
                name=name,
                allowed=", ".join(allowed),
                word=word,
            )

"""The preparation that converts any table to the matrix of the trials.

A recipe holds for each column of the matrix its name, the format of its cells and its categories
(:class:`ColumnRecipe`). The conversion of a cell is defined in
:mod:`studio.data.numbers`, :mod:`studio.data.dates` and :mod:`studio.data.labels`, as pairs,
patterns and keys, and depends only on that cell; :mod:`studio.export.preprocessing` builds the
pickle's scikit-learn objects from the same data.
"""

import dataclasses
import itertools
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.data import names
from studio.data.column import Column, ColumnNames, find_codes
from studio.data.dates import PART_WORDS, DateFormat, DatePart, extract_part, format_date
from studio.data.distinct import DistinctCells
from studio.data.labels import normalise_spelling
from studio.data.missing import MISSING_TOKENS, NUMBER_FILLERS
from studio.data.notations import get_spellings, is_percentage_unit
from studio.data.numbers import PLAIN, NumberFormat, clip_numbers
from studio.data.reading import RawTable
from studio.data.tasks import Task
from studio.data.terms import TermPart
from studio.data.treatments import ValueLimits
from studio.errors import DataError
from studio.phrases import count_phrase, join_phrases, join_quoted, phrase

FormatDifference = NumberFormat | DateFormat | None
"""A format that differs from training; ``None``: without percent."""


MIN_UNREADABLE_SHARE = 0.9
"""Minimum share of invalid cells for reporting a column as unreadable."""

_SAMPLE_DAY = 20_088
"""31 December 2024, an unambiguous example of a date."""


@dataclass(frozen=True)
class ColumnRecipe(ColumnNames):
    """The recipe of one column of the matrix.

    Attributes:
        aliases: Alternative names for finding the column.
        categories: Labels by code; ``None`` for a column of numbers.
        date, term, limits, merged, missing_words: See :class:`studio.data.column.Column`.
    """

    name: str
    aliases: tuple[str, ...] = ()
    categories: tuple[str, ...] | None = None
    number_format: NumberFormat = PLAIN
    date: DatePart | None = None
    term: TermPart | None = None
    limits: ValueLimits | None = None
    merged: tuple[tuple[str, str], ...] = ()
    missing_words: frozenset[str] = MISSING_TOKENS

    @classmethod
    def from_column(cls, column: Column) -> Self:
        """Return the recipe of a table's column."""
        facts = {each.name: getattr(column, each.name) for each in dataclasses.fields(cls)}
        categories = column.categories if column.kind == "category" else None
        return cls(**facts | {"categories": categories})

    @property
    def is_later_part(self) -> bool:
        """Whether this is not the first of the parts made from one date."""
        return self.date is not None and self.date.part != "days"

    @property
    def missing_value(self) -> float:
        """The value used for tables without the column."""
        return np.nan if self.term is None else 0.0

    @property
    def display_name(self) -> str:
        """The display name; for a part of a date or a term a translatable phrase."""
        if self.term is not None:
            return phrase("{name}: contains “{word}”", name=self.column_name, word=self.term.term)
        if self.date is None:
            return self.name
        part = PART_WORDS[self.date.part]
        label = phrase("{name}: {part}", name=self.column_name, part=part)
        return label if label == self.name else self.name

    def count_unread(self, cells: DistinctCells) -> int:
        """Return the number of filled rows without a valid number or date."""
        distinct = cells.read_as(self.number_format, self.missing_words)
        return int(distinct.counts[self._find_invalid(distinct)].sum())

    def _find_invalid(self, distinct: DistinctCells) -> Flags:
        values = distinct.numbers if self.date is None else distinct.parse_dates(self.date.format)
        return np.isnan(values) & ~distinct.missing

    def describe_unreadable(self, cells: DistinctCells, number_format: NumberFormat) -> str:
        """Return why hardly any cell is a valid number or date, and the remedy; "" if most are."""
        if self.categories is not None or self.term is not None or self.is_later_part:
            return ""
        distinct = cells.read_as(self.number_format, self.missing_words)
        n_filled = int(distinct.counts[~distinct.missing].sum())
        is_invalid = self._find_invalid(distinct)
        n_unread = int(distinct.counts[is_invalid].sum())
        if n_unread < max(2, MIN_UNREADABLE_SHARE * n_filled):
            return ""
        effect = phrase("the column is not used")
        if n_unread < n_filled:
            effect = phrase(
                "{count:,} of its {n_filled:,} cells are not used",
                count=n_unread,
                n_filled=n_filled,
            )
        training_units, file_units = self.number_format.plain_units, number_format.plain_units
        if self.date is None and training_units and file_units and training_units != file_units:
            return phrase(
                "“{name}” is in {file_unit} here, but was in {training_unit} in training: "
                "{effect}. Convert it to {training_unit}.",
                name=self.column_name,
                file_unit=", ".join(file_units),
                training_unit=", ".join(training_units),
                effect=effect,
            )
        invalid = itertools.compress(distinct.stripped, is_invalid.tolist())
        values = {
            "name": self.column_name,
            "listed": join_quoted(text[:40] for text in itertools.islice(invalid, 2)),
            "effect": effect,
        }
        if self.date is not None:
            return phrase(
                "“{name}” cannot be read as dates ({listed}): {effect}. Write its dates as in "
                "training, such as {sample}.",
                sample=format_date(self.date, _SAMPLE_DAY).partition(" ")[0],
                **values,
            )
        return phrase(
            "“{name}” cannot be read as numbers ({listed}): {effect}. Write its numbers as in "
            "training, such as {sample}.",
            sample=self.number_format.sample,
            **values,
        )

    def encode(self, cells: DistinctCells, notes: list[str]) -> Floats:
        """Return text cells as numbers or category codes, (n_rows,), NaN if missing; add notes."""
        distinct = cells.read_as(self.number_format, self.missing_words)
        if self.term is not None:
            return distinct.compute_weights(self.term)[distinct.codes]
        if self.date is not None:
            values = extract_part(distinct.parse_dates(self.date.format), self.date.part)
            # The other parts of the same dates need no further note.
            is_unread = np.isnan(values) & ~distinct.missing & (not self.is_later_part)
            reasons = (phrase("not a date"), phrase("not dates"))
        elif self.categories is None:
            values = clip_numbers(distinct.numbers)
            is_unread = np.isnan(values) & ~distinct.missing & ~distinct.match_words(NUMBER_FILLERS)
            reasons = (phrase("not a number"), phrase("not numbers"))
            if self.limits is not None:
                values = self.limits.apply_to(values)
        else:
            codes = find_codes(distinct.labels, self.categories, self.merged, self.number_format)
            values = np.where(codes < 0, np.nan, codes.astype(np.float64))
            is_unread = (codes < 0) & ~distinct.missing
            reasons = (
                phrase("a category not seen in training"),
                phrase("categories not seen in training"),
            )
        if is_unread.any():
            notes.append(_describe_unread_cells(self.column_name, distinct, is_unread, reasons))
        return values[distinct.codes]


def _describe_unread_cells(
    name: str, distinct: DistinctCells, unread: Flags, reasons: tuple[str, str]
) -> str:
    n_cells = int(distinct.counts[unread].sum())
    examples = itertools.islice(itertools.compress(distinct.stripped, unread.tolist()), 3)
    names = join_quoted(text[:40] for text in examples)
    return count_phrase(
        "1 cell of {name!r} is {meaning} ({listed}); it is treated as missing.",
        "{count:,} cells of {name!r} are {meaning} ({listed}); they are treated as missing.",
        n_cells,
        name=name,
        meaning=reasons[n_cells > 1],
        listed=names,
    )


@dataclass(frozen=True)
class TargetRecipe(ColumnRecipe):
    """The recipe of the target; ``classes`` by code are whole numbers or text, if any."""

    task: Task = "regression"
    classes: tuple[str | int, ...] = ()


@dataclass(frozen=True)
class EncodedTable:
    """A table as a matrix.

    Attributes:
        X: Shape (n, d), float64. As :attr:`studio.data.problem.Problem.X`.
        notes: Missing and extra columns, unseen categories, words among numbers: a sentence each.
        unseen_categories: Shape (n,), int64. For columns of X with categories unknown to training:
            their numbers from 1, 0 for other cells.
        unreadable: Columns of which hardly any cell is a valid number or date.
        needs_attention: Whether any note is about more than unneeded columns.
    """

    X: Floats
    notes: tuple[str, ...]
    unseen_categories: Mapping[int, Integers] = dataclasses.field(default_factory=dict)
    missing_columns: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    missing_columns_note: str = ""
    needs_attention: bool = False

    @property
    def unused(self) -> frozenset[str]:
        """Columns not needed for predictions."""
        return frozenset((*self.missing_columns, *self.unreadable))


@dataclass(frozen=True)
class LabelledTable:
    """A table with known targets as matrix and target (a second file as the test set).

    Attributes:
        X: Shape (n, d), float64. Rows with a known target.
        y: Shape (n,). Class codes (int64) or values (float64).
        rows: Shape (n,), int64. Their numbers in the table.
    """

    X: Floats
    y: AnyArray
    notes: tuple[str, ...]
    rows: Integers


@dataclass(frozen=True)
class EncodedTarget:
    """The targets of a table's rows.

    Attributes:
        y: Shape (n,). Class codes (int64), or values (float64).
        is_known: Shape (n,). Whether a row has a class or value as in training.
        unknown_labels, n_unknown: Classes that do not occur in training, and their rows.
    """

    y: AnyArray
    is_known: Flags
    unknown_labels: tuple[str, ...]
    n_unknown: int
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Recipe:
    """The preparation of tables, as described by the module; features in the matrix' order."""

    features: tuple[ColumnRecipe, ...]
    target: TargetRecipe

    @property
    def table_columns(self) -> tuple[str, ...]:
        """The columns of the table used in the matrix, those with several parts once."""
        return tuple(dict.fromkeys(feature.column_name for feature in self.features))

    def encode(self, raw: RawTable, needed: Collection[int] = ()) -> EncodedTable:
        """Convert a raw table to a matrix.

        Columns are found by name (:func:`studio.data.names.match`), in any order; missing ones
        are NaN throughout, extra ones are ignored, categories unknown to training are NaN; all of
        these are reported, except extra columns that are needed for something else.

        Raises:
            DataError: If the table lacks most of the columns.
        """
        *positions, target_index = self.find_indices(raw.names, raw.aliases)
        X = np.full((raw.n_rows, len(self.features)), np.nan)
        notes: list[str] = []
        unseen: dict[int, Integers] = {}
        absent_columns, used_names, respelled = [], set(), {}
        other_formats: dict[str, FormatDifference] = {}
        unreadable: dict[str, str] = {}
        for j, (feature, index) in enumerate(zip(self.features, positions, strict=True)):
            if index is None:
                absent_columns.append(feature.column_name)
                X[:, j] = feature.missing_value
                continue
            used_names.add(index)
            if {raw.names[index], *raw.aliases[index]}.isdisjoint(feature.sources):
                respelled[raw.names[index]] = feature.column_name
            column_recipe, cells = self.reread_column(feature, raw, index, other_formats)
            problem = column_recipe.describe_unreadable(cells, raw.formats[index].number_format)
            X[:, j] = column_recipe.encode(cells, [] if problem else notes)
            if problem:
                unreadable[feature.column_name] = problem
            if feature.categories is not None:
                distinct = cells.read_as(feature.number_format, feature.missing_words)
                is_unread = np.isnan(X[:, j]) & ~distinct.missing[distinct.codes]
                if is_unread.any():
                    unseen[j] = np.where(is_unread, distinct.codes + 1, 0)
        absent_columns = list(dict.fromkeys(absent_columns))
        check_columns_present(absent_columns, self.table_columns, raw.source)
        missing_note = join_phrases(unreadable.values())
        if absent_columns:
            absent_note = describe_absent_columns(absent_columns, len(self.table_columns))
            missing_note = join_phrases((missing_note, absent_note))
        if missing_note:
            notes.insert(0, missing_note)
        notes += _describe_formats(other_formats)
        if respelled:
            notes.append(names.describe_spelling(list(respelled.items())))
        differs = bool(notes)
        unused = sorted({*range(len(raw.names))} - used_names - {*needed, target_index})
        if unused:
            notes.append(
                count_phrase(
                    "1 other column was not needed and not used: {listed}.",
                    "{count:,} other columns were not needed and not used: {listed}.",
                    len(unused),
                    listed=join_quoted([raw.names[index] for index in unused]),
                )
            )
        return EncodedTable(
            X, tuple(notes), unseen, tuple(absent_columns), tuple(unreadable), missing_note, differs
        )

    def with_training_formats(self, raw: RawTable) -> RawTable:
        """Return a table in which columns of numbers in training are numbers, too.

        With few rows and several cells such as "n/k", a column by itself looks like categories.
        """
        formats = list(raw.formats)
        positions = self.find_indices(raw.names, raw.aliases)
        for feature, index in zip(self.features, positions, strict=False):
            is_number = feature.categories is None and feature.term is None and feature.date is None
            if index is None or not is_number or formats[index].kind != "category":
                continue
            if not feature.describe_unreadable(raw.get_cells(index), formats[index].number_format):
                formats[index] = dataclasses.replace(
                    formats[index],
                    kind="number",
                    number_format=feature.number_format,
                    missing_words=feature.missing_words,
                )
        return dataclasses.replace(raw, known_formats=tuple(formats))

    @staticmethod
    def reread_column(
        feature: ColumnRecipe, raw: RawTable, index: int, other_formats: dict[str, FormatDifference]
    ) -> tuple[ColumnRecipe, DistinctCells]:
        """Return a column's format: as in training, or as inferred if necessary.

        If numbers or dates are invalid in the training format, the column's own inferred format is
        used if it is valid for more cells, or the training order without separators. This is
        recorded in ``other_formats``, as is a missing percent sign.
        """
        cells, inferred = raw.get_cells(index), raw.formats[index]
        has_words = feature.categories is not None or feature.term is not None
        n_unread = 0 if has_words else feature.count_unread(cells)
        candidates: list[tuple[ColumnRecipe, FormatDifference]] = []
        if feature.date is None and inferred.kind == "number":
            if _are_shares(feature.number_format) and not inferred.number_format.units:
                other_formats[feature.column_name] = None
            adapted = dataclasses.replace(feature, number_format=inferred.number_format)
            candidates = [(adapted, inferred.number_format)]
        elif feature.date is not None:
            parts = [dataclasses.replace(feature.date, is_unseparated=True)]
            if inferred.date is not None and not inferred.date.is_open:
                parts.insert(0, feature.date.with_format(inferred.date.format))
            candidates = [(dataclasses.replace(feature, date=part), part.format) for part in parts]
        if not n_unread or not candidates:
            return feature, cells
        adapted, column_format = min(candidates, key=lambda each: each[0].count_unread(cells))
        if adapted.count_unread(cells) >= n_unread or _has_different_unit(feature, adapted):
            return feature, cells
        other_formats[feature.column_name] = column_format
        return adapted, cells

    def find_indices(
        self, columns: Sequence[str], aliases: Sequence[Sequence[str]]
    ) -> tuple[int | None, ...]:
        """Return the indices of the features, then the target, in a table; ``None``: missing."""
        source_names = [feature.sources for feature in self.features]
        return names.match([*source_names, self.target.sources], columns, aliases)

    def read_target(self, raw: RawTable) -> EncodedTarget | None:
        """Return a table's targets; ``None`` without the target's column."""
        index = self.find_indices(raw.names, raw.aliases)[-1]
        if index is None:
            return None
        other_formats: dict[str, FormatDifference] = {}
        unknown_labels: Counter[str] = Counter()
        respelled: list[str] = []
        classes = [str(label) for label in self.target.classes]
        if self.target.task == "regression":
            target_recipe, cells_of_target = self.reread_column(
                self.target, raw, index, other_formats
            )
            y: AnyArray = target_recipe.encode(cells_of_target, [])
            has_target = ~np.isnan(y)
        else:
            cells = raw.get_cells(index).read_as(
                self.target.number_format, self.target.missing_words
            )
            codes = find_codes(cells.labels, classes, self.target.merged, self.target.number_format)
            respelled = _match_spellings(cells.labels, codes, classes)
            y = codes.astype(np.int64)[cells.codes]
            has_target = y >= 0
            for label, code, n in zip(
                cells.labels, codes.tolist(), cells.counts.tolist(), strict=True
            ):
                if label is not None and code < 0:
                    unknown_labels[label] += n
        n_unknown = unknown_labels.total()
        matched = phrase(
            "Classes of {target!r} that differ from training only by case, spaces, width or a "
            "final full stop were matched: {listed}.",
            target=self.target.name,
            listed=join_quoted(respelled),
        )
        unknown = count_phrase(
            "1 row was left out because its class of {target!r} does not occur in the training "
            "rows ({listed}): it would be predicted wrongly.",
            "{count:,} rows were left out because their classes of {target!r} do not occur in the "
            "training rows ({listed}): they would be predicted wrongly.",
            n_unknown,
            target=self.target.name,
            listed=join_quoted(list(unknown_labels)),
        )
        optional_notes = ((respelled, matched), (n_unknown, unknown))
        notes = (
            *_describe_formats(other_formats),
            *(note for condition, note in optional_notes if condition),
        )
        return EncodedTarget(y, has_target, tuple(unknown_labels), n_unknown, notes)

    def encode_labelled(self, raw: RawTable, needed: Collection[int] = ()) -> LabelledTable:
        """Convert rows with a known target, as :meth:`encode`; raise DataError if there is none."""
        encoded, targets = self.encode(raw, needed), self.read_target(raw)
        if targets is None:
            raise DataError(
                "{source!r} has no column {target!r}, so predictions cannot be compared with "
                "the truth. Choose a file that has it.",
                source=raw.source,
                target=self.target.name,
            )
        rows = np.flatnonzero(targets.is_known)
        if not len(rows) and targets.unknown_labels:
            raise DataError(
                "{source!r} has different classes of {target!r} ({unknown}) from training "
                "({known}). Use the same spelling.",
                source=raw.source,
                target=self.target.name,
                unknown=join_quoted(targets.unknown_labels),
                known=join_quoted(list(map(str, self.target.classes))),
            )
        if not len(rows):
            raise DataError(
                "No row of {source!r} has a usable value of {target!r}. Choose a file with "
                "the true values in that column.",
                source=raw.source,
                target=self.target.name,
            )
        n_unusable = raw.n_rows - len(rows) - targets.n_unknown
        unusable = count_phrase(
            "1 row has no usable value of {target!r} and was left out.",
            "{count:,} rows have no usable value of {target!r} and were left out.",
            n_unusable,
            target=self.target.name,
        )
        notes = (*encoded.notes, *targets.notes, *((unusable,) if n_unusable else ()))
        return LabelledTable(encoded.X[rows], targets.y[rows], notes, rows)


def _match_spellings(
    labels: Sequence[str | None], codes: Integers, classes: Sequence[str]
) -> list[str]:
    """Complete codes (k,) of labels that differ from a class in spelling only; return those."""
    keys = Counter(map(normalise_spelling, classes))
    code_of = {normalise_spelling(each): code for code, each in enumerate(classes)}
    respelled = []
    for i in np.flatnonzero(codes < 0).tolist():
        label = labels[i]
        key = "" if label is None else normalise_spelling(label)
        if label is not None and keys[key] == 1:
            codes[i] = code_of[key]
            respelled.append(label)
    return respelled


def _has_different_unit(training_column: ColumnRecipe, other: ColumnRecipe) -> bool:
    """Whether the unit differs from training, such as lb instead of kg, or % instead of shares."""
    units = [set(each.number_format.plain_units) for each in (training_column, other)]
    if _are_shares(training_column.number_format) != _are_shares(other.number_format):
        return True
    return all(units) and {*map(get_spellings, units[0])}.isdisjoint(map(get_spellings, units[1]))


def _are_shares(number_format: NumberFormat) -> bool:
    return any(map(is_percentage_unit, number_format.units))


def check_columns_present(absent: Sequence[str], columns: Sequence[str], source: str) -> None:
    """Reject a table without most of the columns: its rows would be indistinguishable."""
    if len(absent) == len(columns):
        raise DataError(
            "{source!r} has none of the columns that models learn from ({expected}). Check the "
            "file, and that its first line contains the names.",
            source=source,
            expected=join_quoted(columns),
        )
    if len(absent) > len(columns) / 2:
        raise DataError(
            "{source!r} lacks {n_absent:,} of the {n_columns:,} columns that models learn from "
            "({listed}), so nearly all rows would get the same prediction. Add them to "
            "the file, or check how it names them.",
            source=source,
            n_absent=len(absent),
            n_columns=len(columns),
            listed=join_quoted(absent),
        )


def _describe_formats(other_formats: Mapping[str, FormatDifference]) -> list[str]:
    """Return notes about columns with other number or date formats than in training."""
    without_unit = [name for name, each in other_formats.items() if each is None]
    numbers = [
        phrase("{name!r} ({way})", name=name, way=each.sample)
        for name, each in other_formats.items()
        if isinstance(each, NumberFormat)
    ]
    dates = [
        phrase("{name!r} ({way})", name=name, way=each.order)
        for name, each in other_formats.items()
        if isinstance(each, DateFormat)
    ]
    numbers_differ = phrase(
        "Numbers are written differently than in training and were read accordingly: {listed}.",
        listed=join_phrases((*numbers[:3], *("…",) * (len(numbers) > 3)), ", "),
    )
    dates_differ = phrase(
        "Dates are written differently than in training and were read accordingly: {listed}.",
        listed=join_phrases((*dates[:3], *("…",) * (len(dates) > 3)), ", "),
    )
    units_lack = phrase(
        "Numbers had % in training and have none here: {listed}. They are read as percentages "
        "too, so 45 means 45 % and 0.45 means 0.45 %.",
        listed=join_quoted(without_unit),
    )
    notes = ((without_unit, units_lack), (numbers, numbers_differ), (dates, dates_differ))
    return [note for columns, note in notes if columns]


def describe_absent_columns(names: Sequence[str], n_columns: int) -> str:
    """Describe the missing columns of a table, and the total number."""
    return count_phrase(
        "1 of {n_columns:,} columns is missing ({listed}) and is treated as empty, which makes "
        "predictions worse.",
        "{count:,} of {n_columns:,} columns are missing ({listed}) and are treated as empty, "
        "which makes predictions worse.",
        len(names),
        n_columns=n_columns,
        listed=join_quoted(names),
    )

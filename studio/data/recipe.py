"""The preparation that converts any table to the matrix of the trials.

A recipe holds for each column of the matrix its name, the format of its cells and its categories
(:class:`studio.data.column_recipe.ColumnRecipe`). The conversion of a cell is defined in
:mod:`studio.data.numbers`, :mod:`studio.data.dates` and :mod:`studio.data.labels`, as pairs,
patterns and keys, and depends only on that cell; :mod:`studio.export.front` builds the pickle's
scikit-learn objects from the same data.
"""

import dataclasses
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data import names
from studio.data.column import find_codes
from studio.data.column_recipe import ColumnRecipe
from studio.data.dates import DateFormat
from studio.data.distinct import Distinct
from studio.data.labels import normalise_spelling
from studio.data.missing import MISSING_TOKENS
from studio.data.notations import get_spellings, is_share
from studio.data.numbers import PLAIN, NumberFormat
from studio.data.reading import RawTable
from studio.data.tasks import Task
from studio.data.treatments import ValueLimits
from studio.errors import DataError
from studio.phrases import counted, joined, listed, phrase

FormatDifference = NumberFormat | DateFormat | None
"""A format that differs from training; ``None``: without percent."""


@dataclass(frozen=True)
class Target:
    """The target of a table.

    Attributes:
        aliases: Other names by which it is found.
        classes: The classes by code (whole numbers or text); empty for regression.
        limits, missing_words, merged: As of :class:`studio.data.column.Column`.
    """

    name: str
    aliases: tuple[str, ...]
    task: Task
    classes: tuple[str | int, ...]
    number_format: NumberFormat = PLAIN
    limits: ValueLimits | None = None
    missing_words: frozenset[str] = MISSING_TOKENS
    merged: tuple[tuple[str, str], ...] = ()

    def as_column(self) -> ColumnRecipe:
        """Return its recipe if it is numeric."""
        return ColumnRecipe(
            self.name,
            self.aliases,
            number_format=self.number_format,
            limits=self.limits,
            missing_words=self.missing_words,
        )


@dataclass(frozen=True)
class Encoded:
    """A table as a matrix.

    Attributes:
        X: Shape (n, d), float64. As :attr:`studio.data.problem.Problem.X`.
        notes: Missing and extra columns, unseen categories, words among numbers: a sentence each.
        unseen: Shape (n,), int64. For columns of X with categories unknown to training: their
            numbers from 1, 0 for other cells.
        absent: Columns missing from the table.
        unreadable: Columns of which hardly any cell is a valid number or date.
        missing_columns_note: The note about missing and unreadable columns; empty for none.
        needs_attention: Whether any note is about more than unneeded columns.
    """

    X: Floats
    notes: tuple[str, ...]
    unseen: Mapping[int, Integers] = dataclasses.field(default_factory=dict)
    absent: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    missing_columns_note: str = ""
    needs_attention: bool = False

    @property
    def unused(self) -> frozenset[str]:
        """Columns that predictions do without."""
        return frozenset((*self.absent, *self.unreadable))


@dataclass(frozen=True)
class Labelled:
    """A table with known targets as matrix and target (a second file as the test set).

    Attributes:
        X: Shape (n, d), float64. Rows with a known target.
        y: Shape (n,). Class codes (int64) or values (float64).
        notes: As above, with the omitted rows.
        rows: Shape (n,), int64. Their numbers in the table.
    """

    X: Floats
    y: AnyArray
    notes: tuple[str, ...]
    rows: Integers


@dataclass(frozen=True)
class Recipe:
    """The preparation of tables, as described by the module; features in the matrix' order."""

    features: tuple[ColumnRecipe, ...]
    target: Target

    @property
    def own_columns(self) -> tuple[str, ...]:
        """The columns of the table used in the matrix, those with several parts once."""
        return tuple(dict.fromkeys(feature.own_name for feature in self.features))

    def encode(self, raw: RawTable, needed: Collection[int] = ()) -> Encoded:
        """Convert a raw table to a matrix.

        Columns are found by name (:func:`studio.data.names.match`), in any order; missing ones
        are NaN throughout, extra ones are ignored, categories unknown to training are NaN; all of
        these are reported.

        Args:
            needed: Indices of columns needed for something else.

        Raises:
            DataError: If the table lacks most of the columns.
        """
        *positions, target_index = self.places(raw.names, raw.aliases)
        X = np.full((raw.n_rows, len(self.features)), np.nan)
        notes: list[str] = []
        unseen: dict[int, Integers] = {}
        absent_columns, used_names, respelled = [], set(), {}
        other_formats: dict[str, FormatDifference] = {}
        unreadable: dict[str, str] = {}
        for j, (feature, index) in enumerate(zip(self.features, positions, strict=True)):
            if index is None:
                absent_columns.append(feature.own_name)
                X[:, j] = feature.absent
                continue
            used_names.add(index)
            if raw.names[index] not in feature.sources and not {*raw.aliases[index]} & {
                *feature.sources
            }:
                respelled[raw.names[index]] = feature.own_name
            column_recipe, cells = self.reread_column(feature, raw, index, other_formats)
            problem = column_recipe.describe_unreadable(cells, raw.formats[index].number_format)
            X[:, j] = column_recipe.encode(cells, [] if problem else notes)
            if problem:
                unreadable[feature.own_name] = problem
            if feature.categories is not None:
                distinct = cells.read_as(feature.number_format, feature.missing_words)
                is_unread = np.isnan(X[:, j]) & ~distinct.missing[distinct.codes]
                if is_unread.any():
                    unseen[j] = np.where(is_unread, distinct.codes + 1, 0)
        absent_columns = list(dict.fromkeys(absent_columns))
        check_columns_present(absent_columns, self.own_columns, raw.source)
        missing_note = joined(unreadable.values())
        if absent_columns:
            absent_note = describe_absent_columns(absent_columns, len(self.own_columns))
            missing_note = joined((missing_note, absent_note))
        if missing_note:
            notes.insert(0, missing_note)
        notes += _describe_formats(other_formats)
        if respelled:
            notes.append(names.describe_spelling(list(respelled.items())))
        differs = bool(notes)
        unused = sorted({*range(len(raw.names))} - used_names - {*needed, target_index})
        if unused:
            notes.append(
                counted(
                    "1 other column was not needed and not used: {listed}.",
                    "{count:,} other columns were not needed and not used: {listed}.",
                    len(unused),
                    listed=listed([raw.names[index] for index in unused]),
                )
            )
        return Encoded(
            X, tuple(notes), unseen, tuple(absent_columns), tuple(unreadable), missing_note, differs
        )

    @staticmethod
    def reread_column(
        feature: ColumnRecipe, raw: RawTable, index: int, other_formats: dict[str, FormatDifference]
    ) -> tuple[ColumnRecipe, Distinct]:
        """Return a column's format: as in training, or its own if necessary.

        If numbers or dates are invalid in the training format, the column's own inferred format is
        used if it is valid for more cells. This is recorded in ``other_formats``, and so is a
        missing percent sign.
        """
        cells, inferred = raw.cells(index), raw.formats[index]
        has_words = feature.categories is not None or feature.term is not None
        n_unread = 0 if has_words else feature.unread(cells)
        column_format: FormatDifference = inferred.number_format
        if feature.date is None and inferred.kind == "number":
            if _are_shares(feature.number_format) and not inferred.number_format.units:
                other_formats[feature.own_name] = None
            adapted = dataclasses.replace(feature, number_format=inferred.number_format)
        elif feature.date is not None and inferred.date is not None and not inferred.date.is_open:
            column_format = inferred.date.format
            part = dataclasses.replace(
                feature.date, order=column_format.order, words=column_format.words
            )
            adapted = dataclasses.replace(feature, date=part)
        else:
            return feature, cells
        if (
            not n_unread
            or adapted.unread(cells) >= n_unread
            or _has_different_unit(feature, adapted)
        ):
            return feature, cells
        other_formats[feature.own_name] = column_format
        return adapted, cells

    def places(
        self, columns: Sequence[str], aliases: Sequence[Sequence[str]]
    ) -> tuple[int | None, ...]:
        """Return the places of the features in a table, and last the target's; ``None``: none."""
        source_names = [feature.sources for feature in self.features]
        target_names = (self.target.name, *self.target.aliases)
        return names.match([*source_names, target_names], columns, aliases)

    def encode_labelled(self, raw: RawTable, needed: Collection[int] = ()) -> Labelled:
        """Convert a raw table with known targets to matrix and target, as :meth:`encode` does.

        Rows without a target, or with a class unknown to training, are left out.

        Raises:
            DataError: If there is no target column, or no row is left.
        """
        encoded = self.encode(raw, needed)
        index = self.places(raw.names, raw.aliases)[-1]
        if index is None:
            raise DataError(
                "{source!r} has no column {target!r}, so predictions cannot be compared with "
                "the truth. Choose a file that has it.",
                source=raw.source,
                target=self.target.name,
            )
        other_formats: dict[str, FormatDifference] = {}
        unknown_labels: Counter[str] = Counter()
        respelled: list[str] = []
        classes = [str(label) for label in self.target.classes]
        if self.target.task == "regression":
            target_recipe, cells_of_target = self.reread_column(
                self.target.as_column(), raw, index, other_formats
            )
            y: AnyArray = target_recipe.encode(cells_of_target, [])
            has_target = ~np.isnan(y)
        else:
            cells = raw.cells(index).read_as(self.target.number_format, self.target.missing_words)
            codes = find_codes(cells.labels, classes, self.target.merged, self.target.number_format)
            respelled = _match_spellings(cells.labels, codes, classes)
            y = codes.astype(np.int64)[cells.codes]
            has_target = y >= 0
            for label, code, n in zip(
                cells.labels, codes.tolist(), cells.counts.tolist(), strict=True
            ):
                if label is not None and code < 0:
                    unknown_labels[label] += n
        rows = np.flatnonzero(has_target)
        if not len(rows) and unknown_labels:
            raise DataError(
                "{source!r} has other classes of {target!r} ({theirs}) than training ({ours}). "
                "Write them alike.",
                source=raw.source,
                target=self.target.name,
                theirs=listed(list(unknown_labels)),
                ours=listed(classes),
            )
        if not len(rows):
            raise DataError(
                "No row of {source!r} has a usable value of {target!r}. Choose a file with "
                "the true values in that column.",
                source=raw.source,
                target=self.target.name,
            )
        notes = (*encoded.notes, *_describe_formats(other_formats))
        n_unknown = unknown_labels.total()
        if respelled:
            notes += (
                phrase(
                    "Classes of {target!r} that differ from training only by case or blanks were "
                    "matched: {listed}.",
                    target=self.target.name,
                    listed=listed(respelled),
                ),
            )
        if unknown_labels:
            notes += (
                counted(
                    "1 row was left out because its class of {target!r} does not occur in the "
                    "training rows ({listed}): it would be predicted wrongly.",
                    "{count:,} rows were left out because their classes of {target!r} do not occur "
                    "in the training rows ({listed}): they would be predicted wrongly.",
                    n_unknown,
                    target=self.target.name,
                    listed=listed(list(unknown_labels)),
                ),
            )
        if len(rows) + n_unknown < raw.n_rows:
            notes += (
                counted(
                    "1 row has no usable value of {target!r} and was left out.",
                    "{count:,} rows have no usable value of {target!r} and were left out.",
                    raw.n_rows - len(rows) - n_unknown,
                    target=self.target.name,
                ),
            )
        return Labelled(encoded.X[rows], y[rows], notes, rows)


def _match_spellings(
    labels: Sequence[str | None], codes: Integers, classes: Sequence[str]
) -> list[str]:
    """Complete the codes of labels, (k,), that differ from one class by case or blanks only.

    Returns:
        These labels.
    """
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


def _has_different_unit(trained: ColumnRecipe, other: ColumnRecipe) -> bool:
    """Whether the unit differs from training, such as lb instead of kg, or % instead of shares."""
    units = [set(each.number_format.plain_units) for each in (trained, other)]
    if _are_shares(trained.number_format) != _are_shares(other.number_format):
        return True
    return all(units) and {*map(get_spellings, units[0])}.isdisjoint(map(get_spellings, units[1]))


def _are_shares(number_format: NumberFormat) -> bool:
    return any(map(is_share, number_format.units))


def check_columns_present(absent: Sequence[str], columns: Sequence[str], source: str) -> None:
    """Reject a table without most of the columns: its rows would all look alike."""
    if len(absent) == len(columns):
        raise DataError(
            "{source!r} has none of the columns that models learn from ({wanted}). Check the file, "
            "and that its first line contains the names.",
            source=source,
            wanted=listed(columns),
        )
    if len(absent) > len(columns) / 2:
        raise DataError(
            "{source!r} lacks {n_absent:,} of the {n_columns:,} columns that models learn from "
            "({listed}), so nearly all rows would get the same prediction. Add them to "
            "the file, or check how it names them.",
            source=source,
            n_absent=len(absent),
            n_columns=len(columns),
            listed=listed(absent),
        )


def _describe_formats(other_formats: Mapping[str, FormatDifference]) -> list[str]:
    """Return notes about columns with other number or date formats than in training."""
    numbers = {
        name: column_format.sample
        for name, column_format in other_formats.items()
        if isinstance(column_format, NumberFormat)
    }
    dates = {
        name: column_format.order
        for name, column_format in other_formats.items()
        if isinstance(column_format, DateFormat)
    }
    without_unit = [name for name, column_format in other_formats.items() if column_format is None]
    notes = []
    if without_unit:
        sentence = phrase(
            "Numbers had % in training and have none here: {listed}. They are read as percentages "
            "too, so 45 means 45 % and 0.45 means 0.45 %.",
            listed=listed(without_unit),
        )
        notes.append(sentence)
    if numbers:
        sentence = phrase(
            "Numbers are written differently than in training and were read accordingly: {listed}.",
            listed=_describe_each_format(numbers),
        )
        notes.append(sentence)
    if dates:
        sentence = phrase(
            "Dates are written differently than in training and were read accordingly: {listed}.",
            listed=_describe_each_format(dates),
        )
        notes.append(sentence)
    return notes


def _describe_each_format(formats: Mapping[str, str]) -> str:
    descriptions = [
        phrase("{name!r} ({way})", name=name, way=column_format)
        for name, column_format in formats.items()
    ]
    return joined((*descriptions[:3], *("…",) * (len(descriptions) > 3)), ", ")


def describe_absent_columns(names: Sequence[str], n_columns: int) -> str:
    """Describe the missing columns of a table, and the total number."""
    return counted(
        "1 of {n_columns:,} columns is missing ({listed}) and is treated as empty, which makes "
        "predictions worse.",
        "{count:,} of {n_columns:,} columns are missing ({listed}) and are treated as empty, "
        "which makes predictions worse.",
        len(names),
        n_columns=n_columns,
        listed=listed(names),
    )

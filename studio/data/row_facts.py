"""Columns with metadata of the rows: weight, group and time."""

import itertools
from collections import defaultdict

import numpy as np

from studio.arrays import Flags, Floats, Integers
from studio.data.column import Column, Role
from studio.data.dates import SECONDS_PER_DAY, DateFormat
from studio.data.numbers import MAX_MAGNITUDE, clip_numbers, parse_numbers
from studio.errors import DataError
from studio.phrases import count_phrase, join_phrases, join_quoted, phrase

METADATA_ROLES: tuple[Role, ...] = ("group", "time", "weight")
"""Roles of columns that describe the rows rather than features or target."""


_CHOOSE_ANOTHER_COLUMN = phrase("Choose another column.")


def get_weights(column: Column, rows: Integers) -> Floats:
    """Return the weights of rows, (m,): finite, at least 0, not all 0; else raise DataError."""
    weights, problem, remedy = parse_weights(column, rows)
    if problem:
        raise DataError(join_phrases((problem, remedy)))
    return weights


def parse_weights(column: Column, rows: Integers) -> tuple[Floats, str, str]:
    """Return the weights of rows, (m,), all reasons for rejecting them, and a remedy for training.

    The last two are empty if all are finite, at least 0, and not all 0.
    """
    weights: Floats = column.convert_to_kind("number").values[rows].astype(np.float64)
    numbers = weights[~np.isnan(weights)]
    problems, remedies = [], []
    if unknown := len(weights) - len(numbers):
        problems.append(
            phrase(
                "{column!r} has no finite number as the weight of {unknown:,} of {n_rows:,} rows.",
                column=column.name,
                unknown=unknown,
                n_rows=len(rows),
            )
        )
        remedies.append(
            phrase("Fill them in (0 for rows that do not count), or choose another column.")
        )
    if (numbers >= MAX_MAGNITUDE).any():
        problems.append(
            phrase(
                "A weight must be below {limit:g}; {column!r} contains a larger one.",
                limit=MAX_MAGNITUDE,
                column=column.name,
            )
        )
        remedies.append(phrase("Divide all weights by the same number: only their ratios count."))
    if (numbers < 0).any():
        problems.append(
            phrase(
                "A weight must not be negative; {column!r} contains {least:g}.",
                column=column.name,
                least=numbers.min(),
            )
        )
        remedies = [_CHOOSE_ANOTHER_COLUMN]  # the only remedy for all problems
    if not problems and not weights.any():
        problems.append(
            phrase("All weights in {column!r} are 0, so no row would count.", column=column.name)
        )
        remedies.append(_CHOOSE_ANOTHER_COLUMN)
    return weights, join_phrases(problems), join_phrases(remedies)


def get_group_codes(column: Column, rows: Integers) -> Integers:
    """Return the group codes 0, 1, … of rows, (m,); a row without a value is a separate group."""
    values = column.values[rows]
    missing: Flags = np.isnan(values) if column.kind == "number" else values < 0
    codes: Integers = np.empty(len(rows), dtype=np.int64)
    uniques, codes[~missing] = np.unique(values[~missing], return_inverse=True)
    codes[missing] = len(uniques) + np.arange(int(missing.sum()))
    return codes


def get_more_group_codes(
    column: Column, rows: Integers, other_column: Column, other_rows: Integers
) -> Integers:
    """Return the group codes of rows, (m,), of another table, consistent with a table's rows, (n,).

    Groups in both tables have the code of :func:`get_group_codes`; other codes are higher.
    """
    codes = get_group_codes(column, rows)
    new_codes = itertools.count(int(codes.max()) + 1)
    code_of = defaultdict(
        new_codes.__next__, zip(_get_keys(column, rows), codes.tolist(), strict=True)
    )
    keys = _get_keys(other_column, other_rows)
    return np.array([next(new_codes) if key is None else code_of[key] for key in keys])


def _get_keys(column: Column, rows: Integers) -> list[str | float | None]:
    """Return a column's values in rows, (n,); ``None`` where empty."""
    values = column.values[rows].tolist()
    if column.kind == "number":
        return [None if np.isnan(value) else value for value in values]
    return [None if value < 0 else column.categories[value] for value in values]


def get_times(column: Column) -> Floats:
    """Return each row's time, (n,), by :func:`parse_times`; raise DataError if all are equal."""
    times = parse_times(column)
    valid = times[~np.isnan(times)]
    if not len(valid) or valid.min() == valid.max():
        raise DataError(
            "All rows of {column!r} have the same time or none, so they cannot be put in "
            "order. Choose another column.",
            column=column.name,
        )
    return times


def parse_times(column: Column) -> Floats:
    """Return the time of each row of a table, shape (n,); NaN where missing.

    Numbers are used unchanged, and dates in the inferred order become seconds since 1970. Words
    must be dates with the year first (2024-01-31, 2024-01), in UTC without an offset; 31/01/2024
    and 01/02/2024, which pandas would interpret arbitrarily, are rejected.

    Raises:
        DataError: If a cell is neither a number nor a date.
    """
    times: Floats
    if column.date is not None:
        times = np.round(column.values * SECONDS_PER_DAY)
    elif column.kind == "number":
        times = column.values.astype(np.float64)
    else:
        days, months = DateFormat("year-first"), DateFormat("year-month")
        timestamps = days.parse(column.categories, zoned=True)
        timestamps = np.where(np.isnan(timestamps), months.parse(column.categories), timestamps)
        if np.isnan(timestamps).all():
            timestamps = clip_numbers(parse_numbers(column.categories))
        if np.isnan(timestamps).any():
            unread_texts = itertools.compress(column.categories, np.isnan(timestamps).tolist())
            examples = join_quoted(text[:40] for text in itertools.islice(unread_texts, 3))
            raise DataError(
                "{column!r} contains invalid times ({shown}). A time is a number or a date with "
                "the year first, such as 2024-01-31 or 2024-01-31 18:30.",
                column=column.name,
                shown=examples,
            )
        times = np.append(timestamps, np.nan)[column.values]
    return times


def describe_role(role: Role, column: Column) -> tuple[str, list[str]]:
    """Return a sentence on a role's effect in this table, empty if invalid, and warnings."""
    n_rows = len(column.values)
    all_rows = np.arange(n_rows)
    try:
        if role == "group":
            return _describe_group_effect(get_group_codes(column, all_rows), column.missing)
        if role == "time":
            effect = phrase("Rows are kept in order of this column: the latest are the test rows.")
            n_affected = int(np.isnan(get_times(column)).sum())
            note = count_phrase(
                "1 of {n_rows:,} rows has no time and is left out.",
                "{count:,} of {n_rows:,} rows have no time and are left out.",
                n_affected,
                n_rows=n_rows,
            )
        else:
            effect = phrase("Rows are weighted by this column.")
            n_affected = int((get_weights(column, all_rows) == 0).sum())
            note = count_phrase(
                "1 of {n_rows:,} rows has a weight of 0.",
                "{count:,} of {n_rows:,} rows have a weight of 0.",
                n_affected,
                n_rows=n_rows,
            )
    except DataError as error:
        return "", [str(error)]
    return effect, [note] if n_affected else []


def _describe_group_effect(groups: Integers, missing: int) -> tuple[str, list[str]]:
    n_groups = int(groups.max()) + 1
    warnings = []
    if n_groups == len(groups):
        warnings.append(phrase("Every row is its own group, so this column changes nothing."))
    elif missing:
        warnings.append(
            count_phrase(
                "1 of {n_groups:,} rows has no value and is its own group.",
                "{count:,} of {n_groups:,} rows have no value: each is its own group.",
                missing,
                n_groups=len(groups),
            )
        )
    return phrase(
        "Rows of one of the {number:,} groups stay together in every split.", number=n_groups
    ), warnings

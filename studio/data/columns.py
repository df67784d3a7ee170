"""What a column seems to be: its kind and role, and warnings in plain words."""

import dataclasses
import itertools

import numpy as np

from studio.arrays import Flags
from studio.data import dates, suspicions
from studio.data.column import ColumnKind, Role
from studio.data.description import ColumnDescription
from studio.data.distinct import Distinct
from studio.data.missing import NUMBER_FILLERS
from studio.data.numbers import EXACT, LIMIT, bounded
from studio.data.reading import RawTable
from studio.data.tasks import guess_target
from studio.phrases import phrase

READABLE = 0.95
"""A column in which at least this share of the filled cells are numbers is one of numbers."""


def describe(raw: RawTable, target: str | None = None) -> tuple[ColumnDescription, ...]:
    """Describe every column of a table.

    Parameters
    ----------
    raw : RawTable
        The table as text.
    target : str or None
        The column to predict; ``None`` guesses it (:func:`studio.data.tasks.guess_target`).

    Raises
    ------
    DataError
        If there is no column of that name.
    """
    goal = raw.position(guess_target(raw.names).name if target is None else target)
    described = [
        _describe(raw.names[i], raw.distinct(i), is_target=i == goal) for i in range(len(raw.names))
    ]
    return _with_relations(raw, described, goal)


def _describe(name: str, cells: Distinct, *, is_target: bool) -> ColumnDescription:
    kind, reason, warnings = _kind(cells)
    if kind == "date" and is_target:
        kind = "category"
    present = ~np.isnan(bounded(cells.numbers)) if kind == "number" else ~cells.missing
    values = bounded(cells.numbers[present])
    n_rows = len(cells.codes)
    missing = n_rows - int(cells.counts[present].sum())
    distinct = len(np.unique(values)) if kind == "number" else _count_labels(cells)
    if kind == "number":
        warnings += _number_warnings(cells)
    role: Role = "target" if is_target else "feature"
    if is_target:
        warnings += suspicions.about_target(cells, missing, distinct, kind == "category")
    else:
        useless, found = suspicions.about_feature(
            name, cells, missing, distinct, kind == "category"
        )
        warnings += found
        if kind == "date":
            warnings.append(
                phrase(
                    "Give it the role “time” if later rows are to be predicted from earlier ones."
                )
            )
        role = "ignore" if useless else "feature"
    return ColumnDescription(
        name=name,
        kind=kind,
        role=role,
        missing=missing,
        distinct=distinct,
        examples=tuple(
            text if len(text) <= 40 else text[:39] + "…"
            for text in itertools.islice(itertools.compress(cells.stripped, ~cells.missing), 5)
        ),
        minimum=float(values.min()) if kind == "number" and len(values) else None,
        maximum=float(values.max()) if kind == "number" and len(values) else None,
        warnings=tuple(warnings),
        reason=reason,
    )


def _count_labels(cells: Distinct) -> int:
    # Where every row differs, the labels differ but for odd spellings; that is near enough.
    if len(cells.texts) > 10_000:
        return int((~cells.missing).sum())
    return len({label for label in cells.labels if label is not None})


def _kind(cells: Distinct) -> tuple[ColumnKind, str, list[str]]:
    """Decide between numbers and categories; return the kind, the reason and warnings."""
    readable = ~np.isnan(cells.numbers)
    words = ~readable & ~cells.missing
    if not words.any() and not readable.any():
        return "number", phrase("It has no values."), []
    if not readable.any():
        return _kind_of_words(_texts(cells, words))
    if words.any():
        fillers = [text in NUMBER_FILLERS for text in cells.stripped]
        words &= ~np.array(fillers, dtype=np.bool_)
    if not words.any():
        codes = _codes(cells, readable)
        if codes:
            return (
                "category",
                phrase(
                    "Its numbers have leading zeros, as in {example!r}, so they are codes.",
                    example=codes[0][:40],
                ),
                [
                    phrase(
                        "Codes that differ only by leading zeros (01 and 1) count as the same one."
                    )
                ],
            )
        return "number", phrase("Every cell that is filled is a number."), []
    n_words = int(cells.counts[words].sum())
    n_filled = n_words + int(cells.counts[readable].sum())
    listed = ", ".join(repr(text[:40]) for text in _texts(cells, words)[:3])
    if n_words <= (1 - READABLE) * n_filled:
        return (
            "number",
            phrase(
                "All but {n_words:,} of {n_filled:,} filled cells are numbers.",
                n_words=n_words,
                n_filled=n_filled,
            ),
            [
                phrase(
                    "{n_words:,} cells are not numbers ({listed}); they count as missing. Make "
                    "it a category if they mean something.",
                    n_words=n_words,
                    listed=listed,
                )
            ],
        )
    warnings = []
    if n_words < 0.5 * n_filled:
        warnings.append(
            phrase(
                "It mixes numbers with words ({listed}). If the words mean “missing”, make "
                "it a column of numbers.",
                listed=listed,
            )
        )
    return (
        "category",
        phrase("It contains words, such as {example!r}.", example=_texts(cells, words)[0][:40]),
        warnings,
    )


def _kind_of_words(texts: list[str]) -> tuple[ColumnKind, str, list[str]]:
    """Decide between dates and categories where no cell is a number."""
    if dates.order_of(texts) is not None:
        return "date", phrase("It contains dates, such as {example!r}.", example=texts[0][:40]), []
    boolean = all(text.lower() in {"true", "false"} for text in texts)
    return (
        "category",
        phrase("It contains yes or no.") if boolean else phrase("It contains words."),
        [],
    )


def _codes(cells: Distinct, readable: Flags) -> list[str]:
    """Return the cells with leading zeros if the column holds nothing but digits."""
    numbers = cells.numbers[readable]
    if np.any(numbers != np.floor(numbers)):
        return []
    texts = _texts(cells, readable)
    codes = [text for text in texts if text[0] == "0" and len(text) > 1]
    return codes if codes and all(text.isdigit() for text in texts) else []


def _texts(cells: Distinct, chosen: Flags) -> list[str]:
    return list(itertools.compress(cells.stripped, chosen.tolist()))


def _number_warnings(cells: Distinct) -> list[str]:
    warnings = []
    infinite = int(cells.counts[np.isinf(cells.numbers)].sum())
    finite = np.where(np.isfinite(cells.numbers), np.abs(cells.numbers), 0.0)
    huge = int(cells.counts[finite > LIMIT].sum())
    if infinite:
        warnings.append(
            phrase(
                "{infinite:,} cells are infinite or too large for a number; they count as missing.",
                infinite=infinite,
            )
        )
    if huge:
        warnings.append(
            phrase(
                "{huge:,} cells lie beyond ±{limit:g}; they are clipped to ±{limit:g}.",
                huge=huge,
                limit=LIMIT,
            )
        )
    whole = (finite >= EXACT) & (finite <= LIMIT)
    if any(text.lstrip("+-").isdigit() for text in _texts(cells, whole)):
        warnings.append(
            phrase(
                "It contains whole numbers of 2⁵³ (9,007,199,254,740,992) and above, which are "
                "rounded to about 15 digits. If they are codes or account numbers, ignore the "
                "column."
            )
        )
    return warnings


def _with_relations(
    raw: RawTable, described: list[ColumnDescription], goal: int
) -> tuple[ColumnDescription, ...]:
    """Add what only the columns together show: copies of each other and of the target."""
    twins = suspicions.twins(raw)
    result = []
    for i, column in enumerate(described):
        warnings, role = list(column.warnings), column.role
        if i != goal and column.distinct > 1:
            leak = suspicions.leak(raw, i, goal)
            if leak is not None:
                copied, sentence = leak
                warnings.append(sentence)
                role = "ignore" if copied else role
            elif twins.get(i, goal) != goal:
                warnings.append(
                    phrase(
                        "It repeats the column {other!r}; one of them is enough.",
                        other=described[twins[i]].name,
                    )
                )
        result.append(dataclasses.replace(column, warnings=tuple(warnings), role=role))
    return tuple(result)

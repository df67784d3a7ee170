"""Detection of rows equal in all features: copies, or equal by chance.

A row on both sides of a split tests only memorisation, so copies stay together
(:mod:`studio.data.splits`). But in a table with few categories most rows are equal by chance, and
new rows are equal to old ones as well; keeping equal rows together would test on new combinations
only. Near misses distinguish the two cases: pairs of rows that differ in one column only (possibly
the target). Chance produces both near misses and equal rows; copying produces equal rows only. If
two rows that agree in all other columns agree in a and in b independently, then

    expected equal pairs = pairs that differ in a only × pairs that differ in b only
                           / pairs that differ in both only

(an odds ratio of 1). a and b are the two columns with the most near misses. Rows equal in all
features count as equal pairs only if the target is equal as well: those with different targets
suggest chance, or a target not determined by the features, and do not leak the answer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar, overload

import numpy as np

from studio.arrays import AnyArray, Array, Flags, Floats, Integers
from studio.data.column import ColumnKind
from studio.data.description import Finding, Level
from studio.data.distinct import DistinctCells
from studio.data.numbers import clip_numbers
from studio.phrases import count_phrase, phrase

Item = TypeVar("Item")


class LazySequence(Sequence[Item]):
    """Items created lazily by their index (not negative)."""

    def __init__(self, length: int, make: Callable[[int], Item]) -> None:
        self._indices, self._make = range(length), make

    def __len__(self) -> int:
        return len(self._indices)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | list[Item]:
        if isinstance(index, slice):
            return list(map(self._make, self._indices[index]))
        return self._make(self._indices[index])


MIN_COPY_RATIO = 2.5
"""Ratio of equal pairs to those expected by chance above which they are copies. Of simulated tables
(``tests/data/test_duplicates.py``) 95 % have ratios up to 2.2 by chance, and all with copies 3 or
more.
"""

MAX_COUNTED = 10
"""Maximum number of counted equal rows, so that one frequent row does not dominate."""

COMMON_SHARE = 0.1
"""Share of all rows above which more than :data:`MAX_COUNTED` equal rows are not kept together:
such common rows are not copies and do not bias the test.
"""

MIN_DIFFERENT = 10
"""Minimum number of distinct rows for keeping equal ones together, as a split needs enough units.
"""

_Hashes = Array[np.uint64]

_GOLDEN, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
"""Constants of SplitMix64 (Steele, Lea & Flood 2014)."""


@dataclass(frozen=True)
class Duplicates:
    """Groups of equal rows of a table.

    Attributes:
        first: Shape (n,), int64. The first row equal in all features; usually the row itself.
        n_repeated: Rows equal to an earlier one in all features and the target.
        n_expected_pairs: Pairs of equal rows explained by chance.
        pairs: Number of pairs (of at most :data:`MAX_COUNTED` rows each).
        n_contradicted: Rows whose target differs from most of those equal in all features, without
            unknown targets.
    """

    first: Integers
    n_repeated: int = 0
    n_expected_pairs: float = 0.0
    pairs: int = 0
    n_contradicted: int = 0

    @property
    def are_copies(self) -> bool:
        """Whether there are significantly more equal rows than by chance."""
        return self.pairs > MIN_COPY_RATIO * self.n_expected_pairs

    @property
    def copies(self) -> Integers:
        """Rows, (k,), ascending, assigned to the same part of every split as their first copy.

        Empty if rows are equal by chance, or hardly any are distinct (:data:`MIN_DIFFERENT`);
        rows that are too common are excluded (:data:`COMMON_SHARE`).
        """
        n_rows = len(self.first)
        rows = np.flatnonzero(self.first != np.arange(n_rows))
        if not self.are_copies or n_rows - len(rows) < MIN_DIFFERENT:
            return rows[:0]
        sizes = np.bincount(self.first, minlength=n_rows)[self.first[rows]]
        return rows[sizes <= max(MAX_COUNTED, COMMON_SHARE * n_rows)]


def find_duplicates(columns: Sequence[Floats], y: AnyArray) -> Duplicates:
    """Find equal rows of columns, (n,) each, with targets y, (n,); missing values count as equal.

    Rows are compared by hashes of 64 bits: two different ones of 300,000 rows count as equal
    with a probability of 2e-9.
    """
    import pandas as pd

    hashes = _hash_rows(columns, len(y))
    first = _find_first_equal(hashes)
    if np.array_equal(first, np.arange(len(first))):
        return Duplicates(first)
    hashes += _hash_values(y, len(columns))
    records = _find_first_equal(hashes)
    repeated = int((records != np.arange(len(records))).sum())
    # Rows with a known target other than that of most rows with equal features.
    is_known = ~np.isnan(y.astype(np.float64))
    max_counts = np.zeros(len(first), dtype=np.int64)
    np.maximum.at(max_counts, first, np.bincount(records[is_known], minlength=len(y))[records])
    contradicted = int(is_known.sum() - max_counts.sum())
    if not repeated:
        return Duplicates(first, n_contradicted=contradicted)
    sample = (pd.Series(records).groupby(records).cumcount() < MAX_COUNTED).to_numpy()
    expected, pairs = _count_equal_pairs(
        [column[sample] for column in columns], y[sample], hashes[sample]
    )
    return Duplicates(first, repeated, expected, pairs, contradicted)


def are_rows_among(rows: Floats, others: Floats) -> Flags:
    """Return a mask, (n,), of the rows (n, d) equal to one of ``others`` (m, d) in all columns."""
    row_hashes, other_hashes = (_hash_rows([*each.T], len(each)) for each in (rows, others))
    return np.isin(row_hashes, other_hashes)


def _count_equal_pairs(features: Sequence[Floats], y: AnyArray, rows: _Hashes) -> tuple[float, int]:
    """Return the numbers of equal pairs expected by chance and observed, from arrays (n,)."""
    equal = _count_pairs(rows)
    columns = [*features, y]
    near_pair_counts = [
        _count_pairs(rows - _hash_values(column, j)) - equal for j, column in enumerate(columns)
    ]
    a, b = (int(j) for j in np.argsort(-np.array(near_pair_counts), kind="stable")[:2])
    column_hashes = _hash_values(columns[a], a)
    n_both = (
        _count_pairs(rows - column_hashes - _hash_values(columns[b], b))
        - equal
        - near_pair_counts[a]
        - near_pair_counts[b]
    )
    if n_both:
        return near_pair_counts[a] * near_pair_counts[b] / n_both, equal
    # No two rows differ in only these two columns: estimate from the agreement in the first.
    agreeing, n = _count_pairs(column_hashes), len(y)
    return near_pair_counts[a] * agreeing / max(1, n * (n - 1) // 2 - agreeing), equal


def _hash_rows(columns: Sequence[Floats], n_rows: int) -> _Hashes:
    """Return hashes of rows, (n,), from the given columns: the sum of their cells' hashes."""
    hashes = np.zeros(n_rows, dtype=np.uint64)
    for j, column in enumerate(columns):
        hashes += _hash_values(column, j)
    return hashes


def _hash_values(values: AnyArray, salt: int) -> _Hashes:
    """Return hashes of values, (n,), in the column ``salt``; 0 and -0 are equal, as are all NaN."""
    numbers = np.add(values, 0.0, dtype=np.float64)
    numbers[np.isnan(numbers)] = np.nan
    mixed = numbers.view(np.uint64)
    mixed += np.uint64((salt + 1) * _GOLDEN % 2**64)
    for shift, factor in ((30, _FIRST), (27, _SECOND)):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def _find_first_equal(hashes: _Hashes) -> Integers:
    """Return for each hash, (n,), the index of the first equal one."""
    import pandas as pd

    codes, distinct = pd.factorize(hashes)
    first = np.empty(len(distinct), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(hashes) - 1, -1, -1)
    return first[codes]


def _count_pairs(hashes: _Hashes) -> int:
    """Return the number of equal pairs of hashes, (n,)."""
    counts = np.unique(hashes, return_counts=True)[1].astype(np.int64)
    return int((counts * (counts - 1) // 2).sum())


_Cells = tuple[DistinctCells, ColumnKind]

_MAX_NEGLIGIBLE_SHARE = 0.01  # share of rows up to which duplicates are negligible
_CLASSES = 2  # maximum number of distinct numbers that are certainly classes


def collect_duplicate_findings(features: Sequence[_Cells], target: _Cells) -> list[Finding]:
    """Return findings about rows equal in all used columns, or in all but the target."""
    if not features:
        return []
    y = _encode_values(*target)
    duplicates = find_duplicates(
        LazySequence(len(features), lambda index: _encode_values(*features[index])), y
    )
    is_classification = target[1] == "category" or len(np.unique(y[~np.isnan(y)])) <= _CLASSES
    return [
        *_make_repeated_findings(duplicates, len(y)),
        *(
            _make_contradicted_findings(duplicates.n_contradicted, len(y))
            if is_classification
            else []
        ),
    ]


def _make_contradicted_findings(rows: int, n_rows: int) -> list[Finding]:
    if rows <= _MAX_NEGLIGIBLE_SHARE * n_rows:
        return []
    sentence = count_phrase(
        "1 of {n_rows:,} rows has a different target value from rows that are equal in every "
        "column used, so no model can be right about all of them. A column that distinguishes "
        "them would help.",
        "{count:,} of {n_rows:,} rows have a different target value from rows that are equal "
        "in every column used, so no model can be right about all of them. A column that "
        "distinguishes them would help.",
        rows,
        n_rows=n_rows,
    )
    return [Finding("contradictions", "idea", sentence)]


def _make_repeated_findings(duplicates: Duplicates, n_rows: int) -> list[Finding]:
    rows = duplicates.n_repeated
    if not rows:
        return []
    repeated = (
        phrase("1 of {n_rows:,} rows repeats an earlier row", n_rows=n_rows)
        if rows == 1
        else phrase("{rows:,} of {n_rows:,} rows repeat an earlier row", rows=rows, n_rows=n_rows)
    )
    if not duplicates.are_copies:
        sentence = phrase(
            "{repeated}, as expected with so few distinct values per column.", repeated=repeated
        )
        return [Finding("duplicates", "done", sentence)]
    sentence = phrase(
        "{repeated} in every column used. They stay on one side of every split; if they are "
        "copies of the same case, remove them from the file.",
        repeated=repeated,
    )
    level: Level = "decide" if rows > _MAX_NEGLIGIBLE_SHARE * n_rows else "idea"
    return [Finding("duplicates", level, sentence)]


def _encode_values(cells: DistinctCells, kind: ColumnKind) -> Floats:
    """Return a code for each row, (n_rows,), equal for equal values; NaN where missing."""
    if kind == "number":
        return clip_numbers(cells.numbers)[cells.codes]
    label_codes = cells.known_labels[1]
    return np.where(label_codes < 0, np.nan, label_codes)[cells.codes]

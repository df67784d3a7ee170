"""Columns that leak the target: copies, and values only known afterwards.

Seven kinds are detected, each beyond chance and legitimate columns:

* every cell equals the target's;
* being filled or empty, or having the most common value or not, determines a class, or occurs in
one class only (a date of cancellation, a fee other than 0);
* one of these determines a class with a few per cent of exceptions on both sides, or hardly ever
occurs in other classes but in most rows of one: such a column leads to a question;
* rows with the same cell have the same target, evaluated for each row on the other rows only;
* it is a linear function of the target's numbers, or orders the rows identically;
* it follows the target's numbers very closely (:mod:`studio.data.near_copies`): a question;
* thresholds separate the classes, with rows close to each on both sides, as with a pass mark;
widely separated classes, such as those of flowers, may be natural: two such classes lead to a
question.
"""

import dataclasses
import math

import numpy as np

from studio.arrays import Flags, Floats, Integers
from studio.data import remedies
from studio.data.description import ColumnDescription, Finding
from studio.data.distinct import DistinctCells
from studio.data.identifiers import FEW_ROWS
from studio.data.metrics.plain_score import log_choose
from studio.data.near_copies import compute_correlation, find_near_copy, rank_correlation
from studio.data.tasks import MAX_INTEGER_CLASSES
from studio.data.value_codes import MIN_SAMPLED_SHARE, TargetCells, ValueCodes, space_rows_evenly
from studio.phrases import join_phrases, phrase

_THRESHOLD_ROWS = 100  # minimum number of rows for finding thresholds
_MIN_ROWS_PER_SIDE = 10  # rows on each side within the next share
_MAX_BOUNDARY_SHARE = 0.05  # of the range of 90 % of the rows
_MIN_FILLED_SHARE = 0.9  # minimum share of filled rows for disregarding the empty ones

_MIN_CORRELATION = 0.9999
"""Minimum correlation, of numbers or of ranks, of the same quantity in other units."""

_MIN_CHANGE, _MIN_AGREEMENT = 1e-6, 0.75
"""Minimum difference of consecutive steps as a share of the largest step, and minimum share of
equal signs of these differences in two dependent quantities."""


def find_copy_leak(codes: Integers, numbers: Floats, target: TargetCells) -> str:
    """Return a message if a column copies the target: codes (n,), their numbers, ascending."""
    is_known = codes >= 0
    if is_known.sum() < max(FEW_ROWS, _MIN_FILLED_SHARE * len(codes)):
        return ""
    known = slice(None) if is_known.all() else is_known
    x, y = codes[known], target.codes[known]
    values = target.column.numbers
    if values is not None and not _grow_independently(numbers[x], values[y]):
        if compute_correlation(numbers[x], values[y]) > _MIN_CORRELATION:
            return phrase(
                "It carries nearly the same information as {name!r} (correlation above {same}).",
                name=target.name,
                same=_MIN_CORRELATION,
            )
        if len(target.counts) > MAX_INTEGER_CLASSES and _are_monotone(x, y):
            return phrase(
                "It puts the rows in the same order as {name!r}: one is computed from the other.",
                name=target.name,
            )
    if target.can_be_classes and _are_separated(x, y, numbers):
        return phrase(
            "Its numbers alone determine {name!r}: above a certain number the class always "
            "differs.",
            name=target.name,
        )
    return ""


def find_threshold_leak(codes: Integers, numbers: Floats, target: TargetCells) -> str:
    """Return a message if one threshold separates two classes exactly, with any gap.

    Such classes may be naturally far apart, so this leads to a question. Codes have the
    shape (n,), -1 where empty; each has its number, ascending. Many cells may be empty if all of
    them are of one class, as for the time until an event.
    """
    is_known = codes >= 0
    if not target.can_be_classes or is_known.sum() < _THRESHOLD_ROWS:
        return ""
    is_mostly_filled = is_known.sum() >= _MIN_FILLED_SHARE * len(codes)
    if not is_mostly_filled and len(np.unique(target.codes[~is_known])) > 1:
        return ""
    sample = space_rows_evenly(len(codes))
    if _count_changes(codes, target.codes, sample[is_known[sample]]) > 1:
        return ""
    x, y = codes[is_known], target.codes[is_known]
    sizes = np.bincount(y)
    classes = np.flatnonzero(sizes)
    if len(classes) != 2 or sizes[classes].min() < 2 * _MIN_ROWS_PER_SIDE:
        return ""
    is_first = y == classes[0]
    first_codes, second_codes, upper_class = x[is_first], x[~is_first], classes[1]
    if first_codes.min() > second_codes.max():
        first_codes, second_codes, upper_class = second_codes, first_codes, classes[0]
    steps = np.diff(x)
    if first_codes.max() >= second_codes.min() or (steps > 0).all() or (steps < 0).all():
        return ""
    return phrase(
        "It alone separates the classes of {name!r} without exception: from {value:.4g} upwards "
        "the target is always {label!r}.",
        name=target.name,
        value=float(numbers[second_codes.min()]),
        label=target.get_label(int(upper_class)),
    )


def _grow_independently(numbers: Floats, values: Floats) -> bool:
    """Whether both, (n,), grow in the order of the rows, like two meter readings.

    Where one is computed from the other, a smaller step of one comes with a smaller step of both.
    """
    steps = np.diff(np.stack([numbers, values]))
    if not ((steps >= 0).all(axis=1) | (steps <= 0).all(axis=1)).all():
        return False
    steps = np.abs(steps)
    changes = np.diff(steps)
    changes[np.abs(changes) < _MIN_CHANGE * steps.max(axis=1, keepdims=True)] = 0.0
    agreement = changes[0] * changes[1]
    if not agreement.any():
        return bool(changes.any())
    return bool(np.sum(agreement > 0) < _MIN_AGREEMENT * np.count_nonzero(agreement))


def _are_monotone(x: Integers, y: Integers) -> bool:
    """Whether codes x and y, (n,), increase or decrease together."""
    sample = space_rows_evenly(len(x))
    if rank_correlation(x[sample], y[sample]) < MIN_SAMPLED_SHARE:
        return False
    if rank_correlation(x, y) > _MIN_CORRELATION:
        return True
    pairs = np.unique(np.stack([x, y], axis=1), axis=0)
    steps = np.diff(pairs[:, 1])
    return len(pairs) == len(np.unique(x)) and bool((steps >= 0).all() or (steps <= 0).all())


def _count_changes(x: Integers, y: Integers, rows: Integers) -> int:
    """Return the number of changes of class y along x, both (n,), within the rows (m,)."""
    order = rows[np.argsort(x[rows], kind="stable")]
    return int(np.count_nonzero(np.diff(y[order])))


def _are_separated(x: Integers, y: Integers, numbers: Floats) -> bool:
    """Whether thresholds separate classes y by codes x, (n,), with rows near each of them."""
    if len(x) < _THRESHOLD_ROWS:
        return False
    n_classes = np.count_nonzero(np.bincount(y))
    if _count_changes(x, y, space_rows_evenly(len(x))) > 2 * n_classes:
        return False
    steps = np.diff(x)
    if (steps > 0).all() or (steps < 0).all():
        return False  # times in a table sorted by class also separate the classes
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    changes = np.flatnonzero(np.diff(y))
    if len(changes) != n_classes - 1 or np.any(x[changes] == x[changes + 1]):
        return False
    boundaries = np.concatenate([[-1], changes, [len(x) - 1]])
    if np.diff(boundaries).min() < 2 * _MIN_ROWS_PER_SIDE:
        return False
    values = numbers[x]
    low, high = np.quantile(values, (0.05, 0.95))
    margin = _MAX_BOUNDARY_SHARE * (high - low)
    return bool(
        np.all(values[changes + 1] - values[changes] <= margin)
        and np.all(values[changes] - values[changes + 1 - _MIN_ROWS_PER_SIDE] <= margin)
        and np.all(values[changes + _MIN_ROWS_PER_SIDE] - values[changes + 1] <= margin)
    )


MIN_DETERMINED_SHARE = 0.995
"""Minimum share of rows with a determined target for a column to count as a leak."""

_MAX_ERROR_SHARE = 0.2  # maximum ratio of its errors to those of the most common class

_MIN_CLASS_ROWS = 5
"""Minimum number of rows of a class, and mean number of rows per value, for a finding."""

_MIN_ROWS_PER_EXCEPTION = 50  # rows from which one exception beyond it leads to a question
_MAX_ACCURACY = 0.95  # minimum share of rows determined by others, without contradiction

# Minimum shares of a class if no row of another class is filled, and of rows of other classes.
_MIN_COVERAGE = ((0.8, 40), (0.5, 100))
_MAX_NOISE = (0.025, 0.025)  # shares of exceptions in a class and among other rows, of a noisy flag
# The same for being filled or empty, and for a value other than that of most rows: in a class, more
# exceptions are allowed. Honest flags of classes occur in at least 5 % of the other rows.
_MAX_FILLED_NOISE, _MAX_OTHER_NOISE = (0.2, 0.05), (0.2, 0.025)
_UPPER_MARGIN = 0.05  # of the sum of both shares' upper bounds, so that few rows raise no question
_SIGNIFICANCE_LEVEL = 1e-4  # maximum probability of a chance result in any column of the table


@dataclasses.dataclass(frozen=True)
class _Conditions:
    """The rows of a column that are filled, are empty, have its most common value, or another one.

    Attributes:
        codes: Shape (n,). -1 where empty.
        common: The code of the most common value.
        other: The code of the only other value, if there is one and no cell is empty.
        counts: Rows by condition.
    """

    column: ValueCodes
    codes: Integers
    common: int
    other: int | None
    counts: tuple[int, ...]

    @classmethod
    def from_codes(cls, column: ValueCodes, codes: Integers) -> "_Conditions":
        rows = np.bincount(codes + 1)[1:]
        n, n_known, common = len(codes), int(rows.sum()), int(rows.argmax())
        n_common = int(rows[common])
        other = 1 - common if len(rows) == 2 and n_known == n else None
        return cls(column, codes, common, other, (n_known, n - n_known, n_common, n - n_common))

    def get_flags(self, index: int) -> Flags:
        """Return the rows, (n,), that fulfil a condition."""
        flags: Flags = self.codes == self.common if index > 1 else self.codes >= 0
        return ~flags if index % 2 else flags

    @property
    def value(self) -> str:
        """The most common value."""
        return self.column.get_text(self.common)[:40]

    def describe(self, index: int) -> str:
        """Describe a condition for a message."""
        if index < 2:
            return phrase("It is empty") if index else phrase("It is filled")
        code = self.common if index == 2 else self.other
        if code is None:
            return phrase("It differs from {value!r}", value=self.value)
        return phrase("It is {value!r}", value=self.column.get_text(code)[:40])


def find_leak(column: ValueCodes, target: TargetCells, *, is_owner: bool = False) -> Finding | None:
    """Return a finding if a column leaks the target; owners of rows may have one target each."""
    if len(target.rows) < FEW_ROWS or len(target.counts) < 2:
        return None
    codes = column.codes if len(target.rows) == len(column.codes) else column.codes[target.rows]
    if codes.max() < 0:
        return None
    if column.has_same_cells(target.column):
        copy = phrase("It is a copy of {name!r}, the column to predict.", name=target.name)
        return Finding("leak", "stop", copy)
    max_exceptions = (1 - MIN_DETERMINED_SHARE) * len(codes)
    conditions = _Conditions.from_codes(column, codes)
    sentence = _find_value_leak(conditions, target, max_exceptions, is_owner=is_owner)
    if not sentence and column.numbers is not None:
        sentence = find_copy_leak(codes, column.numbers, target)
    choices = remedies.EXCLUDE, remedies.INCLUDE
    if sentence:
        tail = phrase("Leave it out unless it is known before the prediction is made.")
        return Finding("leak", "stop", join_phrases((sentence, tail)), choices, fact=sentence)
    question = ""
    if max_exceptions < 1 and len(codes) >= _MIN_ROWS_PER_EXCEPTION:
        question = _find_value_leak(conditions, target, 1, is_owner=is_owner)
    if not question and column.numbers is not None:
        question = find_threshold_leak(codes, column.numbers, target) or find_near_copy(
            codes, column.numbers, target
        )
    question = question or _describe_noisy_flag(conditions, target)
    if not question:
        return None
    tail = phrase("Is it known before the prediction is made?")
    return Finding("leak", "decide", join_phrases((question, tail)), choices, fact=question)


def _find_value_leak(
    conditions: _Conditions, target: TargetCells, exceptions: float, *, is_owner: bool
) -> str:
    """Return a message if a column determines the target with few exceptions."""
    message = _find_flag_leak(conditions, (0, 1), target, exceptions)
    n_rows = len(conditions.codes)
    if not message and not is_owner and _MIN_CLASS_ROWS * conditions.column.size <= n_rows:
        message = _find_single_class_leak(conditions.codes, target, exceptions)
    return message or _find_flag_leak(conditions, (2, 3), target, exceptions)


_MATCHES = (
    phrase("It is filled exactly where {name!r} is {label!r}."),
    phrase("It is empty exactly where {name!r} is {label!r}."),
    phrase("It is {value!r} exactly where {name!r} is {label!r}."),
    phrase("It differs from {value!r} exactly where {name!r} is {label!r}."),
)
_FILLED_MATCHES = phrase(
    "In {share:.4g} % of the rows, whether it is filled shows whether {name!r} is {label!r}."
)
_VALUE_MATCHES = phrase(
    "In {share:.4g} % of the rows, whether it is {value!r} shows whether {name!r} is {label!r}."
)
_EXCLUSIONS = {
    0: phrase("It is filled only where {name!r} is {label!r}."),
    1: phrase("It is empty only where {name!r} is {label!r}."),
    3: phrase("It differs from {value!r} only where {name!r} is {label!r}."),
}
"""Messages by condition: exact, with some wrong rows, and for rows of one class only."""


def _find_flag_leak(
    conditions: _Conditions, indices: tuple[int, int], target: TargetCells, exceptions: float
) -> str:
    """Return a message if a condition determines a class, or holds in rows of one class only."""
    n, counts = len(conditions.codes), conditions.counts
    usable = [index for index in indices if 0 < counts[index] < n]
    class_counts = target.group_counts[target.groups[1] >= 0]
    for index in usable:
        if np.abs(class_counts - counts[index]).min() > exceptions:
            continue  # no class has a similar number of rows
        match = _find_matching_class(conditions.get_flags(index), target, exceptions)
        if match is not None:
            code, n_wrong = match
            inexact = _VALUE_MATCHES if index > 1 else _FILLED_MATCHES
            return phrase(
                inexact if n_wrong else _MATCHES[index],
                name=target.name,
                label=target.get_label(code),
                value=conditions.value,
                share=100 * (1 - n_wrong / n),
            )
    for index in usable:
        if index == 2 or (index == 3 and 2 * counts[2] < n):
            continue
        class_code = _find_exclusive_class(conditions.get_flags(index), target)
        if class_code is not None:
            label = target.get_label(class_code)
            return phrase(_EXCLUSIONS[index], name=target.name, label=label, value=conditions.value)
    return ""


def _count_matches(flags: Flags, target: TargetCells) -> tuple[int, Integers]:
    """Return the number of flags (n,), and how many are in rows of each class, (G,)."""
    n_matches = np.bincount(target.groups[0][flags], minlength=len(target.group_counts))
    return int(n_matches.sum()), n_matches


def _find_matching_class(
    flags: Flags, target: TargetCells, exceptions: float
) -> tuple[int, int] | None:
    """Return the class that matches the flagged rows, (n,), best, and the errors."""
    n, counts = len(flags), target.group_counts
    n_flagged, n_matches = _count_matches(flags, target)
    errors = np.where(target.groups[1] < 0, n, n_flagged - n_matches + counts - n_matches)
    code = int(np.argmin(errors))
    n_wrong, n_of_class = int(errors[code]), int(counts[code])
    min_rows = min(n_flagged, n - n_flagged, n_of_class, n - n_of_class)
    if min_rows < _MIN_CLASS_ROWS or n_wrong > exceptions or n_wrong > _MAX_ERROR_SHARE * min_rows:
        return None
    return (
        (code, n_wrong) if _is_significant(int(n_matches[code]), n_flagged, target, code) else None
    )


def _describe_noisy_flag(conditions: _Conditions, target: TargetCells) -> str:
    """Return a message if a condition predicts a class except for noise.

    Exceptions are counted separately for each side: in a rare class, few are a large share.
    """
    n, counts = len(conditions.codes), conditions.counts
    for index in sorted(range(len(counts)), key=counts.__getitem__):
        max_noise = _MAX_NOISE
        if index < 2:
            max_noise = _MAX_FILLED_NOISE
        elif index == 3 and 2 * counts[2] >= n:
            max_noise = _MAX_OTHER_NOISE
        if np.all(np.abs(counts[index] - target.group_counts) > max(max_noise) * n):
            continue
        flags = conditions.get_flags(index)
        code = _find_class_with_noise(flags, target, max_noise)
        if code is None:
            continue
        in_class, of_class = flags[target.groups[0] == code], int(target.group_counts[code])
        return phrase(
            "{words} in {hits:,} of the {of_class:,} rows where {name!r} is {label!r}, and in "
            "{others:,} of the {n_others:,} other rows.",
            words=conditions.describe(index),
            hits=int(in_class.sum()),
            of_class=of_class,
            name=target.name,
            label=target.get_label(code),
            others=int(flags.sum() - in_class.sum()),
            n_others=n - of_class,
        )
    return ""


def _find_class_with_noise(
    flags: Flags, target: TargetCells, max_noise: tuple[float, float]
) -> int | None:
    """Return the class that the flags (n,) match, with few exceptions on both sides."""
    n, counts = len(flags), target.group_counts
    flagged, n_matches = _count_matches(flags, target)
    code = int(np.argmax(np.where(target.groups[1] < 0, -1, n_matches)))
    n_flagged, of_class = int(n_matches[code]), int(counts[code])
    if not 0 < of_class < n:
        return None
    sides = ((of_class - n_flagged, of_class), (flagged - n_flagged, n - of_class))
    max_upper_bound = sum(max_noise) + _UPPER_MARGIN
    is_determined = (
        all(wrong <= share * rows for (wrong, rows), share in zip(sides, max_noise, strict=True))
        and sum(_compute_upper_bound(wrong, rows) for wrong, rows in sides) <= max_upper_bound
    )
    return code if is_determined and _is_significant(n_flagged, flagged, target, code) else None


def _compute_upper_bound(k: int, n: int) -> float:
    """Return the upper bound of a share, k of n > 0, at two standard errors (Wilson 1927)."""
    share = k / n
    return (share + 2 / n + 2 * math.sqrt(share * (1 - share) / n + 1 / n**2)) / (1 + 4 / n)


def _find_exclusive_class(flags: Flags, target: TargetCells) -> int | None:
    """Return the class of all flagged rows, (n,), if they are a large part of it."""
    n_flagged, n_matches = _count_matches(flags, target)
    code = int(np.argmax(np.where(target.groups[1] < 0, -1, n_matches)))
    of_class = int(target.group_counts[code])
    n_others = len(flags) - of_class
    is_covered = any(
        n_matches[code] >= share * of_class and n_others >= min_others
        for share, min_others in _MIN_COVERAGE
    )
    if not is_covered or n_others < of_class or n_matches[code] < MIN_DETERMINED_SHARE * n_flagged:
        return None
    return code if _is_significant(int(n_matches[code]), n_flagged, target, code) else None


def _is_significant(n_hits: int, n_flagged: int, target: TargetCells, code: int) -> bool:
    """Whether the number of flagged rows of a class is improbable (hypergeometric test)."""
    n, n_of_class = len(target.rows), int(target.group_counts[code])
    log_chance = (
        log_choose(n_of_class, n_hits)
        + log_choose(n - n_of_class, n_flagged - n_hits)
        - log_choose(n, n_flagged)
    )
    return log_chance < math.log(_SIGNIFICANCE_LEVEL / target.n_columns)


def _find_single_class_leak(codes: Integers, target: TargetCells, exceptions: float) -> str:
    """Return a message if each value has one target; codes (n,) are -1 in empty cells.

    Empty cells count as a value if there are many of them.
    """
    classes, counts, is_known = target.codes, target.counts, codes >= 0
    if _MIN_FILLED_SHARE <= is_known.mean() < 1:  # a few empty cells are not evidence
        codes, classes = codes[is_known], classes[is_known]
        counts = np.bincount(classes)
    n, sample = len(codes), space_rows_evenly(len(codes))
    if _compute_agreement(codes[sample], classes[sample])[1] < MIN_SAMPLED_SHARE:
        return ""
    n_values, purity, n_determined = _compute_agreement(codes, classes)
    errors, is_frequent = n - n_determined.sum(), counts >= _MIN_CLASS_ROWS
    if (
        n_values < 2
        or len(counts) > 2 * n_values
        or is_frequent.sum() < 2
        or errors > _MAX_ERROR_SHARE * (n - counts.max())
        or np.any(n_determined[is_frequent] < (1 - _MAX_ERROR_SHARE) * counts[is_frequent])
    ):
        return ""
    if purity == 1 and errors <= (1 - _MAX_ACCURACY) * n:
        return phrase("It leaks {name!r}: it alone determines the target.", name=target.name)
    if errors > exceptions:
        return ""
    return phrase(
        "It alone determines {name!r} in {share:.4g} % of the rows.",
        name=target.name,
        share=100 * (1 - errors / n),
    )


def _compute_agreement(codes: Integers, classes: Integers) -> tuple[int, float, Integers]:
    """Compare codes from -1 with class codes from 0, shape (n,).

    Returns:
        The number of values; the share of the rows with the most common class of their value; and
        the rows of each class for which most of the others with their value are of that class,
        shape (C,).
    """
    n_classes = int(classes.max()) + 1
    pairs, rows = np.unique((codes + 1) * n_classes + classes, return_counts=True)
    values = pairs // n_classes
    order = np.lexsort((rows, values))  # the most common class of each value last
    values, rows, of_class = values[order], rows[order], (pairs % n_classes)[order]
    last_index = np.flatnonzero(np.diff(values, append=-1))
    max_rows = rows[last_index]
    is_pure = np.diff(last_index, prepend=-1) == 1
    second_rows = np.where(is_pure, 0, rows[last_index - 1])
    n_determined = np.zeros(n_classes, dtype=np.int64)
    np.add.at(n_determined, of_class[last_index], np.where(max_rows - 1 > second_rows, max_rows, 0))
    return len(last_index), float(max_rows.sum() / len(classes)), n_determined


def find_relations(
    column: ColumnDescription, cells: DistinctCells, target: TargetCells, repeated_column: str
) -> ColumnDescription:
    """Return a column with findings about its relation to others (an equal ``repeated_column``)."""
    findings, role = list(column.findings), column.role
    if role != "target" and column.distinct:
        is_owner = any(each.kind == "group" for each in findings)
        value_codes = ValueCodes(cells, column.kind)
        leak = find_leak(value_codes, target, is_owner=is_owner)
        if leak is None and is_owner and find_leak(value_codes, target) is not None:
            findings = [_explain_constant_owner(each, target.name) for each in findings]
        elif leak is not None:
            findings.insert(0, leak)
            role = role if leak.remedies else "ignore"
        elif repeated_column and column.distinct > 1:
            sentence = phrase(
                "It repeats the column {other!r}; one of them is enough.", other=repeated_column
            )
            findings.append(Finding("repeated-column", "idea", sentence, (remedies.EXCLUDE,)))
    named_findings = tuple(dataclasses.replace(each, columns=(column.name,)) for each in findings)
    return dataclasses.replace(column, findings=named_findings, role=role)


def _explain_constant_owner(finding: Finding, target: str) -> Finding:
    """Return a finding about owners with one target in all of their rows."""
    if finding.kind != "group":
        return finding
    sentence = phrase(
        "All rows of one owner have the same {target!r}, so without that role the test says "
        "nothing about new owners.",
        target=target,
    )
    return dataclasses.replace(
        finding, level="decide", sentence=join_phrases((finding.sentence, sentence))
    )

"""Task of a run: classification or regression of the target."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from studio.arrays import Floats, Integers
from studio.currencies import is_money
from studio.data.header import YEARS
from studio.data.identifiers import FEW_ROWS
from studio.errors import DataError
from studio.phrases import phrase

if TYPE_CHECKING:
    from studio.data.column import Column
    from studio.data.reading import RawTable

Task = Literal["binary", "multiclass", "regression"]

TASKS: tuple[Task, ...] = ("binary", "multiclass", "regression")

MAX_INTEGER_CLASSES = 20
"""Maximum number of distinct integers of a target with classes."""

_MAX_SMALL_CLASSES = 11  # maximum number of distinct grades: 0 to 10

_SCALE = 5
"""Number of distinct numbers above which equal distances, such as 0 to 100 by tens, form a scale.
"""

_CODE_RANGE = (-10, 20)  # range of consecutive grades and class codes
_MAX_GAP_FACTOR = 1.5  # maximum ratio of the numbers' range to their count for consecutive numbers

_MIN_MEAN_ROWS, _MIN_REPETITIONS, _MIN_BALANCE = 2, 20, 0.6
"""Mean rows per number below which numbers are amounts, and above which many classes are possible;
minimum ratio of the rarest number to the most common.
"""

_MAX_DISTINCT_SHARE = 0.5  # maximum ratio of distinct to filled cells for repeated words
_MIN_FILLED_SHARE = 0.2  # minimum share of rows with a target value

_AMOUNT = re.compile(
    r"(?:.*[^a-z])?(?:price|preis|prix|precio|prezzo|preço|prijs|cena|costo?|kosten|coût|fare|fee"
    r"|salary|sueldo|gehalt|salaire|income|wage|rent|miete|revenue|amount|betrag)s?(?:[^a-z].*)?",
    re.IGNORECASE,
)
"""Names of amounts of money: even a few distinct ones are numbers, unless consecutive."""

_MIN_ROWS_PER_CLASS = 4
"""Minimum rows per squared number of values for a few numbers with gaps to be classes."""


@dataclass(frozen=True)
class TargetGuess:
    """The likely target, and the reason."""

    name: str
    reason: str


@dataclass(frozen=True)
class TaskGuess:
    """The likely task, and the reason."""

    task: Task
    reason: str


def guess_target(raw: "RawTable") -> TargetGuess:
    """Return the column "target", else the last suitable one; raise DataError if there is none."""
    if not raw.names:
        raise DataError("The table has no columns, so there is nothing to predict.")
    for name in raw.names:
        if is_target_name(name):
            return TargetGuess(name, phrase("The column is called {name!r}.", name=name))
    last_index = len(raw.names) - 1
    index = next((i for i in range(last_index, 0, -1) if _can_be_predicted(raw, i)), last_index)
    if index == last_index:
        reason = phrase("It is the last column; none is called “target”.")
    else:
        reason = phrase(
            "It is the last column with several numbers or recurring words; none is called "
            "“target”."
        )
    return TargetGuess(raw.names[index], reason)


def _can_be_predicted(raw: "RawTable", index: int) -> bool:
    """Whether a column has several values and contains neither dates nor identifiers."""
    cells = raw.get_distinct(index)
    match raw.formats[index].kind:
        case "number":
            return len(cells.levels[0]) > 1
        case "category":
            n_filled = int(cells.counts[~cells.missing].sum())
            max_labels = _MAX_DISTINCT_SHARE * n_filled if n_filled >= FEW_ROWS else n_filled - 1
            return 1 < cells.label_count <= max_labels and n_filled >= _MIN_FILLED_SHARE * len(
                cells.codes
            )
    return False


def is_target_name(name: str) -> bool:
    """Whether a column's name denotes a target."""
    return name.strip().lower() == "target"


def guess_task(column: "Column") -> TaskGuess:
    """Decide between classification and regression.

    Text is treated as classes, as are two distinct numbers if whole or repeated. Other targets are
    numeric if not whole, or with more than :data:`MAX_INTEGER_CLASSES` values. In between, codes
    and grades differ from prices, counts and ages by their frequencies, and by consecutive values
    starting at about 0.
    """
    if column.kind == "category":
        n_classes = len(column.categories)
        reason = phrase("It is a category with {n_classes:,} classes.", n_classes=n_classes)
        if n_classes == 1:
            reason = phrase("It is a category with 1 class.")
        return TaskGuess("binary" if n_classes <= 2 else "multiclass", reason)
    values, counts = np.unique(column.values[~np.isnan(column.values)], return_counts=True)
    if not len(values):
        return TaskGuess("regression", phrase("It has no values."))
    is_whole = np.array_equal(values, np.round(values))
    if len(values) <= 2 and (is_whole or counts.max() > 1):
        return TaskGuess("binary", phrase("It contains no more than two different numbers."))
    if not is_whole:
        return TaskGuess("regression", _describe_fractions(values))
    if len(values) <= MAX_INTEGER_CLASSES:
        is_amount = is_money(column.number_format.units) or _AMOUNT.fullmatch(column.name)
        return _guess_integers_task(values, counts, is_amount=bool(is_amount))
    reason = phrase(
        "It contains whole numbers with {n_values:,} different values, more than the maximum of "
        "{max_integer_classes} for classes.",
        n_values=len(values),
        max_integer_classes=MAX_INTEGER_CLASSES,
    )
    return TaskGuess("regression", reason)


def guess_task_for_metric(column: "Column", supported_tasks: Collection[Task]) -> Task:
    """Return the task of a column among those supported by a metric, if one of them fits.

    The metric decides about whole numbers: for marks from 1 to 5 the log loss implies classes, and
    the root mean squared error numbers.
    """
    guess = guess_task(column).task
    if guess in supported_tasks or column.kind != "number":
        return guess
    values = np.unique(column.values[~np.isnan(column.values)])
    n_classes = len(values)
    if not np.array_equal(values, np.round(values)):
        return guess
    if guess != "regression":
        return "regression" if "regression" in supported_tasks else guess
    fitting: Task = "binary" if n_classes == 2 else "multiclass"
    return (
        fitting if 2 <= n_classes <= MAX_INTEGER_CLASSES and fitting in supported_tasks else guess
    )


def _describe_fractions(values: Floats) -> str:
    """Describe fractional numbers; distinct ones, (k,), ascending."""
    steps = np.diff(values)
    if 2 < len(values) <= MAX_INTEGER_CLASSES and np.allclose(
        steps / steps.min(), np.round(steps / steps.min()), atol=1e-6
    ):
        return phrase(
            "It contains {n_values} different numbers in fractional steps of {step:.4g}, so it "
            "is predicted as a number.",
            n_values=len(values),
            step=float(steps.min()),
        )
    return phrase("It contains fractional numbers.")


def _guess_integers_task(values: Floats, counts: Integers, *, is_amount: bool) -> TaskGuess:
    """Infer the task from 3 to 20 integers, (k,), ascending, and the number of rows of each."""
    n_values, n_rows = len(values), int(counts.sum())
    low, high = int(values[0]), int(values[-1])
    is_dense = high - low + 1 <= _MAX_GAP_FACTOR * n_values
    slots = {"n_values": n_values, "n_rows": n_rows, "low": low, "high": high}
    if YEARS[0] <= low and high <= YEARS[-1]:
        return TaskGuess("regression", phrase("It contains years from {low} to {high}.", **slots))
    if n_rows < _MIN_MEAN_ROWS * n_values:
        reason = phrase(
            "It contains {n_values} different whole numbers in {n_rows:,} rows: most occur once, "
            "as amounts do.",
            **slots,
        )
        return TaskGuess("regression", reason)
    if (
        is_dense
        and n_values <= _MAX_SMALL_CLASSES
        and _CODE_RANGE[0] <= low
        and high <= _CODE_RANGE[1]
    ):
        reason = phrase(
            "It contains {n_values} different whole numbers from {low} to {high} in steps of one, "
            "as grades and codes do.",
            **slots,
        )
        return TaskGuess("multiclass", reason)
    is_balanced = (
        n_rows >= _MIN_REPETITIONS * n_values and counts.min() >= _MIN_BALANCE * counts.max()
    )
    if high - low + 1 == n_values and low in {0, 1} and is_balanced:
        reason = phrase(
            "It contains the whole numbers from {low} to {high}, about equally often, as codes of "
            "classes do.",
            **slots,
        )
        return TaskGuess("multiclass", reason)
    is_scale = n_values > _SCALE and len(np.unique(np.diff(values))) == 1
    if (
        not is_dense
        and not is_scale
        and not is_amount
        and n_values <= _MAX_SMALL_CLASSES
        and n_rows >= _MIN_ROWS_PER_CLASS * n_values**2
    ):
        reason = phrase(
            "It contains only {n_values} different whole numbers in {n_rows:,} rows.", **slots
        )
        return TaskGuess("multiclass", reason)
    reason = phrase(
        "It contains {n_values} different whole numbers from {low:,} to {high:,}, spread as "
        "amounts, counts or ages are.",
        **slots,
    )
    return TaskGuess("regression", reason)

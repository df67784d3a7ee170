"""Comparison of new rows with the training rows, by column and as a whole.

Changes of how columns go together are seen by no column alone, but by a model that learns to
distinguish new rows from the others. Where the rows are of one kind no model does better than
guessing on rows that it has not seen (classifier two-sample tests: Friedman 2003, Lopez-Paz and
Oquab 2017).
"""

from collections.abc import Mapping

import numpy as np

from studio.analysis.answers.rows import GUESSING, ColumnChange, NewRows
from studio.analysis.new_rows.columns import ColumnFinding, compare_labels, compare_numbers
from studio.arrays import Flags, Floats, Integers
from studio.data.dates import DatePart
from studio.data.intervals.loss import loss_interval
from studio.data.metrics.rankings import Auc
from studio.data.recipe import Encoded
from studio.phrases import phrase
from studio.runs.prepare import PreparedRun

MIN_ROWS = 20
"""Minimum number of new rows: with fewer, differences are random."""

MIN_CATEGORY_ROWS = 5
"""Minimum number of rows of a label in both tables; rarer ones are merged for the model."""

FALSE_ALARM_RATE = 0.05
"""False alarm rate among unchanged tables: half of it by columns, half by the overall test."""

_FEW_ROWS_MESSAGE = phrase(
    "Fewer than {least} rows: too few to say whether they differ from the training rows.",
    least=MIN_ROWS,
)
_DEPENDENT = phrase(
    "The new rows differ from the training rows, more than a random sample would. (Rows that come "
    "in groups, or later, often do.) Predictions may be worse than the test error."
)
_UNLIKE = phrase(
    "The new rows differ from the training rows by more than chance explains. Predictions "
    "may be worse than the test error."
)


def new_rows(prepared: PreparedRun, encoded: Encoded) -> NewRows:
    """Compare the rows of a new table, encoded by the run's recipe, with its training rows."""
    problem = prepared.problem
    dependent = problem.groups is not None or problem.times is not None
    categories = dict(zip(problem.feature_names, problem.categories, strict=True))
    names_by_column = {
        each.name: each.own_name if each.date is not None and each.date.part == "days" else ""
        for each in problem.recipe().features
        if each.is_part
    }
    dates = {each.name: each.date for each in problem.recipe().features if each.date is not None}
    training = problem.X[prepared.split.development]
    return compare_rows(
        categories, training, encoded, dependent=dependent, parts=names_by_column, dates=dates
    )


def compare_rows(
    columns: Mapping[str, tuple[str, ...] | None],
    training: Floats,
    encoded: Encoded,
    *,
    dependent: bool = False,
    parts: Mapping[str, str] | None = None,
    dates: Mapping[str, DatePart] | None = None,
) -> NewRows:
    """Compare new rows with training rows.

    Args:
        columns: The labels by code of each column, ``None`` for numbers, by its name.
        training: Shape (n, d). Training rows, as :attr:`studio.data.problem.Problem.X`.
        dependent: Whether rows come in groups or in time, so that more tables look different than
            is stated.
        parts: By the name of a column of days, the column of dates under which it is named; "" for
            other parts of dates and for terms of texts, which are not named.
        dates: By the name of such a column, its format.
    """
    new_matrix, parts = encoded.X, parts or {}
    if len(new_matrix) < MIN_ROWS or len(training) < MIN_ROWS:
        return NewRows(reason=_FEW_ROWS_MESSAGE)
    rng = np.random.default_rng(0)
    findings: list[ColumnFinding] = []
    names: list[str] = []
    training_codes, new_codes = training.copy(), new_matrix.copy()
    for column, (name, categories) in enumerate(columns.items()):
        display_name = parts.get(name, name)
        if not display_name:
            continue
        names.append(display_name)
        if categories is None:
            both_columns = training[:, column], new_matrix[:, column]
            date_part = (dates or {}).get(name)
            findings.append(
                compare_numbers(
                    display_name, *both_columns, rng, dates=name in parts, written=date_part
                )
            )
            continue
        codes, new_column_codes = _to_codes(training[:, column]), _to_codes(new_matrix[:, column])
        unseen = encoded.unseen.get(column)
        if unseen is not None:
            new_column_codes = np.where(unseen > 0, len(categories) - 1 + unseen, new_column_codes)
        findings.append(compare_labels(name, codes, new_column_codes, categories))
        training_codes[:, column], new_codes[:, column] = _merge_rare(codes, new_column_codes)
    named = select_significant(np.array([each.p for each in findings]), FALSE_ALARM_RATE / 2)
    changes = [
        ColumnChange(name, each.size, each.words)
        for name, each, one in zip(names, findings, named, strict=True)
        if one
    ]
    auc, low, high = _estimate_discriminator_auc(training_codes, new_codes)
    if not changes and low <= GUESSING:
        return NewRows((), auc, low, high)
    changes.sort(key=lambda each: -each.size)
    return NewRows(tuple(changes), auc, low, high, _DEPENDENT if dependent else _UNLIKE)


def select_significant(p: Floats, share: float) -> Flags:
    """Return the significant p-values, (k,), by false discovery rate, (k,).

    As Benjamini and Hochberg have it (1995, Journal of the Royal Statistical Society B 57).
    """
    ordered = np.sort(p)
    passing = np.flatnonzero(ordered <= share * np.arange(1, p.size + 1) / p.size)
    return p <= (ordered[passing[-1]] if passing.size else -1.0)


def _to_codes(values: Floats) -> Integers:
    """Return category codes, shape (n,), with -1 for missing."""
    return np.nan_to_num(values, nan=-1.0).astype(np.int64)


def _merge_rare(training: Integers, new_codes: Integers) -> tuple[Floats, Floats]:
    """Return codes for a model, shapes (n,) and (m,), with rare labels merged.

    Else a label that only one row has would give away by itself which table it is from.
    """
    labels, counts = np.unique(np.concatenate([training, new_codes]), return_counts=True)
    rare_labels = labels[counts < MIN_CATEGORY_ROWS]
    highest = float(labels[-1] + 1)
    return tuple(
        np.where(np.isin(table_codes, rare_labels), highest, table_codes).astype(np.float64)
        for table_codes in (training, new_codes)
    )  # type: ignore[return-value]


_MAX_ROWS = 2_000
"""Maximum rows of each table: half for training, half for testing."""

_TREES = 30


def _estimate_discriminator_auc(training: Floats, new_matrix: Floats) -> tuple[float, float, float]:
    """Return the AUC (held-out rows) of a model of new against old rows, with its 95 % interval.

    It learns from one half of the rows and is judged by the other. Folds, each judged by a model of
    the others, would see smaller changes, but their errors go together: tried that way, rows of one
    kind were distinguished twice as often as the interval says.

    Args:
        training, new_matrix: Shape (n, d) and (m, d). At least two rows each; NaN is missing.
    """
    from lightgbm import Dataset, train

    rng = np.random.default_rng(0)
    samples = [
        sample[rng.permutation(len(sample))[:_MAX_ROWS]] for sample in (training, new_matrix)
    ]
    learning, evaluation = (
        (
            np.concatenate([sample[first::2] for sample in samples]),
            np.repeat([0, 1], [len(sample[first::2]) for sample in samples]),
        )
        for first in (0, 1)
    )
    settings = {
        "objective": "binary", "num_leaves": 8, "learning_rate": 0.2, "min_data_in_leaf": 10,
        "max_bin": 63, "seed": 0, "num_threads": 1, "verbose": -1,
        "force_col_wise": True, "deterministic": True,
    }  # fmt: skip
    model = train(settings, Dataset(*learning), _TREES)
    probabilities = np.asarray(model.predict(evaluation[0], num_threads=1))
    predictions = np.column_stack([1 - probabilities, probabilities])
    auc_loss = Auc().loss(evaluation[1], predictions)
    low, high = loss_interval(Auc(), evaluation[1], predictions) or (0.0, 1.0)
    return 1 - auc_loss, 1 - high, 1 - low

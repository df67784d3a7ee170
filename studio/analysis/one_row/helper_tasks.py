"""Helper tasks about one row.

The contributions of a row's fields to its prediction are Shapley values, estimated by sampling.

Starting from a background row, the fields are replaced one by one by those of the explained row, in
a random order; the mean change of the prediction by each step, over orders and background rows, is
the field's Shapley value (Štrumbelj and Kononenko 2014). Each order is followed by its reverse with
the same background row, which at least halves the variance (antithetic permutations:
Mitchell et al. 2022, section 3.2).

The background rows are drawn from strata of similar predictions, half of the draws in proportion to
the strata's sizes and half equally (stratified sampling: Cochran 1977, chapter 5). A small simple
random sample often misses rows of a rare class, and then underestimates the decisive column. The
base is the mean over all background rows and does not depend on the draws. For base and values to
sum to the prediction, the residual is distributed in proportion to the squared standard errors
(weighted least squares).
"""

import math
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from studio.analysis.answers.rows import (
    MIN_SIMILAR_ROWS,
    NearestChange,
    RowForm,
    RowPrediction,
    RowReasons,
    TableRow,
    Value,
)
from studio.analysis.decision import get_positive_class_code
from studio.analysis.one_row.row_ensemble import NoStoredModelError, RowEnsemble, load_row_ensemble
from studio.analysis.prediction_errors import list_identifiers
from studio.arrays import Flags, Floats, Integers
from studio.awake_clock import read_awake_seconds
from studio.data.intervals.prediction import SHARE
from studio.errors import DataError
from studio.phrases import join_phrases
from studio.seeds import derive

_MAX_STRATA = 8
_PRIOR_DRAWS = 1.0
"""Prior weight of the pooled variance, in draws, for variances estimated from few."""

PredictFunction = Callable[[Floats], Floats]
"""Predicts rows, shape (n, d), as an array of shape (n, C)."""


class ShapleySampling:
    """Shapley values of one row, estimated incrementally.

    Args:
        ask: The prediction function; its results may depend slightly on the other rows of a call.
        row: Shape (d,). The row to explain.
        background: Shape (b, d), b > 0. Rows that represent unknown values.
        owners: Shape (d,). The field 0, 1, … of each column.
    """

    def __init__(
        self,
        ask: PredictFunction,
        row: Floats,
        background: Floats,
        owners: Sequence[int],
        seed: int,
    ) -> None:
        self._predict, self._row, self._background = ask, row, background
        self._owners = np.asarray(owners, dtype=np.int64)
        self._fields = int(self._owners.max()) + 1
        self._rng = np.random.default_rng(seed)
        predictions = ask(background)
        self.base: Floats = predictions.mean(axis=0)
        """The mean prediction of the background rows, shape (C,)."""
        self._total_contribution: Floats = ask(row[None])[0] - self.base
        stratum = _assign_strata(predictions)
        self._members = [np.flatnonzero(stratum == each) for each in range(stratum.max() + 1)]
        self._sizes: Floats = np.array([len(each) for each in self._members]) / len(predictions)
        self._queues: list[list[int]] = [[] for _ in self._members]
        self._counts = np.zeros(len(self._members))
        shape = (len(self._members), self._fields, len(self.base))
        self._sums, self._squares = np.zeros(shape), np.zeros(shape)
        self.draws = 0

    def draw(self, n_pairs: int) -> None:
        """Draw ``n_pairs`` more permutations, with their reverses."""
        orders = self._rng.permuted(np.tile(np.arange(self._fields), (n_pairs, 1)), axis=1)
        ranks = np.argsort(orders, axis=1)
        rank_pairs = np.stack([ranks, self._fields - 1 - ranks], axis=1).reshape(2 * n_pairs, -1)
        strata, row_indices = self._draw_next(n_pairs)
        rows = np.repeat(self._background[row_indices], 2, axis=0)
        steps = np.arange(self._fields + 1)
        uses_row = rank_pairs[:, None, self._owners] < steps[:, None]
        mixtures = np.where(uses_row, self._row, rows[:, None, :])
        predictions = self._predict(mixtures.reshape(-1, len(self._row)))
        predictions = predictions.reshape(2 * n_pairs, len(steps), -1)
        increments = np.take_along_axis(
            np.diff(predictions, axis=1), rank_pairs[:, :, None], axis=1
        )
        mean_contributions = increments.reshape(n_pairs, 2, self._fields, -1).mean(axis=1)
        np.add.at(self._sums, strata, mean_contributions)
        np.add.at(self._squares, strata, np.square(mean_contributions))
        self.draws += n_pairs

    @property
    def values(self) -> Floats:
        """Contribution of each field, shape (m, C); with the base they sum to the prediction."""
        is_sampled = self._counts > 0
        weights = self._sizes[is_sampled] / self._sizes[is_sampled].sum() / self._counts[is_sampled]
        contributions: Floats = np.tensordot(weights, self._sums[is_sampled], axes=1)
        variances = self._compute_variances()
        total = variances.sum(axis=0)
        variance_shares = np.divide(
            variances, total, out=np.full_like(variances, 1 / self._fields), where=total > 0
        )
        contributions += variance_shares * (self._total_contribution - contributions.sum(axis=0))
        return contributions

    @property
    def errors(self) -> Floats:
        """Standard errors, (m, C); infinite until all strata have draws, and one has two."""
        if self.draws <= len(self._members):
            return np.full(self._sums.shape[1:], np.inf)
        standard_errors: Floats = np.sqrt(self._compute_variances())
        return standard_errors

    def _compute_variances(self) -> Floats:
        """Return the variances of the values, shape (m, C).

        In strata with few draws it is shrunk towards the field's variance over all strata, and this
        towards the mean over the fields: a few equal draws do not prove a variance of 0.
        """
        counts = np.maximum(self._counts, 1.0)[:, None, None]
        within_strata = np.maximum(self._squares - np.square(self._sums) / counts, 0.0)
        degrees = np.maximum(self._counts - 1.0, 0.0)
        prior = _PRIOR_DRAWS * within_strata.sum(axis=0).mean(axis=0) / max(degrees.sum(), 1.0)
        pooled = (within_strata.sum(axis=0) + prior) / (degrees.sum() + _PRIOR_DRAWS)
        spread = (within_strata + _PRIOR_DRAWS * pooled) / (degrees[:, None, None] + _PRIOR_DRAWS)
        variances_sum: Floats = np.tensordot(np.square(self._sizes), spread / counts, axes=1)
        return variances_sum

    def _draw_next(self, count: int) -> tuple[Integers, Integers]:
        """Return the next strata and background rows, shape (count,), in random order."""
        target_counts = self._sizes + 1 / len(self._sizes)
        strata, rows = [], []
        for _ in range(count):
            category_index = int(np.argmax(target_counts / np.maximum(self._counts, 1e-9)))
            if not self._queues[category_index]:
                self._queues[category_index] = self._rng.permutation(
                    self._members[category_index]
                ).tolist()
            strata.append(category_index)
            rows.append(self._queues[category_index].pop())
            self._counts[category_index] += 1
        return np.array(strata), np.array(rows)


def _assign_strata(predictions: Floats) -> Integers:
    """Return the stratum of each row, shape (n,), by its prediction, shape (n, C).

    The first centre is the row nearest to the mean, each further one the row farthest from all
    centres (Gonzalez 1985), so that rare predictions have a stratum; each row is assigned to the
    nearest centre.
    """
    nearest = np.square(predictions - predictions.mean(axis=0)).sum(axis=1)
    centre_index = int(np.argmin(nearest))
    nearest = np.square(predictions - predictions[centre_index]).sum(axis=1)
    strata: Integers = np.zeros(len(predictions), dtype=np.int64)
    for stratum in range(1, _MAX_STRATA):
        centre_index = int(np.argmax(nearest))
        if not nearest[centre_index] > 0:
            break
        distances = np.square(predictions - predictions[centre_index]).sum(axis=1)
        strata[distances < nearest] = stratum
        nearest = np.minimum(nearest, distances)
    return strata


_DescribeChange = Callable[[int], NearestChange]

_N_QUANTILES = 48
"""Number of quantiles tried first in a numeric or date column."""

_N_BISECTIONS = 24
"""Number of values tried between the nearest counterfactual and the row's own value."""

_MAX_LABELS = 200
"""Number of labels tried: the most frequent ones."""

_STEPS = 1000
"""Minimum number of steps in a column's range for rounding values."""


class _ColumnChanges:
    """Searches for changes of single columns that change one row's prediction.

    Only values within the training data are tried: numbers between the smallest and the largest
    one, known labels and dates.

    Args:
        row: Shape (d,). The row of the matrix.
    """

    def __init__(self, row_ensemble: RowEnsemble, row: Floats, min_change: float) -> None:
        self._ensemble, self._row, self._min_change = row_ensemble, row, min_change
        classes, predictions = row_ensemble.predict(row[None])
        self._answer, self._prediction = int(classes[0]), predictions[0]

    def find_nearest_change(self, field: int) -> NearestChange | None:
        """Return the nearest value of a field that changes the prediction; ``None`` without one."""
        row_field = self._ensemble.fields[field]
        known_values, kind = row_field.training_values, row_field.column.kind
        if not len(known_values) or kind == "text":  # no alternative texts to try
            return None
        if kind == "category":
            return self._find_nearest_category(field)
        quantiles = np.linspace(0, len(known_values) - 1, _N_QUANTILES).round().astype(np.int64)
        candidates = known_values[np.unique(quantiles)]
        current_value = self._row[row_field.matrix_columns[0]]
        if kind == "date":
            return self._find_nearest_value(field, candidates, current_value)
        candidates = self._round_values(field, candidates)
        change = self._find_nearest_value(field, candidates, current_value)
        if change is None or np.isnan(current_value):
            return change
        between = np.linspace(current_value, float(change.value), _N_BISECTIONS + 2)[1:, None]
        candidates = self._round_values(field, between)
        return self._find_nearest_value(field, candidates, current_value) or change

    def _find_nearest_category(self, field: int) -> NearestChange | None:
        codes = self._ensemble.fields[field].training_values[:, 0].astype(np.int64)
        counts = np.bincount(codes)
        codes_by_frequency = np.argsort(-counts, kind="stable")[:_MAX_LABELS]
        candidates = codes_by_frequency[counts[codes_by_frequency] > 0].astype(np.float64)[:, None]
        is_changed, describe = self._try_values(field, candidates)
        if not is_changed.any():
            return None
        change = describe(int(np.argmax(is_changed)))
        return replace(change, n_other_labels=int(is_changed.sum()) - 1)

    def _find_nearest_value(
        self, field: int, candidates: Floats, current_value: float
    ) -> NearestChange | None:
        """Return the nearest of values (k, p) that changes the prediction."""
        is_changed, describe = self._try_values(field, candidates)
        if not is_changed.any():
            return None
        origin = candidates[len(candidates) // 2, 0] if np.isnan(current_value) else current_value
        distances = np.where(is_changed, np.abs(candidates[:, 0] - origin), np.inf)
        return describe(int(np.argmin(distances)))

    def _try_values(self, field: int, candidates: Floats) -> tuple[Flags, _DescribeChange]:
        """Return which of values (k, p) change the prediction, (k,), and the description of one."""
        filled_rows = np.tile(self._row, (len(candidates), 1))
        filled_rows[:, self._ensemble.fields[field].matrix_columns] = candidates
        classes, predictions = self._ensemble.predict(filled_rows)
        if self._answer < 0:
            differences = np.abs(predictions[:, 0] - self._prediction[0])
            is_changed = (differences >= self._min_change) & (differences > 0)
            predicted_then = predictions[:, 0]
        else:
            is_changed = classes != self._answer
            predicted_then = predictions[np.arange(len(predictions)), classes]
        columns = self._ensemble.prepared_run.table.features

        def describe(index: int) -> NearestChange:
            value = self._ensemble.fields[field].decode(filled_rows[index], columns)
            assert value is not None, "known values are not missing"
            return NearestChange(field, value, int(classes[index]), float(predicted_then[index]))

        return is_changed, describe

    def _round_values(self, field: int, values: Floats) -> Floats:
        """Round numbers (k, 1) to the displayed precision."""
        column = self._ensemble.fields[field].column
        value_range = column.high - column.low
        if value_range <= 0:
            return values
        digits = 0 if column.is_integer else int(np.floor(np.log10(_STEPS / value_range)))
        rounded: Floats = np.unique(np.clip(values.round(digits), column.low, column.high))[:, None]
        return rounded


MAX_SECONDS_PER_CALL = 0.4
"""Maximum seconds per call: other requests are served in between."""

MAX_SECONDS = 8.0
"""Seconds after which contributions are no longer refined."""

MAX_STANDARD_ERROR = 0.02
"""Sufficient standard errors relative to the largest explained quantity."""

MIN_PAIRS = 32
"""Minimum number of permutation pairs for standard errors."""

MAX_PAIRS = 2000
MAX_BACKGROUND_ROWS = 2000
"""Maximum number of random training rows that represent unknown values."""

_BLOCK = 2000
"""Rows per call of the ensemble."""

_N_SIMILAR_ROWS = 50
"""Maximum number of rows with a similar probability for estimating its reliability."""

_MAX_DISTANCE, _MAX_WIDE_DISTANCE = 0.1, 0.2
"""Maximum difference of their probabilities; the larger one if there are too few rows."""


def make_row_form(path: Path, run_id: int) -> RowForm:
    """Return the fields of a run's form, or the reason for having none."""
    try:
        row_ensemble = load_row_ensemble(path, run_id)
    except NoStoredModelError as error:
        return RowForm(reason=str(error))
    prepared_run, decision = row_ensemble.prepared_run, row_ensemble.decision
    classes = prepared_run.problem.classes
    return RowForm(
        columns=tuple(each.column for each in row_ensemble.fields),
        rows=prepared_run.table.n_rows,
        target=prepared_run.problem.target_name,
        unit="" if classes else prepared_run.table.target_unit,
        classes=tuple(str(each) for each in classes),
        positive_code=get_positive_class_code(decision, prepared_run)
        if len(classes) == 2
        else None,
        notable_change=row_ensemble.notable_change,
        decision=join_phrases((decision.sentence, row_ensemble.decision_note)) if decision else "",
        threshold=decision.threshold if decision else math.nan,
        has_vote_shares=row_ensemble.has_vote_shares,
        probability_note=prepared_run.probability_note,
    )


def get_table_row(path: Path, run_id: int, row: int) -> TableRow:
    """Return a row of the run's own table by its number, from 1; raise DataError if missing."""
    row_ensemble = load_row_ensemble(path, run_id)
    table, problem = row_ensemble.prepared_run.table, row_ensemble.prepared_run.problem
    if not 0 < row <= table.n_rows:
        raise DataError(
            "The table has rows 1 to {n_rows:,}; there is no row {row}.",
            n_rows=table.n_rows,
            row=row,
        )
    values = tuple(each.get_value(table, row - 1) for each in row_ensemble.fields)
    positions = np.flatnonzero(problem.rows == row - 1)
    truth: Value = None
    if positions.size:
        target = problem.y[positions[0]]
        truth = str(problem.classes[int(target)]) if problem.classes else float(target)
    is_seen = bool(np.isin(positions, row_ensemble.prepared_run.split.development).any())
    identifiers = list_identifiers(table, np.array([row - 1]))
    name = str(identifiers[0].values[0]) if identifiers else ""
    return TableRow(values, truth, is_seen, name)


def predict_row(path: Path, run_id: int, values: tuple[Value, ...]) -> RowPrediction:
    """Return the ensemble's prediction of a row; values in the order of the form's fields."""
    row_ensemble = load_row_ensemble(path, run_id)
    classes, predictions = row_ensemble.predict(_to_matrix_row(row_ensemble, values)[None])
    calibration, margins = row_ensemble.calibration, row_ensemble.margins
    if margins is not None:
        low, high = margins.compute_intervals(predictions[:, 0])[0].tolist()
        return RowPrediction(
            value=float(predictions[0, 0]),
            low=low if margins.is_known else math.nan,
            high=high if margins.is_known else math.nan,
            coverage=SHARE,
            has_equal_margins=margins.has_few_rows,
            n_covered=int(calibration.outcomes.sum()),
            n_similar=len(calibration.outcomes),
            is_test=calibration.is_test,
        )
    predicted_class = int(classes[0])
    class_shares = calibration.probabilities[:, predicted_class]
    probability = float(predictions[0, predicted_class])
    similar = _find_nearest(class_shares, probability)
    return RowPrediction(
        probabilities=predictions[0],
        class_code=predicted_class,
        n_covered=int(calibration.outcomes[similar, predicted_class].sum()),
        n_similar=int(similar.sum()),
        probability_range=(
            float(class_shares[similar].min(initial=probability)),
            float(class_shares[similar].max(initial=probability)),
        ),
        is_test=calibration.is_test,
    )


def _find_nearest(shares_of_class: Floats, probability: float) -> Flags:
    """Return a mask, (n,), of the rows with the most similar probabilities, within a limit.

    Ties with the last one are included: otherwise the selection would depend on the table's order,
    which may be that of the classes.
    """
    distances = np.abs(shares_of_class - probability)
    ordered = np.sort(distances)
    max_distance = max(
        min(_MAX_DISTANCE, ordered[:_N_SIMILAR_ROWS].max(initial=0.0)),
        min(_MAX_WIDE_DISTANCE, ordered[:MIN_SIMILAR_ROWS].max(initial=0.0)),
    )
    is_similar: Flags = distances <= max_distance + 1e-12
    return is_similar


def explain_row(
    path: Path,
    run_id: int,
    values: tuple[Value, ...],
    notable_change: float,
    seconds: float = MAX_SECONDS_PER_CALL,
) -> RowReasons:
    """Continue the explanation of a row (a value per field) for ``seconds``, until it is done."""
    row_ensemble = load_row_ensemble(path, run_id)
    key = (id(row_ensemble), values, notable_change)
    work = _CACHE.pop(key, None) or _RowExplanation(
        row_ensemble, _to_matrix_row(row_ensemble, values), notable_change
    )
    deadline = read_awake_seconds() + seconds
    while not work.is_complete and read_awake_seconds() < deadline:
        work.advance()
    _CACHE[key] = work
    # Work on only one ensemble is cached: earlier work is never continued, and would keep its
    # models in memory.
    for other_key in [each for each in _CACHE if each[0] != id(row_ensemble)]:
        del _CACHE[other_key]
    while len(_CACHE) > _MAX_CACHED:
        _CACHE.popitem(last=False)
    return work.get_reasons()


_MAX_CACHED = 20


@dataclass
class _RowExplanation:
    """The reasons for one row, shape (d,), as computed so far."""

    row_ensemble: RowEnsemble
    row: Floats
    notable_change: float
    is_complete: bool = False
    seconds_spent: float = 0.0
    changes: list[NearestChange] = field(default_factory=list)
    n_searched_fields: int = 0
    _sampling: ShapleySampling = field(init=False)
    _steps: Iterator[None] = field(init=False)

    def __post_init__(self) -> None:
        prepared_run = self.row_ensemble.prepared_run
        seed = derive(prepared_run.settings.seed, "one row")
        rows = np.random.default_rng(seed).permutation(prepared_run.split.development)[
            :MAX_BACKGROUND_ROWS
        ]
        background = np.asarray(prepared_run.problem.X[rows], dtype=np.float64)
        self._sampling = ShapleySampling(
            self.row_ensemble.predict_shares, self.row, background, self.row_ensemble.owners, seed
        )
        self._steps = self._run_steps()

    def advance(self) -> None:
        start = read_awake_seconds()
        self.is_complete = next(self._steps, self) is self
        self.seconds_spent += read_awake_seconds() - start

    def get_reasons(self) -> RowReasons:
        sampling = self._sampling
        return RowReasons(
            base=sampling.base,
            contributions=sampling.values,
            standard_errors=sampling.errors,
            draws=sampling.draws,
            changes=tuple(sorted(self.changes, key=self._compute_distance)),
            n_searched_fields=self.n_searched_fields,
            is_complete=self.is_complete,
        )

    def _run_steps(self) -> Iterator[None]:
        """Estimate contributions first, then counterfactuals, then refine the contributions."""
        n_pairs = max(1, _BLOCK // (2 * (len(self.row_ensemble.fields) + 1)))
        self._sampling.draw(min(n_pairs, MIN_PAIRS))
        yield
        while self._sampling.draws < MIN_PAIRS and self.seconds_spent < MAX_SECONDS / 2:
            self._sampling.draw(min(n_pairs, MIN_PAIRS - self._sampling.draws))
            yield
        changes = _ColumnChanges(self.row_ensemble, self.row, self.notable_change)
        for index in range(len(self.row_ensemble.fields)):
            change = changes.find_nearest_change(index)
            self.changes += [] if change is None else [change]
            self.n_searched_fields = index + 1
            yield
        deadline = self.seconds_spent + MAX_SECONDS
        while (
            not self._is_precise()
            and self.seconds_spent < deadline
            and self._sampling.draws < MAX_PAIRS
        ):
            self._sampling.draw(n_pairs)
            yield

    def _is_precise(self) -> bool:
        sampling = self._sampling
        values = sampling.values
        largest_value = max(np.abs(values).max(), np.abs(values.sum(axis=0)).max())
        return bool(sampling.errors.max() <= MAX_STANDARD_ERROR * largest_value)

    def _compute_distance(self, change: NearestChange) -> tuple[float, int]:
        """Return the distance of a value from the row's, relative to its column's range."""
        row_field = self.row_ensemble.fields[change.column]
        if row_field.column.kind == "category":
            return 2.0, change.column
        columns = self.row_ensemble.prepared_run.table.features
        changed_value = row_field.encode(change.value, columns)[0]
        value_range = float(row_field.training_values[-1, 0] - row_field.training_values[0, 0])
        distance = abs(changed_value - self.row[row_field.matrix_columns[0]])
        share = distance / value_range if value_range else 0.0
        return (1.5 if np.isnan(share) else float(share)), change.column


_CACHE: "OrderedDict[tuple[int, tuple[Value, ...], float], _RowExplanation]" = OrderedDict()


def _to_matrix_row(row_ensemble: RowEnsemble, values: tuple[Value, ...]) -> Floats:
    """Convert a form's values to a row of the matrix, shape (d,)."""
    row = np.full(len(row_ensemble.owners), np.nan)
    if len(values) != len(row_ensemble.fields):
        raise DataError(
            "A row of this run has {expected} values; {given} were given.",
            expected=len(row_ensemble.fields),
            given=len(values),
        )
    for each, value in zip(row_ensemble.fields, values, strict=True):
        row[list(each.matrix_columns)] = each.encode(
            value, row_ensemble.prepared_run.table.features
        )
    return row

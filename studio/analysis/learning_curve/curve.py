"""Computation of the learning curve of a run's weighted ensemble.

An error falls with the number of rows as a + b·n^(-c) in theory and practice (Viering and Loog, The
shape of learning curves, 2022), with the irreducible error a. The uncertainty is estimated by
repeated fits with resampled evaluation rows and resampled training rows. The accuracy of the
forecasts is shown in docs/studies/honesty.md.
"""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from studio.analysis.answers.learning_curve import (
    CurveCost,
    LearningCurve,
    Outlook,
    choose_outlook,
    describe_forecast,
    find_last_step,
)
from studio.arrays import AnyArray, Floats, Integers
from studio.data.intervals.loss import resample_losses
from studio.data.splits.splitter import RowSplitter, make_strata
from studio.document.store import Document
from studio.ensembles.base import combine
from studio.errors import DataError, RunError
from studio.phrases import phrase
from studio.runs.final_models import get_mean_predictions, train_final_models
from studio.runs.limits import get_trial_limits, get_worker_count
from studio.runs.load import follow, get_final_ensemble, load_history
from studio.runs.pool import PoolMaker, WorkerPool
from studio.runs.prepare import PreparedRun, prepare
from studio.runs.reserve import FIT_TIME_EXPONENT, JOB_OVERHEAD_SECONDS, compute_makespan
from studio.runs.uncertainty import compute_interval
from studio.scratch import make_scratch_folder
from studio.seeds import derive

_EXPONENTS: Floats = np.geomspace(0.1, 2.0, 25)
"""Grid of exponents c, over the range found in practice."""

CONFIDENCE = 0.9
MIN_WORTHWHILE_REDUCTION = 0.05
"""Minimum reduction that justifies twice the rows: as a share of the error, and of the models'
improvement over guessing.
"""

MIN_REDUCTION = 0.01
"""Minimum relative reduction of the error that counts as an improvement."""

_N_PARAMETERS = 3


@dataclass(frozen=True)
class PowerLawFit:
    """Power laws a + b·(n/N)^(-c), one per draw, where N is the number of all rows.

    Attributes:
        a, b, c: Shape (D,). a and b are at least 0.
        residual_sums: Shape (D,). The weighted sum of squared residuals.
    """

    a: Floats
    b: Floats
    c: Floats
    residual_sums: Floats

    def predict(self, share: float) -> Floats:
        """Return the error at a multiple of the rows, shape (D,)."""
        return self.a + self.b * share**-self.c


@dataclass(frozen=True)
class Forecast:
    """The predicted effect of doubling the rows, with a 90 % interval of the error's decrease.

    If forecast and last measured step disagree, the interval also includes that step, and a fall
    by as much as it has risen.
    """

    outlook: Outlook
    min_decrease: float
    max_decrease: float
    fit: PowerLawFit
    draws: PowerLawFit

    @property
    def current_error(self) -> float:
        """The error with all rows by the best power law, more robust than a single evaluation."""
        return float(self.fit.predict(1)[0])

    def predict(self, share: float) -> float:
        """Return the error at a multiple of the rows; beyond all rows it falls by the median."""
        if share <= 1:
            return float(self.fit.predict(share)[0])
        return max(
            0.0,
            self.current_error
            - float(np.median(self.draws.predict(1) - self.draws.predict(share))),
        )


def make_forecast(
    rows: Integers,
    losses: Floats,
    resampled: Floats,
    rng: np.random.Generator,
    baseline_error: float = np.inf,
) -> Forecast:
    """Forecast the effect of twice the rows on the error.

    Args:
        rows: Shape (p,), p > 3. Numbers of training rows, ascending; the last is all rows.
        losses: Shape (p,). The errors, at least 0.
        resampled: Shape (D, p). The errors on resampled rows.
        rng: Draws the variation due to the training rows.
        baseline_error: The error of a constant prediction.
    """
    row_shares = rows / rows[-1]
    best = fit_power_laws(row_shares, losses[None])
    # Residual variance with all rows; it is twice as large with half of the rows.
    degrees = len(rows) - _N_PARAMETERS
    n_draws = len(resampled)
    variance = best.residual_sums[0] / rng.chisquare(degrees, n_draws)
    noise = rng.normal(size=resampled.shape) * np.sqrt(variance[:, None] / row_shares)
    fits = fit_power_laws(row_shares, resampled + noise)
    decreases = fits.predict(1) - fits.predict(2)
    lowest, highest = np.quantile(decreases, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    current_error = float(losses[-1])
    step = find_last_step(rows.tolist(), losses.tolist())
    outlook = choose_outlook(
        (float(lowest), float(highest)),
        step,
        MIN_REDUCTION * current_error,
        MIN_WORTHWHILE_REDUCTION * min(current_error, baseline_error - current_error),
    )
    if outlook == "unknown" and step is not None:
        # A rise may be chance as well; an equal fall would be as likely.
        lowest, highest = min(lowest, step.fall), max(highest, abs(step.fall))
    return Forecast(outlook, float(lowest), float(highest), best, fits)


def fit_power_laws(shares: Floats, losses: Floats) -> PowerLawFit:
    """Fit power laws by least squares, rows (D, p) each, weighted by the shares (p,)."""
    fits = [_fit_line(shares, shares**-c, losses) for c in _EXPONENTS]
    a, b, residual = (np.stack(each) for each in zip(*fits, strict=True))
    best = residual.argmin(axis=0)
    draws = np.arange(len(losses))
    return PowerLawFit(a[best, draws], b[best, draws], _EXPONENTS[best], residual[best, draws])


def _fit_line(weights: Floats, z: Floats, losses: Floats) -> tuple[Floats, Floats, Floats]:
    """Return a and b of a + b·z, both at least 0, and residual sums of squares, shape (D,) each."""
    total = weights.sum()
    mean_z, mean = weights @ z / total, losses @ weights / total
    slope = (losses - mean[:, None]) @ (weights * (z - mean_z)) / (weights @ np.square(z - mean_z))
    b = np.maximum(slope, 0.0)
    a = mean - b * mean_z
    through_zero = a < 0
    b = np.where(through_zero, losses @ (weights * z) / (weights @ np.square(z)), b)
    a = np.where(through_zero, 0.0, a)
    residual = np.square(losses - a[:, None] - np.outer(b, z)) @ weights
    return a, b, residual


MAX_DRAWS = 1000
"""Number of resamples of the test rows for fitting power laws."""

MIN_POINTS = 5
"""Minimum number of trainings for fitting a power law."""

_FEW_FITS_MESSAGE = phrase("Too few fits succeeded to tell whether more rows would help.")


def fit_curve(
    prepared_run: PreparedRun,
    rows: Integers,
    sizes: Integers,
    predictions: Sequence[AnyArray],
    notes: tuple[str, ...] = (),
) -> LearningCurve:
    """Return the curve from predictions after training on growing numbers of rows.

    Args:
        rows: Shape (k,). The evaluation rows.
        sizes: Shape (p,). Numbers of training rows, ascending.
        predictions: Shape (k, C) or (k,) each, by size.
    """
    losses = np.array([prepared_run.compute_loss(rows, each) for each in predictions])
    intervals = [compute_interval(prepared_run, rows, each) for each in predictions]
    low, high = zip(*(each or (None, None) for each in intervals), strict=True)
    curve = LearningCurve(
        rows=tuple(sizes.tolist()),
        losses=tuple(losses.tolist()),
        low=tuple(low),
        high=tuple(high),
        on="test" if prepared_run.split.test.size else "validation",
        metric=prepared_run.metric.key,
        unit=prepared_run.metric.unit,
        sentence=_FEW_FITS_MESSAGE,
        notes=notes,
    )
    resampled = resample_losses(
        prepared_run.metric,
        prepared_run.problem.y[rows],
        predictions,
        prepared_run.get_weights(rows),
        units=prepared_run.get_units(rows),
    )
    if resampled is None or len(sizes) < MIN_POINTS:
        return curve
    rng = np.random.default_rng(derive(prepared_run.settings.seed, "power law"))
    constants = prepared_run.predict_constant(prepared_run.split.development, len(rows))
    guess = prepared_run.compute_loss(rows, constants)
    return add_forecast(curve, make_forecast(sizes, losses, resampled[:MAX_DRAWS], rng, guess))


def add_forecast(curve: LearningCurve, prediction: Forecast) -> LearningCurve:
    """Return the curve with the forecast for twice the rows, which starts at the power law."""
    row_shares = [
        *np.geomspace(curve.rows[0] / curve.rows[-1], 1.0, 45).tolist(),
        *np.linspace(1.0, 2.0, 16)[1:].tolist(),
    ]
    curve_values = [prediction.predict(each) for each in row_shares]
    low, high = (
        max(0.0, prediction.current_error - each)
        for each in (prediction.max_decrease, prediction.min_decrease)
    )
    forecast = dataclasses.replace(
        curve,
        outlook=prediction.outlook,
        later=curve_values[-1],
        later_low=low,
        later_high=high,
        fitted_rows=tuple(each * curve.rows[-1] for each in row_shares),
        fitted=tuple(curve_values),
    )
    return dataclasses.replace(forecast, sentence=describe_forecast(forecast))


_NO_MODEL_MESSAGE = phrase(
    "This run has no result yet, so there is nothing to train. Let it finish first."
)

_REFITTED_MESSAGE = phrase(
    "The members were refitted for this curve: its error with all rows may differ a little from "
    "the result's."
)


def compute_learning_curve(
    document: Document,
    run_id: int,
    is_stopped: Callable[[], bool] = lambda: False,
    progress: Callable[[int, int], None] = lambda done, of: None,
    make_pool: PoolMaker = WorkerPool,
) -> LearningCurve:
    """Train the members of a run's ensemble on growing shares of the rows, and evaluate them.

    They are evaluated on the test rows, or without these on the validation rows (of the first
    fold), which are never trained on. Nothing is stored.

    Raises:
        DataError: If there are too few rows.
        RunError: If there is no model yet, or the members could not be trained on all rows.
        StoppedError: If ``is_stopped`` returned true.
    """
    prepared_run = prepare(document, run_id)
    history = load_history(document, run_id, prepared_run)
    if not history.succeeded:
        raise RunError(_NO_MODEL_MESSAGE)
    ensemble = get_final_ensemble(document.runs.get(run_id), prepared_run, history)
    members = ensemble.members
    training_rows, evaluation_rows = get_rows(prepared_run)
    row_sets = _make_parts(prepared_run, training_rows)
    workers = get_worker_count(prepared_run.settings.workers)
    sizes: list[int] = []
    predictions: list[AnyArray] = []
    notes: list[str] = []
    progress(0, len(row_sets) * len(members))
    with (
        make_scratch_folder() as scratch,
        make_pool(
            workers,
            scratch,
            get_trial_limits(prepared_run.settings, workers),
            prepared_run.get_trial_data(),
        ) as pool,
    ):
        matrix = pool.stage_array(
            "judging", np.ascontiguousarray(prepared_run.problem.X[evaluation_rows])
        )
        for index, rows in enumerate(row_sets):
            models, failures = train_final_models(
                prepared_run,
                history,
                members,
                pool,
                is_stopped,
                folder=scratch,
                rows=rows,
                matrix_paths=[matrix],
                progress=partial(_report_trainings, progress, index, len(row_sets)),
            )
            if failures:
                notes.append(
                    phrase("With {count:,} rows: {cause}", count=len(rows), cause=failures[0])
                )
            else:
                sizes.append(len(rows))
                predictions.append(combine(get_mean_predictions(models, 0).__getitem__, ensemble))
    if not sizes or sizes[-1] != len(training_rows):
        raise RunError("The members could not be refitted on all rows. {why}", why=notes[-1])
    return fit_curve(
        prepared_run,
        evaluation_rows,
        np.array(sizes),
        predictions,
        (*notes, _explain_difference_from_result(prepared_run)),
    )


def _explain_difference_from_result(prepared_run: PreparedRun) -> str:
    """Explain why the error with all rows differs from the result's."""
    folds, has_test = len(prepared_run.split.folds), prepared_run.split.test.size > 0
    is_averaged = prepared_run.settings.averaged_refit
    if not is_averaged and (folds == 1 or (has_test and prepared_run.settings.refit)):
        return _REFITTED_MESSAGE
    if has_test:
        return phrase(
            "The result combines {count} models per member; for this curve each member is one "
            "model. Its error with all rows may therefore differ clearly from the result's.",
            count=folds + is_averaged,
        )
    return phrase(
        "This curve is evaluated on the rows of the first fold, the result on those of all {folds} "
        "folds, so the two errors differ.",
        folds=folds,
    )


def get_rows(prepared_run: PreparedRun) -> tuple[Integers, Integers]:
    """Return the training rows and the evaluated ones (test, else validation), (k,) each."""
    split = prepared_run.split
    if split.test.size:
        return split.development if prepared_run.settings.refit else split.train, split.test
    return split.folds[0]


def estimate_curve_cost(path: Path, run_id: int) -> CurveCost:
    """Estimate the duration of a run's learning curve, or explain why it is impossible."""
    with Document.open(path, writable=False) as document:
        prepared, history = follow(document, run_id)
        result = document.runs.get(run_id).result
    if result is None:
        return CurveCost(reason=_NO_MODEL_MESSAGE)
    training_rows, evaluation_rows = get_rows(prepared)
    try:
        row_sets = _make_parts(prepared, training_rows)
    except DataError as error:
        return CurveCost(reason=str(error))
    numbers = [each.trial for each in result.members]
    search_seconds = [history.trials[number - 1].fit_seconds for number in numbers]
    fold_cost = sum(
        float(training.size) ** FIT_TIME_EXPONENT for training, _ in prepared.split.folds
    )
    costs = [
        float(rows.size) ** FIT_TIME_EXPONENT / fold_cost * each + JOB_OVERHEAD_SECONDS
        for rows in row_sets
        for each in search_seconds
    ]
    n_members = len(numbers)
    return CurveCost(
        # The members are trained together, one share of the rows after the other.
        seconds=sum(
            compute_makespan(
                costs[first : first + n_members], get_worker_count(prepared.settings.workers)
            )
            for first in range(0, len(costs), n_members)
        ),
        members=n_members,
        trainings=len(row_sets) * n_members,
        rows=len(evaluation_rows),
        on="test" if prepared.split.test.size else "validation",
    )


def _make_parts(prepared_run: PreparedRun, training_rows: Integers) -> list[Integers]:
    problem = prepared_run.problem
    rng = np.random.default_rng(derive(prepared_run.settings.seed, "learning curve"))
    is_together = prepared_run.settings.plan.equal_rows == "together"
    records = prepared_run.split.group_copies(len(problem.y)) if is_together else None
    strata = make_strata(problem.y, problem.n_classes)
    return make_nested_rows(
        training_rows, RowSplitter(strata, problem.groups, problem.times, records), rng
    )


def _report_trainings(
    progress: Callable[[int, int], None], index: int, n_parts: int, n_done: int, n_total: int
) -> None:
    progress(index * n_total + n_done, n_parts * n_total)


MIN_ROWS = 160
"""Minimum number of training rows: an eighth of fewer rows would be useless."""

_PARTS = 8
_SHARES = (1 / 8, 1 / 4, 1 / 2)
_TIME_SHARES = (1 / 8, 1 / 6, 1 / 4, 1 / 3, 1 / 2, 2 / 3)
"""Closer shares for rows ordered by time, where only the latest rows represent future ones."""


def make_nested_rows(
    rows: Integers, splitter: RowSplitter, rng: np.random.Generator
) -> list[Integers]:
    """Return ascending row numbers for each training, (m,), the smallest training first.

    Two series of nested shares, disjoint except for the whole, show the variation due to the drawn
    rows. Groups are kept whole, and copies together. If rows are ordered by time, a share consists
    of the latest rows, like a shorter history.

    Args:
        rows: Shape (k,). All training rows, ascending.

    Raises:
        DataError: If there are fewer than :data:`MIN_ROWS` rows, or too few groups or different
            rows.
    """
    if len(rows) < MIN_ROWS:
        raise DataError(
            "A learning curve needs at least {least} training rows; there are {count:,}.",
            count=len(rows),
            least=MIN_ROWS,
        )
    if splitter.times is not None:
        order = rows[np.argsort(splitter.times[rows], kind="stable")]
        time_ordered_rows = [
            np.sort(order[-round(len(rows) * row_share) :]) for row_share in _TIME_SHARES
        ]
        return [*time_ordered_rows, rows]
    part_of_row = splitter.assign_fold_numbers(rows, _PARTS, rng)
    return [
        *(
            rows[(first <= part_of_row) & (part_of_row < first + _PARTS * row_share)]
            for row_share in _SHARES
            for first in (0, _PARTS // 2)
        ),
        rows,
    ]

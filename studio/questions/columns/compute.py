"""Computation of column importance: permutation importance and partial dependence.

The heaviest members of an ensemble predict rows unseen in training; models that the document lacks
are refitted on the search's training rows. Small steps allow progress and cancellation.
"""

import math
import warnings
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from studio.analysis.answers.array_fields import float_field
from studio.analysis.decision import get_positive_class_code
from studio.analysis.what_if import get_actual_ensemble
from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.awake_clock import read_awake_seconds
from studio.data.intervals.loss import (
    compute_importance_intervals,
    compute_row_contributions,
    extend_lower_limits,
    find_significant_columns,
)
from studio.data.metrics.base import Metric
from studio.data.metrics.registry import get_smooth_metric
from studio.data.metrics.weighting import make_row_weights
from studio.data.pixels import find_pixels
from studio.data.problem import Problem
from studio.data.splits import Folds
from studio.document.store import Document
from studio.ensembles.base import Ensemble, compute_probabilities
from studio.errors import RunError
from studio.learners.base import Learner
from studio.measure import get_loss_unit
from studio.phrases import phrase
from studio.questions.columns.answer import (
    MAX_PREDICT_SECONDS,
    ColumnEffects,
    ColumnEffectsPlan,
    Dependence,
    compute_mean_rise,
    get_value_names,
    make_grid,
)
from studio.runs.checked_predictions import predict
from studio.runs.evaluate import FittedPipeline, fit
from studio.runs.jobs import build_training
from studio.runs.kept_ensemble import StoredModels, read_kept
from studio.runs.load import follow, select_result_members
from studio.runs.prepare import PreparedRun
from studio.seeds import derive
from studio.trial import History

MAX_MEMBERS = 6
"""Maximum number of retrained members: the heaviest."""

MAX_FIT_SECONDS = 60.0
"""Maximum total seconds of their training, as recorded by the search; one is always trained."""

MAX_EFFECT_SECONDS = 30.0
"""Maximum seconds of the first partial dependences; one is always computed."""

MAX_ROWS = 600

N_SHUFFLES = 5

N_BACKGROUND_ROWS = 200
"""Number of rows averaged for a partial dependence."""

N_INITIAL_COLUMNS = 8
"""Number of most important columns whose partial dependence is computed from the start."""

_MAX_CACHED_WORKS = 2
"""Number of unfinished or finished computations kept: those of two views at different iterations.
"""

_ROWS_PER_BLOCK = 4000
"""Rows per call of a member's prediction."""


def continue_work(
    path: Path, run_id: int, iteration: int, column: str, seconds: float
) -> "ColumnEffectsComputation | None":
    """Continue the work on an ensemble for about ``seconds``; ``None`` if there is none yet."""
    new_work = start_work(path, run_id, iteration)
    if new_work is None:
        return None
    # After its end, a run's last ensemble is also judged by the test rows.
    ensemble, n_test_rows = new_work.ensemble, new_work.plan.n_test_rows
    key = (id(new_work.history), n_test_rows, ensemble.members, ensemble.weights)
    # Removed during the work, so that it is not resumed after an error.
    work = _WORK_CACHE.pop(key, new_work)
    while len(_WORK_CACHE) >= _MAX_CACHED_WORKS:
        del _WORK_CACHE[next(iter(_WORK_CACHE))]
    if column in work.plan.names:
        work.request_effect(work.plan.names.index(column))
    work.run_for(seconds)
    _WORK_CACHE[key] = work
    return work


# Plan --------------------------------------------------------------------------------------------


def start_work(path: Path, run_id: int, iteration: int) -> "ColumnEffectsComputation | None":
    """Return a new computation for an ensemble; ``None`` without an ensemble."""
    with Document.open(path, writable=False) as document:
        prepared, history = follow(document, run_id)
        is_last = iteration >= len(history)
        row = document.runs.get(run_id)
        result = row.result if is_last else None
        kept_models = read_kept(document, run_id, prepared)[0] if is_last else None
    if not any(trial.number <= iteration for trial in history.succeeded):
        return None
    ensemble = get_actual_ensemble(prepared, history, iteration)
    if result is not None:
        ensemble = select_result_members(ensemble, result)
    order = sorted(zip(ensemble.members, ensemble.weights, strict=True), key=lambda each: -each[1])
    heaviest = [number for number, _ in order]
    # Rows of the member with the highest weight: separate rows imply a single member.
    folds = prepared.get_trial_data().get_folds(history.trials[heaviest[0] - 1].seed)
    stored_models: dict[int, Any] = {}
    if kept_models is not None and set(kept_models.ensemble.members) == set(ensemble.members):
        stored_models, folds = _select_models_with_unseen_rows(prepared, kept_models, folds)
    if stored_models:
        members, seconds = heaviest[:MAX_MEMBERS], 0.0
    else:
        members, seconds = _select_affordable_members(heaviest, history, len(folds))
    training, held_out = folds[0]
    if result is not None:
        # After the run no decision depends on the test rows, so they can also be used.
        held_out = np.union1d(held_out, prepared.split.test)
    rng = np.random.default_rng(derive(prepared.settings.seed, "columns"))
    sampled_rows = rng.permutation(held_out)[:MAX_ROWS]
    problem, constraints = prepared.problem, prepared.constraints
    all_features, units = problem.make_recipe().features, _list_units(problem)
    features = [all_features[columns[0]] for columns in units]
    classes = tuple(str(each) for each in problem.classes)
    image_size, pixels = _find_image(prepared)
    plan = ColumnEffectsPlan(
        names=tuple(each.display_name for each in features),
        sources=tuple(each.column_name for each in features),
        constraints=tuple(constraints.get(each.column_name, "") for each in features),
        members=tuple(members),
        n_members=len(ensemble.members),
        weight=sum(weight for number, weight in order if number in members),
        n_rows=len(sampled_rows),
        n_test_rows=int(np.isin(sampled_rows, prepared.split.test).sum()),
        folds=len(folds),
        fit_seconds=seconds,
        classes=classes,
        positive_class=classes[get_positive_class_code(row.decision, prepared)]
        if len(classes) == 2
        else "",
        target=problem.target_name,
        target_unit=prepared.table.target_unit,
        image_size=image_size,
        pixels=pixels,
    )
    return ColumnEffectsComputation(
        plan,
        prepared,
        history,
        ensemble.select_members(members),
        training,
        sampled_rows,
        stored_models,
        units,
    )


def _list_units(problem: Problem) -> tuple[tuple[int, ...], ...]:
    """Return the columns of the matrix that are one entry, the naming one first."""
    if all(each.term is None for each in problem.make_recipe().features):
        return tuple((k,) for k in range(problem.X.shape[1]))
    # Imported on use: pandas is not needed for a plan without text columns.
    from studio.data.shared_information import list_units

    return list_units(problem)


def _find_image(prepared_run: PreparedRun) -> tuple[tuple[int, int], tuple[int, ...]]:
    """Return height and width, and each feature's pixel, if all features are of one image."""
    names = [column.name for column in prepared_run.table.columns]
    image = find_pixels(names)
    if image is None:
        return (0, 0), ()
    position_by_name = dict(zip(names, image.positions.tolist(), strict=True))
    features = prepared_run.problem.make_recipe().features
    pixels = tuple(position_by_name.get(each.column_name, -1) for each in features)
    return ((0, 0), ()) if min(pixels, default=-1) < 0 else ((image.height, image.width), pixels)


def _select_models_with_unseen_rows(
    prepared_run: PreparedRun, kept_models: StoredModels, folds: Folds
) -> tuple[dict[int, Any], Folds]:
    """Return stored models with unseen rows, if there are any.

    Models trained on all rows predict the test rows; of fold ensembles, the models of the first
    fold predict its held-out rows.
    """
    test = prepared_run.split.test
    if prepared_run.settings.refit and not test.size:
        return {}, folds
    pairs = zip(kept_models.ensemble.members, kept_models.models, strict=True)
    if prepared_run.settings.refit:
        folds = ((prepared_run.split.development, test),)
    return {number: models[0] for number, models in pairs}, folds


def _select_affordable_members(
    heaviest: list[int], history: History, n_folds: int
) -> tuple[list[int], float]:
    """Return the first members within the time limit, and their training time."""
    members: list[int] = []
    total = 0.0
    for number in heaviest[:MAX_MEMBERS]:
        seconds = history.trials[number - 1].fit_seconds / n_folds
        if not members or total + seconds <= MAX_FIT_SECONDS:
            members.append(number)
            total += seconds
    return members, total


# Work --------------------------------------------------------------------------------------------


@dataclass
class ColumnEffectsComputation:
    """The computation for one ensemble, with its state, most of it as in :class:`ColumnEffects`.

    Attributes:
        ensemble: The members to retrain, with weights normalised among them.
        training, unseen_rows: Shape (k,). Rows for training, and rows unseen by the members, in
            random order.
        trained_models: The document's models by trial number, which are not retrained.
        units: Length d. The matrix columns of each of the plan's columns: several for terms that
            occur together.
        row_rises: Shape (n, d + g). Each row's contribution to the rises, summed over the
            repetitions: as the receiver of another row's value, and as the donor of its own.
    """

    plan: ColumnEffectsPlan
    prepared_run: PreparedRun
    history: History
    ensemble: Ensemble
    training: Integers
    unseen_rows: Integers
    trained_models: Mapping[int, Any]
    units: tuple[tuple[int, ...], ...]
    groups: tuple[tuple[int, ...], ...] = ()
    rises: Floats = float_field(0, 0)
    row_rises: Floats = float_field(0, 0)
    loss: float = math.nan
    dependences: dict[int, Dependence] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    is_complete: bool = False
    is_time_over: bool = False
    phase: str = ""
    progress: float = 0.0
    _loss_increases: Floats = float_field(0, 0, 0)
    _models: dict[int, tuple[Learner, FittedPipeline]] = field(default_factory=dict)
    _work_seconds: float = 0.0
    _steps: Iterator[None] = field(init=False)

    def __post_init__(self) -> None:
        self._steps = self._run_all()

    def get_effects(self, iteration: int) -> ColumnEffects:
        """Return the results so far, for the selected iteration."""
        low, high = self.compute_intervals()
        return ColumnEffects(
            is_complete=self.is_complete,
            is_time_over=self.is_time_over,
            phase=self.phase,
            progress=self.progress,
            plan=self.plan,
            iteration=iteration,
            groups=self.groups,
            rises=self.rises[: max(1, int(self.n_shuffles.max(initial=0)))],
            low=low,
            high=high,
            is_significant=self.find_significant(low),
            unit_kind=self.prepared_run.get_unit_kind(self.unseen_rows),
            metric=phrase(self.metric.title),
            unit=get_loss_unit(self.metric.unit, self.prepared_run.table.target_unit),
            metric_note=explain_smooth_metric(self.prepared_run.metric, self.metric),
            loss=self.loss,
            dependences=dict(self.dependences),
            notes=tuple(self.notes),
        )

    def run_for(self, seconds: float) -> None:
        """Work for about this many seconds; raise RunError if no member could be retrained."""
        limit = self._work_seconds + seconds
        while not self.is_complete:
            start_time = read_awake_seconds()
            self.is_complete = next(self._steps, self) is self
            self._work_seconds += read_awake_seconds() - start_time
            if self._work_seconds >= limit:
                break

    def request_effect(self, column: int) -> None:
        """Schedule the partial dependence of one more column."""
        if self.is_complete and column not in self.dependences:
            self.is_complete, self._steps = False, self._compute_dependence([column])

    def predict(self, X: Floats) -> Floats:
        """Return the ensemble's predictions of rows (n, d): probabilities (n, C), values (n,)."""
        count = self.prepared_run.problem.n_classes
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outputs = {
                number: predict(model.pipeline, learner, X, count)
                for number, (learner, model) in self._models.items()
            }
        return compute_probabilities(outputs.__getitem__, self.ensemble)

    def _run_all(self) -> Iterator[None]:
        # Imported on use: pandas and scipy's statistics are not needed for a plan.
        from studio.data.shared_information import find_joint_groups, merge_units

        self.groups = merge_units(find_joint_groups(self.prepared_run.problem), self.units)
        n_columns, rows = len(self.plan.names), len(self.unseen_rows)
        width = n_columns + len(self.groups)
        self.rises = np.full((N_SHUFFLES, width), np.nan)
        self.row_rises = np.zeros((rows, width))
        self._loss_increases = np.zeros((1 + N_SHUFFLES, rows, width))
        yield from self._train_members()
        yield  # the limits below exclude the last step of the phase before
        yield from self._shuffle_columns(
            [list(unit) for unit in self.units]
            + [[k for unit in group for k in self.units[unit]] for group in self.groups]
        )
        means = np.nan_to_num(compute_mean_rise(self.rises)[:n_columns], nan=-np.inf)
        order = np.argsort(-means, kind="stable").tolist()
        yield
        yield from self._compute_dependence(
            [each for each in order if self._get_known_values(each).size][:N_INITIAL_COLUMNS],
            MAX_EFFECT_SECONDS,
        )

    def _train_members(self) -> Iterator[None]:
        members = self.plan.members
        for index, number in enumerate(members):
            self.phase = phrase(
                "Training member {place} of {n_members} again…",
                place=index + 1,
                n_members=len(members),
            )
            self.progress = index / len(members)
            yield
            try:
                self._models[number] = self._fit_member(number)
            except Exception as error:  # noqa: BLE001 - a learner may raise anything at all
                self.notes.append(
                    phrase(
                        "Trial {number} could not be trained again: {error}",
                        number=number,
                        error=error,
                    )
                )
        if not self._models:
            raise RunError("None of the members could be trained again. {note}", note=self.notes[0])
        self.ensemble = self.ensemble.select_members(self._models)

    def _fit_member(self, number: int) -> tuple[Learner, FittedPipeline]:
        prepared_run = self.prepared_run
        trial = self.history.trials[number - 1]
        learner, choice = build_training(prepared_run.space, trial.configuration)
        if number in self.trained_models:
            return learner, FittedPipeline(self.trained_models[number], {}, "")
        choice = choice.with_fixed_values(trial.used, learner.self_tuned_hyperparameters)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = fit(prepared_run.get_trial_data(), learner, choice, trial.seed, self.training)
        return learner, model

    @property
    def n_shuffles(self) -> Integers:
        """Number of shuffles of each column and group so far, shape (d + g,)."""
        count: Integers = np.isfinite(self.rises).sum(axis=0)
        return count

    def compute_intervals(self) -> tuple[Floats, Floats]:
        """Return the 95 % interval of each rise so far, shapes (d + g,), NaN as there."""
        parts = self.row_rises / np.maximum(1, self.n_shuffles) - compute_mean_rise(self.rises)
        low, high = np.full((2, parts.shape[1]), np.nan)
        is_known = np.isfinite(parts).all(axis=0)
        if is_known.any():
            units = self.prepared_run.get_units(self.unseen_rows)
            low[is_known], high[is_known] = compute_importance_intervals(parts[:, is_known], units)
        return low, high

    def find_significant(self, low: Floats) -> Flags:
        """Return which columns and groups are significant so far, (d + g,).

        The interval must be above 0, and a test with fewer false positives must also be
        significant; for dependent rows only the interval is used. The columns of a group are as
        many comparisons within one bar, whose probability of a false positive is divided among
        them (Bonferroni).

        Args:
            low: Shape (d + g,). Lower ends of the intervals.
        """
        n_comparisons = np.ones(len(low), dtype=np.int64)
        for group in self.groups:
            n_comparisons[list(group)] = len(group)
        if self.prepared_run.get_units(self.unseen_rows) is not None:
            means = compute_mean_rise(self.rises)
            return extend_lower_limits(means, low, n_comparisons) > 0
        is_significant = np.zeros(len(low), dtype=np.bool_)
        kinds = np.stack([self.n_shuffles, n_comparisons], axis=1)
        for count, number in np.unique(kinds[self.n_shuffles > 0], axis=0).tolist():
            columns = np.flatnonzero((kinds == (count, number)).all(axis=1))
            is_significant[columns] = find_significant_columns(
                self._loss_increases[: count + 1, :, columns], number
            )
        return is_significant & ~(low <= 0)  # without an interval the test alone decides

    @property
    def metric(self) -> Metric:
        """The loss in which importance is measured."""
        votes = self.ensemble.combination == "vote"
        return get_smooth_metric(self.prepared_run.metric, is_voting=votes)

    def _compute_parts(self, predictions: AnyArray) -> Floats:
        """Return each row's contribution to the loss, shape (n,); NaN where undefined."""
        prepared_run, held_out = self.prepared_run, self.unseen_rows
        truth, weights = prepared_run.problem.y[held_out], prepared_run.get_weights(held_out)
        parts = compute_row_contributions(self.metric, truth, predictions, weights)
        return np.full(len(held_out), np.nan) if parts is None else parts

    def _compute_row_losses(self, predictions: AnyArray) -> Floats:
        """Return each row's loss, times its weight, shape (n,)."""
        prepared_run, held_out = self.prepared_run, self.unseen_rows
        losses = self.metric.compute_row_losses(prepared_run.problem.y[held_out], predictions)
        assert losses is not None, "every smooth metric is a mean over rows"
        return losses * make_row_weights(prepared_run.get_weights(held_out), len(held_out))

    def _shuffle_columns(self, sets: list[list[int]]) -> Iterator[None]:
        """Shuffle sets of columns (Breiman 2001, section 10; Fisher et al. 2019)."""
        X = np.asarray(self.prepared_run.problem.X[self.unseen_rows], dtype=np.float64)
        rng = np.random.default_rng(derive(self.prepared_run.settings.seed, "shuffle"))
        baseline = self.predict(X)
        baseline_parts = self._compute_parts(baseline)
        self.loss = float(baseline_parts.mean())
        self._loss_increases[0] = self._compute_row_losses(baseline)[:, None]
        block_size = max(1, _ROWS_PER_BLOCK // len(X))
        limit = self._work_seconds + MAX_PREDICT_SECONDS
        for repetition in range(N_SHUFFLES):
            order = rng.permutation(len(X))
            self.phase = phrase(
                "Shuffling columns, repetition {repetition} of {repetitions}…",
                repetition=repetition + 1,
                repetitions=N_SHUFFLES,
            )
            for start in range(0, len(sets), block_size):
                self.progress = (repetition + start / len(sets)) / N_SHUFFLES
                yield
                if self._work_seconds > limit:
                    return  # columns not reached in the first repetition stay unknown
                block = sets[start : start + block_size]
                changes = [(each, X[order[:, None], each]) for each in block]
                outputs = self._predict_changed(X, changes)
                for number, rows in enumerate(outputs, start):
                    increases = self._compute_parts(rows) - baseline_parts
                    self.rises[repetition, number] = increases.mean()
                    self.row_rises[:, number] += increases
                    self.row_rises[order, number] += increases
                    self._loss_increases[1 + repetition, :, number] = self._compute_row_losses(rows)

    def _predict_changed(self, X: Floats, changes: Sequence[tuple[list[int], Floats]]) -> AnyArray:
        """Return predictions of rows (n, d) after each of k changes: (k, n, C) or (k, n).

        Args:
            changes: Columns, and their new values: shape (n, number of columns).
        """
        rows = np.tile(X, (len(changes), 1, 1))
        for copy, (columns, values) in zip(rows, changes, strict=True):
            copy[:, columns] = values
        outputs = self.predict(rows.reshape(-1, X.shape[1]))
        return outputs.reshape(len(changes), len(X), *outputs.shape[1:])

    def _compute_dependence(
        self, columns: list[int], max_seconds: float = math.inf
    ) -> Iterator[None]:
        """Compute the partial dependences of columns until ``max_seconds`` of work are over."""
        limit = self._work_seconds + max_seconds
        for index, column in enumerate(columns):
            if index and self._work_seconds > limit:
                self.is_time_over = True
                return
            name = self.plan.names[column]
            self.phase = phrase("Trying out values of {name!r}…", name=name)
            self.progress = index / len(columns)
            yield
            self.dependences[column] = yield from self._make_dependence(column)

    def _get_known_values(self, column: int) -> Floats:
        """Return a column's values in the evaluated rows, (n,), without missing ones."""
        rows = np.concatenate([self.training, self.unseen_rows])
        values = self.prepared_run.problem.X[rows, self.units[column][0]]
        return np.asarray(values[~np.isnan(values)], dtype=np.float64)

    def _make_dependence(self, column: int) -> Generator[None, None, Dependence]:
        problem, held_out = self.prepared_run.problem, self.unseen_rows
        X = np.asarray(problem.X[held_out[:N_BACKGROUND_ROWS]], dtype=np.float64)
        known_values = self._get_known_values(column)
        if not known_values.size:
            raise RunError(
                "{name!r} is empty in all examined rows, so its effect is unknown.",
                name=self.plan.names[column],
            )
        columns = list(self.units[column])
        feature = problem.make_recipe().features[columns[0]]
        is_categorical = bool(problem.categorical[columns[0]])
        grid, edges, counts = make_grid(
            known_values, categorical=is_categorical, is_word=feature.term is not None
        )
        labels = get_value_names(feature, problem.categories[columns[0]], grid)
        changes = [
            (columns, np.tile(values, (len(X), 1)))
            for values in self._make_unit_values(columns, grid)
        ]
        rarer_values: Floats = np.empty(0)
        if is_categorical:
            rarer_values = np.sort(known_values[~np.isin(known_values, grid)])
        if len(rarer_values):
            # One mean of all rarer values, as often as each occurs.
            evenly_spaced = np.arange(len(X)) * len(rarer_values) // len(X)
            changes.append((columns, rarer_values[evenly_spaced, None]))
            labels += (phrase("rarer"),)
            counts = np.append(counts, len(rarer_values))
        means, block_size = [], max(1, _ROWS_PER_BLOCK // len(X))
        for start in range(0, len(changes), block_size):
            if start:
                yield
            outputs = self._predict_changed(X, changes[start : start + block_size])
            means.append(outputs.reshape(*outputs.shape[:2], -1).mean(axis=1))
        n_missing = len(self.training) + len(held_out) - len(known_values)
        missing_means: Floats = np.empty(0)
        if n_missing:
            X[:, columns] = np.nan
            missing_means = self.predict(X).reshape(len(X), -1).mean(axis=0)
        return Dependence(
            grid=np.arange(len(labels), dtype=np.float64) if labels else grid,
            labels=labels,
            means=np.concatenate(means),
            edges=edges,
            counts=counts,
            n_missing=n_missing,
            missing_means=missing_means,
            date=feature.date,
            is_term=feature.term is not None,
            n_rarer=len(np.unique(rarer_values)),
        )

    def _make_unit_values(self, columns: list[int], grid: Floats) -> Floats:
        """Return the values of a unit's columns, (g, k), for the values of the first, (g,).

        Of several terms, each has the median weight in the rows with the first, or 0 without it.
        """
        if len(columns) == 1:
            return grid[:, None]
        rows = np.concatenate([self.training, self.unseen_rows])
        X = np.asarray(self.prepared_run.problem.X[rows[:, None], columns], dtype=np.float64)
        has_term = X[:, 0] > 0
        weights = np.median(X[has_term], axis=0) if has_term.any() else np.zeros(len(columns))
        return np.where(grid[:, None] > 0, weights, 0.0)


def explain_smooth_metric(metric: Metric, smooth_metric: Metric) -> str:
    """Return why importance is not measured in the run's metric; empty if it is."""
    if metric.key == smooth_metric.key:
        return ""
    return phrase(
        "The run's metric is {metric}; the bars are in another loss of the same predictions.",
        metric=phrase(metric.title),
    )


_WORK_CACHE: dict[
    tuple[int, int, tuple[int, ...], tuple[float, ...]], ColumnEffectsComputation
] = {}

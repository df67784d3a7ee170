"""Preparation of a run: from its settings to its rows, space and method.

All inferred or default settings are determined once here and stored in the document, so that a run
continued later (or by a newer version) uses the same settings.
"""

import dataclasses
from dataclasses import dataclass
from typing import cast

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data import monotone
from studio.data.amounts import are_amounts, are_skewed, compute_log_unit
from studio.data.balance import choose_default_metric
from studio.data.evaluation.base import Evaluation
from studio.data.findings import describe_overruled, find_overruled_leaks
from studio.data.intervals.resampling import get_units
from studio.data.metrics.base import Metric, WeightedMetric
from studio.data.metrics.plain_score import UnitKind
from studio.data.metrics.registry import find_metric, get_metric
from studio.data.problem import Problem
from studio.data.second_file import ExternalTestRows, read_like_training, read_test_file
from studio.data.splits import Split, make_split, make_strata
from studio.data.splits.assignment import describe_copies
from studio.data.table import Table
from studio.data.tasks import guess_task_for_metric
from studio.document.runs import RunRow
from studio.document.store import Document
from studio.ensembles.base import Ensemble, EnsembleBuilder, uses_probabilities
from studio.errors import DataError, RunError
from studio.learners.operators.base import EMPTY
from studio.learners.operators.targets import LogTarget, WeightBalancer
from studio.learners.space_problems import list_learner_titles
from studio.learners.targets import PredictionTarget
from studio.measure import get_loss_unit
from studio.phrases import join_phrases, phrase
from studio.proposers.base import TableSize
from studio.proposers.method import Method
from studio.proposers.spaces import get_space
from studio.runs.advice import follow_advice, is_advised, list_notes
from studio.runs.choices import DEFAULT_BUDGET
from studio.runs.compatible import (
    check_space,
    check_values,
    compose_checked,
    find_partial_failures,
    get_searched_space,
    list_missing_dependencies,
)
from studio.runs.settings import OPEN_METHODS, RunSettings, TableSource
from studio.runs.staging import FoldInputs, TrialData, list_predicted_rows
from studio.runs.table_files import read_table
from studio.seeds import derive
from studio.space.base import Parameter
from studio.space.choices import Categorical, Constant
from studio.space.space import Space
from studio.trial import History, check_no_lost_trials


def find_prediction_target(
    problem: Problem, rows: Integers, metric: Metric, settings: RunSettings
) -> PredictionTarget:
    """Return the statistic to be predicted by a new run's models, from training rows (k,)."""
    if problem.classes:
        return PredictionTarget()
    y = problem.y[rows]
    # Leaves set to a quantile after a tree's growth violate monotonic constraints.
    level = None if settings.source.monotone else metric.level
    if not settings.amounts or not are_amounts(y):
        return PredictionTarget(level, relative=metric.relative)
    return PredictionTarget(
        level,
        floor=0.0,
        unit=metric.log_unit or compute_log_unit(y),
        unbiased=metric.level is None and metric.log_unit is None,
        relative=metric.relative,
    )


def add_target_scales(
    space: Space, problem: Problem, rows: Integers, aim: PredictionTarget
) -> Space:
    """Return a method's own space, with the target's logarithm as a choice for skewed amounts.

    Both scales are tried for skewed amounts, the logarithm first unless the metric is minimised by
    the mean; rows (k,) are the training rows.
    """
    if aim.unit is None or not are_skewed(problem.y[rows]):
        return space
    scale = Categorical(
        LogTarget.stage,
        choices=(EMPTY, LogTarget.key) if aim.unbiased else (LogTarget.key, EMPTY),
        note="Whether training is on the logarithm of the number to predict.",
    )
    return _add_stage(space, scale)


def add_class_weights(space: Space, metric: Metric) -> Space:
    """Return a method's own space, with equal weight of all classes if the metric averages them.

    A model trained without it rarely predicts a rare class
    (docs/decisions/0065-class-weights-for-balanced-error.md).
    """
    if not metric.averages_classes:
        return space
    weights = Constant(
        WeightBalancer.stage,
        value=WeightBalancer.key,
        note="All classes have the same weight in training.",
    )
    return _add_stage(space, weights)


def _add_stage(space: Space, operator: Parameter) -> Space:
    """Return the space with a stage's operator, unless it has one already."""
    if any(each.sets == operator.sets for each in space.parameters):
        return space
    return dataclasses.replace(space, parameters=(*space.parameters, operator))


MAX_COPIES_EFFECT = 1.1
"""Variance of a mean over units of copies, relative to that over independent rows, below which
copies are not grouped: intervals would be at most 5 % wider (Kish's design effect)."""


@dataclass(frozen=True)
class PreparedRun:
    """A run, ready to start.

    Attributes:
        settings: The settings, with all choices made.
        table: The columns as read, without parts of dates that violate a constraint.
        test_notes: Notes relevant to the test error.
        redraw: Gives each trial its own rows; ``None`` if the evaluation does not redraw them.
        truth: Shape (n_V,). Targets of the split's validation rows.
        objective: The metric optimised by ensembles, with row weights, if any.
    """

    settings: RunSettings
    table: Table
    problem: Problem
    split: Split
    space: Space
    method: Method
    metric: Metric
    notes: tuple[str, ...]
    test_notes: tuple[str, ...]
    redraw: FoldInputs | None
    truth: AnyArray
    objective: Metric

    @property
    def unit(self) -> str:
        """The unit of losses (:func:`studio.measure.get_loss_unit`)."""
        return get_loss_unit(self.metric.unit, self.table.target_unit)

    @property
    def overruled(self) -> tuple[str, ...]:
        """The table's findings about columns that should be hidden from models, but are not."""
        features = self.problem.make_recipe().table_columns
        return tuple(map(describe_overruled, find_overruled_leaks(self.table.findings, features)))

    @property
    def constraints(self) -> dict[str, str]:
        """Directions of the constrained columns, as a sentence each."""
        problem = self.problem
        directions = self.settings.source.monotone
        return monotone.describe_constraints(problem.make_recipe(), problem.monotone, directions)

    @property
    def comparable(self) -> bool:
        """Whether all trials predict the same rows."""
        return self.method.evaluation.is_comparable(self.settings.plan)

    @property
    def probability_note(self) -> str:
        """Why probabilities differ from true shares; empty if they are meant to be these."""
        return describe_class_weights(self.settings, self.space) if self.problem.classes else ""

    @property
    def size(self) -> TableSize:
        """The quantities that determine a trial's duration."""
        folds = self.split.folds
        n_rows = round(sum(len(training) for training, _ in folds) / len(folds))
        columns, classes = self.problem.X.shape[1], self.problem.n_classes
        return TableSize(n_rows, columns, classes, len(folds))

    def get_trial_data(self) -> TrialData:
        """Return the training and scoring data of trials."""
        balanced = self.settings.class_weights == "balanced"
        return TrialData.from_problem(
            self.problem, self.split, self.redraw, balanced=balanced, aim=self.settings.aim
        )

    def get_scored_rows(self, seed: int) -> Integers:
        """Return the rows, (n,), predicted by the trial with this seed, in order of prediction."""
        if self.redraw is None or self.comparable:
            return self.split.validation
        return list_predicted_rows(self.redraw.make_folds(seed))

    @property
    def validation_weights(self) -> Floats | None:
        """Weights of the validation rows, shape (n,); ``None`` if all are equal."""
        return self.get_weights(self.split.validation)

    def get_weights(self, rows: Integers) -> Floats | None:
        """Return the weights of rows (k,), shape (k,); ``None`` if all are equal."""
        return None if self.problem.weights is None else self.problem.weights[rows]

    def get_units(self, rows: Integers) -> Integers | None:
        """Return the resampling unit of each of rows (k,), shape (k,).

        As :func:`studio.data.intervals.resampling.get_units`; copies of a row form one unit, like
        groups, unless they are few, or rows are in time order, where copies are repeated events.
        """
        problem = self.problem
        groups = problem.groups
        if groups is None and not self._have_times(rows):
            copies = self.split.group_copies(len(problem.y))
            if copies is not None:
                sizes = np.unique(copies[rows], return_counts=True)[1]
                are_few = (sizes**2).sum() < MAX_COPIES_EFFECT * len(rows)
                groups = None if are_few else copies
        return get_units(rows, groups, problem.times)

    def _have_times(self, rows: Integers) -> bool:
        """Return whether rows (k,) are in time order, which may not hold for a second file."""
        times = self.problem.times
        return times is not None and not np.isnan(times[rows]).any()

    def get_unit_kind(self, rows: Integers) -> UnitKind:
        """Return the kind of unit that groups rows (k,); empty if they are independent."""
        if self.get_units(rows) is None:
            return ""
        if self.problem.groups is not None:
            return "groups"
        return "times" if self._have_times(rows) else "copies"

    def compute_best_constant(self, rows: Integers, metric: Metric | None = None) -> Floats:
        """Return a metric's best constant of rows (k,), shape (C,) or (); by default the run's."""
        weights = self.get_weights(rows)
        if weights is not None and not weights.any():
            weights = None
        metric = metric or self.metric
        return metric.compute_best_constant(self.problem.y[rows], weights, self.problem.n_classes)

    def predict_constant(self, rows: Integers, n_rows: int) -> Floats:
        """Return the best constant of rows (k,), repeated: shape (n_rows, C) or (n_rows,)."""
        best = self.compute_best_constant(rows)
        return np.broadcast_to(best, (n_rows, *best.shape))

    def compute_loss(self, rows: Integers, predictions: AnyArray) -> float:
        """Return the run's metric, with any weights, for rows (k,), predictions (k, C) or (k,)."""
        return self.metric.compute_loss(self.problem.y[rows], predictions, self.get_weights(rows))


def prepare(document: Document, run_id: int, *, starts_run: bool = False) -> PreparedRun:
    """Load a run, and make and store any open choices.

    Args:
        document: Open for writing, or with a run that was prepared before.
        starts_run: Whether the run starts now; only then are files named in its settings opened,
            as an untrusted document may name any file or network path.

    Raises:
        DataError, SpaceError, UsageError: If the table, the space or the settings are invalid; the
            message states a remedy.
        RunError: If the run has not been started, so its rows are not in the document.
    """
    row = document.runs.get(run_id)
    settings = RunSettings.from_row(row)
    settings.check()
    stored_split = document.runs.split(run_id)
    noticed: tuple[str, ...] = ()
    has_new_table = row.table_id is None or (settings.source.test_path and not stored_split)
    if has_new_table and not starts_run:
        raise RunError(
            "This run has not started, so the document does not contain its rows yet. Continue the "
            "run."
        )
    if row.table_id is None:
        full_table = read_table(settings.source)
    else:
        full_table = Table.from_parts(*document.tables.read(row.table_id))
    table = monotone.drop_violating_parts(full_table, settings.source.monotone)
    task = _resolve_task(settings, table)
    problem = Problem.from_table(table, task, settings.source.monotone)
    if settings.budget is None and settings.seconds is None:
        settings = dataclasses.replace(settings, budget=DEFAULT_BUDGET)
    settings, advice = (settings, "") if stored_split else follow_advice(settings, problem)
    method = compose_checked(settings, problem.task, is_prepared=bool(stored_split))
    if stored_split:
        split, second = Split.from_arrays(stored_split), ExternalTestRows.from_arrays(stored_split)
    else:
        second, noticed = _read_second_file(settings.source, problem, table)
        split = make_split(
            problem,
            settings.plan,
            external_test=second is not None,
            selection=method.evaluation.selection,
        )
    row_notes, test_notes = _describe_rows(settings, split, problem, second)
    if second is not None:
        first = len(problem.y)
        problem = second.append_to(problem)
        split = dataclasses.replace(split, test=np.arange(first, len(problem.y), dtype=np.int64))
    metric = _resolve_metric(settings, problem, is_prepared=bool(stored_split))
    space = _resolve_space(settings, problem, method, is_prepared=bool(stored_split))
    if not stored_split:  # skipped for existing results, which can be shown in any case
        check_values(space, problem.task)
        aim = find_prediction_target(problem, split.development, metric, settings)
        settings = dataclasses.replace(settings, aim=aim)
        if is_advised(method.preset):
            space = add_target_scales(space, problem, split.development, aim)
            if settings.class_weights == "none" and not _has_custom_space(
                settings, problem, method
            ):
                space = add_class_weights(space, metric)
    redraw = _make_redraw(method.evaluation, split, settings, problem)
    if redraw is not None and not stored_split:
        redraw.make_folds(settings.seed)  # incompatible splits are rejected at once
    settled = dataclasses.replace(
        settings,
        method=method.preset,
        overrides={**settings.overrides, **method.derived_options},
        space=space.to_json(),
        metric=metric.key,
        source=dataclasses.replace(settings.source, task=problem.task, target=problem.target_name),
    )
    if not stored_split:  # otherwise all choices are stored, and the document may be read-only
        arrays = split.to_arrays() | ({} if second is None else second.to_arrays())
        _store_choices(document, row, settled, full_table, arrays)
    truth = problem.y[split.validation]
    return PreparedRun(
        settings=settled,
        table=table,
        problem=problem,
        split=split,
        space=space,
        method=method,
        metric=metric,
        notes=(
            *list_notes(problem, settings.metric, advice, is_voting=method.ensemble.always_votes),
            *noticed,
            *row_notes,
            *_describe_constraints(settled, problem, space),
            *filter(None, (describe_class_weights(settled, space),)),
            *_describe_selection(method.ensemble, metric, problem),
            *list_missing_dependencies(space),
            *find_partial_failures(space, problem.task),
        ),
        test_notes=test_notes,
        redraw=redraw,
        truth=truth,
        objective=metric
        if problem.weights is None
        else WeightedMetric(metric, truth, problem.weights[split.validation]),
    )


def _describe_rows(
    settings: RunSettings, split: Split, problem: Problem, second: ExternalTestRows | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return notes on equal rows and the second file's rows, and those relevant to the test."""
    copies = describe_copies(split, settings.plan, len(problem.y))
    biases = copies if settings.plan.equal_rows == "apart" and not split.by_time else ()
    if second is None:
        return copies, biases
    return (*copies, *second.list_notes(problem)), (*biases, *second.list_biases(problem))


def _store_choices(
    document: Document, row: RunRow, settled: RunSettings, table: Table, arrays: dict[str, AnyArray]
) -> None:
    """Store a run's choices, table and arrays, of shape (k,), (m, d) or (m,), unless rejected."""
    name = settled.method if row.name in OPEN_METHODS else None
    with document.run_transaction():
        table_id = row.table_id
        if table_id is None:
            table_id = document.tables.add(table.to_description(), table.to_arrays())
        document.runs.prepare(row.id, settled.to_json(), table_id, arrays, name)


def _describe_constraints(settings: RunSettings, problem: Problem, space: Space) -> tuple[str, ...]:
    """Return notes about constrained columns, and the learners that support constraints."""
    directions = settings.source.monotone
    if not directions:
        return ()
    learners_note = phrase(
        "Only models that support monotonic constraints are trained: {learners}.",
        learners=join_phrases(map(phrase, list_learner_titles(space)), ", "),
    )
    metric = get_metric(cast(str, settings.metric), problem.task)
    mean = phrase("They are trained for the mean, not for the quantile that the metric asks for.")
    recipe = problem.make_recipe()
    constraints = monotone.describe_constraints(recipe, problem.monotone, directions)
    return (*constraints.values(), learners_note, *(() if metric.level is None else (mean,)))


def _describe_selection(
    ensemble: EnsembleBuilder, metric: Metric, problem: Problem
) -> tuple[str, ...]:
    """Return a note if members are selected by error although the metric scores probabilities."""
    uses_errors = uses_probabilities(metric) and ensemble.get_search_loss(metric) is not None
    if not problem.classes or not uses_errors:
        return ()
    return (
        phrase(
            "As published, this method selects its ensemble by errors, not by the metric "
            "({metric}), which may get worse meanwhile. The default method selects by the metric.",
            metric=phrase(metric.title),
        ),
    )


def _resolve_task(settings: RunSettings, table: Table) -> str:
    """Return the task of the settings, or otherwise that of their metric."""
    metric = find_metric(settings.metric)
    if settings.source.task != "auto" or metric is None or table.target is None:
        return settings.source.task
    return guess_task_for_metric(table.target, metric.tasks)


def _resolve_metric(settings: RunSettings, problem: Problem, *, is_prepared: bool) -> Metric:
    """Return the settings' metric; raise DataError if it does not suit the target."""
    if settings.metric is None:
        is_open = problem.classes and is_advised(settings.method)
        return choose_default_metric(problem.task, np.bincount(problem.y) if is_open else None)
    metric = get_metric(settings.metric, problem.task)
    if not is_prepared and (reason := metric.find_problem(problem.y)):
        raise DataError(reason)
    return metric


def _make_redraw(
    evaluation: Evaluation, split: Split, settings: RunSettings, problem: Problem
) -> FoldInputs | None:
    if not evaluation.reshuffles:
        return None
    strata = make_strata(problem.y, problem.n_classes)
    return FoldInputs(evaluation, split, settings.plan, strata, problem.groups)


def _read_second_file(
    source: TableSource, problem: Problem, table: Table
) -> tuple[ExternalTestRows | None, tuple[str, ...]]:
    if not source.test_path:
        return None, ()
    raw = read_like_training(source.test_path, table.options, table.known_names)
    return read_test_file(raw, problem, table)


def _resolve_space(
    settings: RunSettings, problem: Problem, method: Method, *, is_prepared: bool
) -> Space:
    """Return a run's search space, or raise SpaceError or UsageError if it cannot be searched."""
    if settings.space is None:
        space = get_space(method.preset, problem.task)
    else:
        space = Space.from_json(settings.space)
        space.check()
    if not is_prepared:
        space = get_searched_space(space, settings, problem.task)
    check_space(space, problem.task)
    return space


def _has_custom_space(settings: RunSettings, problem: Problem, method: Method) -> bool:
    """Return whether the user has chosen or edited the space."""
    if settings.space is None:
        return False
    own_parameters = get_space(method.preset, problem.task).parameters
    return Space.from_json(settings.space).parameters != own_parameters


CLASSES_WEIGHTED = phrase(
    "All classes have the same weight in training, so predicted probabilities of rare classes are "
    "higher than their true shares."
)


def describe_class_weights(settings: RunSettings, space: Space) -> str:
    """Return a note on the probabilities if all trials give the classes the same weight, or ""."""
    weights = (WeightBalancer.stage, WeightBalancer.key)
    is_balanced = settings.class_weights == "balanced" or any(
        each.count() == 1 and (each.sets, each.get_default()) == weights
        for each in space.parameters
    )
    return CLASSES_WEIGHTED if is_balanced else ""


def build_ensemble(prepared_run: PreparedRun, history: History) -> Ensemble:
    """Return the method's ensemble of a history; raise DocumentError if a trial is lost."""
    check_no_lost_trials(history.trials)
    return prepared_run.method.ensemble.build(
        history, prepared_run.objective, derive_ensemble_seed(prepared_run.settings)
    )


def derive_ensemble_seed(settings: RunSettings) -> int:
    """Return the seed for ties in all ensembles of a run, including the search's own."""
    return derive(settings.seed, "ensemble")

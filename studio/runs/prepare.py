"""From a run's settings to the rows, the space and the method it works with.

Everything that is only guessed or defaulted in the settings is decided here once, and written
back into the document, so that a run continued later (or by a newer version) does the same.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data.evaluation.base import Evaluation
from studio.data.metrics.base import Metric
from studio.data.metrics.registry import default_for, metric_for
from studio.data.metrics.weighting import WeightedMetric, loss_of
from studio.data.problem import Problem
from studio.data.read_options import ReadOptions
from studio.data.reading import RawTable, read
from studio.data.splits import Split, make_split, strata_of
from studio.data.table import Table
from studio.document.store import Document
from studio.ensembles.base import Ensemble
from studio.errors import DataError, RunError, UsageError
from studio.proposers.base import TableSize
from studio.proposers.method import Method
from studio.proposers.spaces import space_for
from studio.runs.advice import followed, notes_on
from studio.runs.choices import DEFAULT_BUDGET
from studio.runs.compatible import check_space, check_values, composed, failing_in, lacking_in
from studio.runs.redraw import Redraw, predicted_rows
from studio.runs.settings import OPEN, RunSettings, Source
from studio.runs.staging import TrialData
from studio.seeds import derive
from studio.space.space import Space
from studio.trial import History, refuse_lost


@dataclass(frozen=True)
class Prepared:
    """A run, ready to be worked on.

    Attributes
    ----------
    settings : RunSettings
        With nothing left open.
    table : Table
        The columns as they were read.
    problem : Problem
        The rows and the target.
    split : Split
        Which rows do what.
    space : Space
        Where the search looks.
    method : Method
        The parts that search and build the ensemble.
    metric : Metric
        What is minimised.
    notes : tuple of str
        What was noticed about the data, in sentences.
    redraw : Redraw or None
        Gives each trial rows of its own; ``None`` where the evaluation does not redraw them.
    truth : array, shape (n_V,)
        Targets of the split's validation rows.
    objective : Metric
        The metric by which ensembles are built: with the rows' weights, where they have any.
    """

    settings: RunSettings
    table: Table
    problem: Problem
    split: Split
    space: Space
    method: Method
    metric: Metric
    notes: tuple[str, ...]
    redraw: Redraw | None
    truth: AnyArray
    objective: Metric

    @property
    def comparable(self) -> bool:
        """Whether the predictions of all trials are for the same rows."""
        return self.method.evaluation.comparable(self.settings.plan)

    @property
    def size(self) -> TableSize:
        """What the seconds of a trial depend on."""
        folds = self.split.folds
        n_rows = round(sum(len(training) for training, _ in folds) / len(folds))
        columns, classes = self.problem.X.shape[1], self.problem.n_classes
        return TableSize(n_rows, columns, classes, len(folds))

    def data(self) -> TrialData:
        """Return what trials are trained and scored on."""
        balanced = self.settings.class_weights == "balanced"
        return TrialData.of(self.problem, self.split, self.redraw, balanced=balanced)

    def scored_rows(self, seed: int) -> Integers:
        """Return the rows, (n,), that the trial with this seed predicts, in that order."""
        if self.redraw is None or self.comparable:
            return self.split.validation
        return predicted_rows(self.redraw.folds(seed))

    def training_rows(self, seed: int) -> Integers:
        """Return the rows, (k,), on which the final model of the trial with this seed is trained.

        All but the test rows, or D_T where the run goes without that (a hold-out).
        """
        if self.settings.refit:
            return self.split.development
        return self.split.train if self.redraw is None else self.redraw.folds(seed)[0][0]

    @property
    def validation_weights(self) -> Floats | None:
        """How much each validation row counts, shape (n,); ``None`` where all do the same."""
        return self.weights_of(self.split.validation)

    def weights_of(self, rows: Integers) -> Floats | None:
        """Return how much each of rows (k,) counts, shape (k,); ``None`` where all do the same."""
        return None if self.problem.weights is None else self.problem.weights[rows]

    def loss(self, rows: Integers, predictions: AnyArray) -> float:
        """Return the run's metric, weighted if rows have weights.

        Rows have shape (k,), predictions (k, C) or (k,).
        """
        return loss_of(self.metric, self.problem.y[rows], predictions, self.weights_of(rows))


def prepare(document: Document, run_id: int, *, begins: bool = False) -> Prepared:
    """Load a run, deciding and keeping what its settings left open.

    Parameters
    ----------
    document : Document
        Open for writing, or with a run that was prepared before.
    run_id : int
        The run.
    begins : bool
        Whether the run begins now, so that the files which its settings name are read. Nobody
        else opens them: the document may be a stranger's, and they any file or network path.

    Raises
    ------
    DataError, SpaceError, UsageError
        If the table, the space or the settings cannot work; the message says what to change.
    RunError
        If the run has not begun, so that the document does not hold its rows.
    """
    row = document.run(run_id)
    settings = RunSettings.of(row)
    settings.check()
    stored = document.run_split(run_id)
    outside = row.table_id is None or (settings.source.test_path and not stored)
    if outside and not begins:
        raise RunError(
            "This run has not begun, so the document does not hold its rows yet. Continue the run."
        )
    if row.table_id is None:
        table = _import(settings.source)
        table_id = document.add_table(table.description(), table.arrays())
    else:
        table_id = row.table_id
        table = Table.from_parts(*document.read_table(table_id))
    problem = Problem.from_table(table, settings.source.task)
    settings = dataclasses.replace(settings, budget=_budget(settings))
    settings, advice = (settings, "") if stored else followed(settings, problem)
    method = composed(settings, problem.task, decided=bool(stored))
    if stored:
        split = Split.from_arrays(stored)
        test_file = _OtherRows.from_arrays(stored)
    else:
        test_file = _test_file(settings.source, problem, table)
        split = make_split(
            problem,
            settings.plan,
            external_test=test_file is not None,
            selection=method.evaluation.selection,
        )
    if test_file is not None:
        problem, split = test_file.behind(problem, split)
    space = _space(settings, problem, method)
    check_space(space, problem.task)
    if not stored:  # what was recorded can be read, whatever its trials say
        check_values(space)
    redraw = _redraw(method.evaluation, split, settings, problem)
    if redraw is not None and not stored:
        redraw.folds(settings.seed)  # rows that cannot be divided again are refused at once
    wanted = settings.metric
    metric = default_for(problem.task) if wanted is None else metric_for(wanted, problem.task)
    decided = dataclasses.replace(
        settings,
        method=method.preset,
        overrides={**settings.overrides, **method.settled},
        space=space.to_json(),
        metric=metric.key,
        source=dataclasses.replace(settings.source, task=problem.task, target=problem.target_name),
    )
    if not stored:  # else all was decided then, and the document may be open for reading only
        arrays = split.arrays() | ({} if test_file is None else test_file.arrays())
        name = method.preset if row.name in OPEN else None
        document.prepare_run(run_id, decided.to_json(), table_id, arrays, name)
    truth = problem.y[split.validation]
    return Prepared(
        settings=decided,
        table=table,
        problem=problem,
        split=split,
        space=space,
        method=method,
        metric=metric,
        notes=(
            *notes_on(problem, metric.key, advice, votes=method.ensemble.always_votes),
            *lacking_in(space),
            *failing_in(space),
        ),
        redraw=redraw,
        truth=truth,
        objective=(
            metric
            if problem.weights is None
            else WeightedMetric(metric, truth, problem.weights[split.validation])
        ),
    )


def _redraw(
    evaluation: Evaluation, split: Split, settings: RunSettings, problem: Problem
) -> Redraw | None:
    if not evaluation.moves:
        return None
    strata = strata_of(problem.y, problem.n_classes)
    return Redraw(evaluation, split, settings.plan, strata, problem.groups)


@dataclass(frozen=True)
class _OtherRows:
    """The test set of a second file, (n, d) and (n,): its rows come after the problem's own."""

    X: Floats
    y: AnyArray

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray]) -> "_OtherRows | None":
        if "test_X" not in arrays:
            return None
        return cls(np.asarray(arrays["test_X"], dtype=np.float64), arrays["test_y"])

    def arrays(self) -> dict[str, AnyArray]:
        return {"test_X": self.X, "test_y": self.y}

    def behind(self, problem: Problem, split: Split) -> tuple[Problem, Split]:
        first, count = len(problem.y), len(self.y)
        rows = np.arange(first, first + count, dtype=np.int64)
        return problem.extended(self.X, self.y), dataclasses.replace(split, test=rows)


def _test_file(source: Source, problem: Problem, table: Table) -> _OtherRows | None:
    if not source.test_path:
        return None
    labelled = problem.codec().encode_labelled(read(Path(source.test_path), table.options))
    return _OtherRows(labelled.X, labelled.y)


def _budget(settings: RunSettings) -> int | None:
    if settings.budget is None and settings.seconds is None:
        return DEFAULT_BUDGET
    return settings.budget


def _space(settings: RunSettings, problem: Problem, method: Method) -> Space:
    if settings.space is None:
        return space_for(method.preset, problem.task)
    space = Space.from_json(settings.space)
    space.check()
    return space


def _import(source: Source) -> Table:
    if not source.path:
        raise RunError("This run names no table; open one on the Data page and start it again.")
    raw = read(Path(source.path), ReadOptions.from_json(source.reading))
    for name in (source.target, *source.roles, *source.kinds, *source.treatments):
        if name is not None:
            _check_column(raw, name)
    return Table.from_raw(raw, source.kinds, source.roles, source.target, source.treatments)


def _check_column(raw: RawTable, name: str) -> None:
    """Refuse a name that somebody typed and that is no column's: wrong use, not a bad table."""
    try:
        raw.position(name)
    except DataError as error:
        raise UsageError(str(error)) from error


def build_ensemble(prepared: Prepared, history: History) -> Ensemble:
    """Return the method's ensemble over a history; the same history gives the same ensemble.

    Raises
    ------
    DocumentError
        If a trial of it is lost: another ensemble might be chosen without it.
    """
    refuse_lost(history.trials)
    return prepared.method.ensemble.build(
        history, prepared.objective, ensemble_seed(prepared.settings)
    )


def ensemble_seed(settings: RunSettings) -> int:
    """Return the seed by which all ensembles of a run settle ties, the search's own included."""
    return derive(settings.seed, "ensemble")

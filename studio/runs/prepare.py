"""From a run's settings to the rows, the space and the method it works with.

Everything that is only guessed or defaulted in the settings is decided here once, and written
back into the document, so that a run continued later (or by a newer version) does the same.
"""

import dataclasses
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studio.arrays import Flags
from studio.data.metrics.base import Metric
from studio.data.metrics.registry import REGISTRY as METRICS
from studio.data.metrics.registry import default_for
from studio.data.problem import Problem
from studio.data.reading import RawTable, ReadOptions, append, read
from studio.data.splits import Split, make_split
from studio.data.table import Table
from studio.document.store import Document
from studio.ensembles.base import Ensemble
from studio.errors import RunError, UsageError
from studio.parts import find
from studio.proposers.method import Method, compose
from studio.proposers.presets import default_for as default_method
from studio.runs.settings import DEFAULT_BUDGET, RunSettings
from studio.seeds import derive
from studio.space.library import default_for as default_space
from studio.space.library import load
from studio.space.space import Space
from studio.trial import History


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
    """

    settings: RunSettings
    table: Table
    problem: Problem
    split: Split
    space: Space
    method: Method
    metric: Metric
    notes: tuple[str, ...]


def prepare(document: Document, run_id: int) -> Prepared:
    """Load a run, deciding and keeping what its settings left open.

    Raises
    ------
    DataError, SpaceError, UsageError
        If the table, the space or the settings cannot work; the message says what to change.
    """
    row = document.run(run_id)
    settings = RunSettings.from_json(row.settings)
    settings.check()
    table_id, first_rows = row.table_id, None
    if table_id is None:
        table, first_rows = _import(settings)
        table_id = document.add_table(table.description(), table.arrays())
    else:
        table = Table.from_parts(*document.read_table(table_id))
    problem = Problem.from_table(table, settings.source.task)
    space = _space(settings, problem)
    method = compose(_method_key(settings, problem), settings.overrides, problem.task)
    metric = find(METRICS, settings.metric or default_for(problem.task), "metric")()
    if problem.task not in metric.tasks:
        fitting = ", ".join(each.key for each in METRICS if problem.task in each.tasks)
        raise UsageError(
            f"The metric {metric.key} does not exist for {problem.task}; there are: {fitting}."
        )
    stored = document.run_split(run_id)
    if stored:
        split = Split.from_arrays(stored)
    else:
        external = None if first_rows is None else np.asarray(problem.rows >= first_rows)
        split = _split(problem, settings, external)
    decided = dataclasses.replace(
        settings,
        method=method.preset,
        space=space.to_json(),
        metric=metric.key,
        budget=_budget(settings),
        source=dataclasses.replace(settings.source, task=problem.task, target=problem.target),
    )
    if row.table_id is None or not stored or decided.to_json() != dict(row.settings):
        document.prepare_run(run_id, decided.to_json(), table_id, split.arrays())
    return Prepared(decided, table, problem, split, space, method, metric, problem.notes)


def _budget(settings: RunSettings) -> int | None:
    if settings.budget is None and settings.seconds is None:
        return DEFAULT_BUDGET
    return settings.budget


def _method_key(settings: RunSettings, problem: Problem) -> str:
    return default_method(problem.task) if settings.method == "auto" else settings.method


def _space(settings: RunSettings, problem: Problem) -> Space:
    if settings.space is None:
        return load(default_space(problem.task))
    space = Space.from_json(settings.space)
    space.check()
    return space


def _import(settings: RunSettings) -> tuple[Table, int | None]:
    """Read the run's file, and the test file's rows behind it; say how many the first has."""
    source = settings.source
    if not source.path:
        raise RunError("This run names no table; open one on the Data page and start it again.")
    raw = read(Path(source.path), ReadOptions.from_json(source.reading))
    first_rows: int | None = None
    if source.test_path:
        first_rows = raw.n_rows
        raw = _with_test_rows(raw, Path(source.test_path))
    table = Table.from_raw(raw, kinds=source.kinds, roles=source.roles, target=source.target)
    return table, first_rows


def _with_test_rows(raw: RawTable, path: Path) -> RawTable:
    return append(raw, read(path, raw.options))


def _split(problem: Problem, settings: RunSettings, external: Flags | None) -> Split:
    if external is None:
        return make_split(problem, settings.plan)
    return make_split(problem, settings.plan, test_rows=external)


def build_ensemble(prepared: Prepared, history: History) -> Ensemble:
    """Return the method's ensemble over a history; the same history gives the same ensemble."""
    return prepared.method.ensemble.build(
        history, prepared.metric.loss, ensemble_seed(prepared.settings)
    )


def ensemble_seed(settings: RunSettings) -> int:
    """Return the seed by which all ensembles of a run settle ties, the search's own included."""
    return derive(settings.seed, "ensemble")

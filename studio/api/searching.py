"""A run started from Python: table in, trained members out."""

import warnings
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn import config_context
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import check_consistent_length, check_X_y
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import column_or_1d
from threadpoolctl import threadpool_limits

from studio.arrays import AnyArray, Floats
from studio.data.balance import find_rarer_class
from studio.data.column import KINDS, Column, Direction, find_free_name
from studio.data.metrics.registry import EARLIER_MACRO_F1, find_metric, register_temporarily
from studio.data.metrics.scorer_metric import Scorer, make_scorer_metric
from studio.data.problem import Problem
from studio.data.read_options import ReadOptions
from studio.data.reading import RawTable
from studio.data.recipe import Recipe
from studio.data.table import Table
from studio.data.tasks import Task
from studio.document.store import Document
from studio.ensembles.base import Ensemble
from studio.errors import UsageError
from studio.export.estimator import TrainedEnsemble, assemble_pipeline, train
from studio.export.preprocessing import make_matrix_transformer
from studio.learners.base import Learner
from studio.learners.choice import choose_learner
from studio.phrases import count_phrase
from studio.runs.create import create_run
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.load import load_history
from studio.runs.pool import PoolMaker, WorkerPool
from studio.runs.settings import RunSettings
from studio.scratch import make_scratch_folder
from studio.system.available_resources import count_cores
from studio.trial import Trial

_MAPPING_TYPE: list[Any] = [Mapping, None]
_INTEGER_TYPE: list[Any] = [Integral, None]

PARAMETER_TYPES: Mapping[str, list[Any]] = {
    "method": [str],
    "space": [str, PathLike, Mapping],
    "budget": _INTEGER_TYPE,
    "seconds": [Real, None],
    "metric": [str, callable, None],
    "folds": [*_INTEGER_TYPE, StrOptions({"auto"})],
    "validation": [Real],
    "refit": ["boolean", StrOptions({"auto"})],
    "class_weights": [str],
    "options": _MAPPING_TYPE,
    "roles": _MAPPING_TYPE,
    "kinds": _MAPPING_TYPE,
    "n_jobs": _INTEGER_TYPE,
    "trial_seconds": [Real],
    "document": [str, PathLike, None],
}
"""Types of an estimator's parameters; other errors are reported by the program."""


def to_frame(X: Any, names: tuple[str, ...] | None = None) -> Any:
    """Return X as a pandas data frame, or ``None`` for a matrix of numbers.

    Args:
        X: A data frame of pandas, of another library with ``to_pandas`` (polars), or an array.
        names: Names of an array's columns; ``None``: x0, x1, ….

    Raises:
        TypeError: If another library's frame cannot be converted.
    """
    if is_frame(X):
        return X
    if hasattr(X, "to_pandas"):
        try:
            return X.to_pandas()
        except ImportError as error:
            raise TypeError(
                f"X is a {type(X).__module__}.{type(X).__name__}, which cannot be converted to "
                f"pandas here ({error}). Install what it needs, or pass a pandas data frame."
            ) from error
    if hasattr(X, "toarray"):
        return None
    array = np.asarray(X)
    if array.dtype.kind not in "OUS" or array.ndim != 2 or not array.size:
        return None
    column_names = names or tuple(f"x{index}" for index in range(array.shape[1]))
    if len(column_names) != array.shape[1]:
        return None
    return pd.DataFrame(array.astype(object), columns=list(column_names)).infer_objects()


def is_frame(X: Any) -> bool:
    """Return whether X is a pandas data frame, without importing pandas for other types."""
    return type(X).__module__.split(".")[0] == "pandas" and hasattr(X, "columns")


def find_known_rows(y: Any) -> AnyArray | None:
    """Return a mask, (n,), of the rows with a target; ``None`` if pandas finds none missing."""
    kind = getattr(y, "dtype", None)
    if not hasattr(y, "isna") or (isinstance(kind, np.dtype) and kind.kind != "O"):
        return None
    missing = np.asarray(y.isna(), dtype=np.bool_).ravel()
    if not missing.any():
        return None
    message = count_phrase(
        "1 row without a target was left out.",
        "{count:,} rows without a target were left out.",
        int(missing.sum()),
    )
    warnings.warn(message, stacklevel=4)
    return ~missing


def to_target(y: Any, n_rows: int, *, numeric: bool) -> AnyArray:
    """Return the target of n rows as an array, (n,), of its values' type, or raise ValueError."""
    if hasattr(y, "infer_objects"):
        y = y.infer_objects()
    if hasattr(y, "to_numpy") and not isinstance(getattr(y, "dtype", None), np.dtype):
        y = np.array(y.to_numpy().tolist())
    target = column_or_1d(np.asarray(y), warn=True)
    if target.dtype == object:
        target = pd.Series(target).infer_objects().to_numpy()
    _, checked = check_X_y(np.zeros((n_rows, 1)), target, y_numeric=numeric, ensure_min_samples=2)
    result: AnyArray = checked
    return result


def check_column_choices(
    labels: Collection[Any], roles: Mapping[Any, str], kinds: Mapping[Any, str]
) -> None:
    """Raise ValueError if columns of X have equal names, or roles and kinds are impossible."""
    if missing_columns := [name for name in (*roles, *kinds) if name not in labels]:
        raise ValueError(f"{missing_columns[0]!r}, of roles or kinds, is not a column of X.")
    if "target" in roles.values():
        raise ValueError("The target is y, so no column of X can have the role target.")
    if unknown_kinds := set(kinds.values()) - set(KINDS):
        raise ValueError(f"kinds are {', '.join(KINDS)}; {unknown_kinds.pop()!r} was given.")
    if duplicates := [name for name, n in Counter(map(str, labels)).items() if n > 1]:
        raise ValueError(f"Two columns of X are called {duplicates[0]!r}; rename one of them.")


def make_group_column(groups: Any, table: RawTable) -> Column:
    """Return the groups of a table's rows, (n,) of any type, as a column; raise ValueError."""
    check_consistent_length(np.zeros(table.n_rows), groups)
    codes, labels = pd.factorize(column_or_1d(groups, input_name="groups"))
    name = find_free_name("groups", table.names)
    return Column(name, "category", "group", codes.astype(np.int32), tuple(map(str, labels)))


def reject_class_labels(y: Any) -> None:
    """Raise ValueError if a regression target, (n,), contains words, more clearly than NumPy."""
    target = np.asarray(y)
    if target.dtype.kind not in "OSUT":
        return
    for value in target.ravel().tolist():
        if isinstance(value, str) and not _is_number(value):
            raise ValueError(
                f"y must be numbers for a regressor; it holds {value!r}. For classes take "
                "EnsembleSearchClassifier."
            )


def reject_unordered_classes(target: AnyArray) -> None:
    """Raise ValueError if classes, (n,), are missing or of several types, such as words and 1."""
    if target.dtype == object:
        try:
            np.unique(target)
        except TypeError as error:
            raise ValueError(
                f"The classes in y must be of one type, and none missing ({error})."
            ) from error


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def to_numbers(target: AnyArray) -> Floats:
    """Return a checked target, (n,), as numbers; raise ValueError for times."""
    if target.dtype.kind in "mM":
        raise ValueError(
            "y must be numbers; times were given. Convert them to a number, such as the days since "
            "the first one."
        )
    return target.astype(np.float64)


def find_scorer(metric: Any) -> Any:
    """Return the scorer of scikit-learn with this name, unless a built-in metric is equivalent."""
    from sklearn.metrics import get_scorer, get_scorer_names

    if not isinstance(metric, str):
        return metric
    if metric != EARLIER_MACRO_F1 and find_metric(metric) is not None:
        return metric
    return get_scorer(metric) if metric in get_scorer_names() else metric


def parse_constraint_signs(constraints: Any, labels: Sequence[Any]) -> list[int]:
    """Return monotonic constraints, 1, -1 or 0, by column label; raise ValueError if invalid."""
    if constraints is None:
        return [0] * len(labels)
    if isinstance(constraints, Mapping):
        if unknown := [label for label in constraints if label not in labels]:
            raise ValueError(f"{unknown[0]!r}, of monotonic_cst, is not a column of X.")
        constraints = [constraints.get(label, 0) for label in labels]
    signs = np.asarray(constraints).ravel()
    if len(signs) != len(labels) or not np.isin(signs, [-1, 0, 1]).all():
        raise ValueError(
            "monotonic_cst holds 1, 0 or -1 for each column of X, or for some of them by name, or "
            f"is None; X has {len(labels)} columns, and {constraints!r:.60} was given."
        )
    return [int(sign) for sign in signs]


def get_target_name(y: Any, columns: list[Column]) -> str:
    """Return the target's name: that of the caller's series, unless a column has the same name."""
    return find_free_name(
        str(getattr(y, "name", None) or "target"), [each.name for each in columns]
    )


CELLS_PER_SECOND, MAX_CELLS = 2000, 60_000
"""Maximum cells of X, per second of the time limit and in total, for trials in this process.

In larger tables an uninterruptible fit (of a support vector machine) may exceed a twentieth of the
time limit, while starting a worker process takes one or two seconds."""


@dataclass(frozen=True)
class SearchResult:
    """The result of a search.

    Attributes:
        members: Fitted, in the order of ``ensemble.members``; a fold ensemble is a voting estimator
            over fold models.
        ensemble: The ensemble, by trial number.
        estimator: The ensemble as a plain scikit-learn estimator of the search's input.
    """

    members: tuple[Any, ...]
    models: tuple[tuple[Any, ...], ...]
    n_folds: int
    learners: tuple[Learner, ...]
    ensemble: Ensemble
    recipe: Recipe
    estimator: Any
    trials: tuple[Trial, ...]


@dataclass(frozen=True)
class FrameInput:
    """A table from Python.

    Attributes:
        columns: Features, the target, and columns with another role.
        labels: The features' labels in the caller's frame, by name; ``None`` for a matrix of
            numbers.
        is_array: Whether the caller has no frame but an array, also with cells of several types.
    """

    columns: tuple[Column, ...]
    classes: tuple[Any, ...] = ()
    labels: Mapping[str, Any] | None = None
    is_array: bool = False

    def to_table(self) -> Table:
        """Return it as a table."""
        return Table(self.columns, ReadOptions(), "from Python", "")

    def parse_directions(self, signs: Mapping[str, int], task: Task) -> dict[str, Direction]:
        """Return constraints' directions from signs; raise StudioError if the table is unusable."""
        up_sign = 1
        if signs and task == "binary":
            # Constraints apply to the probability of the rarer class, signs to that of the second
            # class.
            up_sign = 1 if find_rarer_class(Problem.from_table(self.to_table(), task).y) else -1
        return {name: "up" if sign == up_sign else "down" for name, sign in signs.items()}


def search(
    input_table: FrameInput,
    settings: RunSettings,
    path: Path | None,
    scorer: Scorer | None = None,
    *,
    inline: bool,
) -> SearchResult:
    """Run the search and train its ensemble on all rows.

    Args:
        scorer: The caller's own metric; ``None`` for that of the settings.

    Raises:
        StudioError: If the data or the settings are invalid, or the run fails.
    """
    if scorer is not None:
        if path is not None:
            raise UsageError(
                "A run with a custom metric cannot be stored in a document: only this process can "
                "compute it. Use document=None, or choose a metric by name."
            )
        weighted = any(column.role == "weight" for column in input_table.columns)
        metric = make_scorer_metric(
            scorer, input_table.classes, weighted=weighted, seconds=settings.seconds
        )
        with register_temporarily(metric):
            return search(input_table, replace(settings, metric=metric.key), None, inline=inline)
    make_pool: PoolMaker = InlinePool if inline else WorkerPool
    table = input_table.to_table()
    with (
        make_scratch_folder() as scratch,
        threadpool_limits(limits=1),
        # Trials pass weights by step names, which the caller's metadata routing would reject.
        config_context(enable_metadata_routing=False),
        _open_document(path or scratch / "run.studio") as document,
    ):
        table_id = document.tables.add(table.to_description(), table.to_arrays())
        run_id = create_run(document, table_id, settings)
        Engine(document, run_id, lambda _: None, make_pool).execute_run()
        trained_ensemble = train(document, run_id, make_pool=make_pool)
        history = load_history(document, run_id, trained_ensemble.prepared_run)
    trial_sets = {each.name: each.sets for each in trained_ensemble.prepared_run.space.parameters}
    learners = tuple(
        _get_learner(history.trials[number - 1], trial_sets)
        for number in trained_ensemble.ensemble.members
    )
    return SearchResult(
        trained_ensemble.member_estimators,
        trained_ensemble.models,
        len(trained_ensemble.prepared_run.split.folds),
        learners,
        trained_ensemble.ensemble,
        trained_ensemble.prepared_run.problem.make_recipe(),
        _make_estimator(trained_ensemble, input_table),
        tuple(history.trials),
    )


def _make_estimator(trained: TrainedEnsemble, input_table: FrameInput) -> Any:
    """Return the ensemble as one estimator, with the caller's classes and columns."""
    problem = replace(trained.prepared_run.problem, classes=input_table.classes)
    prepared = replace(trained.prepared_run, problem=problem)
    if input_table.labels is None:
        matrix_pipeline = assemble_pipeline(
            None, prepared, trained.ensemble, trained.member_estimators
        )[1:]
        return matrix_pipeline if len(matrix_pipeline) > 1 else matrix_pipeline[0]
    names = list(input_table.labels)
    transformer = make_matrix_transformer(
        trained.columns, pd.DataFrame({name: ["0"] for name in names})
    )
    new_names = {label: name for name, label in input_table.labels.items() if label != name}
    if input_table.is_array:
        cells = FunctionTransformer(np.asarray, kw_args={"dtype": object})
        transformer = make_pipeline(
            cells, FunctionTransformer(pd.DataFrame, kw_args={"columns": names}), transformer
        )
    elif new_names:
        rename = FunctionTransformer(pd.DataFrame.rename, kw_args={"columns": new_names})
        transformer = make_pipeline(rename, transformer)
    return assemble_pipeline(transformer, prepared, trained.ensemble, trained.member_estimators)


def _open_document(path: Path) -> Document:
    return Document.open(path) if path.exists() else Document.create(path)


def _get_learner(trial: Trial, sets: dict[str, str]) -> Learner:
    learner, _ = choose_learner(
        trial.configuration, {name: sets[name] for name in trial.configuration}
    )
    return learner


def can_exceed_time(columns: list[Column], seconds: float | None) -> bool:
    """Return whether an uninterruptible fit may far exceed the remaining seconds."""
    if seconds is None:
        return False
    cells = len(columns) * len(columns[0].values)
    return cells > min(MAX_CELLS, CELLS_PER_SECOND * seconds)


def resolve_workers(n_jobs: int | None) -> int:
    """Return the number of parallel trials; -1 means one per core, as in scikit-learn."""
    if n_jobs is None:
        return 1
    return max(1, count_cores() + 1 + n_jobs) if n_jobs < 0 else n_jobs

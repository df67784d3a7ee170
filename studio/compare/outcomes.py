"""Outcomes of finished cells, read from the document."""

import contextlib
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from hashlib import sha256
from itertools import accumulate, pairwise
from math import ceil

import numpy as np

from studio.arrays import Floats
from studio.compare.cells import StudyCell
from studio.compare.statistics.ranks import compute_average_ranks
from studio.document import sealing, shapes
from studio.document.notes import make_run_note_name
from studio.document.store import Document
from studio.document.trials import Iteration, TrialRow
from studio.ensembles.diversity import get_history_diversity
from studio.errors import DocumentError
from studio.phrases import phrase
from studio.runs.load import load_history
from studio.runs.prepare import prepare
from studio.space.encoding import encode
from studio.space.space import Space
from studio.surrogates.diversity.base import DiversitySurrogate
from studio.surrogates.diversity.row_by_row import compute_rank_agreement
from studio.trial import History, check_no_lost_trials

FIRST_MEASURED_TRIAL = 5
"""Number of trials before DivBO's surrogates start; all methods are measured from then on."""

_NAME = "diversity_measures"

_VERSION = 1
"""Version of the computed measures: results of other versions are recomputed."""


@dataclass(frozen=True)
class _MeasuresNote:
    """The note of a run: its measures, the version that computed them, and the number of trials."""

    version: int
    trials: int
    measures: Mapping[str, float]


def get_cached_measures(document: Document, run_id: int) -> Mapping[str, float]:
    """Return :func:`compute_diversity_measures`, cached; raise DamagedError for damaged trials."""
    name, trials = make_run_note_name(run_id, _NAME), document.trials.count(run_id)
    note = document.notes.read_value(name, partial(shapes.pick, _MeasuresNote))
    if note is None or (note.version, note.trials) != (_VERSION, trials):
        note = _MeasuresNote(_VERSION, trials, compute_diversity_measures(document, run_id))
        with contextlib.suppress(DocumentError):  # a full disk must not prevent reading
            document.notes.set(name, asdict(note))
    return note.measures


def compute_diversity_measures(document: Document, run_id: int) -> dict[str, float]:
    """Return measures of the diversity of a finished run's trials; empty if undefined.

    Args:
        run_id: A finished run; the result is empty if its trials have no common validation rows.

    Returns:
        "minimum diversity to the ensemble": Div of each trial and the most similar member of the
        ensemble before it, averaged over the trials after the first five (DivBO figures 1 and 5);
        "changes of the ensemble": the number of trials that changed its members (table 4); and,
        where the search has a diversity surrogate, "Kendall tau of the diversity surrogate": fitted
        to the first four fifths of the trials, between its predictions and the truth for pairs of a
        later and an earlier trial (figure 2).
    """
    prepared_run = prepare(document, run_id)
    if not prepared_run.comparable:
        return {}
    history = load_history(document, run_id, prepared_run)
    check_no_lost_trials(history.trials)
    members = [
        tuple(number for number, _ in iteration.members)
        for iteration in document.trials.list_iterations(run_id)
    ]
    n_changes = sum(set(before) != set(after) for before, after in pairwise(members))
    values_by_name = {phrase("changes of the ensemble"): float(n_changes)}
    numbers, diversity = get_history_diversity(history)
    row_by_number = {number: row for row, number in enumerate(numbers.tolist())}
    min_diversities = [
        diversity[row, [row_by_number[member] for member in members[number - 2]]].min()
        for number, row in row_by_number.items()
        if number > FIRST_MEASURED_TRIAL and members[number - 2]
    ]
    if min_diversities:
        mean_diversity = float(np.mean(min_diversities))
        values_by_name[phrase("minimum diversity to the ensemble")] = mean_diversity
    surrogate = prepared_run.method.proposer.get_diversity_surrogate()
    if surrogate is not None:
        tau = compute_surrogate_tau(surrogate, prepared_run.space, history)
        if np.isfinite(tau):
            values_by_name[phrase("Kendall tau of the diversity surrogate")] = tau
    return values_by_name


def compute_surrogate_tau(surrogate: DiversitySurrogate, space: Space, history: History) -> float:
    """Return :func:`compute_rank_agreement` over all successful trials of a history."""
    _, diversity = get_history_diversity(history)
    rows = encode(space, [trial.configuration for trial in history.succeeded])
    return compute_rank_agreement(surrogate, rows, diversity)


_ELAPSED = "elapsed"
_EXCLUDED_MEASURES = (_ELAPSED, "start")
"""Recorded numbers whose mean says nothing: the time, and the index of a proven configuration."""


@dataclass(frozen=True)
class CellOutcome:
    """A finished cell.

    Attributes:
        repetition: From 1.
        curve: Test error of the trials' ensemble after each trial; infinite before a success.
        trials, failed, unfinished: Number of trials, failed ones, and those that ran out of time.
        seconds, suggest_seconds, fit_seconds: Wall time, CPU time of suggestions, time of fits.
        measures: The suggestions' details, averaged, and the diversity of the trials.
        algorithms: Choice at the root of the space → its share of trials, and of final weights.
        space: The space's key, if the study has several; else empty.
        space_title: The searched space, which may be the method's own.
        guess: The test error of the metric's best constant; ``None`` in runs of older versions.
        times: Seconds from the run's start to each trial's end, with a time limit; else empty.
        test_rows: A hash of the numbers of its test rows.
        refitted: Whether the error is that of refitted models.
    """

    run_id: int
    method: str
    dataset: str
    repetition: int
    metric: str
    unit: str
    error: float
    curve: tuple[float, ...]
    trials: int
    failed: int
    seconds: float
    suggest_seconds: float
    fit_seconds: float
    measures: Mapping[str, float] = field(default_factory=dict)
    algorithms: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    space: str = ""
    space_title: str = ""
    unfinished: int = 0
    guess: float | None = None
    times: tuple[float, ...] = ()
    test_rows: str = ""
    refitted: bool = True

    @property
    def end(self) -> int:
        """The last point of its curve: in seconds with a time limit, else in trials."""
        return ceil(self.times[-1]) if self.times else len(self.curve)

    def count_trials(self, point: int) -> int:
        """Return the number of trials up to a point of its curve."""
        return bisect_right(self.times, point) if self.times else min(point, self.trials)

    @property
    def row(self) -> str:
        """The data set, with its space if there are several."""
        return f"{self.dataset} / {self.space}" if self.space else self.dataset


def read_outcomes(
    document: Document, runs: Mapping[int, StudyCell], *, several_spaces: bool
) -> list[CellOutcome]:
    """Return the outcomes of finished cells, in order; damaged ones are skipped."""
    outcomes = (
        document.read_or_record_damage(
            partial(_read_outcome, document, run, cell, several_spaces),
            run,
            phrase("That cell is left out."),
        )
        for run, cell in runs.items()
    )
    return [outcome for outcome in outcomes if outcome is not None]


def find_unreadable_cells(
    document: Document, runs: Mapping[int, StudyCell], outcomes: Sequence[CellOutcome]
) -> dict[str, str]:
    """Return sentences about unreadable finished cells, by name."""
    lost_ids = runs.keys() - {each.run_id for each in outcomes}
    return {
        runs[each.run_id].name: each.sentence
        for each in document.damaged_records
        if each.run_id is not None and each.run_id in lost_ids
    }


def _read_outcome(
    document: Document, run_id: int, cell: StudyCell, several_spaces: bool
) -> CellOutcome:
    result = document.runs.get(run_id).result
    if result is None or result.test_error_ensemble is None:
        sealing.raise_damaged(f"status {run_id}")
    rows = document.trials.list_rows(run_id)
    check_no_lost_trials(row.trial for row in rows)
    iterations = [row.iteration for row in rows]
    return CellOutcome(
        run_id=run_id,
        method=cell.method.name,
        dataset=cell.dataset.name,
        space=cell.space if several_spaces else "",
        space_title=_get_space_title(cell),
        repetition=cell.repetition,
        metric=result.metric,
        unit=result.unit,
        error=result.test_error_ensemble,
        curve=tuple(
            float("inf") if each.ensemble_test is None else each.ensemble_test
            for each in iterations
        ),
        trials=len(rows),
        failed=sum(row.trial.status == "failed" for row in rows),
        unfinished=sum(row.trial.status == "not finished" for row in rows),
        guess=result.test_error_guess,
        seconds=result.seconds,
        suggest_seconds=sum(row.trial.suggest_seconds for row in rows),
        fit_seconds=sum(row.trial.fit_seconds for row in rows),
        measures={**_average_measures(iterations), **get_cached_measures(document, run_id)},
        algorithms=_compute_algorithm_shares(document, run_id, rows),
        times=_get_times(iterations) if cell.settings.seconds is not None else (),
        test_rows=sha256(document.runs.test_rows(run_id).tobytes()).hexdigest(),
        refitted=result.refitted,
    )


def _get_space_title(cell: StudyCell) -> str:
    assert cell.settings.space is not None, "a cell has a space"
    space = Space.from_json(cell.settings.space)
    return space.title or space.name


def _get_times(iterations: Sequence[Iteration]) -> tuple[float, ...]:
    elapsed = (float(each.details.get(_ELAPSED, 0.0)) for each in iterations)
    return tuple(accumulate(elapsed, max))


def _compute_algorithm_shares(
    document: Document, run_id: int, rows: Sequence[TrialRow]
) -> dict[str, tuple[float, float]]:
    """Return the shares of root choices among trials and members."""
    space = document.runs.get(run_id).settings.get("space")
    root = None if space is None else Space.from_json(space).find_root_choice()
    if root is None or not rows:
        return {}
    algorithm_by_trial = {row.trial.number: str(row.trial.configuration[root.name]) for row in rows}
    members = rows[-1].iteration.members
    total = sum(weight for _, weight in members) or 1.0
    shares_by_algorithm: dict[str, tuple[float, float]] = {}
    for name in dict.fromkeys(map(str, root.choices)):
        trial_share = sum(each == name for each in algorithm_by_trial.values()) / len(rows)
        weights = sum(weight for number, weight in members if algorithm_by_trial[number] == name)
        shares_by_algorithm[name] = (trial_share, weights / total)
    return shares_by_algorithm


def _average_measures(iterations: list[Iteration]) -> dict[str, float]:
    """Average every finite recorded quantity of suggestions, by name."""
    values_by_name: dict[str, list[float]] = {}
    for iteration in iterations:
        for name, value in iteration.details.items():
            if name in _EXCLUDED_MEASURES or isinstance(value, bool):
                continue
            if isinstance(value, int | float) and np.isfinite(value):
                values_by_name.setdefault(name, []).append(float(value))
    return {name: sum(values) / len(values) for name, values in values_by_name.items()}


Block = tuple[tuple[CellOutcome, ...], ...]
"""Outcomes by method in one repetition of a data set, one per space."""

Blocks = Mapping[str, Mapping[int, Block]]
"""Data set → repetition → outcomes by method; no empty data sets."""


@dataclass(frozen=True)
class StudyRow:
    """Finished cells of a data set in one search space.

    Attributes:
        methods: The methods with finished repetitions.
        repetitions: The repetitions finished by all of them.
        errors: Shape (len(repetitions), len(methods)). Test errors.
    """

    dataset: str
    finished: Mapping[str, Mapping[int, CellOutcome]]
    methods: tuple[str, ...]
    repetitions: tuple[int, ...]
    errors: Floats


def group_rows(outcomes: Sequence[CellOutcome], names: Sequence[str]) -> dict[str, StudyRow]:
    """Return a row per data set and space, with the finished cells of the methods ``names``."""
    outcomes_by_row: dict[str, dict[str, dict[int, CellOutcome]]] = {}
    dataset: dict[str, str] = {}
    for each in outcomes:
        if each.method in names:
            dataset[each.row] = each.dataset
            by_method = outcomes_by_row.setdefault(each.row, {})
            by_method.setdefault(each.method, {})[each.repetition] = each
    return {
        row: _make_row(dataset[row], by_method, names) for row, by_method in outcomes_by_row.items()
    }


def _make_row(
    dataset: str, finished: Mapping[str, Mapping[int, CellOutcome]], names: Sequence[str]
) -> StudyRow:
    shared_methods = tuple(name for name in names if name in finished)
    common_numbers = set.intersection(*(set(finished[name]) for name in shared_methods))
    repetitions = tuple(sorted(common_numbers))
    errors = np.array([[finished[name][r].error for name in shared_methods] for r in repetitions])
    errors = errors.reshape(len(repetitions), len(shared_methods))
    return StudyRow(dataset, finished, shared_methods, repetitions, errors)


def find_fixed_tests(
    outcomes: Sequence[CellOutcome], divided_by_time: Collection[str]
) -> tuple[str, ...]:
    """Return the data sets whose repetitions all have the same test rows, as in time order.

    Args:
        divided_by_time: Those known to be divided by time, even before their second repetition.
    """
    rows: dict[str, set[str]] = {}
    repetitions: dict[str, set[int]] = {}
    for each in outcomes:
        rows.setdefault(each.dataset, set()).add(each.test_rows)
        repetitions.setdefault(each.dataset, set()).add(each.repetition)
    return tuple(
        name
        for name, known in rows.items()
        if name in divided_by_time or (known != {""} and len(known) == 1 < len(repetitions[name]))
    )


def find_common_repetitions(outcomes: Sequence[CellOutcome], names: Sequence[str]) -> Blocks:
    """Return the complete repetitions of each data set: finished by all methods, in all spaces.

    Spaces without a repetition finished by all methods are omitted; otherwise a space in which all
    runs fail would exclude its data set.
    """
    by_dataset: dict[str, list[StudyRow]] = {}
    for row in group_rows(outcomes, names).values():
        if row.methods == tuple(names) and row.repetitions:
            by_dataset.setdefault(row.dataset, []).append(row)
    blocks: dict[str, dict[int, Block]] = {}
    for dataset, spaces in by_dataset.items():
        common_numbers = set.intersection(*(set(row.repetitions) for row in spaces))
        if common_numbers:
            blocks[dataset] = {
                r: tuple(tuple(row.finished[name][r] for row in spaces) for name in names)
                for r in sorted(common_numbers)
            }
    return blocks


def get_errors(blocks: Mapping[int, Block]) -> Floats:
    """Return a data set's test errors, shape (repetitions, methods): means over its spaces."""
    return np.array(
        [
            [np.mean([each.error for each in spaces]) for spaces in block]
            for block in blocks.values()
        ]
    )


def compute_block_means(matrices: Mapping[str, Floats]) -> Floats:
    """Return each method's mean error on each data set, shape (n_blocks, n_methods).

    Rounded to twelve digits, so that mathematically equal means are ties.

    Args:
        matrices: Data set → errors, shape (repetitions, methods).
    """
    return np.array(
        [[float(f"{mean:.12g}") for mean in matrix.mean(axis=0)] for matrix in matrices.values()]
    )


CURVE_POINTS = 20
"""Maximum number of evenly spaced iterations with ranks and probabilities."""

N_LATE_ITERATIONS = 15
"""Number of final iterations over which SMBEO averages."""


def choose_curve_points(outcomes: Sequence[CellOutcome]) -> list[int]:
    """Return the points of a curve of finished cells: trials, or seconds with a time limit."""
    last_iteration = _find_last_iteration(outcomes)
    return sorted(
        {max(1, round(last_iteration * k / CURVE_POINTS)) for k in range(1, CURVE_POINTS + 1)}
    )


def rank_curve(blocks: Blocks, outcomes: Sequence[CellOutcome]) -> dict[int, Floats]:
    """Return mean ranks (n_methods,) by iteration; runs that ended early keep their last error."""
    points = choose_curve_points(outcomes) if blocks else []
    return {point: _compute_ranks(blocks, point) for point in points}


def compute_error_curve(blocks: Blocks, outcomes: Sequence[CellOutcome]) -> dict[int, Floats]:
    """Return mean errors, (n_methods,), by iteration, once all methods have succeeded."""
    if len(blocks) != 1:
        return {}
    (repetitions,) = blocks.values()
    curve = {
        point: _collect_errors(repetitions, point).mean(axis=0)
        for point in choose_curve_points(outcomes)
    }
    return {point: means for point, means in curve.items() if np.isfinite(means).all()}


def compute_late_ranks(blocks: Blocks, outcomes: Sequence[CellOutcome]) -> tuple[float, ...]:
    """Average the ranks of the current ensembles over the last iterations."""
    last_iteration = _find_last_iteration(outcomes)
    points = range(max(1, last_iteration - N_LATE_ITERATIONS + 1), last_iteration + 1)
    ranks_by_point = [_compute_ranks(blocks, point) for point in points]
    return tuple(float(each) for each in np.mean(ranks_by_point, axis=0))


def _find_last_iteration(outcomes: Sequence[CellOutcome]) -> int:
    return max((each.end for each in outcomes), default=0)


def _compute_ranks(blocks: Blocks, point: int) -> Floats:
    """Return mean ranks, shape (methods,), after ``point`` trials, weighting data sets equally."""
    ranks = [
        compute_average_ranks(_collect_errors(repetitions, point)).mean(axis=0)
        for repetitions in blocks.values()
    ]
    mean: Floats = np.mean(ranks, axis=0)
    return mean


def _collect_errors(repetitions: Mapping[int, Block], point: int) -> Floats:
    """Return the errors after ``point`` trials, shape (repetitions, methods)."""
    blocks = repetitions.values()
    return np.array([[_get_error(spaces, point) for spaces in block] for block in blocks])


def _get_error(cell_outcomes: Sequence[CellOutcome], point: int) -> float:
    """Return the test error of the ensemble at that point, averaged over spaces."""
    numbers = [min(each.count_trials(point), len(each.curve)) for each in cell_outcomes]
    errors = [
        each.curve[number - 1] if number else float("inf")
        for each, number in zip(cell_outcomes, numbers, strict=True)
    ]
    return float(np.mean(errors))

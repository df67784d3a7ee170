"""A run at the time of a suggestion, with the surrogate used for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from studio.arrays import Floats
from studio.document.journal import RunningJob
from studio.document.store import Document
from studio.document.trials import TrialRow
from studio.phrases import count_phrase, join_phrases, phrase
from studio.proposers.base import Proposer, SuggestionContext
from studio.proposers.bayesian import INTERLEAVED, ModelBased, SurrogateView
from studio.proposers.presets import find_title, get_default
from studio.proposers.proven_starts import START
from studio.runs.load import follow
from studio.runs.prepare import PreparedRun, derive_ensemble_seed
from studio.seeds import derive
from studio.space.encoding import encode
from studio.trial import Configuration, History, check_no_lost_trials

BASIS_KEY = "seen"
"""The detail of an iteration that records the basis of a suggestion."""

RANDOM_NEXT = phrase("The next trial was drawn at random, like some others of this method.")

START_NEXT = phrase(
    "The next trial is a proven start; the surrogate is used after the proven starts."
)


@dataclass(frozen=True)
class SurrogateSnapshot:
    """The state of a run from which the suggestion after an iteration was made.

    Attributes:
        note: Assumptions about the past, in a sentence; usually empty.
    """

    prepared_run: PreparedRun
    history: History
    context: SuggestionContext
    next_configuration: Configuration | None
    note: str

    @cached_property
    def next_row(self) -> Floats | None:
        """The next configuration as a unit row (D,), if it is known."""
        if self.next_configuration is None:
            return None
        row: Floats = encode(self.prepared_run.space, [self.next_configuration])[0]
        return row

    @property
    def in_metric(self) -> bool:
        """Whether the surrogate's objective is in the unit of the run's metric."""
        return getattr(self.prepared_run.method.proposer, "in_metric", True)


def load_snapshot(path: Path, run_id: int, iteration: int | None) -> SurrogateSnapshot:
    """Return a run in the state of the suggestion after an iteration, by default the latest."""
    with Document.open(path, writable=False) as document:
        prepared, full_history = follow(document, run_id)
        check_no_lost_trials(full_history.trials)
        n_trials = len(full_history) if iteration is None else min(iteration, len(full_history))
        rows = document.trials.list_rows(run_id, after=max(0, n_trials - 1))
        rows_before, rows_after = (rows[:1], rows[1:]) if n_trials else ((), rows)
        running = document.journal.list_running(run_id)
        budget = document.runs.get(run_id).settings.get("budget")
    # EO's replay of the history continues incrementally; a copy is replayed from the start.
    history = full_history if n_trials == len(full_history) else full_history.take_first(n_trials)
    recorded = _find_suggestion(n_trials, rows_after, running, budget, prepared.method.proposer)
    seconds_left = recorded.seconds_left
    if (
        seconds_left is None
        and rows_before
        and (basis := _get_recorded_basis(rows_before[0])) is not None
    ):
        seconds_left = basis.get("seconds_left")  # unknown for a future suggestion
    return SurrogateSnapshot(
        prepared,
        history,
        SuggestionContext(
            space=prepared.space,
            history=history,
            pending=recorded.pending,
            seed=derive(prepared.settings.seed, "suggest", n_trials + len(recorded.pending) + 1),
            ensemble_seed=derive_ensemble_seed(prepared.settings),
            budget=recorded.budget,
            metric=prepared.objective,
            seconds_left=seconds_left,
            size=prepared.size,
        ),
        recorded.configuration,
        recorded.note,
    )


@dataclass(frozen=True)
class _RecordedSuggestion:
    """A suggestion with its pending trials, budget and time."""

    configuration: Configuration | None
    pending: tuple[Configuration, ...]
    budget: int | None
    note: str = ""
    seconds_left: float | None = None


def _find_suggestion(
    iteration: int,
    rows_after: Sequence[TrialRow],
    running: Sequence[RunningJob],
    budget: int | None,
    proposer: Proposer,
) -> _RecordedSuggestion:
    """Return the first suggestion made after this number of trials."""
    if not rows_after:
        if not running:
            return _RecordedSuggestion(None, (), budget)
        if proposer.ahead:
            # Running trials were suggested before the last trial finished; the next suggestion is
            # not yet known.
            return _RecordedSuggestion(None, tuple(each.configuration for each in running), budget)
        *earlier, newest = running
        pending = tuple(each.configuration for each in earlier)
        return _RecordedSuggestion(
            newest.configuration, pending, budget, _describe_origin(newest.origin)
        )
    recorded = [
        (row.trial, basis) for row in rows_after if (basis := _get_recorded_basis(row)) is not None
    ]
    if len(recorded) < len(rows_after):
        first = rows_after[0].trial
        note = _describe_origin(first.origin)
        if proposer.depends_on_budget:
            assumption = phrase(
                "The budget is assumed to have been {budget} at that time.",
                budget=budget or phrase("not limited"),
            )
            note = join_phrases((note, assumption))
        return _RecordedSuggestion(first.configuration, (), budget, note)
    running_suggestions = sorted(
        (each for each in recorded if each[1]["after"] < iteration),
        key=lambda each: each[1]["started"],
    )
    pending = tuple(trial.configuration for trial, _ in running_suggestions)
    matching = [each for each in recorded if each[1]["after"] >= iteration]
    if not matching:
        return _RecordedSuggestion(None, pending, budget)
    next_trial, basis = min(matching, key=lambda each: (each[1]["after"], each[1]["started"]))
    note = _describe_origin(next_trial.origin)
    seconds_left = basis.get("seconds_left")
    return _RecordedSuggestion(
        next_trial.configuration, pending, basis["budget"], note, seconds_left
    )


def _describe_origin(origin: str) -> str:
    if origin.startswith(START):
        return START_NEXT
    return RANDOM_NEXT if origin.endswith(INTERLEAVED) else ""


def _get_recorded_basis(row: TrialRow) -> Mapping[str, Any] | None:
    basis = row.iteration.details.get(BASIS_KEY)
    return basis if isinstance(basis, Mapping) else None


def get_surrogate(snapshot: SurrogateSnapshot) -> SurrogateView | str:
    """Return the surrogate of a snapshot, or a sentence on why there is none."""
    proposer = snapshot.prepared_run.method.proposer
    if not isinstance(proposer, ModelBased):
        return phrase(
            "{proposer} does not use a surrogate. “{default}”, Bayesian optimisation, EO, ESMBO "
            "and DivBO do: choose one of them on the Run page.",
            proposer=phrase(proposer.title),
            default=phrase(find_title(get_default(snapshot.prepared_run.problem.task))),
        )
    search = snapshot.context
    key = (len(search.history), search.seed, search.budget, len(search.pending),
           search.seconds_left)  # fmt: skip
    view = _load_surrogate(
        _SnapshotKey(id(snapshot.prepared_run), key, snapshot.prepared_run, proposer, search)
    )
    if view is None and search.budget is not None and search.n_started >= search.budget:
        return count_phrase(
            "{count} trial was made before the surrogate would have started.",
            "All {count} trials were made before the surrogate would have started.",
            search.n_started,
        )
    return view or _describe_waiting(
        proposer.count_initial_trials(search) - search.n_started, proposer.initial_phase_description
    )


def _describe_waiting(count: int, beginning: str) -> str:
    """Return the number of trials until the first surrogate, if known."""
    if count <= 0:
        return beginning
    sentence = count_phrase(
        "The search's model of errors (the surrogate) needs {count} more trial.",
        "The search's model of errors (the surrogate) needs {count} more trials.",
        count,
    )
    return join_phrases((sentence, beginning))


@dataclass(frozen=True)
class _SnapshotKey:
    """A proposer with its context; equal to another with the same run and key."""

    run: int
    key: tuple[object, ...]
    # keeps the object alive, so that its id() is not reused
    prepared_run: PreparedRun = field(compare=False)
    proposer: ModelBased = field(compare=False)
    context: SuggestionContext = field(compare=False)


@lru_cache(maxsize=4)
def _load_surrogate(snapshot_key: _SnapshotKey) -> SurrogateView | None:
    """Cache the last surrogates, as several plots request the same one."""
    return snapshot_key.proposer.get_view(snapshot_key.context)

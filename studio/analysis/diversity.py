"""Pairwise diversity of an ensemble's members, from their stored predictions.

The diversity of each suggestion from the ensemble (DivBO figures 1, 2 and 5) is computed from
stored predictions and cached by run, so that a run in progress requires only its new trials.
"""

from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count
from pathlib import Path

import numpy as np

from studio.analysis.answers.ensemble import MinDiversity, PairDiversity, RankAgreement
from studio.arrays import AnyArray
from studio.document.store import Document
from studio.document.trials import TrialRow
from studio.ensembles.diversity import (
    compute_diversity_to,
    compute_pairwise_disagreement,
    compute_pairwise_diversity,
    get_history_diversity,
    sort_by_similarity,
)
from studio.errors import EnsembleError
from studio.phrases import phrase
from studio.runs.load import follow, follow_prepared, load_scored_predictions
from studio.runs.prepare import PreparedRun
from studio.space.encoding import encode
from studio.surrogates.diversity.row_by_row import compute_rank_agreement
from studio.trial import DIFFERENT_ROWS, check_no_lost_trials

TOO_FEW_MEMBERS_MESSAGE = phrase(
    "The ensemble has fewer than two members, so there is no pair to compare."
)


def compute_member_diversity(path: Path, run_id: int, iteration: int | None) -> PairDiversity:
    """Compare the members' stored validation predictions, by default of the newest ensemble."""
    with Document.open(path, writable=False) as document:
        previous_iteration = 0 if iteration is None else max(0, iteration - 1)
        rows = document.trials.list_rows(run_id, after=previous_iteration)
        requested_rows = [rows[-1 if iteration is None else 0]] if rows else []
        check_no_lost_trials(row.trial for row in requested_rows)
        members = [number for row in requested_rows for number, _ in row.iteration.members]
        if len(members) < 2:
            return PairDiversity(reason=TOO_FEW_MEMBERS_MESSAGE)
        prepared, history = follow(document, run_id)
    check_no_lost_trials(history.trials[number - 1] for number in members)
    predictions = [history.get_predictions(number) for number in members]
    diversity = compute_pairwise_diversity(predictions, history.truth, history.weights)
    disagreement = diversity
    if prepared.problem.classes:
        disagreement = compute_pairwise_disagreement(
            [each.argmax(axis=1) for each in predictions], history.weights
        )
    order = sort_by_similarity(diversity)
    return PairDiversity(
        members=np.array(members, dtype=np.int64)[order],
        diversity=diversity[np.ix_(order, order)],
        disagreement=disagreement[np.ix_(order, order)],
        is_classification=bool(prepared.problem.classes),
    )


AT_ONCE = 200
"""Maximum number of trials compared per call, which keeps it below a second."""

_MAX_PAIRS = 40_000
"""Training pairs of a surrogate in this evaluation: all of up to 200 trials."""


@dataclass
class _DiversityCache:
    """Cached diversities of one run, and its members' predictions, (n, C) or (n,), by number.

    It has no reference to the prepared run with its table.
    """

    n_done: int = 0
    members: tuple[int, ...] = ()
    predictions: dict[int, AnyArray] = field(default_factory=dict)
    nearest_members: list[tuple[int, float, int]] = field(default_factory=list)
    agreement: dict[int, float] = field(default_factory=dict)

    def advance(self, document: Document, row: TrialRow, prepared_run: PreparedRun) -> None:
        """Compare the trial of the next iteration with the members before it."""
        number = row.trial.number
        if row.trial.loss is not None:
            trial_predictions = load_scored_predictions(document, row.run_id, number, prepared_run)
            if self.members:
                member_predictions = [self.predictions[member] for member in self.members]
                diversities = compute_diversity_to(
                    trial_predictions,
                    member_predictions,
                    prepared_run.truth,
                    prepared_run.validation_weights,
                )
                nearest_index = int(diversities.argmin())
                self.nearest_members.append(
                    (number, float(diversities[nearest_index]), self.members[nearest_index])
                )
            self.predictions[number] = trial_predictions
        self.members = tuple(member for member, _ in row.iteration.members)
        for member in self.members:
            if member not in self.predictions:
                loaded_predictions = load_scored_predictions(
                    document, row.run_id, member, prepared_run
                )
                self.predictions[member] = loaded_predictions
        # Former members are dropped and read again if they return, to limit memory to one ensemble.
        for stale_number in set(self.predictions) - set(self.members):
            del self.predictions[stale_number]
        self.n_done = number


@lru_cache(maxsize=8)
def _get_diversity_cache(path: Path, run_id: int, created: float) -> _DiversityCache:
    """Return a run's cache; ``created`` distinguishes documents with the same path."""
    del path, run_id, created  # only part of the cache key
    return _DiversityCache()


def compute_least_diversity(path: Path, run_id: int) -> MinDiversity:
    """Return the distance of each suggestion of a run from the ensemble before it.

    One call compares at most :data:`AT_ONCE` new trials; call again while there are more.

    Raises:
        EnsembleError: If its trials were scored on different rows.
    """
    with Document.open(path, writable=False) as document:
        cache = _get_diversity_cache(document.path, run_id, document.runs.get(run_id).created)
        new_rows = document.trials.list_rows(run_id, after=cache.n_done)
        if new_rows:
            prepared = follow_prepared(document, run_id)
            if not prepared.comparable:
                raise EnsembleError(DIFFERENT_ROWS)
            for row in new_rows[:AT_ONCE]:
                cache.advance(document, row, prepared)
    numbers, min_diversities, nearest = (
        zip(*cache.nearest_members, strict=True) if cache.nearest_members else ((), (), ())
    )
    return MinDiversity(
        np.array(numbers, dtype=np.int64),
        np.array(min_diversities, dtype=float),
        np.array(nearest, dtype=np.int64),
        has_more=len(new_rows) > AT_ONCE,
    )


def list_checkpoints(length: int) -> list[int]:
    """Return the iterations for evaluating a surrogate: 10, 15, 20, 30, 40, 60, and so on."""
    iterations: list[int] = []
    for power in count():
        for each in (10 * 2**power, 15 * 2**power):
            if each > length:
                return iterations
            iterations.append(each)
    return iterations


def compute_surrogate_agreement(path: Path, run_id: int, iteration: int) -> RankAgreement:
    """Return Kendall's tau of the diversity surrogate at all known :func:`list_checkpoints`.

    Each is computed from the trials up to its iteration only, by
    :func:`studio.surrogates.diversity.row_by_row.compute_rank_agreement`, with at most
    :data:`_MAX_PAIRS` pairs. One call computes at most one new value.

    Raises:
        EnsembleError: If the run's trials were scored on different rows.
    """
    with Document.open(path, writable=False) as document:
        prepared, history = follow(document, run_id)
        cache = _get_diversity_cache(document.path, run_id, document.runs.get(run_id).created)
    surrogate = prepared.method.proposer.get_diversity_surrogate()
    if surrogate is None:
        return RankAgreement(has_diversity_surrogate=False)
    if not history.comparable:
        raise EnsembleError(DIFFERENT_ROWS)
    check_no_lost_trials(history.trials[:iteration])
    iterations = list_checkpoints(min(iteration, len(history)))
    missing_checkpoints = [each for each in iterations if each not in cache.agreement]
    if missing_checkpoints:
        checkpoint = missing_checkpoints[0]
        numbers, diversity = get_history_diversity(history)
        size = int(np.searchsorted(numbers, checkpoint, side="right"))
        rows = encode(prepared.space, [t.configuration for t in history.succeeded[:size]])
        limited_surrogate = replace(surrogate, rows=min(surrogate.rows, _MAX_PAIRS))
        cache.agreement[checkpoint] = compute_rank_agreement(
            limited_surrogate, rows, diversity[:size, :size]
        )
    known_checkpoints = [each for each in iterations if each in cache.agreement]
    return RankAgreement(
        np.array(known_checkpoints, dtype=np.int64),
        np.array([cache.agreement[each] for each in known_checkpoints], dtype=float),
        has_more=len(known_checkpoints) < len(iterations),
    )

"""How different the trials of a search are from its ensemble (DivBO figures 1, 2, 5, table 4)."""

import contextlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from studio.document import shapes
from studio.document.notes import of_run
from studio.document.store import Document
from studio.ensembles.diversity import observed_diversity
from studio.errors import DocumentError
from studio.runs.load import load_history
from studio.runs.prepare import prepare
from studio.space.encoding import encode
from studio.space.space import Space
from studio.surrogates.diversity.base import DiversitySurrogate
from studio.surrogates.diversity.row_by_row import rank_agreement
from studio.trial import History, refuse_lost

START = 5
"""Trials before DivBO's surrogates are asked; measured from there on for every method."""

_NAME = "diversity_measures"

_VERSION = 1
"""Of how they are computed: what another version kept is computed again."""


@dataclass(frozen=True)
class _Kept:
    """What a run's note holds: its measures, by which version, and of how many trials."""

    version: int
    trials: int
    measures: Mapping[str, float]


def kept_measures(document: Document, run_id: int) -> Mapping[str, float]:
    """Return :func:`diversity_measures`, computed once and kept in a document that can be written.

    Raises:
        DamagedError: If a trial is damaged that they are computed of.
    """
    name, trials = of_run(run_id, _NAME), document.trials.count(run_id)
    kept = document.notes.kept(name, partial(shapes.pick, _Kept))
    if kept is None or (kept.version, kept.trials) != (_VERSION, trials):
        kept = _Kept(_VERSION, trials, diversity_measures(document, run_id))
        with contextlib.suppress(DocumentError):  # a full disk must not hinder who only reads
            document.notes.set(name, asdict(kept))
    return kept.measures


def diversity_measures(document: Document, run_id: int) -> dict[str, float]:
    """Return what a finished run's trials say about its diversity; empty where they cannot.

    Args:
        document: With the run.
        run_id: A run whose trials were all scored on the same rows; for others nothing is returned.

    Returns:
        "minimum diversity to the ensemble": Div of each trial and the most similar member of the
        ensemble before it, averaged over the trials after the first five (DivBO figures 1 and 5);
        "changes of the ensemble": how often a trial changed who is in it (table 4); and, where the
        search has a diversity surrogate, "Kendall tau of the diversity surrogate": fitted to the
        first four fifths of the trials, between its predictions and the truth for pairs of a later
        and an earlier trial (figure 2).
    """
    prepared = prepare(document, run_id)
    if not prepared.comparable:
        return {}
    history = load_history(document, run_id, prepared)
    refuse_lost(history.trials)
    members = [
        tuple(number for number, _ in iteration.members)
        for iteration in document.trials.iterations(run_id)
    ]
    found = {
        "changes of the ensemble": float(
            sum(set(now) != set(before) for before, now in pairwise(members))
        )
    }
    numbers, diversity = observed_diversity(history)
    place = {number: row for row, number in enumerate(numbers.tolist())}
    least = [
        float(diversity[place[number], [place[member] for member in members[number - 2]]].min())
        for number in numbers.tolist()
        if number > START and members[number - 2]
    ]
    if least:
        found["minimum diversity to the ensemble"] = float(np.mean(least))
    surrogate = prepared.method.proposer.diversity_surrogate()
    if surrogate is not None:
        tau = surrogate_tau(surrogate, prepared.space, history)
        if np.isfinite(tau):
            found["Kendall tau of the diversity surrogate"] = tau
    return found


def surrogate_tau(surrogate: DiversitySurrogate, space: Space, history: History) -> float:
    """Return :func:`rank_agreement` of a surrogate over all successful trials of a history."""
    _, diversity = observed_diversity(history)
    rows = encode(space, [trial.configuration for trial in history.succeeded])
    return rank_agreement(surrogate, rows, diversity)

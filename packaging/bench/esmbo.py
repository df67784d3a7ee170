"""Benchmark of ESMBO's bootstraps relative to a suggestion (CPU seconds, one thread)."""

import time
from dataclasses import replace
from statistics import median
from typing import cast

import numpy as np
from threadpoolctl import threadpool_limits

from studio.data.metrics.predicted_classes import ErrorRate
from studio.proposers.base import SuggestionContext
from studio.proposers.ensemble_optimisation import Esmbo
from studio.proposers.method import Method, compose
from studio.space.encoding import decode, sample
from studio.space.library import load
from studio.trial import History, Trial

SPACE = "boosting-smbeo"
"""The paper's smallest space: a larger one slows the suggestion, not the bookkeeping."""

ROWS, TRIALS, BUDGET = 2_000, 140, 150
REPEATS = 5

Figures = dict[str, float | None]


def esmbo_75() -> Figures:
    """Measure 75 histories after a finished trial with 2,000 validation rows.

    Returns:
        ``cpu_s``: the suggestion, as a run asks for it. ``bookkeeping_s``: of this, what the 75
        bootstraps cost: their losses of the new trial, the targets of the one whose turn it is, and
        the ensemble. ``ratio``: the second by the first. Medians of five trials.
    """
    method, earlier = search_of_150()
    whole: list[float] = []
    kept: list[float] = []
    with threadpool_limits(limits=1):
        for _ in range(REPEATS + 1):
            add_trial(earlier)
            search = replace(earlier)  # a search encodes its trials only once
            begun = time.process_time()
            update_bootstraps(method, search)
            kept.append(time.process_time() - begun)
            begun = time.process_time()
            method.proposer.suggest(search)
            whole.append(time.process_time() - begun + kept[-1])
    spent, books = median(whole[1:]), median(kept[1:])
    return {"cpu_s": spent, "bookkeeping_s": books, "ratio": books / spent, "against": None}


def search_of_150() -> tuple[Method, SuggestionContext]:
    """Return ESMBO with a budget of 150 trials, and a search in which 140 have finished."""
    history = History(np.random.default_rng(0).integers(2, size=ROWS), 2)
    search = SuggestionContext(
        space=load(SPACE), history=history, budget=BUDGET, metric=ErrorRate()
    )
    for _ in range(TRIALS):
        add_trial(search)
    return compose("ESMBO", {}, "binary", BUDGET), search


def add_trial(search: SuggestionContext) -> None:
    """Finish a trial of a drawn configuration; its error depends smoothly on it."""
    history = search.history
    number = len(history) + 1
    rng = np.random.default_rng(number)
    u = sample(search.space, rng, 1)
    off = 0.1 + 0.3 * float(np.nanmean(np.square(u - 0.4)))
    votes = np.where(rng.random(ROWS) < off, 1 - history.truth, history.truth)
    stored = np.eye(2, dtype=np.float16)[votes]
    configuration = decode(search.space, u)[0]
    loss = float(np.mean(votes != history.truth))
    history.append(Trial(number, configuration, 0, loss), stored)


def update_bootstraps(method: Method, search: SuggestionContext) -> None:
    """Update losses, targets and ensemble of the bootstraps after a trial."""
    proposer = cast(Esmbo, method.proposer)
    assert search.metric is not None, "made with one"
    risks = proposer.get_search_ensemble().compute_risks(
        search.history, search.metric, search.ensemble_seed
    )
    risks.compute_targets(search.n_started % risks.count)
    method.ensemble.build(search.history, search.metric, search.ensemble_seed)

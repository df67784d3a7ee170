"""Benchmark of one suggestion of DivBO (CPU seconds, numeric libraries on one thread)."""

import time
from dataclasses import replace
from statistics import median

import numpy as np
from threadpoolctl import threadpool_limits

from bench.trained import trained_history
from studio.arrays import Floats
from studio.ensembles.diversity import get_history_diversity
from studio.proposers.base import SuggestionContext
from studio.proposers.method import compose
from studio.space.encoding import encode
from studio.surrogates.diversity.lightgbm import LightGbmDiversity

TRIALS, HELD_OUT = 250, 50
REPEATS = 3

INDEPENDENT = LightGbmDiversity(in_turn=2 * TRIALS)
"""Models that all learn from all trials, by seed."""

Figures = dict[str, float | None]
"""``cpu_s``: ours. ``against``: ``None``, there is no public implementation."""


def divbo_cash14_250() -> Figures:
    """Measure one suggestion after 250 trials on the 14-hyperparameter scikit-learn CASH space.

    The unchanged preset DivBO: five LightGBM models of up to 62,500 pairs, 5,000 candidates. All
    diversities but those of the newest trial are known, and all models but one, as in a run.

    Returns:
        ``cpu_s``: median over the last trials. ``pool``: members of the temporary pool. Then
        Kendall's tau between what a fit of all trials predicts for pairs of 50 new configurations
        with the 250 and: the truth (``tau_of_truth``); a fit of another seed
        (``tau_of_other_seed``); and a fit to a quarter of the pairs (``tau_of_quarter``), which is
        what ``diversity.rows`` leaves of them at a thousand trials and of no fewer than 500.
    """
    space, everything = trained_history(TRIALS + HELD_OUT)
    proposer = compose("DivBO", {}, "multiclass").proposer
    history = everything.take_first(TRIALS - REPEATS)
    spent = []
    with threadpool_limits(limits=1):
        proposer.suggest(SuggestionContext(space=space, history=history, metric=None))
        for newest in everything.trials[TRIALS - REPEATS : TRIALS]:
            history.append(newest, everything.get_predictions(newest.number))
            begun = time.process_time()
            suggestion = proposer.suggest(
                SuggestionContext(space=space, history=history, seed=newest.number)
            )
            spent.append(time.process_time() - begun)
        _, truth = get_history_diversity(everything)
        rows = encode(space, [trial.configuration for trial in everything.trials])
        full = predicted(INDEPENDENT, rows, truth, seed=0)
        quarter = replace(INDEPENDENT, rows=TRIALS * TRIALS // 4)
        return {
            "cpu_s": median(spent),
            "against": None,
            "pool": suggestion.details["pool"],
            "tau_of_truth": agreement(full, truth[TRIALS:, :TRIALS]),
            "tau_of_other_seed": agreement(full, predicted(INDEPENDENT, rows, truth, seed=1)),
            "tau_of_quarter": agreement(full, predicted(quarter, rows, truth, seed=0)),
        }


def predicted(surrogate: LightGbmDiversity, rows: Floats, truth: Floats, seed: int) -> Floats:
    """Return predicted diversities between held-out and observed configurations.

    From rows (k, D) and truth (k, k), shape (k − TRIALS, TRIALS).
    """
    rng = np.random.default_rng(seed)
    posterior = surrogate.fit(rows[:TRIALS], truth[:TRIALS, :TRIALS], rng)
    return posterior.predict(rows[TRIALS:], rows[:TRIALS])[0]


def agreement(one: Floats, other: Floats) -> float:
    """Return Kendall's tau between two arrays of the same shape."""
    from scipy.stats import kendalltau

    return float(kendalltau(one.ravel(), other.ravel()).statistic)

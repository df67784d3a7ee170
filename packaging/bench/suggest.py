"""Benchmark of one suggestion (CPU seconds, numeric libraries on one thread)."""

import json
import time
from pathlib import Path
from statistics import median

import numpy as np
from threadpoolctl import threadpool_limits

from studio.proposers.base import SuggestionContext
from studio.proposers.bayesian import BayesianOptimisation
from studio.space.library import load
from studio.surrogates.gp import GaussianProcess
from studio.trial import History, Trial

HISTORY = Path(__file__).with_name("cash14_history.json")
"""200 trials of a real run over sklearn-cash; its head describes its origin."""

REPEATS = 5

Figures = dict[str, float | None]
"""``cpu_s``: this program's. ``against``: ``None``, as no library is conditional and sampled."""


def suggest_cash14_200() -> Figures:
    """Measure one suggestion after 200 trials on the 14-hyperparameter scikit-learn CASH space.

    The conditional kernel, 10 slice samples of a fresh chain, local search from 20 starts; half of
    the trials are in one branch. Medians of five different seeds.

    Returns:
        ``cpu_s`` with a burn-in of 20 (its default), ``cpu_s_100_burn_in`` with 100.
    """
    search = load_recorded_search()
    return {
        "cpu_s": _measure_cpu_seconds(search, burn_in=20),
        "cpu_s_100_burn_in": _measure_cpu_seconds(search, burn_in=100),
        "against": None,
    }


def load_recorded_search() -> SuggestionContext:
    """Return the recorded run as input of a proposer."""
    recorded = json.loads(HISTORY.read_text(encoding="utf-8"))
    history = History(truth=np.zeros(1, dtype=np.int64), n_classes=2)
    # Suggestions use configurations and losses only; the predictions are placeholders.
    unread = np.array([[1.0, 0.0]], dtype=np.float16)
    for number, row in enumerate(recorded["trials"], start=1):
        loss = row["loss"]
        trial = Trial(number=number, configuration=row["configuration"], seed=0, loss=loss)
        history.append(trial, None if loss is None else unread)
    return SuggestionContext(space=load(recorded["space"]), history=history)


def _measure_cpu_seconds(search: SuggestionContext, burn_in: int) -> float:
    """Return the median over seeds, after one suggestion to warm caches."""
    proposer = BayesianOptimisation(
        surrogate=GaussianProcess(kernel="conditional", samples=10, burn_in=burn_in)
    )
    spent = []
    with threadpool_limits(limits=1):
        for seed in range(REPEATS + 1):
            begun = time.process_time()
            proposer.suggest(
                SuggestionContext(space=search.space, history=search.history, seed=seed)
            )
            spent.append(time.process_time() - begun)
    return median(spent[1:])

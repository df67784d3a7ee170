"""Cost of a suggestion: all proposers, three spaces, histories from 25 to 1,000 trials.

Each cell runs in a separate process, which the system ends after 60 CPU seconds; such a cell is
printed as ``stopped``. Trials are not trained: predictions are a smooth function of the
configuration, which surrogates can learn. The suggestion that is timed is the one
after a trial has finished, so what a proposer keeps from one suggestion to the next helps it here
as it does in a run.
"""

import json
import math
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np

from studio.arrays import AnyArray
from studio.children import make_module_command
from studio.proposers.base import SuggestionContext
from studio.proposers.method import compose
from studio.space.encoding import decode, sample
from studio.space.library import load
from studio.space.space import Space
from studio.trial import History, Trial

SPACES = ("svm-rbf", "sklearn-cash", "large-cash")
"""Two, 14 and about a hundred hyperparameters."""

TRIALS = (25, 50, 100, 200, 1000)

METHODS = (
    "RS",
    "grid",
    "sobol",
    "BO-best",
    "Spearmint",
    "SMBO",
    "SMAC",
    "BO",
    "CMA-best",
    "RB",
    "kBO-ES",
    "NES",
    "EO-sqm",
    "ESMBO",
    "DivBO",
)
"""One for every proposer and, if relevant, every surrogate."""

MAX_SECONDS = 60
"""CPU seconds after which a cell is stopped."""

UNSURE_SECONDS = 0.02
"""Cells below this are a few ticks of the system's clock; their growth is not reported."""

ROWS = 200
"""Validation rows of the simulated trials."""

Figures = dict[str, float | None]


def suggest_grid() -> Figures:
    """Measure all cells, printing each to standard error.

    Returns:
        ``METHOD/SPACE/TRIALS`` → CPU seconds of one suggestion (``None``: stopped), and
        ``METHOD/SPACE/growth`` → the power of the number of trials with which the cost grows from
        200 to 1,000.
    """
    figures: Figures = {}
    for method in METHODS:
        for space in SPACES:
            cells = dict(_measure_cells(method, space))
            figures |= {f"{method}/{space}/{trials}": cells[trials] for trials in cells}
            early, late = cells.get(200), cells.get(1000)
            if early and late and early > UNSURE_SECONDS:
                figures[f"{method}/{space}/growth"] = math.log(late / early) / math.log(5)
            shown = "  ".join(
                f"{trials}: {'stopped' if cell is None else f'{cell:.3g}'}"
                for trials, cell in cells.items()
            )
            print(f"{method:10} {space:14} {shown}", file=sys.stderr, flush=True)
    return figures


def _measure_cells(method: str, space: str) -> Iterator[tuple[int, float | None]]:
    for trials in TRIALS:
        done = subprocess.run(
            make_module_command("bench.suggest_grid", method, space, trials),
            capture_output=True,
            text=True,
            check=False,
        )
        yield trials, float(json.loads(done.stdout)) if done.returncode == 0 else None


def main(method: str, space: str, trials: int) -> None:
    """Measure one cell in a separate process, and print its CPU seconds."""
    from threadpoolctl import threadpool_limits

    proposer = compose(method, {}, "binary").proposer
    history, last = _make_history(load(space), trials)
    spent = 0.0
    with threadpool_limits(limits=1):
        for length in (trials - 1, trials):
            if length == trials:
                history.append(*last)
            search = SuggestionContext(
                space=load(space), history=history, seed=length, budget=2 * trials
            )
            _limit_processor_time(spent + MAX_SECONDS)
            begun = time.process_time()
            proposer.suggest(search)
            spent = time.process_time() - begun
    print(json.dumps(spent))


def _limit_processor_time(seconds: float) -> None:
    """Limit the further processor time of this process; not on Windows."""
    if sys.platform == "win32":
        return
    import resource

    most = math.ceil(time.process_time() + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))


def _make_history(space: Space, trials: int) -> tuple[History, tuple[Trial, AnyArray]]:
    """Return a history of all trials but one, and the last with predictions, shape (ROWS, 2)."""
    rng = np.random.default_rng(0)
    U = sample(space, rng, trials)
    truth = rng.integers(0, 2, ROWS)
    dense = np.nan_to_num(U, nan=0.5)
    waves = rng.normal(size=(space.dimensions, ROWS)) / math.sqrt(space.dimensions)
    quality = np.cos(3 * dense @ rng.normal(size=space.dimensions) / math.sqrt(space.dimensions))
    margin = np.sin(4 * dense @ waves) + (0.5 + quality[:, None]) * (2 * truth - 1)
    positive = 1 / (1 + np.exp(-2 * margin))
    history = History(truth, 2)
    made = []
    for number, configuration in enumerate(decode(space, U), start=1):
        p = positive[number - 1]
        stored = np.column_stack([1 - p, p]).astype(np.float16)
        loss = float((stored.argmax(axis=1) != truth).mean())
        made.append((Trial(number, configuration, number, loss), stored))
    for trial, stored in made[:-1]:
        history.append(trial, stored)
    return history, made[-1]

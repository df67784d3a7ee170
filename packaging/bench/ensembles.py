"""Benchmarks of scoring and selecting ensembles (CPU seconds, one thread)."""

import time
from collections.abc import Callable

import numpy as np

from studio.arrays import AnyArray, Integers
from studio.ensembles.base import break_tie
from studio.ensembles.greedy import select_forward
from studio.ensembles.losses.margins import SigmoidMargin
from studio.ensembles.screening import make_mean_error
from studio.ensembles.slots import SlotsReplay
from studio.errors import EnsembleError
from studio.trial import History, Trial

Figures = dict[str, float | None]
"""``cpu_s``: this program's. ``against``: a plain implementation's, ``None`` without one."""

MODELS, STEPS = 250, 25
REPEATS = 3


def eo_losses() -> Figures:
    """Measure line 5 of EO's algorithm: sigmoid losses of 200 models, 10,000 rows, 26 classes.

    211 trials without the 11 members of the ensemble are 200 candidates.
    """
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 26, 10_000)
    history = History(truth, 26)
    for number in range(1, 212):
        guesses = rng.integers(0, 26, len(truth))
        voted = np.where(rng.random(len(truth)) < 0.6, truth, guesses)
        one_hot = np.zeros((len(truth), 26), dtype=np.float16)
        one_hot[np.arange(len(truth)), voted] = 1.0
        loss = float(np.mean(voted != truth))
        history.append(Trial(number=number, configuration={}, seed=0, loss=loss), one_hot)
    replay = SlotsReplay(history, n_slots=12, loss=SigmoidMargin())
    replay.advance()
    slot = replay.choose_slot()
    return {
        "cpu_s": _measure_cpu_seconds(lambda: replay.compute_candidate_losses(slot)),
        "against": None,
    }


def greedy_20000x2() -> Figures:
    """Measure greedy selection from 250 models on 20,000 rows of 2 classes."""
    return _measure_greedy(20_000, 2)


def greedy_20000x26() -> Figures:
    """Measure greedy selection from 250 models on 20,000 rows of 26 classes."""
    return _measure_greedy(20_000, 26)


def draw_pool(rows: int, classes: int, models: int) -> tuple[AnyArray, Integers]:
    """Draw the model pool of the greedy selection benchmark.

    Softmax of 0.7 · noise shared by the models + 0.7 · noise of each one's own, the true class
    raised by 0.3 + 2k/models for model k, by 0.6 more when there are more than two classes.

    Returns:
        pool: Shape (models, rows, classes).
        truth: Shape (rows,).
    """
    rng = np.random.default_rng(0)
    truth = rng.integers(0, classes, rows)
    each = np.arange(rows)
    shared = rng.standard_normal((rows, classes), dtype=np.float32)
    pool = np.empty((models, rows, classes), dtype=np.float32)
    for k in range(models):
        scores = pool[k]
        rng.standard_normal(out=scores, dtype=np.float32)
        scores += shared
        scores *= np.float32(0.7)
        scores[each, truth] += np.float32(0.3 + 2.0 * k / models + (0.6 if classes > 2 else 0.0))
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
    return pool, truth


def select_greedy_plainly(pool: AnyArray, truth: Integers, steps: int, seed: int) -> list[int]:
    """Select from pool (k, n, C) for truth (n,) plainly; the fast selection must agree."""
    rng = np.random.default_rng(seed)
    total = np.zeros(pool.shape[1:], dtype=pool.dtype)
    chosen: list[int] = []
    for _ in range(steps):
        errors = np.array([np.mean((total + p).argmax(axis=1) != truth) for p in pool])
        chosen.append(break_tie(np.flatnonzero(errors == errors.min()), rng))
        total += pool[chosen[-1]]
    return chosen


def select_greedy_fast(pool: AnyArray, truth: Integers, steps: int, seed: int) -> list[int]:
    """Select from pool (k, n, C) for truth (n,) by the product's search, preparation included."""
    search = make_mean_error(list(pool), truth, pool.dtype)
    return select_forward(search, len(pool), steps, rng=np.random.default_rng(seed))


def _measure_greedy(rows: int, classes: int) -> Figures:
    pool, truth = draw_pool(rows, classes, MODELS)
    begin = time.process_time()
    expected = select_greedy_plainly(pool, truth, STEPS, seed=0)
    against = time.process_time() - begin
    if select_greedy_fast(pool, truth, STEPS, seed=0) != expected:
        raise EnsembleError("Greedy selection chose other members than brute force did.")
    fast = _measure_cpu_seconds(lambda: select_greedy_fast(pool, truth, STEPS, seed=0))
    return {"cpu_s": fast, "against": against}


def _measure_cpu_seconds(work: Callable[[], object]) -> float:
    """Return the median CPU seconds of a few runs."""
    seconds = []
    for _ in range(REPEATS):
        begin = time.process_time()
        work()
        seconds.append(time.process_time() - begin)
    return float(np.median(seconds))

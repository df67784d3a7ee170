"""The few best models, as weighted bagging and stacking take them (DivBO appendix A.4)."""

from studio.arrays import Integers
from studio.ensembles.base import pool_of
from studio.trial import History


def best_few(history: History, count: int) -> Integers:
    """Return the trials with the lowest validation losses, best first, the earlier of equals, (k,).

    Args:
        history: The pool.
        count: How many at most.

    Raises:
        EnsembleError: If the history holds no successful trial.
    """
    numbers = pool_of(history)
    order = history.losses()[numbers - 1].argsort(kind="stable")
    best: Integers = numbers[order[:count]]
    return best

"""Fewer observations that represent many: what keeps the cubic cost of a block bounded."""

import numpy as np

from studio.arrays import Flags, Floats, Integers


def representatives(X: Floats, targets: Floats, most: int) -> Integers:
    """Return the rows that represent all: the best half, and a spread of the others.

    The best are where an optimum must be distinguished from its neighbours. The others are added
    one at a time, each the row that is furthest (Euclidean) from all chosen so far, so that no part
    of the space that was looked at counts as unknown (Gonzalez 1985). Nothing is drawn, equal
    candidates are settled by their order, and the cost is ``most`` * n * D.

    Args:
        X: Shape (n, D). Complete rows (no NaN).
        targets: Shape (n,). Lower is better.
        most: How many rows may be returned, at least 1.

    Returns:
        Shape (min(n, most),). Row numbers, ascending.
    """
    size = len(targets)
    if size <= most:
        return np.arange(size)
    chosen: Flags = np.zeros(size, dtype=bool)
    best = np.argsort(targets, kind="stable")[: (most + 1) // 2]
    chosen[best] = True
    nearest = np.full(size, np.inf)
    for row in best.tolist():
        _draw_near(nearest, X, row)
    for _ in range(most - len(best)):
        # Rows that were chosen are at distance 0, and -1 keeps a repeated input after them.
        row = int(np.where(chosen, -1.0, nearest).argmax())
        chosen[row] = True
        _draw_near(nearest, X, row)
    return np.flatnonzero(chosen)


def _draw_near(nearest: Floats, X: Floats, row: int) -> None:
    """Lower the squared distances, (n,), to what has been chosen by those to a row of X, (n, D)."""
    away = X - X[row]
    np.minimum(nearest, np.einsum("nd,nd->n", away, away), out=nearest)

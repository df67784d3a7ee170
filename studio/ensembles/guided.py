"""Forward selection by the error, guided by the Brier score where the error says nothing."""

from collections.abc import Sequence

import numpy as np

from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.data.metrics.base import normalised

MAX_NUMBERS = 50_000_000
"""Probabilities of all candidates that are looked at; of more rows a random part is taken."""


_EARLIER = 1e-5
"""What each class is ahead of the next by in sums of probabilities, to break ties: more than single
precision rounds a sum of 25 by, less than half precision rounds a probability when it is stored."""


class GuidedSearch:
    """Search by the error rate plus the Brier score of mean probabilities.

    On few rows many candidates leave the error as it is, and some lower it by luck; the squared
    error of the probabilities distinguishes the two (docs/studies/portfolio.md). Of equal highest
    probabilities the first class counts, as in what is exported: were they right, two neighbours
    that disagree would never be wrong. The Brier score of a mean is a quadratic form, so a
    candidate costs one pass over the rows, for its labels.

    Args:
        pool: Shape (n, C). Probabilities of each candidate.
        truth: Shape (n,). True class codes.
        weights: Shape (n,), or None. How much each row counts; ``None``: all the same.
    """

    def __init__(
        self, pool: Sequence[AnyArray], truth: Integers, weights: Floats | None = None
    ) -> None:
        n_classes = pool[0].shape[1]
        most = max(1, MAX_NUMBERS // (len(pool) * n_classes))
        kept: slice | Integers = slice(None)
        if len(truth) > most:
            kept = np.sort(np.random.default_rng(0).permutation(len(truth))[:most])
        truth = truth[kept]
        self._truth = truth
        shares = np.ones(len(truth)) if weights is None else weights[kept]
        self._shares = (shares / shares.sum()).astype(np.float32)
        # Classes first: the highest of them is then found a whole row of numbers at a time.
        self._pool = np.stack([
            np.ascontiguousarray(normalised(each[kept]).T, dtype=np.float32) for each in pool
        ])  # fmt: skip
        self._rows = np.arange(len(truth))
        weighed = self._pool * self._shares
        flat = self._pool.reshape(len(pool), -1)
        self._squares = (flat @ weighed.reshape(len(pool), -1).T).astype(np.float64)
        self._hits = weighed[:, truth, self._rows].sum(axis=1, dtype=np.float64)
        self._total = np.zeros(self._pool.shape[1:], dtype=np.float32)
        self._total -= _EARLIER * np.arange(n_classes, dtype=np.float32)[:, None]
        self._scratch = np.empty_like(self._total)
        self._size = 0
        self._square = self._hit = 0.0
        self._dots = np.zeros(len(pool))

    def add(self, index: int) -> None:
        """Add a candidate's probabilities to the sum."""
        self._total += self._pool[index]
        self._square += 2.0 * self._dots[index] + self._squares[index, index]
        self._hit += self._hits[index]
        self._dots += self._squares[index]
        self._size += 1

    def losses(self, allowed: Flags) -> Floats:
        """Return the loss with each candidate added, infinite for those not allowed.

        ``allowed`` and what is returned have shape (len(pool),).
        """
        after = self._size + 1
        square = self._square + 2.0 * self._dots + self._squares.diagonal()
        brier = 0.5 * (square / after**2 - 2.0 * (self._hit + self._hits) / after + 1.0)
        found = np.full(len(self._pool), np.inf)
        for index in np.flatnonzero(allowed):
            np.add(self._total, self._pool[index], out=self._scratch)
            wrong = self._scratch.max(axis=0) > self._scratch[self._truth, self._rows]
            found[index] = float(self._shares @ wrong) + brier[index]
        return found

    def best(self, allowed: Flags) -> Integers:
        """Return the allowed candidates with the lowest loss, shape (k,); allowed: (len(pool),)."""
        losses = self.losses(allowed)
        return np.flatnonzero(losses == losses.min())

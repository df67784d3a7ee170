"""What each part of a row adds to a prediction: Shapley values by sampling.

A function is asked about rows whose fields come one after the other from the row that is explained,
in a random order, while the others stay those of a background row; what each step adds, on average
over orders and background rows, is the field's Shapley value (Štrumbelj and Kononenko 2014). Each
order is followed by its reverse with the same background row, which halves and more than halves the
variance (antithetic permutations: Mitchell et al. 2022, section 3.2). The base is the mean over all
background rows and does not depend on the draws. So that base and values sum to the prediction,
what the draws leave over goes to the values in proportion to their variances, as weighted least
squares share it out.
"""

from collections.abc import Callable, Sequence

import numpy as np

from studio.arrays import Floats, Integers

Asked = Callable[[Floats], Floats]
"""Takes rows, shape (n, d), and returns what is said of each, shape (n, C)."""


class Sampling:
    """Shapley values of one row, as far as they are known.

    Args:
        ask: The function; it may give numbers that differ with the other rows of a call in their
            last bits only.
        row: Shape (d,). What is explained.
        background: Shape (b, d), b > 0. Rows that represent "not known".
        owners: Shape (d,). To which of the m fields 0, 1, … each column belongs.
        seed: Of orders and background rows.
    """

    def __init__(
        self, ask: Asked, row: Floats, background: Floats, owners: Sequence[int], seed: int
    ) -> None:
        self._ask, self._row, self._background = ask, row, background
        self._owners = np.asarray(owners, dtype=np.int64)
        self._fields = int(self._owners.max()) + 1
        self._rng = np.random.default_rng(seed)
        self._waiting: Integers = np.empty(0, dtype=np.int64)
        self.base: Floats = ask(background).mean(axis=0)
        """The mean of what is said of the background rows, shape (C,)."""
        self._whole: Floats = ask(row[None])[0] - self.base
        width = len(self.base)
        self._sums = np.zeros((self._fields, width))
        self._squares = np.zeros((self._fields, width))
        self.draws = 0

    def draw(self, pairs: int) -> None:
        """Follow ``pairs`` more orders, and their reverses."""
        orders = self._rng.permuted(np.tile(np.arange(self._fields), (pairs, 1)), axis=1)
        ranks = np.argsort(orders, axis=1)
        both = np.stack([ranks, self._fields - 1 - ranks], axis=1).reshape(2 * pairs, -1)
        rows = np.repeat(self._background[self._next(pairs)], 2, axis=0)
        steps = np.arange(self._fields + 1)
        known = both[:, None, self._owners] < steps[:, None]
        asked = np.where(known, self._row, rows[:, None, :])
        said = self._ask(asked.reshape(-1, len(self._row)))
        said = said.reshape(2 * pairs, len(steps), -1)
        added = np.take_along_axis(np.diff(said, axis=1), both[:, :, None], axis=1)
        means = added.reshape(pairs, 2, self._fields, -1).mean(axis=1)
        self._sums += means.sum(axis=0)
        self._squares += np.square(means).sum(axis=0)
        self.draws += pairs

    @property
    def values(self) -> Floats:
        """What each field adds, shape (m, C); with the base they sum to the prediction."""
        found: Floats = self._sums / self.draws
        variances = self._variances()
        total = variances.sum(axis=0)
        shares = np.divide(
            variances, total, out=np.full_like(variances, 1 / self._fields), where=total > 0
        )
        found += shares * (self._whole - found.sum(axis=0))
        return found

    @property
    def errors(self) -> Floats:
        """Standard errors of the values, shape (m, C); infinite after a single draw."""
        if self.draws < 2:
            return np.full(self._sums.shape, np.inf)
        found: Floats = np.sqrt(self._variances() / (self.draws - 1))
        return found

    def _variances(self) -> Floats:
        """Return how much what a draw gives varies, shape (m, C)."""
        spread = self._squares / self.draws - np.square(self._sums / self.draws)
        found: Floats = np.maximum(spread, 0.0)
        return found

    def _next(self, count: int) -> Integers:
        """Return the next background rows, shape (count,): all in random order, then all again."""
        while len(self._waiting) < count:
            fresh = self._rng.permutation(len(self._background))
            self._waiting = np.concatenate([self._waiting, fresh])
        taken, self._waiting = self._waiting[:count], self._waiting[count:]
        return taken

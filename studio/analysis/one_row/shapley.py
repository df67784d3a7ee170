"""What each part of a row adds to a prediction: Shapley values by sampling.

A function is asked about rows whose fields come one after the other from the row that is explained,
in a random order, while the others stay those of a background row; what each step adds, on average
over orders and background rows, is the field's Shapley value (Štrumbelj and Kononenko 2014). Each
order is followed by its reverse with the same background row, which halves and more than halves the
variance (antithetic permutations: Mitchell et al. 2022, section 3.2).

The background rows are drawn from strata of similar predictions, half of the draws in proportion to
the strata's sizes and half equally (stratified sampling: Cochran 1977, chapter 5). A few rows drawn
from all of them often miss those of a rare class, and then the column that decides seems to add the
same to each. The base is the mean over all background rows and does not depend on the draws. So
that base and values sum to the prediction, what the draws leave over goes to the values in
proportion to the squares of their standard errors, as weighted least squares share it out.
"""

from collections.abc import Callable, Sequence

import numpy as np

from studio.arrays import Floats, Integers

_MAX_STRATA = 8
_PRIOR_DRAWS = 1.0
"""Draws that the pooled variance counts for where a variance is estimated from few."""

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
        predicted = ask(background)
        self.base: Floats = predicted.mean(axis=0)
        """The mean of what is said of the background rows, shape (C,)."""
        self._whole: Floats = ask(row[None])[0] - self.base
        stratum = _strata(predicted)
        self._members = [np.flatnonzero(stratum == each) for each in range(stratum.max() + 1)]
        self._sizes: Floats = np.array([len(each) for each in self._members]) / len(predicted)
        self._waiting: list[list[int]] = [[] for _ in self._members]
        self._counts = np.zeros(len(self._members))
        shape = (len(self._members), self._fields, len(self.base))
        self._sums, self._squares = np.zeros(shape), np.zeros(shape)
        self.draws = 0

    def draw(self, pairs: int) -> None:
        """Follow ``pairs`` more orders, and their reverses."""
        orders = self._rng.permuted(np.tile(np.arange(self._fields), (pairs, 1)), axis=1)
        ranks = np.argsort(orders, axis=1)
        both = np.stack([ranks, self._fields - 1 - ranks], axis=1).reshape(2 * pairs, -1)
        strata, drawn = self._next(pairs)
        rows = np.repeat(self._background[drawn], 2, axis=0)
        steps = np.arange(self._fields + 1)
        known = both[:, None, self._owners] < steps[:, None]
        asked = np.where(known, self._row, rows[:, None, :])
        predicted = self._ask(asked.reshape(-1, len(self._row)))
        predicted = predicted.reshape(2 * pairs, len(steps), -1)
        added = np.take_along_axis(np.diff(predicted, axis=1), both[:, :, None], axis=1)
        means = added.reshape(pairs, 2, self._fields, -1).mean(axis=1)
        np.add.at(self._sums, strata, means)
        np.add.at(self._squares, strata, np.square(means))
        self.draws += pairs

    @property
    def values(self) -> Floats:
        """What each field adds, shape (m, C); with the base they sum to the prediction."""
        drawn = self._counts > 0
        weights = self._sizes[drawn] / self._sizes[drawn].sum() / self._counts[drawn]
        found: Floats = np.tensordot(weights, self._sums[drawn], axes=1)
        variances = self._variances()
        total = variances.sum(axis=0)
        shares = np.divide(
            variances, total, out=np.full_like(variances, 1 / self._fields), where=total > 0
        )
        found += shares * (self._whole - found.sum(axis=0))
        return found

    @property
    def errors(self) -> Floats:
        """Standard errors of the values, shape (m, C).

        They are infinite before each stratum was drawn from, and one of them twice.
        """
        if self.draws <= len(self._members):
            return np.full(self._sums.shape[1:], np.inf)
        found: Floats = np.sqrt(self._variances())
        return found

    def _variances(self) -> Floats:
        """Return the variances of the values, shape (m, C).

        That of a stratum with few draws is shrunk towards the field's over all strata, and this
        towards the mean over the fields: draws that happen to be equal do not prove that all are.
        """
        counts = np.maximum(self._counts, 1.0)[:, None, None]
        within = np.maximum(self._squares - np.square(self._sums) / counts, 0.0)
        free = np.maximum(self._counts - 1.0, 0.0)
        prior = _PRIOR_DRAWS * within.sum(axis=0).mean(axis=0) / max(free.sum(), 1.0)
        pooled = (within.sum(axis=0) + prior) / (free.sum() + _PRIOR_DRAWS)
        spread = (within + _PRIOR_DRAWS * pooled) / (free[:, None, None] + _PRIOR_DRAWS)
        found: Floats = np.tensordot(np.square(self._sizes), spread / counts, axes=1)
        return found

    def _next(self, count: int) -> tuple[Integers, Integers]:
        """Return the next strata and background rows, each of shape (count,).

        Within a stratum come all rows in random order, then all again.
        """
        wanted = self._sizes + 1 / len(self._sizes)
        strata, rows = [], []
        for _ in range(count):
            at = int(np.argmax(wanted / np.maximum(self._counts, 1e-9)))
            if not self._waiting[at]:
                self._waiting[at] = self._rng.permutation(self._members[at]).tolist()
            strata.append(at)
            rows.append(self._waiting[at].pop())
            self._counts[at] += 1
        return np.array(strata), np.array(rows)


def _strata(predicted: Floats) -> Integers:
    """Return to which stratum each row belongs, shape (n,), by what is said of it, shape (n, C).

    Their centres are the row nearest to the mean, then again and again the row farthest from all
    centres (Gonzalez 1985), so that rare predictions have a stratum; each row is with its nearest.
    """
    nearest = np.square(predicted - predicted.mean(axis=0)).sum(axis=1)
    centre = int(np.argmin(nearest))
    nearest = np.square(predicted - predicted[centre]).sum(axis=1)
    found: Integers = np.zeros(len(predicted), dtype=np.int64)
    for stratum in range(1, _MAX_STRATA):
        centre = int(np.argmax(nearest))
        if not nearest[centre] > 0:
            break
        apart = np.square(predicted - predicted[centre]).sum(axis=1)
        found[apart < nearest] = stratum
        nearest = np.minimum(nearest, apart)
    return found

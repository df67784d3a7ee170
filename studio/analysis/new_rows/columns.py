"""Shift of one column between the training rows and new rows: p-value and effect size.

Every test here is one of exchangeable rows: were the new rows drawn as the others were, any of
all rows could as well have been a new one. How often they err is shown in docs/studies/honesty.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import chdtrc, gammaln, kolmogorov

from studio.arrays import Floats, Integers
from studio.data.dates import DatePart, format_date
from studio.phrases import phrase

MAX_SORTED = 5_000
"""Maximum rows per table of compared values: enough to detect a change of a tenth."""

RARE, FEW = 1.0, 5.0
"""Expected count below which labels are merged: each alone has no evidence, and their novelty is
random. The second applies to many labels, so that no random tables need be drawn, which is slow.
"""

MANY = 40
"""Number of labels that counts as many."""

_DRAWS = (499, 9_999)
_PLAIN, _ENOUGH = 0.05, 20
"""Approximate p-value above which a column is never reported; number of random tables as extreme
that decides it.
"""


@dataclass(frozen=True)
class ColumnFinding:
    """Result of one test of a column.

    Attributes:
        p: Its p-value.
        size: The effect size.
        describe: Returns a description. Of a thousand columns few are described.
    """

    p: float
    size: float
    describe: Callable[[], str] = str

    @property
    def words(self) -> str:
        """The description, empty if nothing was tested."""
        return self.describe()


def compare_numbers(
    name: str,
    old: Floats,
    new: Floats,
    rng: np.random.Generator,
    *,
    dates: bool = False,
    written: DatePart | None = None,
) -> ColumnFinding:
    """Compare a numeric column: distribution, range, and missing values.

    Args:
        old, new: Shape (n,) and (m,). NaN is missing.
        rng: Draws a sample, if there are many rows.
        dates: Whether the values are dates, as days since 1970.
        written: Their format; year first if unknown.

    Returns:
        The clearest of the tests, its p-value multiplied by their number (Bonferroni).
    """
    before, now = old[~np.isnan(old)], new[~np.isnan(new)]
    tests = []
    if before.size < old.size or now.size < new.size:
        tests.append(
            _compare_missing(name, old.size - before.size, old.size, new.size - now.size, new.size)
        )
    if before.size and now.size:
        write = partial(_day, written) if dates else _short
        tests += [
            _compare_distributions(name, before, now, rng, write),
            *_compare_ranges(name, before, now, write),
        ]
    return _clearest(tests)


def compare_labels(
    name: str, old: Integers, new: Integers, categories: tuple[str, ...]
) -> ColumnFinding:
    """Compare a categorical column, with new and missing labels.

    Args:
        old, new: Shape (n,) and (m,). Codes of ``categories``; higher ones are labels unknown to
            training, -1 is missing.
        categories: The known labels.
    """
    _, codes = np.unique(np.concatenate([old, new]), return_inverse=True)
    both = np.bincount(codes)
    now = np.bincount(codes[old.size :], minlength=both.size)
    p = _independence(*_merge_rare_labels(both, now))
    known = len(categories)
    shares = np.array([
        np.bincount(np.where(side < 0, known + 1, np.minimum(side, known)), minlength=known + 2)
        / side.size
        for side in (old, new)
    ])  # fmt: skip
    largest = int(np.argmax(np.abs(shares[1] - shares[0])))
    before, after = shares[:, largest]
    words = partial(_describe_label, name, categories, largest, before, after)
    return ColumnFinding(p, float(abs(after - before)), words)


def _describe_label(
    name: str, categories: tuple[str, ...], place: int, before: float, after: float
) -> str:
    before, after = 100 * before, 100 * after
    if place == len(categories):
        return phrase(
            "{name}: {after:.0f} % of the new rows have labels never seen before",
            name=name,
            after=after,
        )
    if place > len(categories):
        return _describe_missing(name, before, after)
    return phrase(
        "{name}: “{label}” in {before:.0f} % of the rows before, {after:.0f} % now",
        name=name,
        label=categories[place][:40],
        before=before,
        after=after,
    )


def _day(written: DatePart | None, value: float) -> str:
    return format_date(written, value).partition(" ")[0]


def _clearest(tests: list[ColumnFinding]) -> ColumnFinding:
    if not tests:
        return ColumnFinding(1.0, 0.0)
    best = min(tests, key=lambda each: each.p)
    return ColumnFinding(min(1.0, len(tests) * best.p), best.size, best.describe)


def _compare_distributions(
    name: str, old: Floats, new: Floats, rng: np.random.Generator, write: Callable[[float], str]
) -> ColumnFinding:
    """Compare the distributions of (n,) and (m,) by a Kolmogorov-Smirnov test."""
    if min(old.size, new.size) < 2:
        return ColumnFinding(1.0, 0.0)  # a single value has no distribution
    before, now = (
        rng.choice(side, MAX_SORTED, replace=False) if side.size > MAX_SORTED else side
        for side in (old, new)
    )
    distance, p = _kolmogorov_smirnov(before, now)
    return ColumnFinding(p, distance, partial(_distribution_words, name, old, new, write))


def _distribution_words(name: str, old: Floats, new: Floats, write: Callable[[float], str]) -> str:
    means = old.mean(), new.mean()
    if abs(means[1] - means[0]) > 0.2 * old.std():
        return phrase(
            "{name}: mean {before} before, {after} now",
            name=name,
            before=write(means[0]),
            after=write(means[1]),
        )
    (low, high), (low_now, high_now) = (np.quantile(side, (0.25, 0.75)) for side in (old, new))
    return phrase(
        "{name}: half of the rows between {low} and {high} before, {low_now} and {high_now} now",
        name=name,
        low=write(low),
        high=write(high),
        low_now=write(low_now),
        high_now=write(high_now),
    )


def _kolmogorov_smirnov(old: Floats, new: Floats) -> tuple[float, float]:
    """Return the largest distance of two empirical distributions, (n,) and (m,), and its p-value.

    That is Kolmogorov's limit, corrected for few rows as Stephens does (1970, Journal of the Royal
    Statistical Society B 32). Loading ``scipy.stats`` would take longer than all tests here.
    """
    values = np.concatenate([old, new])
    below = [np.searchsorted(np.sort(side), values, "right") / side.size for side in (old, new)]
    distance = float(np.abs(below[0] - below[1]).max())
    root = np.sqrt(old.size * new.size / values.size)
    return distance, float(kolmogorov((root + 0.12 + 0.11 / root) * distance))


def _compare_ranges(
    name: str, old: Floats, new: Floats, write: Callable[[float], str]
) -> list[ColumnFinding]:
    """Test the number of new values, (m,), outside the range of the old ones, (n,)."""
    found = []
    for sign in (1, -1):
        end = (sign * old).max()
        beyond = int(np.count_nonzero(sign * new > end))
        # Probability that all of the highest are new: (m choose k) / (n + m choose k).
        chance = _log_choose(new.size, beyond) - _log_choose(old.size + new.size, beyond)
        share = beyond / new.size
        words = partial(_describe_reach, name, sign, share, sign * end, write)
        found.append(ColumnFinding(float(np.exp(chance)), share, words))
    return found


def _describe_reach(
    name: str, sign: int, share: float, end: float, write: Callable[[float], str]
) -> str:
    if sign > 0:
        return phrase(
            "{name}: {share} % of the new rows are above all training values ({end})",
            name=name,
            share=_short(100 * share),
            end=write(end),
        )
    return phrase(
        "{name}: {share} % of the new rows are below all training values ({end})",
        name=name,
        share=_short(100 * share),
        end=write(end),
    )


def _log_choose(n: int, k: int | Integers) -> Any:
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


def _compare_missing(name: str, gone: int, n_old: int, gone_now: int, n_new: int) -> ColumnFinding:
    """Test missing cells by Fisher's exact test: twice the smaller tail."""
    possible = np.arange(max(0, gone + gone_now - n_old), min(n_new, gone + gone_now) + 1)
    chance = np.exp(
        _log_choose(n_new, possible)
        + _log_choose(n_old, gone + gone_now - possible)
        - _log_choose(n_old + n_new, gone + gone_now)
    )
    sides = chance[possible <= gone_now].sum(), chance[possible >= gone_now].sum()
    p = min(1.0, 2 * float(min(sides)))
    before, after = gone / n_old, gone_now / n_new
    words = partial(_describe_missing, name, 100 * before, 100 * after)
    return ColumnFinding(p, abs(after - before), words)


def _describe_missing(name: str, before: float, after: float) -> str:
    return phrase(
        "{name}: {before:.0f} % missing before, {after:.0f} % now",
        name=name,
        before=before,
        after=after,
    )


def _merge_rare_labels(both: Integers, now: Integers) -> tuple[Integers, Integers]:
    """Return label counts in both tables and in the new one, shape (K,), with rare ones merged.

    Which are rare depends on both tables together only.
    """
    total, n_new = int(both.sum()), int(now.sum())
    expected = both * (min(n_new, total - n_new) / total)
    least = RARE if np.count_nonzero(expected >= RARE) <= MANY else FEW
    kept = expected >= least
    counts = np.stack([both, now])
    rest = counts[:, ~kept].sum(axis=1)
    found = counts[:, kept]
    if not rest[0]:
        return found[0], found[1]
    if least == FEW and found.size and expected[~kept].sum() < FEW:
        found[:, np.argmin(found[0])] += rest
        return found[0], found[1]
    return np.append(found[0], rest[0]), np.append(found[1], rest[1])


def _independence(both: Integers, now: Integers) -> float:
    """Return the p-value of Pearson's statistic of a 2 × K table, shape (K,) each.

    Where few rows are expected in a cell, and the approximation is not plainly large, the p-value
    is that of tables drawn with the same margins, which is what shuffling all rows gives: some at
    first, and many where hardly any of these is as far off.
    """
    total, n_new = int(both.sum()), int(now.sum())
    expected = both * (n_new / total)
    spread = expected * (1 - n_new / total)
    statistic = float((np.square(now - expected) / spread).sum())
    p = float(chdtrc(both.size - 1, statistic)) if both.size > 1 else 1.0
    if p > _PLAIN or min(expected.min(), (both - expected).min()) >= FEW:
        return p
    rng = np.random.default_rng(0)
    for n_draws in _DRAWS:
        drawn = rng.multivariate_hypergeometric(both, n_new, n_draws, method="marginals")
        others = (np.square(drawn - expected) / spread).sum(axis=1)
        larger = np.count_nonzero(others >= statistic * (1 - 1e-12))
        p = float((1 + larger) / (1 + n_draws))
        if larger >= _ENOUGH:
            break
    return p


def _short(value: float) -> str:
    """Format a number with three significant digits, integers in full."""
    if abs(value) >= 100:
        return phrase("{number:,.0f}", number=float(value))
    return phrase("{number:.3g}", number=float(value))

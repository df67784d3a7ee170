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

MAX_SMALL_CELLS = 40
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
    training: Floats,
    new_values: Floats,
    rng: np.random.Generator,
    *,
    dates: bool = False,
    written: DatePart | None = None,
) -> ColumnFinding:
    """Compare a numeric column: distribution, range, and missing values.

    Args:
        training, new_values: Shape (n,) and (m,). NaN is missing.
        rng: Draws a sample, if there are many rows.
        dates: Whether the values are dates, as days since 1970.
        written: Their format; year first if unknown.

    Returns:
        The clearest of the tests, its p-value multiplied by their number (Bonferroni).
    """
    training_known, new_known = training[~np.isnan(training)], new_values[~np.isnan(new_values)]
    tests = []
    if training_known.size < training.size or new_known.size < new_values.size:
        tests.append(
            _compare_missing(
                name,
                training.size - training_known.size,
                training.size,
                new_values.size - new_known.size,
                new_values.size,
            )
        )
    if training_known.size and new_known.size:
        write = partial(_format_day, written) if dates else _format_short
        tests += [
            _compare_distributions(name, training_known, new_known, rng, write),
            *_compare_ranges(name, training_known, new_known, write),
        ]
    return _choose_clearest(tests)


def compare_labels(
    name: str, training: Integers, new_codes: Integers, categories: tuple[str, ...]
) -> ColumnFinding:
    """Compare a categorical column, with new and missing labels.

    Args:
        training, new_codes: Shape (n,) and (m,). Codes of ``categories``; higher ones are labels
            unknown to training, -1 is missing.
        categories: The known labels.
    """
    _, codes = np.unique(np.concatenate([training, new_codes]), return_inverse=True)
    all_counts = np.bincount(codes)
    new_counts = np.bincount(codes[training.size :], minlength=all_counts.size)
    p = _test_independence(*_merge_rare_labels(all_counts, new_counts))
    n_known = len(categories)
    shares = np.array([
        np.bincount(
            np.where(each < 0, n_known + 1, np.minimum(each, n_known)), minlength=n_known + 2
        ) / each.size
        for each in (training, new_codes)
    ])  # fmt: skip
    largest_change = int(np.argmax(np.abs(shares[1] - shares[0])))
    share_before, share_after = shares[:, largest_change]
    describe = partial(_describe_label, name, categories, largest_change, share_before, share_after)
    return ColumnFinding(p, float(abs(share_after - share_before)), describe)


def _describe_label(
    name: str, categories: tuple[str, ...], index: int, share_before: float, share_after: float
) -> str:
    share_before, share_after = 100 * share_before, 100 * share_after
    if index == len(categories):
        return phrase(
            "{name}: {after:.0f} % of the new rows have labels never seen before",
            name=name,
            after=share_after,
        )
    if index > len(categories):
        return _describe_missing(name, share_before, share_after)
    return phrase(
        "{name}: “{label}” in {before:.0f} % of the rows before, {after:.0f} % now",
        name=name,
        label=categories[index][:40],
        before=share_before,
        after=share_after,
    )


def _format_day(date_part: DatePart | None, value: float) -> str:
    return format_date(date_part, value).partition(" ")[0]


def _choose_clearest(tests: list[ColumnFinding]) -> ColumnFinding:
    if not tests:
        return ColumnFinding(1.0, 0.0)
    best = min(tests, key=lambda each: each.p)
    return ColumnFinding(min(1.0, len(tests) * best.p), best.size, best.describe)


def _compare_distributions(
    name: str,
    training: Floats,
    new_values: Floats,
    rng: np.random.Generator,
    write: Callable[[float], str],
) -> ColumnFinding:
    """Compare the distributions of (n,) and (m,) by a Kolmogorov-Smirnov test."""
    if min(training.size, new_values.size) < 2:
        return ColumnFinding(1.0, 0.0)  # a single value has no distribution
    training_sample, new_sample = (
        rng.choice(table_values, MAX_SORTED, replace=False)
        if table_values.size > MAX_SORTED
        else table_values
        for table_values in (training, new_values)
    )
    distance, p = _test_kolmogorov_smirnov(training_sample, new_sample)
    return ColumnFinding(
        p, distance, partial(_describe_distribution, name, training, new_values, write)
    )


def _describe_distribution(
    name: str, training: Floats, new_values: Floats, write: Callable[[float], str]
) -> str:
    mean_values = training.mean(), new_values.mean()
    if abs(mean_values[1] - mean_values[0]) > 0.2 * training.std():
        return phrase(
            "{name}: mean {before} before, {after} now",
            name=name,
            before=write(mean_values[0]),
            after=write(mean_values[1]),
        )
    (low, high), (low_now, high_now) = (
        np.quantile(table_values, (0.25, 0.75)) for table_values in (training, new_values)
    )
    return phrase(
        "{name}: half of the rows between {low} and {high} before, {low_now} and {high_now} now",
        name=name,
        low=write(low),
        high=write(high),
        low_now=write(low_now),
        high_now=write(high_now),
    )


def _test_kolmogorov_smirnov(training: Floats, new_values: Floats) -> tuple[float, float]:
    """Return the largest distance of two empirical distributions, (n,) and (m,), and its p-value.

    That is Kolmogorov's limit, corrected for few rows as Stephens does (1970, Journal of the Royal
    Statistical Society B 32). Loading ``scipy.stats`` would take longer than all tests here.
    """
    values = np.concatenate([training, new_values])
    cumulative = [
        np.searchsorted(np.sort(table_values), values, "right") / table_values.size
        for table_values in (training, new_values)
    ]
    distance = float(np.abs(cumulative[0] - cumulative[1]).max())
    root = np.sqrt(training.size * new_values.size / values.size)
    return distance, float(kolmogorov((root + 0.12 + 0.11 / root) * distance))


def _compare_ranges(
    name: str, training: Floats, new_values: Floats, write: Callable[[float], str]
) -> list[ColumnFinding]:
    """Test the number of new values, (m,), outside the range of the old ones, (n,)."""
    findings = []
    for sign in (1, -1):
        end = (sign * training).max()
        beyond = int(np.count_nonzero(sign * new_values > end))
        # Probability that all of the highest are new: (m choose k) / (n + m choose k).
        log_probability = _log_choose(new_values.size, beyond) - _log_choose(
            training.size + new_values.size, beyond
        )
        outside_share = beyond / new_values.size
        describe = partial(_describe_reach, name, sign, outside_share, sign * end, write)
        findings.append(ColumnFinding(float(np.exp(log_probability)), outside_share, describe))
    return findings


def _describe_reach(
    name: str, sign: int, outside_share: float, end: float, write: Callable[[float], str]
) -> str:
    if sign > 0:
        return phrase(
            "{name}: {share} % of the new rows are above all training values ({end})",
            name=name,
            share=_format_short(100 * outside_share),
            end=write(end),
        )
    return phrase(
        "{name}: {share} % of the new rows are below all training values ({end})",
        name=name,
        share=_format_short(100 * outside_share),
        end=write(end),
    )


def _log_choose(n: int, k: int | Integers) -> Any:
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


def _compare_missing(
    name: str, n_missing: int, n_old: int, gone_now: int, n_new: int
) -> ColumnFinding:
    """Test missing cells by Fisher's exact test: twice the smaller tail."""
    possible = np.arange(max(0, n_missing + gone_now - n_old), min(n_new, n_missing + gone_now) + 1)
    probabilities = np.exp(
        _log_choose(n_new, possible)
        + _log_choose(n_old, n_missing + gone_now - possible)
        - _log_choose(n_old + n_new, n_missing + gone_now)
    )
    tails = probabilities[possible <= gone_now].sum(), probabilities[possible >= gone_now].sum()
    p = min(1.0, 2 * float(min(tails)))
    share_before, share_after = n_missing / n_old, gone_now / n_new
    describe = partial(_describe_missing, name, 100 * share_before, 100 * share_after)
    return ColumnFinding(p, abs(share_after - share_before), describe)


def _describe_missing(name: str, share_before: float, share_after: float) -> str:
    return phrase(
        "{name}: {before:.0f} % missing before, {after:.0f} % now",
        name=name,
        before=share_before,
        after=share_after,
    )


def _merge_rare_labels(all_counts: Integers, new_counts: Integers) -> tuple[Integers, Integers]:
    """Return label counts in both tables and in the new one, shape (K,), with rare ones merged.

    Which are rare depends on both tables together only.
    """
    total, n_new = int(all_counts.sum()), int(new_counts.sum())
    expected_counts = all_counts * (min(n_new, total - n_new) / total)
    min_expected = RARE if np.count_nonzero(expected_counts >= RARE) <= MAX_SMALL_CELLS else FEW
    is_kept = expected_counts >= min_expected
    counts = np.stack([all_counts, new_counts])
    merged = counts[:, ~is_kept].sum(axis=1)
    kept_counts = counts[:, is_kept]
    if not merged[0]:
        return kept_counts[0], kept_counts[1]
    if min_expected == FEW and kept_counts.size and expected_counts[~is_kept].sum() < FEW:
        kept_counts[:, np.argmin(kept_counts[0])] += merged
        return kept_counts[0], kept_counts[1]
    return np.append(kept_counts[0], merged[0]), np.append(kept_counts[1], merged[1])


def _test_independence(all_counts: Integers, new_counts: Integers) -> float:
    """Return the p-value of Pearson's statistic of a 2 × K table, shape (K,) each.

    Where few rows are expected in a cell, and the approximation is not plainly large, the p-value
    is that of tables drawn with the same margins, which is what shuffling all rows gives: some at
    first, and many where hardly any of these is as far off.
    """
    total, n_new = int(all_counts.sum()), int(new_counts.sum())
    expected_counts = all_counts * (n_new / total)
    spread = expected_counts * (1 - n_new / total)
    statistic = float((np.square(new_counts - expected_counts) / spread).sum())
    p = float(chdtrc(all_counts.size - 1, statistic)) if all_counts.size > 1 else 1.0
    if p > _PLAIN or min(expected_counts.min(), (all_counts - expected_counts).min()) >= FEW:
        return p
    rng = np.random.default_rng(0)
    for n_draws in _DRAWS:
        simulated = rng.multivariate_hypergeometric(all_counts, n_new, n_draws, method="marginals")
        simulated_statistics = (np.square(simulated - expected_counts) / spread).sum(axis=1)
        larger = np.count_nonzero(simulated_statistics >= statistic * (1 - 1e-12))
        p = float((1 + larger) / (1 + n_draws))
        if larger >= _ENOUGH:
            break
    return p


def _format_short(value: float) -> str:
    """Format a number with three significant digits, integers in full."""
    if abs(value) >= 100:
        return phrase("{number:,.0f}", number=float(value))
    return phrase("{number:.3g}", number=float(value))

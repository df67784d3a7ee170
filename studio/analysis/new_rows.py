"""Comparison of new rows with the training rows, by column and as a whole.

Changes in the dependence between columns are invisible in single columns, but can be detected by a
model trained to distinguish new rows from the others. If both have the same distribution, no model
is better than guessing on unseen rows (classifier two-sample tests: Friedman 2003, Lopez-Paz and
Oquab 2017).

All tests assume exchangeable rows under the null hypothesis: new rows are then a random subset of
all rows. The false alarm rates are shown in docs/studies/honesty.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.special import chdtrc, gammaln, kolmogorov

from studio.analysis.answers.rows import GUESSING_AUC, ColumnChange, TrainingComparison
from studio.arrays import Flags, Floats, Integers
from studio.data.dates import DatePart, format_date
from studio.data.intervals.loss import compute_loss_interval
from studio.data.metrics.rankings import Auc
from studio.data.recipe import EncodedTable
from studio.phrases import phrase
from studio.runs.prepare import PreparedRun

MAX_SORTED = 5_000
"""Maximum number of values compared per table: enough to detect a change of a tenth."""

MIN_EXPECTED_COUNT, MIN_EXPECTED_COUNT_MANY_LABELS = 1.0, 5.0
"""Expected count below which labels are merged: individually they are not evidence, and new ones
occur by chance. The second value is for many labels, to avoid slow simulations.
"""

MAX_SMALL_CELLS = 40
"""Number of labels that counts as many."""

_DRAWS = (499, 9_999)
_MAX_APPROXIMATE_P, _N_DECISIVE_TABLES = 0.05, 20
"""Approximate p-value above which a column is never reported; number of equally extreme random
tables that is decisive.
"""


@dataclass(frozen=True)
class ColumnFinding:
    """Result of one test of a column; ``describe`` is called only for the few that are reported."""

    p: float
    size: float
    describe: Callable[[], str] = str

    @property
    def description(self) -> str:
        """The description, empty if nothing was tested."""
        return self.describe()


def compare_numbers(
    name: str,
    training: Floats,
    new_values: Floats,
    rng: np.random.Generator,
    write: Callable[[float], str] | None = None,
) -> ColumnFinding:
    """Compare a numeric column: distribution, range, and missing values.

    Args:
        training, new_values: Shape (n,) and (m,). NaN is missing.
        rng: Draws a sample, if there are many rows.
        write: Formats a value; by default as a number.

    Returns:
        The test with the smallest p-value, multiplied by the number of tests (Bonferroni).
    """
    training_known, new_known = training[~np.isnan(training)], new_values[~np.isnan(new_values)]
    tests = []
    old_missing, new_missing = np.isnan(training), np.isnan(new_values)
    if new_missing.mean() > old_missing.mean():
        tests.append(_compare_missing(name, old_missing, new_missing))
    if training_known.size and new_known.size:
        write = write or _format_short
        tests += [
            _compare_distributions(name, training_known, new_known, rng, write),
            *_compare_ranges(name, training_known, new_known, write),
        ]
    return _choose_clearest(tests)


def compare_labels(
    name: str, training: Integers, new_codes: Integers, categories: tuple[str, ...]
) -> ColumnFinding:
    """Compare a categorical column by codes, (n,) and (m,); -1 is missing, others may be new.

    Fewer missing cells are no change for the worse: then only the known labels are compared.
    """
    old_missing, new_missing = training < 0, new_codes < 0
    if new_missing.mean() < old_missing.mean() < 1:
        training, new_codes = training[~old_missing], new_codes[~new_missing]
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
    share_before, share_after = 100 * shares[:, largest_change]

    def describe() -> str:
        if largest_change == n_known:
            return phrase(
                "{name}: {after:.0f} % of the new rows have labels that do not occur in training",
                name=name,
                after=share_after,
            )
        if largest_change > n_known:
            return _describe_missing(name, share_before, share_after)
        return phrase(
            "{name}: “{label}” in {before:.0f} % of the rows before, {after:.0f} % now",
            name=name,
            label=categories[largest_change][:40],
            before=share_before,
            after=share_after,
        )

    return ColumnFinding(p, float(abs(share_after - share_before)) / 100, describe)


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
    """Compare training values (n,) with new ones (m,) by a Kolmogorov-Smirnov test."""
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
    (low, high), (new_low, new_high) = (
        np.quantile(table_values, (0.25, 0.75)) for table_values in (training, new_values)
    )
    return phrase(
        "{name}: half of the rows between {low} and {high} before, {low_now} and {high_now} now",
        name=name,
        low=write(low),
        high=write(high),
        low_now=write(new_low),
        high_now=write(new_high),
    )


def _test_kolmogorov_smirnov(training: Floats, new_values: Floats) -> tuple[float, float]:
    """Return the largest distance of two empirical distributions, (n,) and (m,), and its p-value.

    The p-value is Kolmogorov's limit, corrected for few rows after Stephens (1970, Journal of the
    Royal Statistical Society B 32). Loading ``scipy.stats`` would take longer than all tests here.
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
        limit = (sign * training).max()
        n_outside = int(np.count_nonzero(sign * new_values > limit))
        # Probability that the k highest values are all new: (m choose k) / (n + m choose k).
        log_probability = _log_choose(new_values.size, n_outside) - _log_choose(
            training.size + new_values.size, n_outside
        )
        outside_share = n_outside / new_values.size
        describe = partial(_describe_reach, name, sign, outside_share, sign * limit, write)
        findings.append(ColumnFinding(float(np.exp(log_probability)), outside_share, describe))
    return findings


def _describe_reach(
    name: str, direction: int, outside_share: float, end: float, write: Callable[[float], str]
) -> str:
    if direction > 0:
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


def _compare_missing(name: str, old: Flags, new: Flags) -> ColumnFinding:
    """Test missing cells, (n,) and (m,), by Fisher's exact test: twice the smaller tail."""
    n_missing, n_new_missing = int(old.sum()), int(new.sum())
    n_old, n_new = old.size, new.size
    possible_counts = np.arange(
        max(0, n_missing + n_new_missing - n_old), min(n_new, n_missing + n_new_missing) + 1
    )
    probabilities = np.exp(
        _log_choose(n_new, possible_counts)
        + _log_choose(n_old, n_missing + n_new_missing - possible_counts)
        - _log_choose(n_old + n_new, n_missing + n_new_missing)
    )
    tails = (
        probabilities[possible_counts <= n_new_missing].sum(),
        probabilities[possible_counts >= n_new_missing].sum(),
    )
    p = min(1.0, 2 * float(min(tails)))
    share_before, share_after = n_missing / n_old, n_new_missing / n_new
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
    """Return label counts of both tables together and of the new one, (K,), rare labels merged."""
    total, n_new = int(all_counts.sum()), int(new_counts.sum())
    expected_counts = all_counts * (min(n_new, total - n_new) / total)
    min_expected = (
        MIN_EXPECTED_COUNT
        if np.count_nonzero(expected_counts >= MIN_EXPECTED_COUNT) <= MAX_SMALL_CELLS
        else MIN_EXPECTED_COUNT_MANY_LABELS
    )
    is_kept = expected_counts >= min_expected
    counts = np.stack([all_counts, new_counts])
    merged_count = counts[:, ~is_kept].sum(axis=1)
    kept_counts = counts[:, is_kept]
    if not merged_count[0]:
        return kept_counts[0], kept_counts[1]
    if (
        min_expected == MIN_EXPECTED_COUNT_MANY_LABELS
        and kept_counts.size
        and expected_counts[~is_kept].sum() < MIN_EXPECTED_COUNT_MANY_LABELS
    ):
        kept_counts[:, np.argmin(kept_counts[0])] += merged_count
        return kept_counts[0], kept_counts[1]
    return np.append(kept_counts[0], merged_count[0]), np.append(kept_counts[1], merged_count[1])


def _test_independence(all_counts: Integers, new_counts: Integers) -> float:
    """Return the p-value of Pearson's statistic of a 2 × K table, shape (K,) each.

    If few rows are expected in a cell, and the approximate p-value is not clearly large, it is
    computed from random tables with the same margins (a permutation test): a few at first, and many
    if hardly any of them is as extreme.
    """
    total, n_new = int(all_counts.sum()), int(new_counts.sum())
    expected_counts = all_counts * (n_new / total)
    spread = expected_counts * (1 - n_new / total)
    statistic = float((np.square(new_counts - expected_counts) / spread).sum())
    p = float(chdtrc(all_counts.size - 1, statistic)) if all_counts.size > 1 else 1.0
    if (
        p > _MAX_APPROXIMATE_P
        or min(expected_counts.min(), (all_counts - expected_counts).min())
        >= MIN_EXPECTED_COUNT_MANY_LABELS
    ):
        return p
    rng = np.random.default_rng(0)
    for n_draws in _DRAWS:
        simulated = rng.multivariate_hypergeometric(all_counts, n_new, n_draws, method="marginals")
        simulated_statistics = (np.square(simulated - expected_counts) / spread).sum(axis=1)
        larger = np.count_nonzero(simulated_statistics >= statistic * (1 - 1e-12))
        p = float((1 + larger) / (1 + n_draws))
        if larger >= _N_DECISIVE_TABLES:
            break
    return p


def _format_short(value: float) -> str:
    """Format a number with three significant digits, integers in full."""
    if abs(value) >= 100:
        return phrase("{number:,.0f}", number=float(value))
    return phrase("{number:.3g}", number=float(value))


MIN_ROWS = 20
"""Minimum number of new rows: with fewer, differences are random."""

MIN_CATEGORY_ROWS = 5
"""Minimum number of rows of a label in both tables; rarer ones are merged for the model."""

FALSE_ALARM_RATE = 0.05
"""False alarm rate among unchanged tables: half of it by columns, half by the overall test."""

_TOO_FEW_ROWS_MESSAGE = phrase(
    "Fewer than {least} rows: too few to tell whether they differ from the training rows.",
    least=MIN_ROWS,
)
_DEPENDENT = phrase(
    "The new rows differ from the training rows more than a random sample would. (Grouped or "
    "later rows often do.) Predictions may be worse than the test error."
)
_SHIFT_MESSAGE = phrase(
    "The new rows differ from the training rows by more than chance explains. Predictions "
    "may be worse than the test error."
)


def compare_new_rows(prepared_run: PreparedRun, encoded: EncodedTable) -> TrainingComparison:
    """Compare the rows of a new table, encoded by the run's recipe, with its training rows."""
    problem = prepared_run.problem
    dependent = problem.groups is not None or problem.times is not None
    categories = dict(zip(problem.feature_names, problem.categories, strict=True))
    names_by_column = {
        each.name: each.column_name if each.date is not None and each.date.part == "days" else ""
        for each in problem.make_recipe().features
        if each.is_derived
    }
    dates = {
        each.name: each.date for each in problem.make_recipe().features if each.date is not None
    }
    training = problem.X[prepared_run.split.development]
    # The note about unused columns is more helpful than "100 % missing now".
    unused = [each.column_name in encoded.unused for each in problem.make_recipe().features]
    if any(unused):
        training = np.where(unused, np.nan, training)
        encoded = replace(encoded, X=np.where(unused, np.nan, encoded.X))
    return compare_rows(
        categories, training, encoded, dependent=dependent, parts=names_by_column, dates=dates
    )


def compare_rows(
    columns: Mapping[str, tuple[str, ...] | None],
    training: Floats,
    encoded: EncodedTable,
    *,
    dependent: bool = False,
    parts: Mapping[str, str] | None = None,
    dates: Mapping[str, DatePart] | None = None,
) -> TrainingComparison:
    """Compare new rows with training rows.

    Args:
        columns: Column name → its labels by code; ``None`` for numbers.
        training: Shape (n, d). Training rows, as :attr:`studio.data.problem.Problem.X`.
        dependent: Whether rows are grouped or ordered by time, which increases the false alarm
            rate.
        parts: Name of a column of days → name of its date column; "" for other date parts and for
            terms of texts, which are not reported.
        dates: Name of such a column → its format.
    """
    new_matrix, parts = encoded.X, parts or {}
    if len(new_matrix) < MIN_ROWS or len(training) < MIN_ROWS:
        return TrainingComparison(reason=_TOO_FEW_ROWS_MESSAGE)
    rng = np.random.default_rng(0)
    findings: list[ColumnFinding] = []
    names: list[str] = []
    training_codes, new_codes = training.copy(), new_matrix.copy()
    for column, (name, categories) in enumerate(columns.items()):
        display_name = parts.get(name, name)
        if not display_name:
            continue
        names.append(display_name)
        if categories is None:
            write = partial(_format_day, (dates or {}).get(name)) if name in parts else None
            both_columns = training[:, column], new_matrix[:, column]
            findings.append(compare_numbers(display_name, *both_columns, rng, write))
            continue
        codes, new_column_codes = _to_codes(training[:, column]), _to_codes(new_matrix[:, column])
        unseen = encoded.unseen_categories.get(column)
        if unseen is not None:
            new_column_codes = np.where(unseen > 0, len(categories) - 1 + unseen, new_column_codes)
        findings.append(compare_labels(name, codes, new_column_codes, categories))
        training_codes[:, column], new_codes[:, column] = _merge_rare(codes, new_column_codes)
    is_significant = select_significant(
        np.array([each.p for each in findings]), FALSE_ALARM_RATE / 2
    )
    changes = [
        ColumnChange(name, each.size, each.description)
        for name, each, is_reported in zip(names, findings, is_significant, strict=True)
        if is_reported
    ]
    auc, low, high = _estimate_discriminator_auc(
        *_select_known_rows(training_codes, new_codes, training, new_matrix)
    )
    if not changes and low <= GUESSING_AUC:
        return TrainingComparison((), auc, low, high)
    changes.sort(key=lambda each: -each.size)
    return TrainingComparison(
        tuple(changes), auc, low, high, _DEPENDENT if dependent else _SHIFT_MESSAGE
    )


def select_significant(p: Floats, share: float) -> Flags:
    """Return the significant p-values (k,), by false discovery rate (Benjamini & Hochberg 1995)."""
    ordered = np.sort(p)
    passing = np.flatnonzero(ordered <= share * np.arange(1, p.size + 1) / p.size)
    return p <= (ordered[passing[-1]] if passing.size else -1.0)


def _select_known_rows(
    training_codes: Floats, new_codes: Floats, training: Floats, new_matrix: Floats
) -> tuple[Floats, Floats]:
    """Return the rows for the overall test, without those that fewer missing cells would reveal.

    In columns with significantly fewer missing cells than in training, only known cells are
    compared: more knowledge does not make predictions worse.

    Args:
        training_codes, new_codes: Shape (n, d) and (m, d). The rows as the model sees them.
        training, new_matrix: Shape (n, d) and (m, d). The same with NaN for missing cells.

    Returns:
        Shape (k, d) and (l, d). Some rows of the first two arguments.
    """
    old_missing, new_missing = np.isnan(training), np.isnan(new_matrix)
    columns = [
        column
        for column in np.flatnonzero(new_missing.mean(axis=0) < old_missing.mean(axis=0)).tolist()
        if _compare_missing("", old_missing[:, column], new_missing[:, column]).p < FALSE_ALARM_RATE
    ]
    tables = [
        codes[~missing[:, columns].any(axis=1)]
        for codes, missing in ((training_codes, old_missing), (new_codes, new_missing))
    ]
    if (
        min(map(len, tables)) < MIN_ROWS
    ):  # every row lacks some cell: such a table cannot be compared
        return training_codes, new_codes
    return tables[0], tables[1]


def _to_codes(values: Floats) -> Integers:
    """Return category codes, shape (n,), with -1 for missing."""
    return np.nan_to_num(values, nan=-1.0).astype(np.int64)


def _merge_rare(training: Integers, new_codes: Integers) -> tuple[Floats, Floats]:
    """Return codes for a model, shapes (n,) and (m,), with rare labels merged.

    Otherwise a label that occurs in a single row would identify its table.
    """
    labels, counts = np.unique(np.concatenate([training, new_codes]), return_counts=True)
    rare_labels = labels[counts < MIN_CATEGORY_ROWS]
    highest = float(labels[-1] + 1)
    return tuple(
        np.where(np.isin(table_codes, rare_labels), highest, table_codes).astype(np.float64)
        for table_codes in (training, new_codes)
    )  # type: ignore[return-value]


_MAX_ROWS = 2_000
"""Maximum rows of each table: half for training, half for testing."""

_TREES = 30


def _estimate_discriminator_auc(training: Floats, new_matrix: Floats) -> tuple[float, float, float]:
    """Return the held-out AUC of a model of new against old rows, with its 95 % interval.

    It is trained on one half of the rows and evaluated on the other. Cross-validation would detect
    smaller changes, but its errors are dependent: in experiments, the false alarm rate was twice
    the nominal one.

    Args:
        training, new_matrix: Shape (n, d) and (m, d). At least two rows each; NaN is missing.
    """
    from lightgbm import Dataset, train

    rng = np.random.default_rng(0)
    samples = [
        sample[rng.permutation(len(sample))[:_MAX_ROWS]] for sample in (training, new_matrix)
    ]
    learning, evaluation = (
        (
            np.concatenate([sample[first::2] for sample in samples]),
            np.repeat([0, 1], [len(sample[first::2]) for sample in samples]),
        )
        for first in (0, 1)
    )
    settings = {
        "objective": "binary", "num_leaves": 8, "learning_rate": 0.2, "min_data_in_leaf": 10,
        "max_bin": 63, "seed": 0, "num_threads": 1, "verbose": -1,
        "force_col_wise": True, "deterministic": True,
    }  # fmt: skip
    model = train(settings, Dataset(*learning), _TREES)
    probabilities = np.asarray(model.predict(evaluation[0], num_threads=1))
    predictions = np.column_stack([1 - probabilities, probabilities])
    auc_loss = Auc().compute_loss(evaluation[1], predictions)
    low, high = compute_loss_interval(Auc(), evaluation[1], predictions) or (0.0, 1.0)
    return 1 - auc_loss, 1 - high, 1 - low

"""Records of a study's statistics: overall, and for each pair of methods."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from studio.arrays import Floats
from studio.compare.cell_names import quote_method
from studio.compare.outcomes import compute_block_means
from studio.compare.statistics.intervals import (
    MIN_REPETITIONS,
    SIGNIFICANCE_LEVEL,
    Difference,
    Interval,
)
from studio.compare.statistics.ranks import MIN_BLOCKS, FriedmanTest
from studio.compare.statistics.two_methods import SignTest, WilcoxonTest
from studio.compare.tables.table import choose_error_format
from studio.data.metrics.registry import find_metric
from studio.numerals import NumeralFormat
from studio.phrases import count_phrase, phrase


@dataclass(frozen=True)
class Pair:
    """Two methods against each other over all data sets.

    Attributes:
        win_rate: Share of repetitions won by the first, ties ½, data sets equally weighted.
        wilcoxon: Over data sets, of :func:`compute_relative_differences` of mean test errors.
        wilcoxon_holm: The p-value of that test after Holm's correction for all pairs.
        probability_better: Poisson-binomial, that the first is better; ``None``: not requested.
        effect: Rank-biserial correlation of that test, in [−1, 1]; positive: the first is better.
        cliffs_delta: Cliff's δ over repetitions, averaged over data sets, in [−1, 1]; likewise.
        shift: Median relative difference (:func:`estimate_median_shift`); negative: better.
        detectable: See :func:`compute_detectable_shift`.
        difference: Data set → mean difference (first − second) over repetitions, with Holm's p.
    """

    first: str
    second: str
    win_rate: float
    sign: SignTest
    wilcoxon: WilcoxonTest
    wilcoxon_holm: float
    probability_better: float | None
    effect: float
    cliffs_delta: float
    shift: Interval
    detectable: float
    difference: Mapping[str, Difference]


@dataclass(frozen=True)
class Comparison:
    """A study's statistics.

    A *row* is a data set in one space, a *data set* all its spaces together.

    Attributes:
        methods: The methods with results.
        ranked: Those in ranks, wins, pairs and curves: all but the unranked ones.
        unranked: Method → the data sets that do not suit it.
        fixed_tests: Data sets with the same test rows in all repetitions, which decide nothing.
        is_refitted: Whether errors of a run are those of refitted models; curves never are.
        differences: Data set → pair of methods with results there → :attr:`Pair.difference`.
        duplicate_of: Duplicate methods → the earlier name; they are ignored.
        errors: Row → method → mean test error, over repetitions common to all, else over its own.
        finished: Row → method → number of finished repetitions.
        n_common_repetitions: Row → number of repetitions shared by its methods.
        uncertainties: Row, and data set → half the narrowest interval; infinite if none is known.
        units: Row, and data set → "%" for errors that are shares.
        metrics: Data set → the metric's key.
        datasets: Row → its data set.
        complete: Data set → errors, shape (repetitions, ranked), means over spaces, of repetitions
            that all ranked methods finished in every space; ranks and tests use only these.
        omitted_datasets: Data sets without complete repetitions.
        mean_ranks: Mean ranks over data sets by mean error, ties shared; empty without any.
        ranks: Mean ranks of single repetitions, with intervals over data sets.
        late_ranks: Mean ranks of the ensembles so far over the last
            :data:`studio.compare.outcomes.N_LATE_ITERATIONS` iterations, or all if fewer.
        p_against_best: Row → method → Holm's p of the paired test against the lowest mean error.
        win_rates: Share of the other methods beaten by each method.
        net_wins: Data sets won minus data sets lost, against all other methods.
        friedman: Over data sets; ``None`` with fewer than three data sets, or two methods.
        critical_difference: Nemenyi's at 5 %; likewise, and ``None`` unless :attr:`is_decidable`.
        curve: Iteration → mean ranks, shape (methods,), by test errors of the ensembles so far.
        error_curve: Iteration → mean test errors, shape (methods,), of a single data set; or empty.
        probability_curve: Iteration → Poisson-binomial probability, shape (methods,), of being
            better than the first one (½ for itself), by the ensembles so far; empty by default.
        is_timed: Whether the curves are over seconds because the runs had a time limit.
    """

    methods: tuple[str, ...]
    ranked: tuple[str, ...]
    unranked: Mapping[str, tuple[str, ...]]
    fixed_tests: tuple[str, ...]
    is_refitted: bool
    differences: Mapping[str, Mapping[tuple[str, str], Difference]]
    duplicate_of: Mapping[str, str]
    errors: Mapping[str, Mapping[str, Interval]]
    finished: Mapping[str, Mapping[str, int]]
    n_common_repetitions: Mapping[str, int]
    uncertainties: Mapping[str, float]
    units: Mapping[str, str]
    metrics: Mapping[str, str]
    datasets: Mapping[str, str]
    complete: Mapping[str, Floats]
    omitted_datasets: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    ranks: tuple[Interval, ...]
    late_ranks: tuple[float, ...]
    p_against_best: Mapping[str, Mapping[str, float]]
    win_rates: tuple[float, ...]
    net_wins: tuple[int, ...]
    friedman: FriedmanTest | None
    critical_difference: float | None
    pairs: tuple[Pair, ...]
    curve: Mapping[int, Floats]
    error_curve: Mapping[int, Floats]
    probability_curve: Mapping[int, Floats]
    is_timed: bool = False

    def has_fixed_test(self, name: str) -> bool:
        """Whether all repetitions of a row have the same test rows."""
        return self.datasets[name] in self.fixed_tests

    def get_mean_errors(self, name: str) -> dict[str, float]:
        """Return the mean errors of the ranked methods on a data set."""
        (means,) = compute_block_means({name: self.complete[name]}).tolist()
        return dict(zip(self.ranked, means, strict=True))

    def get_metric_title(self, dataset: str) -> str:
        """Return the title of a data set's metric; the key of one from another version."""
        metric = find_metric(self.metrics[dataset])
        return self.metrics[dataset] if metric is None else phrase(metric.title)

    def get_error_format(self, name: str) -> NumeralFormat:
        """Return the format of the errors of a row or data set."""
        if name in self.errors:
            errors = [each.mean for each in self.errors[name].values()]
        else:
            errors = list(self.get_mean_errors(name).values())
        return choose_error_format(errors, self.units[name], self.uncertainties[name])

    @property
    def repetitions_words(self) -> str:
        """The number of repetitions common to all methods, in words."""
        counts = [len(matrix) for matrix in self.complete.values()]
        if len(counts) == 1:
            return format_repetitions(counts)
        return phrase(
            "{repetitions} on each of {n} data sets",
            repetitions=format_repetitions(counts),
            n=len(counts),
        )

    @property
    def is_decidable(self) -> bool:
        """Whether all data sets have enough repetitions for significance."""
        return bool(self.complete) and min(map(len, self.complete.values())) >= MIN_REPETITIONS

    @property
    def has_tested_leads(self) -> bool:
        """Whether data sets and repetitions suffice for tests over data sets."""
        return self.is_decidable and len(self.complete) >= MIN_BLOCKS

    def find_better(self, pair: Pair) -> str:
        """Return the significantly better of two methods; empty if undecided.

        Decided by the test over repetitions on one data set, or Wilcoxon's test over several data
        sets, corrected for all pairs.
        """
        if not self.is_decidable:
            return ""
        if len(self.complete) == 1:
            (difference,) = pair.difference.values()
            winner = pair.first if difference.interval.mean < 0 else pair.second
            return "" if difference.is_undecided else winner
        winner = pair.first if pair.effect > 0 else pair.second
        return "" if pair.wilcoxon_holm >= SIGNIFICANCE_LEVEL else winner

    def to_json(self) -> dict[str, Any]:
        """Return the statistics as one plain JSON object."""
        ranks_by_method = dict(zip(self.ranked, self.ranks, strict=True)) if self.ranks else {}
        return {
            "methods": list(self.methods),
            "duplicate_of": dict(self.duplicate_of),
            "errors": {
                block: {method: each.mean for method, each in row.items()}
                for block, row in self.errors.items()
            },
            "intervals": {
                block: {method: _get_ends(each) for method, each in row.items()}
                for block, row in self.errors.items()
            },
            "repetitions": {block: dict(row) for block, row in self.finished.items()},
            "compared_repetitions": dict(self.n_common_repetitions),
            "left_out": list(self.omitted_datasets),
            "unranked": {method: list(names) for method, names in self.unranked.items()},
            "same_test_rows": list(self.fixed_tests),
            "mean_rank": dict(zip(self.ranked, self.mean_ranks, strict=False)),
            "repetition_rank": {method: each.mean for method, each in ranks_by_method.items()},
            "repetition_rank_interval": {
                method: _get_ends(each) for method, each in ranks_by_method.items()
            },
            "late_rank": dict(zip(self.ranked, self.late_ranks, strict=False)),
            "against_best_p": {block: dict(row) for block, row in self.p_against_best.items()},
            "win_rate": dict(zip(self.ranked, self.win_rates, strict=False)),
            "net_wins": dict(zip(self.ranked, self.net_wins, strict=False)),
            "friedman_p": None if self.friedman is None else self.friedman.p,
            "iman_davenport_p": None if self.friedman is None else self.friedman.f_p,
            "critical_difference": self.critical_difference,
            "rank_curve": _curve_to_json(self.curve),
            "pb_curve": _curve_to_json(self.probability_curve),
            "pairs": [
                {**_pair_to_json(pair), "decided_for": self.find_better(pair) or None}
                for pair in self.pairs
            ],
        }


def explain_unranked(comparison: Comparison) -> list[str]:
    """Return a sentence for each method that is not ranked, with the data sets that hinder it."""
    return [
        phrase(
            "{method} is not ranked: it cannot be used on {names}.",
            method=quote_method(method),
            names=", ".join(names),
        )
        for method, names in comparison.unranked.items()
    ]


def explain_fixed_tests(comparison: Comparison) -> list[str]:
    """Return a sentence if all repetitions of a data set have the same test rows."""
    if not comparison.fixed_tests:
        return []
    return [
        phrase(
            "All repetitions on {names} have the same test rows (division by time). They show "
            "the variation between searches, not between samples of rows, so no conclusion is "
            "drawn there.",
            names=", ".join(comparison.fixed_tests),
        )
    ]


def format_repetitions(counts: Sequence[int]) -> str:
    """Return the number of repetitions per data set, at least one: "5 repetitions", "3 to 5 …"."""
    low, high = min(counts), max(counts)
    if low < high:
        return phrase("{low} to {high} repetitions", low=low, high=high)
    return count_phrase("{count} repetition", "{count:,} repetitions", high)


def _get_ends(interval: Interval) -> list[float] | None:
    return [interval.low, interval.high] if interval.has_known_spread else None


def _curve_to_json(curve: Mapping[int, Floats]) -> dict[str, list[float]]:
    return {str(n_trials): [float(each) for each in values] for n_trials, values in curve.items()}


def _pair_to_json(pair: Pair) -> dict[str, Any]:
    return {
        "first": pair.first,
        "second": pair.second,
        "winning_frequency": pair.win_rate,
        "wins": pair.sign.wins,
        "losses": pair.sign.losses,
        "sign_p": pair.sign.p_two_sided,
        "wilcoxon_p": pair.wilcoxon.p,
        "wilcoxon_holm_p": pair.wilcoxon_holm,
        "pb": pair.probability_better,
        "effect": pair.effect,
        "cliffs_delta": pair.cliffs_delta,
        "undecided": [block for block, each in pair.difference.items() if each.is_undecided],
    }

"""What a study's statistics are: a record of all methods, and one of every pair."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.arrays import Floats
from studio.compare.statistics.bootstrap import Interval
from studio.compare.statistics.friedman import FriedmanTest
from studio.compare.statistics.sign import SignTest
from studio.compare.statistics.wilcoxon import WilcoxonTest


@dataclass(frozen=True)
class Pair:
    """Two methods against each other over all blocks.

    Attributes
    ----------
    first, second : str
        Their names.
    winning : float
        Share of repetitions that the first wins, ties ½, every block with the same weight.
    sign : SignTest
        Over blocks, by mean test error.
    wilcoxon : WilcoxonTest
        Likewise.
    wilcoxon_holm : float
        Its p after Holm's correction for all pairs.
    better : float or None
        Poisson-binomial probability that the first is better; ``None`` if it was not asked for.
    effect : float
        Rank-biserial correlation over blocks in [−1, 1]; above zero the first is better.
    delta : float
        Cliff's δ over repetitions, averaged over blocks, in [−1, 1]; likewise.
    difference : dict
        Block → mean paired difference of test errors (first − second) with its interval.
    """

    first: str
    second: str
    winning: float
    sign: SignTest
    wilcoxon: WilcoxonTest
    wilcoxon_holm: float
    better: float | None
    effect: float
    delta: float
    difference: Mapping[str, Interval]


@dataclass(frozen=True)
class Comparison:
    """A study's statistics.

    Attributes
    ----------
    methods : tuple of str
        Those that finished at least one cell.
    errors : dict
        Block → method → mean test error over its finished repetitions, with its interval.
    counts : dict
        Block → method → how many repetitions that is.
    units : dict
        Block → "%" where errors are shares.
    complete : dict
        Block → matrix (repetitions, methods) of the repetitions that all methods finished; ranks
        and tests rest on these alone. Blocks without any are missing.
    mean_ranks : tuple of float
        Rank of each method by its mean error in a block, ties sharing, averaged over blocks;
        empty without a complete block.
    ranks : tuple of Interval
        The same of single repetitions instead of their means, with its interval.
    late_ranks : tuple of float
        Mean rank of each method's ensembles so far, averaged over the last 15 iterations.
    against_best : dict
        Block → method → p of Wilcoxon's two-sided test over the repetitions against the method
        with the least mean error there (1 for that one).
    win_rates : tuple of float
        Share of methods that each beats.
    net_wins : tuple of int
        Won less lost blocks, against all others.
    friedman : FriedmanTest or None
        Over blocks; ``None`` with fewer than two blocks or methods.
    critical_difference : float or None
        Nemenyi's at 5 %, likewise.
    pairs : tuple of Pair
        All pairs.
    curve : dict
        Iteration → mean rank of each method by the test error of its ensemble so far.
    probability_curve : dict
        Iteration → Poisson-binomial probability that each method is better than the first one, by
        the ensembles so far (½ for the first itself); empty if it was not asked for.
    """

    methods: tuple[str, ...]
    errors: Mapping[str, Mapping[str, Interval]]
    counts: Mapping[str, Mapping[str, int]]
    units: Mapping[str, str]
    complete: Mapping[str, Floats]
    mean_ranks: tuple[float, ...]
    ranks: tuple[Interval, ...]
    late_ranks: tuple[float, ...]
    against_best: Mapping[str, Mapping[str, float]]
    win_rates: tuple[float, ...]
    net_wins: tuple[int, ...]
    friedman: FriedmanTest | None
    critical_difference: float | None
    pairs: tuple[Pair, ...]
    curve: Mapping[int, Floats]
    probability_curve: Mapping[int, Floats]

    def to_json(self) -> dict[str, Any]:
        """Return the statistics as one plain JSON object."""
        named = dict(zip(self.methods, self.ranks, strict=True)) if self.ranks else {}
        return {
            "methods": list(self.methods),
            "errors": {
                block: {method: each.mean for method, each in row.items()}
                for block, row in self.errors.items()
            },
            "intervals": {
                block: {method: [each.low, each.high] for method, each in row.items()}
                for block, row in self.errors.items()
            },
            "repetitions": {block: dict(row) for block, row in self.counts.items()},
            "mean_rank": dict(zip(self.methods, self.mean_ranks, strict=False)),
            "repetition_rank": {method: each.mean for method, each in named.items()},
            "repetition_rank_interval": {
                method: [each.low, each.high] for method, each in named.items()
            },
            "late_rank": dict(zip(self.methods, self.late_ranks, strict=False)),
            "against_best_p": {block: dict(row) for block, row in self.against_best.items()},
            "win_rate": dict(zip(self.methods, self.win_rates, strict=False)),
            "net_wins": dict(zip(self.methods, self.net_wins, strict=False)),
            "friedman_p": None if self.friedman is None else self.friedman.p,
            "iman_davenport_p": None if self.friedman is None else self.friedman.f_p,
            "critical_difference": self.critical_difference,
            "rank_curve": _curve_json(self.curve),
            "pb_curve": _curve_json(self.probability_curve),
            "pairs": [_pair_json(pair) for pair in self.pairs],
        }


def _curve_json(curve: Mapping[int, Floats]) -> dict[str, list[float]]:
    return {str(at): [float(each) for each in values] for at, values in curve.items()}


def _pair_json(pair: Pair) -> dict[str, Any]:
    return {
        "first": pair.first,
        "second": pair.second,
        "winning_frequency": pair.winning,
        "wins": pair.sign.wins,
        "losses": pair.sign.losses,
        "sign_p": pair.sign.p_two_sided,
        "wilcoxon_p": pair.wilcoxon.p,
        "wilcoxon_holm_p": pair.wilcoxon_holm,
        "pb": pair.better,
        "effect": pair.effect,
        "cliffs_delta": pair.delta,
        "undecided": [block for block, each in pair.difference.items() if each.undecided],
    }

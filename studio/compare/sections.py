"""The sections of a study's report: pieces of Markdown, empty where there is nothing to say."""

import math
from collections.abc import Sequence

import numpy as np

from studio.compare.analysis import ZEROS, block_means
from studio.compare.comparison import Comparison, Pair
from studio.compare.outcomes import Outcome
from studio.compare.statistics.bootstrap import CONFIDENCE, RESAMPLES, Interval
from studio.compare.statistics.nemenyi import groups
from studio.compare.statistics.ranks import average_ranks
from studio.compare.statistics.spread import spread

_PB_MARKS = ((0.95, "***"), (0.9, "**"), (0.8, "*"))
_SIGN_MARKS = ((0.01, "†††"), (0.05, "††"), (0.1, "†"))


def errors(comparison: Comparison) -> str:
    """Return the table of mean test errors, data set by data set."""
    rows = []
    notes = []
    for block, row in comparison.errors.items():
        unit = comparison.units[block]
        best = min(row, key=lambda name: row[name].mean)
        least = _shown(row[best].mean, unit)
        cells = []
        for name in comparison.methods:
            if name not in row:
                cells.append("–")
                continue
            mean = _shown(row[name].mean, unit)
            # What is printed alike is equally good to whoever reads it.
            text = f"**{mean}**" if mean == least else mean
            cells.append(f"{text} [{_shown(row[name].low, unit)}, {_shown(row[name].high, unit)}]")
        count = max(comparison.counts[block].values())
        rows.append([f"{block}{' (%)' if unit == '%' else ''}", str(count), *cells])
        level = [name for name in row if name != best and row[name].overlaps(row[best])]
        if level:
            notes.append(
                f"- {block}: undecided between {best} and {', '.join(level)} (intervals overlap)."
            )
    lines = [
        "## Mean test errors",
        f"Mean over repetitions with its {CONFIDENCE:.0%} bootstrap interval ({RESAMPLES} samples; "
        "of a single repetition, over its test rows where the models were fitted again). The best "
        "is bold. Intervals of few repetitions are narrow by nature.",
        _table(["data set", "n", *comparison.methods], rows),
        "\n".join(notes),
    ]
    return "\n\n".join(line for line in lines if line)


def ranks(comparison: Comparison) -> str:
    """Return mean ranks with what tests say of all methods together."""
    if not comparison.ranks:
        return "## Ranks\n\nThere is no repetition that every method finished, so there are none."
    rows = []
    best = min(comparison.mean_ranks)
    for name, of_means, rank, rate, net in zip(
        comparison.methods,
        comparison.mean_ranks,
        comparison.ranks,
        comparison.win_rates,
        comparison.net_wins,
        strict=True,
    ):
        mean = f"**{of_means:.2f}**" if of_means == best else f"{of_means:.2f}"
        single = f"{rank.mean:.2f} [{rank.low:.2f}, {rank.high:.2f}]"
        rows.append([name, mean, single, f"{rate:.0%}", f"{net:+d}"])
    repetitions = sum(len(matrix) for matrix in comparison.complete.values())
    lines = [
        "## Ranks",
        f"Mean rank: by the mean errors of the {len(comparison.complete)} data sets, ties share. "
        f"By repetition: the same of each of {repetitions} repetitions, data sets weighing the "
        "same; its 95 % interval resamples data sets, and repetitions inside them. Win rate = "
        "1 − (rank by repetition − ½)/m. Net wins: won less lost data sets, against all others.",
        _table(["method", "mean rank", "by repetition", "win rate", "net wins"], rows),
        _overall(comparison),
    ]
    return "\n\n".join(line for line in lines if line)


def _overall(comparison: Comparison) -> str:
    if comparison.friedman is None or comparison.critical_difference is None:
        return ""
    test = comparison.friedman
    bars = groups(
        average_ranks(block_means(comparison.complete)).mean(axis=0), comparison.critical_difference
    )
    together = "; ".join(", ".join(comparison.methods[i] for i in bar) for bar in bars)
    return (
        f"Friedman over the data sets' means: χ² = {test.chi_square:.2f}, p = {_p(test.p)}; "
        f"Iman–Davenport: F = {test.f:.2f}, p = {_p(test.f_p)}. Nemenyi's critical difference of "
        f"mean ranks at 5 %: {comparison.critical_difference:.2f}; not told apart: "
        f"{together or 'none'}."
    )


def pairs(comparison: Comparison) -> str:
    """Return every pair's wins, probabilities and p values."""
    if not comparison.pairs:
        return ""
    rows = [_pair(pair) for pair in comparison.pairs]
    lines = [
        "## Pairs",
        "Wins and losses, the sign test (ties dropped) and Wilcoxon's test (exact; zeros: "
        f"{ZEROS}; Holm over all pairs) are over the data sets' mean errors. Winning frequency: "
        "share of repetitions, ties ½. PB: Poisson-binomial probability that the first is better "
        "on more than half of such data sets, from the test predictions of the models that the "
        "trials fitted (0-1 errors exactly; for regression by the normal distribution of the mean "
        "paired loss difference). Marks: PB above 0.8 \\*, 0.9 \\*\\*, 0.95 \\*\\*\\*; sign test "
        "p below 0.1 †, 0.05 ††, 0.01 †††.",
        _table(
            ["first", "second", "won–lost", "winning", "PB", "sign p", "Wilcoxon p", "with Holm"],
            rows,
        ),
    ]
    return "\n\n".join(lines)


def _pair(pair: Pair) -> list[str]:
    probability = "–"
    if pair.better is not None:
        sure = max(pair.better, 1 - pair.better)
        mark = next((mark for limit, mark in _PB_MARKS if sure > limit), "")
        probability = f"{pair.better:.3f}{mark}".replace("*", "\\*")
    p = pair.sign.p_two_sided
    mark = next((mark for limit, mark in _SIGN_MARKS if p < limit), "")
    return [
        pair.first,
        pair.second,
        f"{pair.sign.wins}–{pair.sign.losses}",
        f"{pair.winning:.2f}",
        probability,
        f"{_p(p)}{mark}",
        _p(pair.wilcoxon.p),
        _p(pair.wilcoxon_holm),
    ]


def differences(comparison: Comparison) -> str:
    """Return every pair's mean differences, data set by data set."""
    if not comparison.pairs:
        return ""
    rows = [
        [
            f"{pair.first} − {pair.second}",
            *(
                _difference(pair.difference[block], comparison.units[block])
                for block in comparison.complete
            ),
        ]
        for pair in comparison.pairs
    ]
    return "\n\n".join(
        [
            "## Differences of test errors",
            "Mean paired difference over repetitions with its bootstrap interval; below zero the "
            "first is better. *Undecided*: zero is inside the interval.",
            _table(["pair", *comparison.complete], rows),
        ]
    )


def _difference(interval: Interval, unit: str) -> str:
    low, mean, high = (_shown(each, unit) for each in (interval.low, interval.mean, interval.high))
    word = " *undecided*" if interval.undecided else ""
    return f"{mean} [{low}, {high}]{word}"


def curve(comparison: Comparison) -> str:
    """Return how mean ranks develop over the iterations."""
    if not comparison.curve:
        return ""
    rows = [
        [name, *(f"{ranks[i]:.2f}" for ranks in comparison.curve.values())]
        for i, name in enumerate(comparison.methods)
    ]
    return "\n\n".join(
        [
            "## Mean rank over the iterations",
            "By the test error of what each method would end in after so many trials, as the "
            "trials fitted it.",
            _table(["method", *map(str, comparison.curve)], rows),
        ]
    )


def costs(comparison: Comparison, outcomes: Sequence[Outcome]) -> str:
    """Return what suggestions and runs took."""
    rows = []
    for name in comparison.methods:
        own = [each for each in outcomes if each.method == name]
        suggesting = spread(np.array([each.suggest_seconds for each in own]))
        trials = sum(each.trials for each in own)
        rows.append(
            [
                name,
                str(len(own)),
                str(trials),
                f"{sum(each.failed for each in own) / trials:.1%}",
                f"{suggesting.median:.1f} ({suggesting.lower:.1f}–{suggesting.upper:.1f})",
                f"{sum(each.suggest_seconds for each in own) / trials:.3f}",
                f"{sum(each.seconds for each in own) / 60:.1f}",
            ]
        )
    total = sum(each.seconds for each in outcomes) / 60
    return "\n\n".join(
        [
            "## Cost",
            f"All runs together: {total:.1f} minutes of wall time, one after the other.",
            _table(
                [
                    "method",
                    "runs",
                    "trials",
                    "failed",
                    "CPU s of suggestions a run, median (quartiles)",
                    "a trial",
                    "minutes",
                ],
                rows,
            ),
        ]
    )


def measures(comparison: Comparison, outcomes: Sequence[Outcome]) -> str:
    """Return what is known of the searches themselves; empty where nothing is."""
    names = sorted({name for each in outcomes for name in each.measures})
    if not names:
        return ""
    rows = []
    for method in comparison.methods:
        own = [each.measures for each in outcomes if each.method == method]
        cells = []
        for name in names:
            values = [each[name] for each in own if name in each]
            cells.append(f"{np.mean(values):.4g}" if values else "–")
        if any(cell != "–" for cell in cells):
            rows.append([method, *cells])
    return "\n\n".join(
        [
            "## The searches",
            "What suggestions told of themselves, averaged over trials and runs; how far trials "
            "were from the ensemble before them; how often that changed (per run).",
            _table(["method", *names], rows),
        ]
    )


def _shown(value: float, unit: str) -> str:
    if not math.isfinite(value):
        return "–"
    return f"{100 * value:.2f}" if unit == "%" else f"{value:.4g}"


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)

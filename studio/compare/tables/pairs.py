"""Tables of every pair: tests, SMBEO's win rates with marks, and differences."""

from collections.abc import Sequence

from studio.compare.analysis import ZEROS
from studio.compare.comparison import Comparison, Pair
from studio.compare.outcomes import Outcome
from studio.compare.statistics.bootstrap import Interval
from studio.compare.tables.numbers import p_text, shown
from studio.compare.tables.table import Cell, Table, plain

PB_MARKS = ((0.95, "***"), (0.9, "**"), (0.8, "*"))
"""SMBEO's marks of the Poisson-binomial probability, and above what they stand."""

SIGN_MARKS = ((0.01, "†††"), (0.05, "††"), (0.1, "†"))
"""Its marks of the sign test, and below which p they stand."""

_MARKS = "Marks: PB above 0.8 *, 0.9 **, 0.95 ***; sign test p below 0.1 †, 0.05 ††, 0.01 †††."


def pb_mark(probability: float) -> str:
    """Return the mark of a Poisson-binomial probability, whichever of the two it favours."""
    sure = max(probability, 1 - probability)
    return next((mark for limit, mark in PB_MARKS if sure > limit), "")


def sign_mark(p: float) -> str:
    """Return the mark of a sign test's p."""
    return next((mark for limit, mark in SIGN_MARKS if p < limit), "")


def pairs(comparison: Comparison, outcomes: Sequence[Outcome]) -> Table | None:
    """Return every pair's wins, probabilities, p values and effect sizes."""
    del outcomes
    if not comparison.pairs:
        return None
    heads = ("first", "second", "won–lost", "winning", "PB", "sign p", "Wilcoxon p", "with Holm")
    return Table(
        "pairs",
        "Pairs",
        "Wins and losses, the sign test (ties dropped) and Wilcoxon's test (exact; zeros: "
        f"{ZEROS}; Holm over all pairs) are over the data sets' mean errors. Winning frequency: "
        "share of repetitions, ties ½. PB: Poisson-binomial probability that the first is better "
        "on more than half of such data sets, from the test predictions of the models that the "
        "trials fitted (0-1 errors exactly; for regression by the normal distribution of the mean "
        f"paired loss difference). {_MARKS} Effect: rank-biserial correlation over data sets, "
        "from −1 (the first always worse) to 1 (always better). Cliff's δ: the same over "
        "repetitions, averaged over data sets.",
        (*heads, "effect", "Cliff's δ"),
        tuple(_pair(pair) for pair in comparison.pairs),
    )


def _pair(pair: Pair) -> tuple[Cell, ...]:
    probability = Cell("–")
    if pair.better is not None:
        probability = Cell(f"{pair.better:.3f}", note=pb_mark(pair.better))
    p = pair.sign.p_two_sided
    return (
        *plain(pair.first, pair.second, f"{pair.sign.wins}–{pair.sign.losses}"),
        Cell(f"{pair.winning:.2f}"),
        probability,
        Cell(p_text(p), note=sign_mark(p)),
        *plain(p_text(pair.wilcoxon.p), p_text(pair.wilcoxon_holm)),
        *plain(f"{pair.effect:+.2f}", f"{pair.delta:+.2f}"),
    )


def wins(comparison: Comparison, outcomes: Sequence[Outcome]) -> Table | None:
    """Return how often the method of a row beats that of a column, with SMBEO's marks."""
    del outcomes
    if not comparison.pairs:
        return None
    found: dict[tuple[str, str], Cell] = {}
    for pair in comparison.pairs:
        marks = sign_mark(pair.sign.p_two_sided)
        if pair.better is not None:
            marks = f"{pb_mark(pair.better)}{marks}"
        first = pair.winning >= 0.5
        found[pair.first, pair.second] = Cell(f"{pair.winning:.2f}", note=marks if first else "")
        found[pair.second, pair.first] = Cell(
            f"{1 - pair.winning:.2f}", note="" if first else marks
        )
    names = comparison.methods
    return Table(
        "wins",
        "Win rates",
        "Share of repetitions that the method of the row wins against that of the column, ties ½, "
        f"data sets weighing the same; marks stand at the winner's. {_MARKS}",
        ("method", *names),
        tuple(
            (Cell(row), *(found.get((row, column), Cell("·")) for column in names)) for row in names
        ),
    )


def differences(comparison: Comparison, outcomes: Sequence[Outcome]) -> Table | None:
    """Return every pair's mean differences, data set by data set."""
    del outcomes
    if not comparison.pairs:
        return None
    return Table(
        "differences",
        "Differences of test errors",
        "Mean paired difference over repetitions with its bootstrap interval; below zero the "
        "first is better. Undecided: zero is inside the interval.",
        ("pair", *comparison.complete),
        tuple(
            (
                Cell(f"{pair.first} − {pair.second}"),
                *(
                    _difference(pair.difference[block], comparison.units[block])
                    for block in comparison.complete
                ),
            )
            for pair in comparison.pairs
        ),
    )


def _difference(interval: Interval, unit: str) -> Cell:
    low, mean, high = (shown(each, unit) for each in (interval.low, interval.mean, interval.high))
    word = " undecided" if interval.undecided else ""
    return Cell(mean, note=f"[{low}, {high}]{word}")

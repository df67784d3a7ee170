"""Tables of every pair of methods: tests, SMBEO's win rates, and differences."""

from collections.abc import Mapping
from itertools import combinations

from studio.compare.comparison import Comparison, Pair
from studio.compare.statistics.intervals import (
    MIN_REPETITIONS,
    SIGNIFICANCE_LEVEL,
    Difference,
    Interval,
)
from studio.compare.statistics.ranks import MIN_BLOCKS
from studio.compare.statistics.two_methods import ZERO_METHOD, SignTest
from studio.compare.tables.table import (
    ResultTable,
    TableCell,
    format_error,
    format_error_phrase,
    format_interval,
    format_p_value,
    format_points,
    format_share,
)
from studio.numerals import NumeralFormat, format_number
from studio.phrases import phrase

PB_MARKS = ((0.95, "***"), (0.9, "**"), (0.8, "*"))
"""SMBEO's marks of the Poisson-binomial probability, and their thresholds."""

SIGN_MARKS = ((0.01, "†††"), (0.05, "††"), (0.1, "†"))
"""SMBEO's marks of the sign test, and their p-value thresholds."""

DIFFERENCES = phrase("Differences of test errors")
"""The title of the table of differences by data set."""

_MARKS_NOTE = phrase(
    "Marks, for at least {datasets} data sets with at least {fewest} repetitions each: PB above "
    "0.8 *, 0.9 **, 0.95 ***; sign test p below 0.1 †, 0.05 ††, 0.01 †††.",
    datasets=MIN_BLOCKS,
    fewest=MIN_REPETITIONS,
)


def get_pb_mark(probability: float) -> str:
    """Return the mark of a Poisson-binomial probability, for the method that it favours."""
    return next((mark for limit, mark in PB_MARKS if probability > limit), "")


def get_sign_mark(test: SignTest) -> str:
    """Return the mark of a sign test, for the method with more wins."""
    if test.wins <= test.losses:
        return ""
    return next((mark for limit, mark in SIGN_MARKS if test.p_two_sided < limit), "")


def make_pairs_table(comparison: Comparison) -> ResultTable | None:
    """Return every pair's wins, probabilities, p values and effect sizes over data sets."""
    if not comparison.pairs or len(comparison.complete) < 2:
        return None
    is_tested = comparison.has_tested_leads
    rows = [_make_pair_row(pair, is_tested=is_tested) for pair in comparison.pairs]
    return ResultTable(
        "pairs",
        phrase("Pairs"),
        phrase(
            "Wins and losses, the sign test (ties dropped) and Wilcoxon's test (exact; "
            "zeros: {zeros}; Holm over all pairs) are over the data sets' mean errors; "
            "Wilcoxon's takes their difference relative to the mean of the two, which has no "
            "unit and needs no third method. Winning frequency: share of repetitions, ties "
            "½. PB: Poisson-binomial probability that the first is better on more than half "
            "of such data sets, from the test predictions of the models that the trials "
            "fitted (0-1 errors exactly; for regression by the normal distribution of the "
            "mean paired loss difference). {marks} The name after a mark is the method that it "
            "favours. Effect: rank-biserial correlation of Wilcoxon's test, from −1 (the first "
            "always worse) to 1 (always better). Cliff's δ: the same over repetitions, averaged "
            "over data sets. Relative difference: the first's error less the second's in per "
            "cent of their mean, the median over data sets with the 95 % interval that belongs to "
            "Wilcoxon's test (Hodges and Lehmann; from six data sets on, not corrected for "
            "further pairs). "
            "Detectable: the difference that 80 % of studies with this many data sets and this "
            "spread would find.",
            zeros=ZERO_METHOD,
            marks=_MARKS_NOTE,
        ),
        tuple(rows[0]),
        tuple(tuple(row.values()) for row in rows),
    )


def _make_pair_row(pair: Pair, *, is_tested: bool) -> dict[str, TableCell]:
    """Return the cells of a pair by header; tests over data sets only where they are meaningful."""
    probability, sign_p, wilcoxon_p, holm_p = TableCell("–"), TableCell("–"), "–", "–"
    if pair.probability_better is not None:
        marks = {
            pair.first: get_pb_mark(pair.probability_better),
            pair.second: get_pb_mark(1 - pair.probability_better),
        }
        note = _format_marked_method(marks) if is_tested else ""
        probability = TableCell(format_number(pair.probability_better, ".3f"), note=note)
    if is_tested:
        sign, swapped = get_sign_mark(pair.sign), get_sign_mark(pair.sign.swapped)
        note = _format_marked_method({pair.first: sign, pair.second: swapped})
        sign_p = TableCell(format_p_value(pair.sign.p_two_sided), note=note)
        wilcoxon_p, holm_p = map(format_p_value, (pair.wilcoxon.p, pair.wilcoxon_holm))
    detectable = format_share(pair.detectable, 1) if pair.shift.has_known_spread else "–"
    shift = TableCell(_format_percent(pair.shift.mean), note=_format_ends(pair.shift))
    return {
        phrase("first"): TableCell(pair.first),
        phrase("second"): TableCell(pair.second),
        phrase("won–lost"): TableCell(f"{pair.sign.wins}–{pair.sign.losses}"),
        phrase("winning"): TableCell(format_share(pair.win_rate)),
        phrase("PB"): probability,
        phrase("sign p"): sign_p,
        phrase("Wilcoxon p"): TableCell(wilcoxon_p),
        phrase("with Holm"): TableCell(holm_p),
        phrase("effect"): TableCell(f"{pair.effect:+.2f}"),
        phrase("Cliff's δ"): TableCell(f"{pair.cliffs_delta:+.2f}"),
        phrase("relative difference"): shift,
        phrase("detectable"): TableCell(detectable),
    }


def _format_percent(share: float) -> str:
    return format_share(share, 1, "+")


def _format_ends(interval: Interval) -> str:
    if not interval.has_known_spread:
        return ""
    return f"[{_format_percent(interval.low)}, {_format_percent(interval.high)}]"


def _format_marked_method(marks: Mapping[str, str]) -> str:
    return next((f"{mark} {name}" for name, mark in marks.items() if mark), "")


def make_wins_table(comparison: Comparison) -> ResultTable | None:
    """Return the win rate of a row's method against a column's, with SMBEO's marks."""
    if not comparison.pairs or len(comparison.complete) < 2:
        return None
    cells: dict[tuple[str, str], TableCell] = {}
    marked = comparison.has_tested_leads
    for pair in comparison.pairs:
        probability = 0.5 if pair.probability_better is None else pair.probability_better
        # Each mark shows the winner of its test, which may not have won most repetitions.
        marks = f"{get_pb_mark(probability)}{get_sign_mark(pair.sign)}" if marked else ""
        cells[pair.first, pair.second] = TableCell(format_share(pair.win_rate), note=marks)
        marks = f"{get_pb_mark(1 - probability)}{get_sign_mark(pair.sign.swapped)}"
        note = marks if marked else ""
        cells[pair.second, pair.first] = TableCell(format_share(1 - pair.win_rate), note=note)
    names = comparison.ranked
    return ResultTable(
        "wins",
        phrase("Win rates"),
        phrase(
            "Share of repetitions in which the row's method beats the column's; ties count as ½, "
            "and data sets have equal weights. A mark is next to the winner of a test of this "
            "pair alone, over data sets, not repetitions. {marks}",
            marks=_MARKS_NOTE,
        ),
        (phrase("method"), *names),
        tuple(
            (TableCell(row), *(cells.get((row, column), TableCell("·")) for column in names))
            for row in names
        ),
    )


def make_differences_table(comparison: Comparison) -> ResultTable | None:
    """Return each pair's mean differences by data set."""
    if not comparison.pairs:
        return None
    pairs = [
        pair
        for pair in combinations(comparison.methods, 2)
        if any(pair in each for each in comparison.differences.values())
    ]
    return ResultTable(
        "differences",
        DIFFERENCES,
        phrase(
            "Mean paired difference over repetitions with its 95 % interval (Student's, "
            "corrected for the rows that repetitions share, for this pair alone); below zero the "
            "first is better. "
            "Undecided: p is not below {level:g} with Holm's correction for all pairs of the "
            "data set; with fewer than {fewest} repetitions, or the same test rows in all of them, "
            "nothing is decided and there is no interval.",
            level=SIGNIFICANCE_LEVEL,
            fewest=MIN_REPETITIONS,
        ),
        (phrase("pair"), *comparison.complete),
        tuple(
            (
                TableCell(f"{pair[0]} − {pair[1]}"),
                *(
                    _format_difference(
                        differences[pair],
                        comparison.units[block],
                        comparison.get_error_format(block),
                        len(differences),
                    )
                    if pair in differences
                    else TableCell("–")
                    for block, differences in comparison.differences.items()
                ),
            )
            for pair in pairs
        ),
    )


def _format_difference(
    difference: Difference, unit: str, number_format: NumeralFormat, n_pairs: int
) -> TableCell:
    note = format_interval(difference.interval, unit, number_format)
    if difference.is_undecided:
        note = phrase("undecided")
        if difference.interval.has_known_spread:
            low, high = (
                format_points(100 * end, number_format)
                if unit == "%"
                else format_error_phrase(end, unit, number_format)
                for end in (difference.interval.low, difference.interval.high)
            )
            note = phrase("[{low}, {high}] undecided", low=low, high=high)
            if difference.interval.low > 0 or difference.interval.high < 0:
                note = phrase(
                    "[{low}, {high}] undecided after correction for {n} comparisons",
                    low=low,
                    high=high,
                    n=n_pairs,
                )
    return TableCell(format_error(difference.interval.mean, unit, number_format), note=note)

"""Tables over time: ranks by iteration, algorithms, costs, measures."""

from collections.abc import Sequence

import numpy as np

from studio.compare.comparison import Comparison
from studio.compare.outcomes import CellOutcome
from studio.compare.tables.table import ResultTable, TableCell, format_share, make_plain_cells
from studio.phrases import phrase

_ITERATION_SHARES = (0.125, 0.25, 0.5, 0.75, 1.0)
"""Points of the table of mean ranks, as shares of the iterations; the diagram has more."""


def curve(comparison: Comparison, outcomes: Sequence[CellOutcome]) -> ResultTable | None:
    """Return the mean ranks over the iterations."""
    del outcomes
    if not comparison.curve:
        return None
    points_known = list(comparison.curve)
    positions = (round(share * len(points_known)) for share in _ITERATION_SHARES)
    points = sorted({points_known[max(1, position) - 1] for position in positions})
    return ResultTable(
        "rank-over-iterations",
        phrase("Mean rank during the search"),
        phrase(
            "By the test error of the result that each method would return after that many "
            "trials, as the trials fitted it."
        ),
        (phrase("method"), *map(str, points)),
        tuple(
            make_plain_cells(name, *(f"{comparison.curve[at][i]:.2f}" for at in points))
            for i, name in enumerate(comparison.methods)
        ),
    )


def algorithms(comparison: Comparison, outcomes: Sequence[CellOutcome]) -> ResultTable | None:
    """Return the share of each algorithm among trials and in the final ensembles (thesis 5.8)."""
    outcomes_chosen = [each for each in outcomes if each.algorithms]
    names = sorted({name for each in outcomes_chosen for name in each.algorithms})
    if len(names) < 2:
        return None
    rows = []
    for method in comparison.methods:
        shares_of_method = [each.algorithms for each in outcomes_chosen if each.method == method]
        if shares_of_method:
            cells = [TableCell(method)]
            for name in names:
                mean_shares = np.mean(
                    [each.get(name, (0.0, 0.0)) for each in shares_of_method], axis=0
                )
                cells.append(
                    TableCell(
                        format_share(mean_shares[0]), note=f"({format_share(mean_shares[1])})"
                    )
                )
            rows.append(tuple(cells))
    return ResultTable(
        "algorithms",
        phrase("Chosen algorithms"),
        phrase(
            "Share of each algorithm among the trials and, in brackets, by weight in the final "
            "ensembles; means over all runs."
        ),
        (phrase("method"), *names),
        tuple(rows),
    )


def costs(comparison: Comparison, outcomes: Sequence[CellOutcome]) -> ResultTable:
    """Return the costs of suggestions and runs."""
    rows = []
    for name in comparison.methods:
        method_outcomes = [each for each in outcomes if each.method == name]
        seconds = [each.suggest_seconds for each in method_outcomes]
        lower, median, upper = np.quantile(seconds, [0.25, 0.5, 0.75])
        trials = sum(each.trials for each in method_outcomes)
        rows.append(
            make_plain_cells(
                name,
                str(len(method_outcomes)),
                str(trials),
                format_share(sum(each.failed for each in method_outcomes) / trials, 1),
                format_share(sum(each.unfinished for each in method_outcomes) / trials, 1),
                f"{median:.1f} ({lower:.1f}–{upper:.1f})",
                f"{sum(seconds) / trials:.3f}",
                f"{sum(each.seconds for each in method_outcomes) / 60:.1f}",
            )
        )
    total = sum(each.seconds for each in outcomes) / 60
    return ResultTable(
        "cost",
        phrase("Cost"),
        phrase(
            "All runs together: {total:.1f} minutes of wall time, one after the other; trials that "
            "methods share count for each of them.",
            total=total,
        ),
        (
            phrase("method"),
            phrase("runs"),
            phrase("trials"),
            phrase("failed"),
            phrase("not finished"),
            phrase("CPU s of suggestions a run, median (quartiles)"),
            phrase("a trial"),
            phrase("minutes"),
        ),
        tuple(rows),
    )


def measures(comparison: Comparison, outcomes: Sequence[CellOutcome]) -> ResultTable | None:
    """Return measures of the searches themselves."""
    names = sorted({name for each in outcomes for name in each.measures})
    rows = []
    for method in comparison.methods:
        method_measures = [each.measures for each in outcomes if each.method == method]
        texts = []
        for name in names:
            values = [each[name] for each in method_measures if name in each]
            texts.append(f"{np.mean(values):.4g}" if values else "–")
        if any(text != "–" for text in texts):
            rows.append(make_plain_cells(method, *texts))
    if not rows:
        return None
    return ResultTable(
        "searches",
        phrase("The searches"),
        phrase(
            "What the searches recorded of their suggestions, averaged over trials and runs; "
            "how far trials were from the ensemble before them; how often that changed (per "
            "run)."
        ),
        (phrase("method"), *names),
        tuple(rows),
    )

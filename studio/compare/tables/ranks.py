"""Table of mean ranks, with tests over all methods."""

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from studio.arrays import Floats
from studio.compare.comparison import Comparison, explain_unranked
from studio.compare.methods import explain_duplicates
from studio.compare.outcomes import N_LATE_ITERATIONS, CellOutcome
from studio.compare.statistics.ranks import MIN_BLOCKS, MIN_BLOCKS_FOR_F, find_groups
from studio.compare.tables.table import (
    ResultTable,
    TableCell,
    format_error,
    format_p_value_phrase,
    format_rank_interval,
    format_share,
    make_plain_cells,
)
from studio.learners.names import get_brief_title
from studio.numerals import format_number
from studio.phrases import join_phrases, phrase

_WIN_RATES = phrase(
    "Win rate by repetition = (m − rank by repetition)/(m − 1): the share of the other m − 1 "
    "methods that it beats, ties half. Net wins: data sets won minus lost, against all others."
)


def make_ranks_table(comparison: Comparison) -> ResultTable | None:
    """Return the table; ``None`` for fewer than two data sets, where ranks are meaningless."""
    if len(comparison.complete) < 2:
        return None
    best, most_wins = min(comparison.mean_ranks), max(comparison.net_wins)
    is_tested = len(comparison.complete) >= MIN_BLOCKS
    methods = {phrase("method"): [TableCell(each) for each in comparison.ranked]}
    wins = {
        phrase("net wins"): [
            TableCell(f"{each:+d}" if each else "0", is_best=not is_tested and each == most_wins)
            for each in comparison.net_wins
        ],
        phrase("win rate by repetition"): [
            TableCell(format_share(each)) for each in comparison.win_rates
        ],
    }
    columns = {
        phrase("mean rank"): [
            TableCell(format_number(each, ".2f"), is_best=is_tested and each == best)
            for each in comparison.mean_ranks
        ],
        phrase("by repetition"): [
            TableCell(format_number(each.mean, ".2f"), note=format_rank_interval(each))
            for each in comparison.ranks
        ],
    }
    late_explanation: list[str] = []
    if comparison.late_ranks:  # runs with a time limit have no common iterations
        late_header, explanation = _make_late_rank_header(comparison)
        late_explanation.append(explanation)
        columns[late_header] = [
            TableCell(format_number(each, ".2f")) for each in comparison.late_ranks
        ]
    # With few data sets, the wins come first.
    columns = {**methods, **columns, **wins} if is_tested else {**methods, **wins, **columns}
    return ResultTable(
        "ranks",
        phrase("Ranks"),
        join_phrases((_explain_ranks(comparison), *late_explanation, _WIN_RATES)),
        tuple(columns),
        tuple(zip(*columns.values(), strict=True)),
        (*list_notes(comparison), *_describe_tests(comparison)),
    )


def _explain_ranks(comparison: Comparison) -> str:
    """Explain the ranked quantity, and the averaging over data sets or repetitions."""
    return phrase(
        "Mean rank: by the mean errors of the {n_complete} data sets; tied methods share a rank. "
        "By repetition: the same for each single repetition ({repetitions}), with equal weight "
        "of data sets; its 95 % interval is over data sets.",
        n_complete=len(comparison.complete),
        repetitions=comparison.repetitions_words,
    )


def _make_late_rank_header(comparison: Comparison) -> tuple[str, str]:
    if max(comparison.curve, default=0) < N_LATE_ITERATIONS:
        return (
            phrase("all iterations"),
            phrase(
                "All iterations: mean rank of the ensembles so far, averaged over all iterations."
            ),
        )
    return (
        phrase("last {late}", late=N_LATE_ITERATIONS),
        phrase(
            "Last {late}: mean rank of the ensembles so far, averaged over the last {late} "
            "iterations (SMBEO's tables).",
            late=N_LATE_ITERATIONS,
        ),
    )


def list_notes(comparison: Comparison) -> tuple[str, ...]:
    """Return notes on the ranks: duplicates, omitted data sets, missing intervals."""
    notes = list(explain_duplicates(comparison.duplicate_of))
    notes += explain_unranked(comparison)
    if comparison.omitted_datasets:
        notes.append(
            phrase(
                "Not counted: {left_out}, as no repetition is finished by all methods.",
                left_out=", ".join(comparison.omitted_datasets),
            )
        )
    if 1 < len(comparison.complete) < MIN_BLOCKS:
        notes.append(
            phrase(
                "{count} data sets are too few for tests and intervals of ranks, which need at "
                "least {fewest}. Compare the wins instead.",
                count=len(comparison.complete),
                fewest=MIN_BLOCKS,
            )
        )
    return tuple(notes)


def _describe_tests(comparison: Comparison) -> tuple[str, ...]:
    if comparison.friedman is None:
        return ()
    test = comparison.friedman
    notes = [
        phrase(
            "Friedman over the data sets' means: χ² = {chi_square:.2f}, {p}.",
            chi_square=test.chi_square,
            p=format_p_value_phrase(test.p),
        )
    ]
    if len(comparison.complete) >= MIN_BLOCKS_FOR_F:
        f_text = format_p_value_phrase(test.f_p)
        if math.isfinite(test.f):  # undefined if all data sets have the same ranking
            f_text = phrase("F = {f:.2f}, {p}", f=test.f, p=f_text)
        notes.append(phrase("Iman–Davenport: {f}.", f=f_text))
    if comparison.critical_difference is not None:
        bars = find_groups(np.array(comparison.mean_ranks), comparison.critical_difference)
        bar_texts = "; ".join(", ".join(comparison.ranked[i] for i in bar) for bar in bars)
        notes.append(
            phrase(
                "Nemenyi's critical difference of mean ranks at 5 %: "
                "{critical_difference:.2f}; not significantly different: {together}.",
                critical_difference=comparison.critical_difference,
                together=bar_texts or phrase("none"),
            )
        )
    return tuple(notes)


_MIN_PLAIN_SECONDS = 0.1
"""Seconds from which one decimal suffices."""

_ITERATION_SHARES = (0.125, 0.25, 0.5, 0.75, 1.0)
"""Iterations in the table of mean ranks, as shares of the run; the diagram has more."""


def make_curve_table(comparison: Comparison) -> ResultTable | None:
    """Return the mean ranks over the iterations; for a single data set the mean errors."""
    values_by_point = comparison.error_curve or comparison.curve
    if not values_by_point:
        return None
    known_points = list(values_by_point)
    positions = (round(each * len(known_points)) for each in _ITERATION_SHARES)
    points = sorted({known_points[max(1, position) - 1] for position in positions})
    title = phrase("Mean rank by repetition during the search")
    write: Callable[[float], str] = partial(format_number, form=".2f")
    if comparison.error_curve:
        (name,) = comparison.complete
        title = phrase("Mean test error during the search")
        error_format = comparison.get_error_format(name)
        write = partial(format_error, unit=comparison.units[name], number_format=error_format)
        if comparison.units[name] == "%":
            title = phrase("Mean test error during the search (%)")
    headers = [f"{each} s" if comparison.is_timed else str(each) for each in points]
    columns = [values_by_point[point] for point in points]
    if comparison.is_refitted:
        headers.append(phrase("refitted"))
        columns.append(_get_final_values(comparison))
    return ResultTable(
        "rank-over-iterations",
        title,
        phrase(
            "By the test error of each method's result after that number of trials, or after that "
            "time, with the trials' models."
        ),
        (phrase("method"), *headers),
        tuple(
            make_plain_cells(name, *(write(column[i]) for column in columns))
            for i, name in enumerate(comparison.ranked)
        ),
    )


def _get_final_values(comparison: Comparison) -> Floats:
    """Return mean errors on a single data set, else mean ranks by repetition, (n_ranked,)."""
    if not comparison.error_curve:
        return np.array([each.mean for each in comparison.ranks])
    (name,) = comparison.complete
    return np.array(list(comparison.get_mean_errors(name).values()))


def make_algorithms_table(
    comparison: Comparison, outcomes: Sequence[CellOutcome]
) -> ResultTable | None:
    """Return the share of each algorithm among trials and in the final ensembles (thesis 5.8)."""
    selected_outcomes = [each for each in outcomes if each.algorithms]
    names = sorted({name for each in selected_outcomes for name in each.algorithms})
    titles = list(dict.fromkeys(map(get_brief_title, names)))
    if len(titles) < 2:
        return None
    rows = []
    for method in comparison.methods:
        shares_of_method = [each.algorithms for each in selected_outcomes if each.method == method]
        if shares_of_method:
            cells = [TableCell(method)]
            for title in titles:
                # An algorithm has a key for classes and another for numbers, and one title.
                keys = [name for name in names if get_brief_title(name) == title]
                shares = [
                    np.sum([each.get(key, (0.0, 0.0)) for key in keys], axis=0)
                    for each in shares_of_method
                ]
                in_trials, in_ensembles = map(format_share, np.mean(shares, axis=0))
                cells.append(TableCell(in_trials, note=f"({in_ensembles})"))
            rows.append(tuple(cells))
    return ResultTable(
        "algorithms",
        phrase("Chosen algorithms"),
        phrase(
            "Share of each algorithm among the trials and, in brackets, by weight in the final "
            "ensembles; means over all runs."
        ),
        (phrase("method"), *map(phrase, titles)),
        tuple(rows),
    )


def make_costs_table(comparison: Comparison, outcomes: Sequence[CellOutcome]) -> ResultTable:
    """Return the costs of suggestions and runs."""
    rows = []
    for name in comparison.methods:
        method_outcomes = [each for each in outcomes if each.method == name]
        seconds = [each.suggest_seconds for each in method_outcomes]
        lower, median, upper = np.quantile(seconds, [0.25, 0.5, 0.75])
        trials = sum(each.trials for each in method_outcomes)
        failed = sum(each.failed for each in method_outcomes)
        unfinished = sum(each.unfinished for each in method_outcomes)
        minutes = sum(each.seconds for each in method_outcomes) / 60
        rows.append(
            {
                phrase("method"): name,
                phrase("runs"): str(len(method_outcomes)),
                phrase("trials"): str(trials),
                phrase("failed"): format_share(failed / trials, 1),
                phrase("not finished"): format_share(unfinished / trials, 1),
                phrase("CPU s of suggestions per run"): f"{_format_seconds(median)} "
                f"({_format_seconds(lower)}–{_format_seconds(upper)})",
                phrase("per trial"): _format_seconds(sum(seconds) / trials),
                phrase("minutes"): format_number(minutes, ".1f"),
            }
        )
    total = sum(each.seconds for each in outcomes) / 60
    return ResultTable(
        "cost",
        phrase("Cost"),
        phrase(
            "CPU s: processor seconds, of runs the median (quartiles). All runs: "
            "{total:.1f} minutes of total wall time; shared trials count for each method.",
            total=total,
        ),
        tuple(rows[0]),
        tuple(make_plain_cells(*row.values()) for row in rows),
    )


def _format_seconds(seconds: float) -> str:
    return format_number(seconds, ".1f") if seconds >= _MIN_PLAIN_SECONDS else f"{seconds:.2g}"


def make_measures_table(
    comparison: Comparison, outcomes: Sequence[CellOutcome]
) -> ResultTable | None:
    """Return a table of what the searches recorded about their suggestions, by method."""
    names = sorted({name for each in outcomes for name in each.measures})
    rows = []
    for method in comparison.methods:
        method_measures = [each.measures for each in outcomes if each.method == method]
        texts = []
        for name in names:
            values = [each[name] for each in method_measures if name in each]
            texts.append(f"{np.mean(values):.3g}" if values else "–")
        if any(text != "–" for text in texts):
            rows.append(make_plain_cells(method, *texts))
    if not rows:
        return None
    return ResultTable(
        "searches",
        phrase("The searches"),
        phrase(
            "Statistics of the suggestions recorded by the searches, averaged over trials and "
            "runs: among them how far trials were from the ensemble before them, and how often "
            "that ensemble changed (per run)."
        ),
        (phrase("method"), *names),
        tuple(rows),
    )

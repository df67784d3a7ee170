"""Tables of errors: by data set, and of every finished run."""

from collections.abc import Sequence

from studio.compare.cell_names import enumerate_methods, quote_method
from studio.compare.comparison import Comparison
from studio.compare.methods import explain_duplicates
from studio.compare.outcomes import CellOutcome
from studio.compare.statistics.intervals import MIN_REPETITIONS, SIGNIFICANCE_LEVEL
from studio.compare.tables.table import (
    ResultTable,
    TableCell,
    format_error,
    format_error_phrase,
    format_interval,
    make_plain_cells,
)
from studio.numerals import format_number
from studio.phrases import count_phrase, join_phrases, phrase


def make_runs_table(outcomes: Sequence[CellOutcome]) -> ResultTable:
    """Return a row per run, with all digits and untranslated headers, for programs."""
    columns = {
        "data set": [each.dataset for each in outcomes],
        "space": [each.space_title for each in outcomes],
        "method": [each.method for each in outcomes],
        "repetition": [str(each.repetition) for each in outcomes],
        "metric": [each.metric for each in outcomes],
        "test error": [f"{each.error:.12g}" for each in outcomes],
        "trials": [str(each.trials) for each in outcomes],
        "failed": [str(each.failed) for each in outcomes],
        "not finished": [str(each.unfinished) for each in outcomes],
        "seconds": [format_number(each.seconds, ".2f") for each in outcomes],
        "CPU s of suggestions": [format_number(each.suggest_seconds, ".2f") for each in outcomes],
        "seconds of training": [format_number(each.fit_seconds, ".2f") for each in outcomes],
    }
    return ResultTable(
        "runs",
        "Runs",
        "Every finished run; errors shown in per cent elsewhere are shares here.",
        tuple(columns),
        tuple(make_plain_cells(*row) for row in zip(*columns.values(), strict=True)),
    )


def make_errors_table(comparison: Comparison, outcomes: Sequence[CellOutcome]) -> ResultTable:
    """Return the table, with the best of each row and the significantly worse marked."""
    rows = tuple(_make_row(comparison, row) for row in comparison.errors)
    return ResultTable(
        "errors",
        phrase("Mean test errors"),
        join_phrases(
            (
                phrase(
                    "Mean over the n repetitions finished by all methods with results in the row."
                ),
                phrase(
                    "The best is bold; underlined: worse than the best, p below {level:g} by "
                    "Student's paired test, corrected for the rows that repetitions share "
                    "(Nadeau and Bengio 2003), as intervals are, and with Holm's correction for "
                    "all pairs of the row. With fewer than {fewest} repetitions, or the same test "
                    "rows in all of them, there is no interval and nothing is decided.",
                    level=SIGNIFICANCE_LEVEL,
                    fewest=MIN_REPETITIONS,
                ),
            )
        ),
        (phrase("data set"), phrase("n"), *comparison.methods),
        rows,
        (
            *explain_duplicates(comparison.duplicate_of),
            *_describe_guesses(comparison, outcomes),
            *_find_tied_with_best(comparison),
        ),
    )


def _make_row(comparison: Comparison, name: str) -> tuple[TableCell, ...]:
    row = comparison.errors[name]
    unit = comparison.units[name]
    n = comparison.n_common_repetitions[name]
    error_format = comparison.get_error_format(name)
    p = comparison.p_against_best.get(name, {})
    # Values that are printed identically count as equal. Means over different repetitions are not
    # compared. A single result is never marked as the best.
    best_text = None
    if n and len(row) > 1:
        best_text = format_error(min(each.mean for each in row.values()), unit, error_format)
    cells = [TableCell(f"{name} (%)" if unit == "%" else name), TableCell(str(n))]
    for method in comparison.methods:
        if method not in row:
            cells.append(TableCell("–"))
            continue
        mean = format_error(row[method].mean, unit, error_format)
        interval_text = format_interval(row[method], unit, error_format)
        note = _format_note(interval_text, comparison.finished[name][method], n)
        worse = p.get(method, 1.0) < SIGNIFICANCE_LEVEL
        cells.append(TableCell(mean, is_best=mean == best_text, worse=worse, note=note))
    return tuple(cells)


def _format_note(interval_text: str, n_finished: int, compared: int) -> str:
    """Return the interval, and the number of repetitions if it differs from the row's n."""
    if not compared:
        return f"{interval_text} (by itself, n = {n_finished})".strip()
    if n_finished == compared:
        return interval_text
    return f"{interval_text} ({compared} of {n_finished})".strip()


def _describe_guesses(comparison: Comparison, outcomes: Sequence[CellOutcome]) -> list[str]:
    """Describe the error of a constant by row, and note rows in which no method is better."""
    remarks = []
    for name, row in comparison.errors.items():
        guess_errors = [
            each.guess for each in outcomes if each.row == name and each.guess is not None
        ]
        if not guess_errors:
            continue
        guess_error, unit = sum(guess_errors) / len(guess_errors), comparison.units[name]
        text = format_error_phrase(guess_error, unit, comparison.get_error_format(name))
        if min(each.mean for each in row.values()) >= guess_error:
            remarks.append(
                phrase(
                    "{name}: no method is better than always predicting the same value: {guess}.",
                    name=name,
                    guess=text,
                )
            )
        elif len(comparison.errors) == 1:
            remarks.append(
                phrase("{name}: always predicting the same value: {guess}.", name=name, guess=text)
            )
    return remarks


def _find_tied_with_best(comparison: Comparison) -> list[str]:
    """Return for each row the methods not significantly worse than the best."""
    remarks = []
    for name, row in comparison.errors.items():
        n = comparison.n_common_repetitions[name]
        if len(row) == 1:
            remarks.append(
                phrase(
                    "{name}: only {method} has finished a repetition, so there is no best one.",
                    name=name,
                    method=quote_method(next(iter(row))),
                )
            )
            continue
        if not n:
            remarks.append(
                phrase(
                    "{name}: the methods have no common repetition, so there is no best one.",
                    name=name,
                )
            )
            continue
        best = min(row, key=lambda method: row[method].mean)
        p = comparison.p_against_best[name]
        tied_methods = [each for each in row if each != best and p[each] >= SIGNIFICANCE_LEVEL]
        if tied_methods:
            few_note = ""
            if comparison.has_fixed_test(name):
                few_note = phrase(" (the same test rows in all repetitions)")
            elif n < MIN_REPETITIONS:
                few_note = count_phrase(
                    " ({count} repetition of at least {fewest})",
                    " ({count} repetitions of at least {fewest})",
                    n,
                    fewest=MIN_REPETITIONS,
                )
            remarks.append(
                phrase(
                    "{name}: undecided between {best} and {level}{few}.",
                    name=name,
                    best=quote_method(best),
                    level=enumerate_methods(tied_methods),
                    few=few_note,
                )
            )
    return remarks

"""Every finished run of a study: what statistics of one's own begin with."""

from collections.abc import Sequence

from studio.compare.outcomes import CellOutcome
from studio.compare.tables.table import ResultTable, TableCell, plain


def runs(outcomes: Sequence[CellOutcome]) -> ResultTable:
    """Return a row a run, numbers in all their digits.

    It goes to programs, not to a page: so its heads are the same in every language.
    """
    return ResultTable(
        "runs",
        "Runs",
        "Every finished run; errors that others show in per cent are shares here.",
        (
            "data set",
            "space",
            "method",
            "repetition",
            "metric",
            "test error",
            "trials",
            "failed",
            "not finished",
            "seconds",
            "CPU s of suggestions",
            "seconds of training",
        ),
        tuple(_row(each) for each in outcomes),
    )


def _row(run: CellOutcome) -> tuple[TableCell, ...]:
    seconds = run.seconds, run.suggest_seconds, run.fit_seconds
    return plain(
        run.dataset,
        run.space,
        run.method,
        str(run.repetition),
        run.metric,
        f"{run.error:.12g}",
        str(run.trials),
        str(run.failed),
        str(run.unfinished),
        *(f"{each:.2f}" for each in seconds),
    )

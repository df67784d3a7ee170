"""A run as a line of the list: every column as a value to sort by and a text to read."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.gui.base.language import grouped, mark, said, tr
from studio.gui.session.run_view import RunView
from studio.gui.session.wording import (
    NOTHING,
    duration,
    failures,
    loss,
    progress,
    rate,
    seconds_left,
    share_done,
    state_word,
)

OVERLAY, STATE, NAME, METHOD, PROGRESS, RATE, LEFT, VALIDATION, TEST, FAILED, STARTED = range(11)

ORDER = ("running", "waiting", "paused", "interrupted", "failed", "stopped", "finished")
"""States as a sorted list has them: what needs somebody comes first."""


@dataclass(frozen=True)
class Column:
    """A column: its title, what it means, and whether its numbers stand at the right."""

    title: str
    tip: str
    right: bool = False


COLUMNS = (
    Column(mark("Over"), mark("Laid over the chosen run in the plots of the Live page")),
    Column(mark("State"), mark("What the run does now")),
    Column(mark("Name"), mark("Double-click to show it in Live; F2 to rename")),
    Column(mark("Method"), mark("What suggests the next model")),
    Column(mark("Progress"), mark("Models tried, of those that the budget allows")),
    Column(mark("Rate"), mark("Models finished in the last minute and a half"), right=True),
    Column(mark("Left"), mark("Time until its limit, at this rate"), right=True),
    Column(
        mark("Validation"),
        mark("Error of the ensemble so far on the rows that models are compared by"),
        right=True,
    ),
    Column(
        mark("Test"),
        mark("Error of the ensemble on rows never used for choosing, where it is known"),
        right=True,
    ),
    Column(mark("Failed"), mark("Models that gave nothing; see the tab Failed trials"), right=True),
    Column(mark("Started"), mark("When the run was made"), right=True),
)


@dataclass(frozen=True)
class Cell:
    """What a column says of a run.

    Attributes
    ----------
    text : str
        As it is shown.
    key : float or str
        What rows are sorted by.
    tip : str
        More words; empty where the text says it all.
    share : float
        A bar's length in [0, 1]; negative where the end is not known.
    """

    text: str
    key: float | str
    tip: str = ""
    share: float = 0.0


def line_of(
    view: RunView, unit: str, pace: float | None, method: str, overlaid: bool
) -> tuple[Cell, ...]:
    """Return a run's cells in the order of :data:`COLUMNS`.

    Parameters
    ----------
    view : RunView
        The run.
    unit : str
        The metric's unit.
    pace : float or None
        Trials a second, where known.
    method : str
        The method's readable name.
    overlaid : bool
        Whether it is laid over the chosen run.
    """
    left = seconds_left(view, pace)
    known = share_done(view)
    share = -1.0 if known is None else known
    validation, test, tested = best_of(view)
    failed = len(view.failed_trials)
    started = datetime.datetime.fromtimestamp(view.row.created).astimezone()
    return (
        Cell("", float(overlaid), tr("Lay over the chosen run in Live"), float(overlaid)),
        Cell(state_word(view), float(ORDER.index(view.state)), said(view.row.message)),
        Cell(view.row.name, view.row.name.lower()),
        Cell(method, method.lower()),
        Cell(progress(view), share, progress(view), share),
        Cell(rate(pace) if pace else NOTHING, pace or 0.0),
        Cell(duration(left) if left is not None else NOTHING, left or 0.0),
        Cell(loss(validation, unit), _last(validation)),
        Cell(loss(test, unit), _last(test), tested),
        Cell(
            grouped(failed) if failed else NOTHING,
            float(failed),
            failures(view),
        ),
        Cell(when(started), view.row.created, started.strftime("%Y-%m-%d %H:%M:%S")),
    )


def best_of(view: RunView) -> tuple[float | None, float | None, str]:
    """Return the ensemble's error on validation and test rows, and what the latter is."""
    last = view.iteration(None)
    result: Mapping[str, Any] = (view.row.result or {}) if view.ended else {}
    final = result.get("test_error_ensemble")
    if final is not None:
        validation = last.ensemble_validation if last else None
        return validation, float(final), tr("Of the final ensemble")
    if last is None:
        return None, None, ""
    return last.ensemble_validation, last.ensemble_test, tr("Of the ensemble so far")


def when(started: datetime.datetime) -> str:
    """Write a time of day, with the date where it is not today's."""
    now = datetime.datetime.now().astimezone()
    return started.strftime("%H:%M" if started.date() == now.date() else "%m-%d %H:%M")


def _last(value: float | None) -> float:
    return float("inf") if value is None else value

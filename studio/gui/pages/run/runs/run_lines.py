"""Columns of the list of runs, with sort keys and texts."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from studio.gui.session.run_data import NO_DIFFERENCE, DataDifferences
from studio.gui.session.run_view import RunView
from studio.gui.session.wording import (
    compute_share_done,
    describe_state,
    estimate_seconds_left,
    format_failures,
    format_progress,
)
from studio.language import tr, translate
from studio.measure import NOTHING

DAMAGED = "damaged"
"""The state of an unreadable run."""


@dataclass(frozen=True)
class RunLine:
    """A row of the list of runs.

    Attributes:
        state, state_words, message: Its state in code, in words, and the message about it.
        progress: In words.
        share: The same in [0, 1]; negative if the end is unknown.
        pace, left: Trials a second, and seconds to its limit, if known.
        validation, test: Losses of its ensemble, if known.
        tested, unit, metric: The ensemble of the test loss; the metric's unit and title.
        created: Since 1970, in seconds; 0 if unknown.
        overlaid, shown: Whether it is overlaid on the selected run; whether it is that run itself.
        changes: Differences of its method from the one of that name.
        unlike: Differences of its data from the selected run's.
    """

    id: int
    name: str
    state: str
    state_words: str
    message: str
    method: str = ""
    progress: str = NOTHING
    share: float = -1.0
    pace: float | None = None
    left: float | None = None
    validation: float | None = None
    test: float | None = None
    tested: str = ""
    unit: str = ""
    metric: str = ""
    failed: int = 0
    failures: str = ""
    created: float = 0.0
    overlaid: bool = False
    shown: bool = False
    changes: tuple[str, ...] = ()
    unlike: DataDifferences = NO_DIFFERENCE

    @property
    def started(self) -> datetime.datetime:
        """Local time of the run's creation."""
        return datetime.datetime.fromtimestamp(self.created).astimezone()


def make_line(
    view: RunView,
    unit: str,
    pace: float | None,
    method: str,
    *,
    metric: str = "",
    overlaid: bool,
    shown: bool,
    changes: Sequence[str] = (),
    unlike: DataDifferences = NO_DIFFERENCE,
) -> RunLine:
    """Return the row of a run.

    Args:
        unit: The metric's unit.
        pace: Trials a second, if known.
        overlaid, shown: Whether it is overlaid on the selected run; whether it is that run itself.
        changes: Differences of its method from the one of that name.
        unlike: Differences of its data from the selected run's.
    """
    share = compute_share_done(view)
    validation, test, test_kind = get_best_errors(view)
    return RunLine(
        id=view.row.id,
        name=view.row.name,
        method=method,
        state=view.state,
        state_words=describe_state(view),
        message=translate(view.row.message),
        progress=format_progress(view),
        share=-1.0 if share is None else share,
        pace=pace,
        left=estimate_seconds_left(view, pace),
        validation=validation,
        test=test,
        tested=test_kind,
        unit=unit,
        metric=metric,
        failed=len(view.failed_trials),
        failures=format_failures(view),
        created=view.row.created,
        overlaid=overlaid,
        shown=shown,
        changes=tuple(changes),
        unlike=unlike,
    )


def make_lost_line(run_id: int, damage: str) -> RunLine:
    """Return the row of an unreadable run, with the damage."""
    name = tr("Run {number}", number=run_id)
    return RunLine(run_id, name, DAMAGED, tr("damaged"), translate(damage))


def get_best_errors(view: RunView) -> tuple[float | None, float | None, str]:
    """Return the ensemble's validation and test errors, and the kind of the latter."""
    last = view.iteration(None)
    if view.test_loss is not None:
        validation = last.ensemble_validation if last else None
        return validation, view.test_loss, tr("Of the final ensemble")
    if last is None:
        return None, None, ""
    return last.ensemble_validation, last.ensemble_test, tr("Of the ensemble so far")


def format_time(started: datetime.datetime) -> str:
    """Format a time of day, with the date unless it is today."""
    now = datetime.datetime.now().astimezone()
    return started.strftime("%H:%M" if started.date() == now.date() else "%m-%d %H:%M")

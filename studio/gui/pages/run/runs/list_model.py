"""Table model of the list of runs, updated incrementally."""

import datetime
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Signal

from studio.compare.cell_names import get_displayed_name
from studio.gui.drafts.run_model import RunModel
from studio.gui.session.run_data import NO_DIFFERENCE, DataDifferences
from studio.gui.session.run_speed import SpeedMeter
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.gui.session.wording import (
    compute_share_done,
    describe_state,
    estimate_seconds_left,
    format_failures,
    format_progress,
    format_rate,
)
from studio.gui.widgets.records import CellChange, ColumnSpec, RecordModel
from studio.language import group_digits, tr, translate
from studio.measure import UNKNOWN_TEXT, format_loss, format_time_left

DAMAGED = "damaged"


@dataclass(frozen=True)
class RunLine:
    """A row of the list of runs.

    Attributes:
        progress_share: Progress in [0, 1]; negative if the end is unknown.
        created: Unix time; 0 if unknown.
    """

    id: int
    name: str
    state: str
    state_text: str
    message: str
    method: str = ""
    progress: str = UNKNOWN_TEXT
    progress_share: float = -1.0
    trials_per_second: float | None = None
    remaining_seconds: float | None = None
    validation: float | None = None
    test: float | None = None
    tested_ensemble: str = ""
    unit: str = ""
    metric: str = ""
    n_failed: int = 0
    failures: str = ""
    created: float = 0.0
    changes: tuple[str, ...] = ()
    data_differences: DataDifferences = NO_DIFFERENCE

    @property
    def start_time(self) -> datetime.datetime:
        """Local time of the run's creation."""
        return datetime.datetime.fromtimestamp(self.created).astimezone()


def make_damaged_line(run_id: int, damage: str) -> RunLine:
    """Return the row of an unreadable run, with the damage."""
    name = tr("Run {number}", number=run_id)
    return RunLine(run_id, name, DAMAGED, tr("damaged"), translate(damage))


def get_best_errors(view: RunView) -> tuple[float | None, float | None, str]:
    """Return the ensemble's validation and test errors, and the kind of the latter."""
    last = view.get_iteration(None)
    if view.test_loss is not None:
        validation = last.ensemble_validation if last else None
        if view.row.result is not None:
            validation = view.row.result.get_validation(validation)
        return validation, view.test_loss, tr("Of the final ensemble")
    if last is None:
        return None, None, ""
    return last.ensemble_validation, last.ensemble_test, tr("Of the ensemble so far")


def format_time(started: datetime.datetime) -> str:
    """Format a time of day, with the date unless it is today."""
    now = datetime.datetime.now().astimezone()
    return started.strftime("%H:%M" if started.date() == now.date() else "%m-%d %H:%M")


(
    STATE, NAME, METHOD, PROGRESS, RATE, LEFT, METRIC, VALIDATION, TEST, DATA, FAILED, STARTED,
) = range(12)  # fmt: skip

STATE_ORDER = (
    DAMAGED, "running", "waiting", "paused", "interrupted", "failed", "stopped", "finished",
)  # fmt: skip
"""Sort order of states: states that require the user come first."""


class RunListModel(RecordModel[RunLine]):
    """All runs of the document except a study's cells, oldest first; sorted by a proxy."""

    rename_requested = Signal(int, str)

    def __init__(
        self, session: Session, model: RunModel, speed_meter: SpeedMeter | None = None
    ) -> None:
        super().__init__(_make_columns(self._rename), identify=lambda line: line.id)
        self._session, self._model, self._speed_meter = session, model, speed_meter or SpeedMeter()

    @property
    def ids(self) -> list[int]:
        """The runs in the order of the rows."""
        return [line.id for line in self.records]

    @property
    def constant_columns(self) -> set[int]:
        """Columns with the same value in all runs, which are hidden."""
        lines = self.records
        has_running = any(x.trials_per_second or x.remaining_seconds is not None for x in lines)
        visibility = {
            RATE: has_running,
            LEFT: has_running,
            METRIC: len({line.metric for line in lines if line.metric}) > 1,
            DATA: any(line.data_differences.note for line in lines),
            FAILED: any(line.n_failed for line in lines),
        }
        return {column for column, is_shown in visibility.items() if not is_shown}

    @property
    def count(self) -> int:
        """The number of listed runs, including unread ones."""
        return len(self._session.run_selection.listed_runs) + len(self._session.runs.damaged_runs)

    @property
    def n_unlisted(self) -> int:
        """The number of unlisted runs, which are cells of the document's study."""
        return len(self._session.runs.views) - len(self._session.run_selection.listed_runs)

    def refresh(self) -> None:
        """Reread the runs and signal the changes."""
        views, damaged = self._session.run_selection.listed_runs, self._session.runs.damaged_runs
        lines = {view.row.id: self.make_line(view) for view in views}
        lines |= {each: make_damaged_line(each, damaged[each]) for each in damaged}
        self.show([lines[each] for each in sorted(lines)])

    def make_line(self, view: RunView) -> RunLine:
        """Return the row of a run."""
        data, trials_per_second = self._session.run_data, self._speed_meter.estimate_speed(view)
        share = compute_share_done(view)
        validation, test, tested_ensemble = get_best_errors(view)
        return RunLine(
            id=view.row.id,
            name=view.row.name,
            method=self._model.get_method_name(view.settings),
            state=view.state,
            state_text=describe_state(view),
            message=translate(view.row.message),
            progress=format_progress(view),
            progress_share=-1.0 if share is None else share,
            trials_per_second=trials_per_second,
            remaining_seconds=estimate_seconds_left(view, trials_per_second),
            validation=validation,
            test=test,
            tested_ensemble=tested_ensemble,
            unit=data.get_loss_unit(view),
            metric=translate(self._model.get_title(view.metric)),
            n_failed=len(view.failed_trials),
            failures=format_failures(view),
            created=view.row.created,
            changes=tuple(self._model.get_changes(view.settings)),
            data_differences=data.describe_differences(view, self._session.run_selection.run),
        )

    def _rename(self, line: RunLine, name: str) -> bool:
        if not name.strip():
            return False
        self.rename_requested.emit(line.id, name)
        return True


def _make_columns(rename: Callable[[RunLine, str], bool]) -> list[ColumnSpec[RunLine]]:
    """Return the columns of the list, in the order of :data:`STATE` and those after it."""
    text = tr("Trials so far, out of the budget")
    return [
        _make_column(
            tr("State"),
            lambda line: line.state_text,
            tr("The state of the run"),
            lambda line: STATE_ORDER.index(line.state),
            tip=lambda line: line.message,
        ),
        _make_column(
            tr("Name"),
            lambda line: get_displayed_name(line.name),
            tr("Double-click to show it in Live; F2 to rename"),
            lambda line: line.name.lower(),
            edit=CellChange(lambda line: line.name, rename, lambda line: line.state != DAMAGED),
        ),
        _make_column(
            tr("Method"),
            lambda line: line.method,
            tr("Search method"),
            lambda line: line.method.lower(),
            tip=lambda line: "\n".join((line.method, *line.changes)) if line.changes else "",
        ),
        _make_column(
            tr("Progress"), lambda line: line.progress, text, lambda line: line.progress_share
        ),
        _make_column(
            tr("Rate"),
            lambda line: (
                format_rate(line.trials_per_second) if line.trials_per_second else UNKNOWN_TEXT
            ),
            tr("Trials finished in the last minute and a half"),
            lambda line: line.trials_per_second or 0.0,
            is_right_aligned=True,
        ),
        _make_column(
            tr("Left"),
            lambda line: (
                UNKNOWN_TEXT
                if line.remaining_seconds is None
                else format_time_left(line.remaining_seconds)
            ),
            tr("Time until its limit, at this rate"),
            lambda line: line.remaining_seconds or 0.0,
            is_right_aligned=True,
        ),
        _make_column(
            tr("Metric"),
            lambda line: line.metric,
            tr("The metric of the run's errors"),
            lambda line: line.metric.lower(),
        ),
        _make_column(
            tr("Validation"),
            lambda line: format_loss(line.validation, line.unit),
            tr("Error of the ensemble so far on the validation rows"),
            lambda line: _sort_missing_last(line.validation),
            tip=lambda line: line.metric,
            is_right_aligned=True,
        ),
        _make_column(
            tr("Test"),
            lambda line: format_loss(line.test, line.unit),
            tr("Error of the ensemble on rows never used for choosing, if known"),
            lambda line: _sort_missing_last(line.test),
            tip=lambda line: "\n".join(filter(None, (line.metric, line.tested_ensemble))),
            is_right_aligned=True,
        ),
        _make_column(
            tr("Data"),
            lambda line: line.data_differences.note,
            tr("Differences between its data and the selected run's"),
            lambda line: line.data_differences.note,
            tip=lambda line: line.data_differences.details,
        ),
        _make_column(
            tr("Failed"),
            lambda line: group_digits(line.n_failed) if line.n_failed else UNKNOWN_TEXT,
            tr("Failed trials; see the tab of failed or unfinished trials"),
            lambda line: line.n_failed,
            tip=lambda line: line.failures,
            is_right_aligned=True,
        ),
        _make_column(
            tr("Started"),
            lambda line: format_time(line.start_time) if line.created else UNKNOWN_TEXT,
            tr("When the run was created"),
            lambda line: line.created,
            tip=lambda line: line.start_time.strftime("%Y-%m-%d %H:%M:%S") if line.created else "",
            is_right_aligned=True,
        ),
    ]


def _make_column(
    title: str,
    text: Callable[[RunLine], str],
    head_tip: str,
    value: Callable[[RunLine], float | str],
    *,
    tip: Callable[[RunLine], str] | None = None,
    edit: CellChange[RunLine] | None = None,
    is_right_aligned: bool = False,
) -> ColumnSpec[RunLine]:
    """Return a column with a sort key, whose title is read out with its text."""
    return ColumnSpec(
        title,
        text,
        head_tip,
        cell_tooltip=tip,
        accessible_text=lambda line: f"{title}: {text(line)}",
        value=value,
        edit=edit,
        is_right_aligned=is_right_aligned,
    )


def _sort_missing_last(value: float | None) -> float:
    return float("inf") if value is None else value

"""The run and iteration shown on all pages, and the runs overlaid in plots."""

from bisect import bisect_right
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from studio.document.trials import Iteration
from studio.gui.session.run_view import RunView
from studio.gui.session.runs import RunViews

_MIN_LENGTH_RATIO = 2
"""Ratio of runs' lengths from which they are compared by time: by trial, one is too short."""


class Selection(NamedTuple):
    """A run, an iteration and the comparison with other runs, as of :class:`RunSelection`."""

    run_id: int | None
    iteration: int | None
    overlaid_ids: tuple[int, ...]
    by_time: bool | None
    side_by_side: bool


class RunSelection(QObject):
    """The run and iteration shown on all pages, and the runs overlaid in plots.

    Attributes:
        iteration: The selected iteration; ``None`` while the run is followed live.
        side_by_side: Whether other runs are to be shown beside the chosen one, if there are any,
            rather than overlaid.

    Signals:
        run_chosen: Another run was selected.
        iteration_chosen: Another iteration was selected; ``None`` is live.
        overlay_changed: Other runs are overlaid on the chosen one.
    """

    run_chosen = Signal(object)
    iteration_chosen = Signal(object)
    overlay_changed = Signal()

    def __init__(self, runs: RunViews, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runs = runs
        self.run_id: int | None = None
        self.iteration: int | None = None
        self.side_by_side = False
        self._overlaid_ids: tuple[int, ...] = ()
        self._by_time: bool | None = None
        self._by_time_of_runs: dict[frozenset[int], bool] = {}
        runs.run_removed.connect(self._select_other_run)

    @property
    def run(self) -> RunView | None:
        """The selected run."""
        if self.run_id is None or self.run_id not in self._runs.ids:
            return None
        return self._runs.get_view(self.run_id)

    @property
    def overlaid_runs(self) -> list[RunView]:
        """The runs overlaid on the selected run, in the order in which they were added."""
        return [
            self._runs.get_view(each)
            for each in self._overlaid_ids
            if each in self._runs.ids and each != self.run_id
        ]

    @property
    def last(self) -> int:
        """The end of the time slider; 0 without any iteration.

        By trial, it is the newest iteration of the selected and overlaid runs; shorter runs stay at
        their end. By time, overlaid runs follow the selected one.
        """
        views = self.overlaid_runs if self.run is None else [self.run, *self.overlaid_runs]
        if self.run is not None and self.by_time:
            views = [self.run]
        return max((len(view.iterations) for view in views), default=0)

    @property
    def can_be_by_time(self) -> bool:
        """Whether other runs are overlaid, and the times of all runs' iterations are known."""
        views = [] if self.run is None else [self.run, *self.overlaid_runs]
        return len(views) > 1 and all(
            view.iterations and _get_seconds(view.iterations[-1]) is not None for view in views
        )

    @property
    def by_time(self) -> bool:
        """Whether runs are compared by the time since their starts instead of by trial.

        Without a choice, it depends on the lengths when these runs are first compared: the axis
        does not change while one of them is running.
        """
        if self.run is None or not self.can_be_by_time:
            return False
        if self._by_time is not None:
            return self._by_time
        views = (self.run, *self.overlaid_runs)
        lengths = [len(view.iterations) for view in views]
        differs = max(lengths) >= _MIN_LENGTH_RATIO * min(lengths)
        return self._by_time_of_runs.setdefault(frozenset(each.row.id for each in views), differs)

    def compare_by_time(self, by_time: bool) -> None:
        """Compare runs by the time since their starts, or by trial."""
        self._by_time = by_time
        self._drop_late_iteration()
        self.overlay_changed.emit()

    def get_iteration(self, view: RunView) -> int | None:
        """Return the iteration of a run at the selected moment; ``None`` at the end.

        By time, it is the last iteration to end by then, 0 before the first; by trial, it may be
        beyond the run's end.
        """
        seconds = self.seconds
        if seconds is None or view is self.run:
            return self.iteration
        return _count_ended(view, seconds)

    @property
    def seconds(self) -> float | None:
        """The selected moment in seconds since the runs' starts; ``None`` by trial, and live."""
        if self.iteration is None or self.run is None or not self.by_time:
            return None
        return self._get_end(self.run, self.iteration)

    def choose_iteration_of(self, run_id: int, number: int) -> None:
        """Select an iteration of this run, or the moment of another run's iteration."""
        if self.run is not None and run_id != self.run_id and self.by_time:
            seconds = self._get_end(self._runs.get_view(run_id), number)
            number = max(1, _count_ended(self.run, seconds))
        self.choose_iteration(number)

    @staticmethod
    def _get_end(view: RunView, number: int) -> float:
        record = view.get_iteration(number)
        return (_get_seconds(record) if record is not None else None) or 0.0

    @property
    def listed_runs(self) -> list[RunView]:
        """The listed runs: cells of a study only while selected."""
        unlisted_ids = self._runs.study_runs - {self.run_id, *self._overlaid_ids}
        return [view for view in self._runs.views if view.row.id not in unlisted_ids]

    def choose_run(self, run_id: int | None) -> None:
        """Select another run, live."""
        if run_id != self.run_id:
            self.run_id = run_id
            self.run_chosen.emit(run_id)
            self.choose_iteration(None)

    def choose_iteration(self, number: int | None) -> None:
        """Select an earlier iteration of the chosen run; ``None`` to follow it live."""
        if number != self.iteration:
            self.iteration = number
            self.iteration_chosen.emit(number)

    def overlay(self, run_id: int, enabled: bool) -> None:
        """Overlay a run on the chosen one in the plots, or remove it."""
        other_ids = tuple(each for each in self._overlaid_ids if each != run_id)
        overlaid_ids = (*other_ids, run_id) if enabled else other_ids
        if overlaid_ids != self._overlaid_ids:
            self._overlaid_ids = overlaid_ids
            self.overlay_changed.emit()
            self._drop_late_iteration()

    def _drop_late_iteration(self) -> None:
        """Select the end if the iteration belonged to a longer run that is no longer overlaid."""
        if self.iteration is not None and self.iteration > self.last:
            self.choose_iteration(None)

    def step(self, offset: int) -> None:
        """Move by iterations, at least to the first; past the last one, follow the run live."""
        if self.last:
            target = max(1, (self.iteration or self.last) + offset)
            self.choose_iteration(target if target < self.last else None)

    @property
    def selection(self) -> Selection:
        """The whole selection, for :meth:`resume`."""
        return Selection(
            self.run_id, self.iteration, self._overlaid_ids, self._by_time, self.side_by_side
        )

    def resume(self, selection: Selection) -> None:
        """Restore the parts of a selection that still exist."""
        self._overlaid_ids, self._by_time = selection.overlaid_ids, selection.by_time
        self.side_by_side = selection.side_by_side
        if selection.run_id in self._runs.ids:
            self.choose_run(selection.run_id)
            self.choose_iteration(selection.iteration)
        self.overlay_changed.emit()

    def clear(self) -> None:
        """Clear the selection, without signals."""
        self.run_id = self.iteration = self._by_time = None
        self._overlaid_ids = ()
        self._by_time_of_runs.clear()

    def _select_other_run(self, run_id: int) -> None:
        self.overlay(run_id, enabled=False)
        if self.run_id == run_id:
            other_ids = [view.row.id for view in self._runs.views if view.row.id != run_id]
            self.choose_run(max(other_ids, default=None))


def _get_seconds(record: Iteration) -> float | None:
    """Return the seconds from the run's start to the end of an iteration; ``None`` if unknown."""
    seconds = record.details.get("elapsed")
    return None if seconds is None else float(seconds)


def _count_ended(view: RunView, seconds: float) -> int:
    """Return how many iterations of a run had ended this long after its start."""
    return bisect_right(view.iterations, seconds, key=lambda each: _get_seconds(each) or 0.0)

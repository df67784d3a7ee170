"""What the plots look at, made from the session: runs as series, the chosen one on top."""

from collections.abc import Mapping
from typing import Any

from studio.data.metrics.registry import metric_for
from studio.errors import StudioError
from studio.gui.base.language import tr, translate
from studio.gui.plots.base.measure import Measure
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subject import Overlay, Subject
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.runs.settings import RunSettings
from studio.space.space import Space


class Subjects:
    """Makes the subject that all plots follow.

    Args:
        session: The open document.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._series: dict[int, RunSeries] = {}
        self._spaces: dict[int, Space | None] = {}

    def forget(self) -> None:
        """Another document is open."""
        self._series.clear()
        self._spaces.clear()

    def now(self) -> Subject | None:
        """Return the chosen run at the chosen iteration, or None where no run is chosen."""
        view, path = self._session.shown.run, self._session.path
        if view is None or path is None:
            return None
        series = self._grown(view)
        overlaid = tuple(
            Overlay(name_of(other), other.row.id, self._grown(other), other.settings.plan)
            for other in self._session.shown.overlaid
        )
        return Subject(
            path,
            view.row.id,
            series,
            self._session.shown.iteration,
            self._spaces[view.row.id],
            name_of(view),
            view.settings,
            overlaid,
            _why_nothing_comes(view),
            view.row.result and view.row.result.utilisation,
            view.test_loss,
        )

    def _grown(self, view: RunView) -> RunSeries:
        """Return the run's series with all that is read by now."""
        series = self._series_of(view)
        series.extend(view.trials, view.iterations)
        return series

    def _series_of(self, view: RunView) -> RunSeries:
        """Return the run's series, made once its settings are complete."""
        run_id = view.row.id
        known = self._series.get(run_id)
        if known is not None and self._spaces[run_id] is not None:
            return known
        settings = view.settings
        space = _space_of(settings.space)
        root = None if space is None else space.root_choice()
        self._spaces[run_id] = space
        self._series[run_id] = RunSeries(
            measure=measure_of(settings),
            branch_parameter=None if root is None else root.name,
            branches=() if root is None else tuple(str(choice) for choice in root.choices),
        )
        return self._series[run_id]


def name_of(view: RunView) -> str:
    """Return a run's name as it is shown."""
    return view.row.name or view.method


def _why_nothing_comes(view: RunView) -> str:
    """Say that a run has ended without a trial, and what to do; empty where one may come."""
    if view.state == "interrupted" and not view.trials:
        return tr(
            "This run was interrupted before its first trial had finished.\n"
            "Continue it with the button beside Run, or start another one."
        )
    if not view.ended or view.trials:
        return ""
    why = translate(view.row.message) or tr("It was stopped before its first trial had finished.")
    return tr("This run has no finished trial.\n{why}\nStart another one on the Run page.", why=why)


def measure_of(settings: RunSettings) -> Measure:
    """Return how a run's metric is written; the plain error where the settings do not say."""
    task, key = settings.source.task, settings.metric
    if task == "auto" or key is None:
        return Measure()
    metric = metric_for(key, task)
    return Measure.of(translate(metric.title), metric.unit)


def _space_of(stored: Mapping[str, Any] | None) -> Space | None:
    if stored is None:
        return None
    try:
        return Space.from_json(stored)
    except StudioError:
        # A run whose space cannot be read still has its losses and members to show.
        return None

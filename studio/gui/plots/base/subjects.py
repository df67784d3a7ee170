"""What the plots look at, made from the session: runs as series, the chosen one on top."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from studio.data.metrics.registry import metric_for
from studio.errors import StudioError
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.base.subject import Overlay, Subject
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.language import tr, translate
from studio.measure import Measure
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
        view = self._session.shown.run
        if view is None or self._session.path is None:
            return None
        overlaid = tuple(map(self._overlay, self._session.shown.overlaid))
        return replace(self._alone(view, self._session.path), overlaid=overlaid)

    def side_by_side(self) -> tuple[Subject, Subject] | None:
        """Return the chosen run and the first that is overlaid on it, each for a plot of its own.

        ``None`` where nothing is overlaid.
        """
        view, path = self._session.shown.run, self._session.path
        other = next(iter(self._session.shown.overlaid), None)
        if view is None or path is None or other is None:
            return None
        first, second = self._overlay(view), self._overlay(other)
        return (
            replace(self._alone(view, path), beside=(second,)),
            replace(self._alone(other, path), beside=(first,)),
        )

    def _overlay(self, view: RunView) -> Overlay:
        return Overlay(
            view.name, view.row.id, self._grown(view), view.settings.plan, view.test_loss
        )

    def _alone(self, view: RunView, path: Path) -> Subject:
        series = self._grown(view)
        return Subject(
            document=path,
            run_id=view.row.id,
            series=series,
            chosen=self._session.shown.iteration,
            space=self._spaces[view.row.id],
            name=view.name,
            settings=view.settings,
            ended=_why_nothing_comes(view),
            utilisation=view.row.result and view.row.result.utilisation,
            test_loss=view.test_loss,
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

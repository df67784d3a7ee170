"""Subjects of the plots, from the session: runs as series, the chosen one last."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from studio.data.metrics.registry import get_metric
from studio.document.decision import Decision
from studio.errors import StudioError
from studio.figures.ink import Ink, get_run_ink
from studio.gui.plots.base.series import RunSeries
from studio.gui.session.run_differences import RunDifferences, compare_runs
from studio.gui.session.run_view import RunView
from studio.gui.session.session import Session
from studio.language import tr, translate
from studio.measure import Measure, get_loss_unit
from studio.runs.settings import RunSettings, summarise_refit
from studio.space.space import Space

Members = tuple[tuple[int, float], ...]
"""An ensemble: the trial number and the weight of every member."""


@dataclass(frozen=True)
class Subject:
    """One run as displayed by a plot.

    Attributes:
        selected_iteration: The selected iteration; None follows the newest.
        overlays, side_by_side: Other runs drawn over it and beside it, in plots that support it.
        end_reason: Why no further trial is possible, in a sentence; empty if one may follow.
        utilisation: The use of a finished run's worker time (:mod:`studio.runs.utilisation`);
            ``None`` for other runs.
        test_loss: Test loss of the final models; ``None`` before the end, and without test rows.
        refit, single_refit: Which of the final models were refitted, and whether the tested single
            model was, in words; empty for none.
        final_members: The result's members, after the end; some members of the last iteration may
            be omitted.
        decision: The current decision; ``None`` for the method's labels.
        seconds: The selected time since the run's start; None for the newest.
        differences: Differences between the run and those overlaid on it, in words.
        only_test_is_comparable: Whether the validation rows of an overlaid run differ from those of
            the run below it, but not its test rows.
    """

    document: Path
    run_id: int
    series: RunSeries
    selected_iteration: int | None
    space: Space | None
    name: str = ""
    settings: RunSettings = field(default_factory=RunSettings)
    overlays: tuple["Subject", ...] = ()
    side_by_side: tuple["Subject", ...] = ()
    end_reason: str = ""
    utilisation: Mapping[str, float] | None = None
    test_loss: float | None = None
    single_test_loss: float | None = None
    refit: str = ""
    single_refit: str = ""
    final_members: Members = ()
    decision: Decision | None = None
    by_time: bool = False
    seconds: float | None = None
    differences: str = ""
    only_test_is_comparable: bool = False

    @property
    def run_ink(self) -> Ink | None:
        """The run's ink if there are several runs; None if it is the only one."""
        return get_run_ink(self.run_id) if self.overlays or self.side_by_side else None

    @property
    def n_copied(self) -> int:
        """The number of a fork's trials that are its parent's."""
        return int(self.settings.forked.get("iteration", 0))

    @property
    def has_test_result(self) -> bool:
        """Whether the run has ended and was tested."""
        return self.test_loss is not None

    @property
    def iteration(self) -> int:
        """The shown iteration; 0 before the first."""
        return self.series.resolve_iteration(self.selected_iteration)

    @property
    def last(self) -> int:
        """The newest iteration of this run, its overlays and the runs displayed next to it."""
        other_lengths = (each.series.length for each in (*self.overlays, *self.side_by_side))
        return max(self.series.length, *other_lengths, 0)

    @property
    def axis_end(self) -> int:
        """The end of the iteration axis: the newest iteration of this run and adjacent runs."""
        return max(self.series.length, *(each.series.length for each in self.side_by_side), 0)

    @property
    def members(self) -> Members:
        """The ensemble's members at this iteration: trial number and weight of each."""
        if self.iteration < 1:
            return ()
        members = self.series.iterations[self.iteration - 1].members
        return tuple((int(number), float(weight)) for number, weight in members)

    @property
    def deciding_members(self) -> Members:
        """The members at this iteration; at the end of the run those of its result."""
        is_at_end = 0 < self.iteration == self.series.length
        return (self.final_members if is_at_end else ()) or self.members

    @property
    def common_arguments(self) -> dict[str, Any]:
        """Common arguments of all tasks about a run: the document, the run, and the iteration."""
        return {"path": str(self.document), "run_id": self.run_id, "iteration": self.iteration}

    @property
    def identity(self) -> tuple[Path, int]:
        """Identity of this run, also across documents."""
        return self.document, self.run_id

    @property
    def overlaid_ids(self) -> tuple[int, ...]:
        """The ids of the overlaid runs."""
        return tuple(each.run_id for each in self.overlays)

    def is_same_run(self, earlier: "Subject") -> bool:
        """Whether it is the same run as before, and not a restarted playback."""
        is_longer = len(self.series.iterations) >= len(earlier.series.iterations)
        return is_longer and self.identity == earlier.identity


class Subjects:
    """Creates the subject that all plots show."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._series: dict[int, RunSeries] = {}
        self._spaces: dict[int, Space | None] = {}

    def clear(self) -> None:
        """Forget the subjects of the previous document."""
        self._series.clear()
        self._spaces.clear()

    def get_current(self) -> Subject | None:
        """Return the selected run at the selected iteration, or None if no run is selected."""
        view, path = self._session.run_selection.run, self._session.path
        if view is None or path is None:
            return None
        overlaid = tuple(
            replace(
                self._make_subject(each, path),
                only_test_is_comparable=compare_runs(
                    view, [each], self._session.run_data
                ).only_test_is_comparable,
            )
            for each in self._session.run_selection.overlaid_runs
        )
        subject = self._make_subject(view, path)
        return replace(subject, overlays=overlaid, differences=self.get_differences().text)

    def get_differences(self) -> RunDifferences:
        """Return how the overlaid runs differ from the chosen one."""
        selection = self._session.run_selection
        if selection.run is None:
            return RunDifferences()
        return compare_runs(selection.run, selection.overlaid_runs, self._session.run_data)

    def get_side_by_side(self, limit: int = 2) -> tuple[Subject, ...]:
        """Return up to ``limit`` runs for columns, oldest first; empty without an overlay."""
        view, path = self._session.run_selection.run, self._session.path
        other_views = self._session.run_selection.overlaid_runs[-(limit - 1) :]
        if view is None or path is None or not other_views:
            return ()
        views = sorted((view, *other_views), key=lambda each: each.row.id)
        subjects = [self._make_subject(each, path) for each in views]
        return tuple(
            replace(each, side_by_side=(*subjects[:index], *subjects[index + 1 :]))
            for index, each in enumerate(subjects)
        )

    def _make_subject(self, view: RunView, path: Path) -> Subject:
        series = self._update_series(view)
        return Subject(
            document=path,
            run_id=view.row.id,
            series=series,
            selected_iteration=self._session.run_selection.get_iteration(view),
            by_time=self._session.run_selection.by_time,
            seconds=self._session.run_selection.seconds,
            space=self._spaces[view.row.id],
            name=view.name,
            settings=view.settings,
            end_reason=_explain_missing_model(view),
            utilisation=view.row.result and view.row.result.utilisation,
            test_loss=view.test_loss,
            single_test_loss=view.single_test_loss,
            decision=view.row.decision,
            refit=_describe_refit(view),
            single_refit=_describe_single_refit(view),
            final_members=_get_final_members(view),
        )

    def _update_series(self, view: RunView) -> RunSeries:
        series = self._get_series(view)
        series.extend(view.trials, view.iterations)
        return series

    def _get_series(self, view: RunView) -> RunSeries:
        """Return the run's series, created once its settings are complete."""
        run_id = view.row.id
        cached = self._series.get(run_id)
        if cached is not None and self._spaces[run_id] is not None:
            return cached
        settings = view.settings
        space = read_space(settings.space)
        root = None if space is None else space.find_root_choice()
        self._spaces[run_id] = space
        self._series[run_id] = RunSeries(
            measure=get_measure(settings, self._session.run_data.get_target_unit(view)),
            branch_parameter=None if root is None else root.name,
            branches=() if root is None else tuple(str(choice) for choice in root.choices),
        )
        return self._series[run_id]


def _explain_missing_model(view: RunView) -> str:
    """Explain that a run has ended without a model, with a remedy; empty while one may come."""
    if view.state == "interrupted" and not view.trials:
        return tr(
            "This run was interrupted before its first trial had finished.\n"
            "Continue it with the button beside Run, or start another one."
        )
    if not view.has_ended or any(each.loss is not None for each in view.trials):
        return ""
    reason = translate(view.row.message) or tr("It was stopped before a model was evaluated.")
    return tr(
        "This run has no evaluated model.\n{why}\nStart another one on the Run page.", why=reason
    )


def get_measure(settings: RunSettings, target_unit: str = "") -> Measure:
    """Return the format of a run's metric, by default the error, with the target's unit."""
    task, key = settings.source.task, settings.metric
    if task == "auto" or key is None:
        return Measure()
    metric = get_metric(key, task)
    return Measure.from_title(translate(metric.title), get_loss_unit(metric.unit, target_unit))


def read_space(content: Mapping[str, Any] | None) -> Space | None:
    """Return a run's space; ``None`` without one, or if it is unreadable."""
    if content is None:
        return None
    try:
        return Space.from_json(content)
    except StudioError:
        # A run with an unreadable space still has losses and members.
        return None


def _describe_refit(view: RunView) -> str:
    """State which final models were refitted: "refitted", "3 of 5 refitted"; empty for none."""
    result = view.row.result
    share = (0, 0) if result is None else result.refitted_counts
    return translate(summarise_refit(share)) if share[0] else ""


def _describe_single_refit(view: RunView) -> str:
    result = view.row.result
    return translate(summarise_refit((1, 1))) if result and result.is_single_refitted else ""


def _get_final_members(view: RunView) -> Members:
    result = view.row.result if view.has_ended else None
    if result is None or result.trials != len(view.trials):  # the run was continued
        return ()
    return tuple((each.trial, each.weight) for each in result.members)

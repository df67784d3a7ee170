"""Column importance and effects: what each column contributes to the ensemble.

This module contains the helper tasks, and the client that calls them until the computation is
complete.
"""

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.phrases import phrase
from studio.questions.columns.answer import ColumnEffects, ColumnEffectsPlan
from studio.tasks import RequesterFactory, task

if TYPE_CHECKING:
    from studio.document.results import Result

MAX_CALL_SECONDS = 1.0
"""Maximum seconds per call: other requests are served in between."""

_MAX_COMPLETE = 12
"""Maximum number of complete results that are kept."""

TOO_LONG_MESSAGE = phrase(
    "The members would have to be trained again first, which takes a long time."
)


@task("make_column_plan")
def make_column_plan(path: Path, run_id: int, iteration: int) -> ColumnEffectsPlan:
    """Return the plan for the ensemble of a run at an iteration."""
    from studio.analysis.what_if import NO_ENSEMBLE
    from studio.questions.columns.compute import start_work

    work = start_work(path, run_id, iteration)
    return ColumnEffectsPlan(reason=NO_ENSEMBLE) if work is None else work.plan


@task("compute_column_effects", slow=True)
def compute_column_effects(
    path: Path, run_id: int, iteration: int, column: str, seconds: float = MAX_CALL_SECONDS
) -> ColumnEffects:
    """Continue the computation for about ``seconds``; to be called until it is complete.

    Every result contains all values computed so far.

    Args:
        column: A column whose partial dependence is also computed; empty for none.
    """
    from studio.analysis.what_if import NO_ENSEMBLE
    from studio.questions.columns.compute import continue_work

    work = continue_work(path, run_id, iteration, column, seconds)
    return ColumnEffects(reason=NO_ENSEMBLE) if work is None else work.get_effects(iteration)


def compute_affordable_effects(
    path: Path, run_id: int, progress: Callable[[str, float], None]
) -> ColumnEffects:
    """Compute everything for a run's final ensemble, or return a ``reason`` for not doing so."""
    last_iteration = 1_000_000_000
    plan = make_column_plan(path, run_id, last_iteration)
    if not plan.is_affordable:
        return ColumnEffects(reason=plan.reason or TOO_LONG_MESSAGE)
    while not (effects := compute_column_effects(path, run_id, last_iteration, "")).is_complete:
        progress(effects.phase, effects.progress)
    return effects


class ColumnsWork:
    """Computes an ensemble's column importance step by step in the helper.

    Args:
        complete_effects: The last complete results by ensemble key, possibly of several views.

    Attributes:
        ensemble_key: The current ensemble; ``None`` for none yet.
        plan: ``None`` until requested.
    """

    def __init__(
        self, requesters: RequesterFactory, complete_effects: dict[Hashable, ColumnEffects]
    ) -> None:
        self.change_listeners: list[Callable[[], None]] = []
        self._complete_effects = complete_effects
        self._is_suspended = self._is_step_pending = False
        self._plans = requesters.for_task(make_column_plan, self._on_plan, self._on_error)
        self._effects = requesters.for_task(
            compute_column_effects, self._on_effects, self._on_error
        )
        self.clear()

    def clear(self) -> None:
        """Clear results and cancel the computation."""
        self._plans.clear()
        self._effects.clear()
        self.ensemble_key: Hashable = None
        self._arguments: dict[str, Any] = {}
        self.plan: ColumnEffectsPlan | None = None
        self.effects: ColumnEffects | None = None
        self.error_message, self.is_computing, self._is_cancelled = "", False, False
        self._requested_columns: list[str] = []

    def set_ensemble(
        self, of: Hashable, arguments: dict[str, Any], *, requests_plan: bool = False
    ) -> None:
        """Switch to another ensemble.

        Args:
            of: The key of the ensemble; its results are kept.
            arguments: The tasks' arguments: the run, and the iteration.
            requests_plan: Whether to request the plan, and to start if it is cheap.
        """
        if of == self.ensemble_key:
            return
        self.clear()
        self.ensemble_key, self._arguments = of, arguments
        self.effects = self._complete_effects.get(of)
        if self.effects is not None:
            self.plan = self.effects.plan
            self._notify()
        elif requests_plan:
            self._plans.submit_arguments(arguments, of, 0)
            self._notify()

    def set_run(
        self, path: Path | None, run_id: int, iteration: int, result: "Result | None"
    ) -> None:
        """Switch to a run's ensemble at an iteration, and start if it is cheap.

        Args:
            result: At the run's last iteration; ``None`` without one, or for an earlier iteration.
                It determines the evaluated rows and, with stored models, the models.
        """
        arguments = {"path": str(path), "run_id": run_id, "iteration": iteration}
        version = None if result is None else (result.kept_bytes, result.refitted)
        self.set_ensemble((*arguments.values(), version), arguments, requests_plan=True)

    def is_about(self, path: Path | None, run_id: int) -> bool:
        """Whether the ensemble belongs to this run, or there is none yet."""
        request = self._arguments
        return not request or (request["path"], request["run_id"]) == (str(path), run_id)

    def begin(self, column: str = "") -> None:
        """Start, or resume after an error; ``column``: the column of a requested effect."""
        if self.ensemble_key is not None and not self.is_computing:
            self._requested_columns += [column] if column else []
            self.is_computing, self._is_cancelled, self.error_message = True, False, ""
            self._request_step()
            self._notify()

    def stop(self) -> None:
        """Cancel the computation, keeping the results."""
        self._effects.clear()
        self.is_computing, self._is_cancelled, self._requested_columns = False, True, []
        self._notify()

    def set_suspended(self, suspended: bool) -> None:
        """Suspend further steps, so that other requests need not wait."""
        self._is_suspended = suspended
        if self._is_step_pending and not suspended:
            self._is_step_pending = False
            if self.is_computing:
                self._request_step()

    def request_effect(self, column: str, *, on_demand: bool = False) -> None:
        """Request the effect of one more column; after a cancellation only on demand."""
        if self._is_cancelled and not on_demand:
            return
        if column not in self._requested_columns:
            self._requested_columns.append(column)
        if self.effects is not None:
            self.begin()

    def _request_step(self) -> None:
        if self._is_suspended:
            self._is_step_pending = True
            return
        is_done = self.effects is not None and self.effects.is_complete
        column = self._requested_columns.pop(0) if is_done and self._requested_columns else ""
        # Every step is another version of the same query.
        self._effects.submit_arguments(
            {**self._arguments, "column": column}, self.ensemble_key, object()
        )

    def _on_plan(self, plan: ColumnEffectsPlan) -> None:
        self.plan, self.error_message = plan, plan.reason
        if plan.is_affordable:
            self.begin()
        self._notify()

    def _on_effects(self, effects: ColumnEffects) -> None:
        self.effects, self.error_message = effects, effects.reason
        known = self._complete_effects
        if effects.is_complete and not effects.reason:
            known[self.ensemble_key] = effects
            while len(known) > _MAX_COMPLETE:
                del known[next(iter(known))]
        self.is_computing = not effects.reason and (
            not effects.is_complete or bool(self._requested_columns)
        )
        if self.is_computing:
            self._request_step()
        self._notify()

    def _on_error(self, message: str) -> None:
        self.is_computing, self.error_message = False, message
        self._notify()

    def _notify(self) -> None:
        for each in self.change_listeners:
            each()

"""Has the helper find out what an ensemble looks at, for all views of the page that want to know.

It begins by itself when somebody looks at the result of a run that has ended, cheap things first;
where members would have to be refitted for long, it waits to be asked.
"""

from PySide6.QtCore import QObject, Signal

from studio.analysis.answers.column_effects import ColumnEffects
from studio.analysis.answers.column_plan import Plan
from studio.gui.plots.base.asking import Asks, Query
from studio.gui.session.run_view import RunView


class EffectsWork(QObject):
    """What is known so far of one run's columns.

    Attributes:
        plan: What there is to do.
        found: What has come out so far.
        trouble: What went wrong, in English; empty for nothing.
    """

    changed = Signal()

    def __init__(self, asks: Asks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.plan: Plan | None = None
        self.found: ColumnEffects | None = None
        self.trouble = ""
        self._of: tuple[str, int, int, int] | None = None
        self._working = self._given_up = False
        self._wanted: list[str] = []
        self._steps = 0
        self._plans = asks("column_plan", Plan, self._planned, self._failed)
        self._effects = asks("column_effects", ColumnEffects, self._arrived, self._failed)

    @property
    def working(self) -> bool:
        """Whether something is being found out."""
        return self._working

    def look(self, path: str, view: RunView) -> None:
        """Find out about a run that has ended, if it or its models have changed."""
        kept = (view.row.result and view.row.result.kept_bytes) or 0
        of = (path, view.row.id, len(view.trials), kept)
        if of == self._of:
            return
        for asker in (self._plans, self._effects):
            asker.forget()
        self._of, self._wanted, self.trouble = of, [], ""
        self._working = self._given_up = False
        self.plan = self.found = None
        self._plans.ask(self._query(iteration=of[2]))
        self.changed.emit()

    def begin(self) -> None:
        """Begin, or continue after something went wrong."""
        if self._of is not None and not self._working:
            self._working, self._given_up, self.trouble = True, False, ""
            self._step()
            self.changed.emit()

    def stop(self) -> None:
        """Give up what is being found out; what is known stays."""
        self._effects.forget()
        self._working, self._given_up, self._wanted = False, True, []
        self.changed.emit()

    def want(self, column: str, *, asked: bool = False) -> None:
        """Have the effect of one more column found out; after it was given up only if asked for."""
        if self._given_up and not asked:
            return
        if column not in self._wanted:
            self._wanted.append(column)
        if self.found is not None:
            self.begin()

    def _query(self, step: object = 0, **more: object) -> Query:
        assert self._of is not None
        path, run_id, *_ = self._of
        return Query({"path": path, "run_id": run_id, **more}, self._of, step)

    def _step(self) -> None:
        assert self._of is not None
        self._steps += 1
        done = self.found is not None and self.found.done
        column = self._wanted.pop(0) if done and self._wanted else ""
        self._effects.ask(self._query(self._steps, iteration=self._of[2], column=column))

    def _planned(self, _: Query, plan: Plan) -> None:
        self.plan, self.trouble = plan, plan.reason
        if plan.affordable:
            self.begin()
        self.changed.emit()

    def _arrived(self, _: Query, found: ColumnEffects) -> None:
        self.found, self.trouble = found, found.reason
        self._working = not found.reason and (not found.done or bool(self._wanted))
        if self._working:
            self._step()
        self.changed.emit()

    def _failed(self, message: str) -> None:
        self._working, self.trouble = False, message
        self.changed.emit()

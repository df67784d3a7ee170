"""Dialog for choosing the method of a fork."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget

from studio.gui.base.theme import GRID
from studio.gui.session.run_view import RunView
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice, DurationEdit, Field, NumberEdit, make_integer_parser
from studio.gui.widgets.flow import FittingDialog
from studio.language import ntr, tr, translate
from studio.proposers.composition import Preset, has_same_evaluation

if TYPE_CHECKING:
    from studio.gui.drafts.starter import Starter

DEFAULT_TRIALS, DEFAULT_MINUTES = 40, 5.0
"""Default trials and minutes if the run's budget is used up."""

_MODELS, _MINUTES = "models", "minutes"
_SECONDS_PER_MINUTE = 60.0

_MIN_MINUTES = 0.1
"""Minutes below which a time limit counts as used up."""

_STEPS_PER_MINUTE = 4
"""Proposed times are multiples of a quarter of a minute."""


def _round_up(minutes: float) -> float:
    return math.ceil(_STEPS_PER_MINUTE * minutes) / _STEPS_PER_MINUTE


def open_fork_dialog(
    view: RunView, iteration: int, methods: Sequence[Preset], starter: "Starter", parent: QWidget
) -> None:
    """Open the dialog with the methods for the run's task, and start the fork on acceptance."""
    dialog = ForkDialog(view, iteration, list_fork_methods(view, methods), parent)
    dialog.finished.connect(dialog.deleteLater)
    dialog.accepted.connect(
        lambda: starter.fork(
            view.row.id, iteration, dialog.get_changed_settings(), dialog.get_name()
        )
    )
    dialog.open()


def list_fork_methods(view: RunView, methods: Sequence[Preset]) -> list[Preset]:
    """Return the methods for a run's task that can continue with its trials."""
    task, overrides = view.settings.source.task, view.settings.overrides
    current_method = next(
        (each for each in methods if view.method in {each.key, *each.aliases}), None
    )
    return [
        each
        for each in methods
        if task not in each.rejections
        and (current_method is None or has_same_evaluation(current_method, overrides, each))
    ]


_HEADROOM = 2.0
"""Factor for a method that takes longer to choose a trial, and a busier machine."""


def estimate_least_seconds(view: RunView) -> float:
    """Return the seconds for a fork to start, train one trial and end, by the run's own times."""
    if not view.iterations:
        return 0.0
    start = view.iterations[0].details.get("timing", (0.0, 0.0))[1]
    slowest = max(trial.fit_seconds for trial in view.trials)
    return _HEADROOM * float(start + slowest + view.total_seconds - view.elapsed)


_PREFERRED = ("RS-ES", "BO-post")
"""Preferred methods for a fork."""


def _choose_other_method(method: str, methods: Mapping[str, Preset]) -> str:
    """Return a method other than a run's; the run's if it is the only one."""
    other_methods = (each for each in (*_PREFERRED, *methods) if each in methods and each != method)
    return next(other_methods, method)


class ForkDialog(FittingDialog):
    """A method for the run's task, a budget and a name for a fork with copied trials."""

    def __init__(
        self, view: RunView, iteration: int, methods: list[Preset], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Fork with another method"))
        self._view, self._iteration = view, iteration
        models, seconds = view.settings.budget or 0, view.settings.seconds
        self._budget = models if models > iteration else iteration + DEFAULT_TRIALS
        left = 0.0 if seconds is None else (seconds - self._elapsed) / _SECONDS_PER_MINUTE
        least = _round_up(estimate_least_seconds(view) / _SECONDS_PER_MINUTE)
        self._minutes = max(_round_up(left) if left >= _MIN_MINUTES else DEFAULT_MINUTES, least)
        self._methods = {each.key: each for each in methods}
        self._method = _choose_other_method(view.method, self._methods)
        text = tr("Fork “{run}” at iteration {number}", number=iteration, run=view.row.name)
        heading = kit.label(text, "title", wrap=True)
        text = ntr(
            "A new run (a fork) starts with the {count} model trained so far, and continues "
            "with the method that you choose. The run itself is not changed.",
            "A new run (a fork) starts with the {count} models trained so far, and "
            "continues with the method that you choose. The run itself is not changed.",
            iteration,
        )
        explanation = kit.label(text, "muted", wrap=True)
        self.method_choice = Choice(
            [(each.key, f"{each.key}  ·  {translate(each.title)}") for each in methods],
            self._choose,
        )
        self.method_choice.show_value(self._method)
        tip = tr(
            "Search method of the fork. Methods that evaluate models in another way are "
            "not listed: the errors could not be compared."
        )
        self._method_field = Field(tr("Method"), self.method_choice, tip=tip)
        self.name = QLineEdit()
        self.name.setMaxLength(80)
        name_field = Field(tr("Name"), self.name, tip=tr("Name of the new run; empty: as proposed"))
        self.kind = Choice(
            [(_MODELS, tr("Models (trials)")), (_MINUTES, tr("Time"))], self._choose_kind
        )
        kind = _MODELS if seconds is None else _MINUTES
        self.kind.show_value(kind)
        kind_field = Field(tr("Limit"), self.kind, tip=tr("A number of trials, or minutes of work"))
        self.budget_edit = NumberEdit(
            make_integer_parser(iteration + 1, 1_000_000), self._set_budget
        )
        self.budget_edit.show_value(self._budget)
        tip = tr("Including the models copied from this run")
        self._budget_field = Field(tr("Models in total (trials)"), self.budget_edit, tip=tip)
        self.minutes_edit = DurationEdit("min", self._set_minutes)
        self.minutes_edit.show_value(self._minutes)
        tip = tr("Minutes of work after the models copied from this run; pauses do not count")
        self._minutes_field = Field(tr("Extra time"), self.minutes_edit, tip=tip)
        self.go_button = kit.button(tr("Fork"), self.accept, kind="primary", tip="")
        self.go_button.setDefault(True)
        cancel = kit.button(tr("Cancel"), self.reject, tip=tr("Change nothing (Escape)"))
        for edit in (self.budget_edit, self.minutes_edit):
            edit.validated.connect(self._update_button)
        top = Qt.AlignmentFlag.AlignTop
        budget = kit.row(
            (kind_field, 1, top),
            (self._budget_field, 1, top),
            (self._minutes_field, 1, top),
            spacing=2 * GRID,
        )
        kit.column(
            heading,
            explanation,
            self._method_field,
            name_field,
            budget,
            kit.row(None, cancel, self.go_button),
            parent=self,
            spacing=2 * GRID,
            margin=3 * GRID,
        )
        self.setMinimumWidth(500)
        self._choose(self._method)
        self._choose_kind(kind)

    @property
    def _elapsed(self) -> float:
        """Elapsed seconds of the run at the iteration of the fork."""
        if not self._iteration:
            return 0.0
        iteration = self._view.iterations[self._iteration - 1]
        return float(iteration.details.get("elapsed", 0.0))

    def get_changed_settings(self) -> dict[str, Any]:
        """Return the fork's settings that differ from the run's."""
        if self._limit == _MODELS:
            return {"method": self._method, "budget": self._budget, "seconds": None}
        seconds = self._elapsed + _SECONDS_PER_MINUTE * self._minutes
        return {"method": self._method, "budget": None, "seconds": seconds}

    def get_name(self) -> str:
        """Return the new run's name, typed or default."""
        return " ".join((self.name.text() or self.name.placeholderText()).split())

    def _choose(self, key: object) -> None:
        self._method = str(key)
        method = self._methods.get(self._method)
        if method is not None:
            self._method_field.explain(
                f"{translate(method.summary)} ({translate(method.reference)})"
            )
        self.name.setPlaceholderText(
            tr("{method} from {number}", method=self._method, number=self._iteration)
        )

    def _choose_kind(self, kind: object) -> None:
        self._limit = str(kind)
        self._budget_field.setVisible(kind == _MODELS)
        self._minutes_field.setVisible(kind == _MINUTES)
        self._update_button()

    def _update_button(self) -> None:
        """Enable the button only if the displayed values are valid."""
        limit = self.budget_edit if self._limit == _MODELS else self.minutes_edit
        kit.enable_unless(self.go_button, limit.problem, tr("Start the new run"))

    def _set_budget(self, value: object) -> None:
        assert isinstance(value, int)
        self._budget = value

    def _set_minutes(self, value: object) -> None:
        self._minutes = float(str(value))

"""Dialog for choosing the method of a fork, and the limit in it and in an extended budget."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
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

MODELS, MINUTES = "models", "minutes"
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


class LimitEdit(QWidget):
    """A limit of one of two kinds: a number of trials, or minutes of work.

    Args:
        fields: Title and tooltip of each kind's field.
        values: The initial limit of each kind.
        show_problem: Called with the problem of the visible input, or "".
    """

    def __init__(
        self,
        fields: Mapping[str, tuple[str, str]],
        values: Mapping[str, float],
        show_problem: Callable[[str], object],
        *,
        kind: str = MODELS,
        min_models: int = 1,
    ) -> None:
        super().__init__()
        self.values, self.kind, self._show_problem = dict(values), kind, show_problem
        self.choice = Choice([(MODELS, tr("Models (trials)")), (MINUTES, tr("Time"))], self._choose)
        self.choice.show_value(kind)
        parse = make_integer_parser(min_models, 1_000_000)
        self.models = NumberEdit(parse, partial(self._set_value, MODELS))
        self.minutes = DurationEdit("min", partial(self._set_value, MINUTES))
        self._edits = {MODELS: self.models, MINUTES: self.minutes}
        self._fields: dict[str, Field] = {}
        for key, edit in self._edits.items():
            edit.show_value(values[key])
            edit.validated.connect(self._update)
            self._fields[key] = Field(fields[key][0], edit, tip=fields[key][1])
        tip, top = tr("A number of trials, or minutes of work"), Qt.AlignmentFlag.AlignTop
        all_fields = (Field(tr("Limit"), self.choice, tip=tip), *self._fields.values())
        kit.row(*((each, 1, top) for each in all_fields), parent=self, spacing=2 * GRID)
        self._update()

    def _choose(self, kind: object) -> None:
        self.kind = str(kind)
        self._update()

    def _set_value(self, kind: str, value: object) -> None:
        self.values[kind] = float(str(value))

    def _update(self) -> None:
        for key, field in self._fields.items():
            field.setVisible(key == self.kind)
        self._show_problem(self._edits[self.kind].problem)


class ForkDialog(FittingDialog):
    """A method for the run's task, a budget and a name for a fork with copied trials."""

    def __init__(
        self, view: RunView, iteration: int, methods: list[Preset], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Fork with another method"))
        self._view, self._iteration = view, iteration
        models, seconds = view.settings.budget or 0, view.settings.seconds
        budget = models if models > iteration else iteration + DEFAULT_TRIALS
        left = 0.0 if seconds is None else (seconds - self._elapsed) / _SECONDS_PER_MINUTE
        least = _round_up(estimate_least_seconds(view) / _SECONDS_PER_MINUTE)
        minutes = max(_round_up(left) if left >= _MIN_MINUTES else DEFAULT_MINUTES, least)
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
        self.go_button = kit.button(tr("Fork"), self.accept, kind="primary", tip="")
        self.go_button.setDefault(True)
        cancel = kit.button(tr("Cancel"), self.reject, tip=tr("Change nothing (Escape)"))
        tip = tr("Including the models copied from this run")
        models_field = tr("Models in total (trials)"), tip
        tip = tr("Minutes of work after the models copied from this run; pauses do not count")
        self.limit = LimitEdit(
            {MODELS: models_field, MINUTES: (tr("Extra time"), tip)},
            {MODELS: budget, MINUTES: minutes},
            lambda problem: kit.enable_unless(self.go_button, problem, tr("Start the new run")),
            kind=MODELS if seconds is None else MINUTES,
            min_models=iteration + 1,
        )
        kit.column(
            heading,
            explanation,
            self._method_field,
            name_field,
            self.limit,
            kit.row(None, cancel, self.go_button),
            parent=self,
            spacing=2 * GRID,
            margin=3 * GRID,
        )
        self.setMinimumWidth(500)
        self._choose(self._method)

    @property
    def _elapsed(self) -> float:
        """Elapsed seconds of the run at the iteration of the fork."""
        if not self._iteration:
            return 0.0
        iteration = self._view.iterations[self._iteration - 1]
        return float(iteration.details.get("elapsed", 0.0))

    def get_changed_settings(self) -> dict[str, Any]:
        """Return the fork's settings that differ from the run's."""
        value = self.limit.values[self.limit.kind]
        if self.limit.kind == MODELS:
            return {"method": self._method, "budget": int(value), "seconds": None}
        seconds = self._elapsed + _SECONDS_PER_MINUTE * value
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

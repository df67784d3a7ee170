"""Ask how much longer a run is to search: in models or in minutes."""

from typing import Any

from PySide6.QtWidgets import QWidget

from studio.gui.base.theme import GRID
from studio.gui.session.control import more_minutes, more_models
from studio.gui.session.run_view import RunView
from studio.gui.session.wording import duration, progress
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice, Field, NumberEdit, positive, whole
from studio.gui.widgets.fitting_dialog import FittingDialog
from studio.language import tr

_MODELS, _MINUTES = "models", "minutes"
_FIRST = {_MODELS: 40, _MINUTES: 5.0}


class MoreDialog(FittingDialog):
    """More models or more minutes for one run.

    Args:
        view: The run.
    """

    def __init__(self, view: RunView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Extend budget"))
        self._view = view
        self._amounts: dict[str, float] = dict(_FIRST)
        heading = kit.label(
            tr("Extend the budget of “{run}”", run=view.row.name), "title", wrap=True
        )
        so_far = tr("So far: {progress}", progress=progress(view))
        if view.took:
            so_far += tr(" in {time}", time=duration(view.took))
        about = kit.label(
            tr("{sofar}. It continues from there, with all that it has learnt.", sofar=so_far),
            "muted",
            wrap=True,
        )
        self.kind = Choice(
            [(_MODELS, tr("More models (trials)")), (_MINUTES, tr("More time"))], self._choose
        )
        self.kind.show_value(_MODELS)
        kind = Field(tr("Limit"), self.kind, tip=tr("A number of trials, or minutes of work"))
        self.models = NumberEdit(whole(1, 1_000_000), lambda v: self._set(_MODELS, v))
        self.models.show_value(int(_FIRST[_MODELS]))
        self.minutes = NumberEdit(positive(), lambda v: self._set(_MINUTES, v))
        self.minutes.show_value(_FIRST[_MINUTES])
        self._models_field = Field(
            tr("Extra models"), self.models, unit=tr("models"), tip=tr("Failed ones count too")
        )
        self._minutes_field = Field(
            tr("Extra time"), self.minutes, unit=tr("min"), tip=tr("Pauses do not count")
        )
        self.go = kit.button(
            tr("Continue"),
            self.accept,
            kind="primary",
        )
        for edit in (self.models, self.minutes):
            edit.judged.connect(self._judge)
        self.go.setDefault(True)
        cancel = kit.button(tr("Cancel"), self.reject, tip=tr("Leave everything as it is (Escape)"))
        kit.column(
            heading,
            about,
            kind,
            self._models_field,
            self._minutes_field,
            kit.row(None, cancel, self.go),
            on=self,
            spacing=2 * GRID,
            margin=3 * GRID,
        )
        self.setMinimumWidth(420)
        self._choose(_MODELS)
        self.models.setFocus()
        self.models.selectAll()

    def changes(self) -> dict[str, Any]:
        """Return the settings "budget" and "seconds" as they become."""
        amount = self._amounts[self._kind]
        if self._kind == _MODELS:
            return more_models(self._view, int(amount))
        return more_minutes(self._view, amount)

    def _choose(self, kind: object) -> None:
        self._kind = str(kind)
        self._models_field.setVisible(kind == _MODELS)
        self._minutes_field.setVisible(kind == _MINUTES)
        self._judge()

    def _judge(self) -> None:
        limit = self.models if self._kind == _MODELS else self.minutes
        kit.allow(self.go, limit.problem, tr("Continue the run with this budget"))

    def _set(self, kind: str, value: object) -> None:
        self._amounts[kind] = float(str(value))

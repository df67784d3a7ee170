"""Ask with which method a run shall go on from an iteration, beside the run itself."""

from typing import Any

from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from studio.gui import kit
from studio.gui.fields import Choice, Field, NumberEdit, whole
from studio.gui.run_view import RunView
from studio.gui.theme import GRID

MORE = 40
"""Models offered beyond those that are taken over."""


class ForkDialog(QDialog):
    """A method and a budget for a fork.

    Parameters
    ----------
    view : RunView
        The run that is forked.
    iteration : int
        How many of its trials are taken over.
    methods : list of dict
        The catalogue's methods that exist for the run's task.
    """

    def __init__(
        self,
        view: RunView,
        iteration: int,
        methods: list[dict[str, Any]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Go on with another method")
        self._iteration = iteration
        self._budget: int | None = iteration + MORE
        self._method = str(view.settings["method"])
        heading = kit.label(f"Go on from iteration {iteration} of {view.row.name}", "title")
        about = kit.label(
            f"A new run begins with the {iteration} models that are there already, and goes on "
            "with the method that you choose. The run itself stays as it is.",
            "muted",
            wrap=True,
        )
        self.method = Choice(
            [(each["name"], f"{each['name']}  ·  {each['family']}") for each in methods],
            self._choose,
        )
        self.method.show_value(self._method)
        self._summaries = {each["name"]: each["summary"] for each in methods}
        self._method_field = Field("Method", self.method, tip="What suggests the next models")
        self.budget = NumberEdit(whole(iteration + 1, 1_000_000), self._set_budget)
        self.budget.show_value(self._budget)
        budget_field = Field(
            "Models in all (evaluations)",
            self.budget,
            tip="Those that are taken over count",
        )
        self.budget.complain = budget_field.complain
        self.go = kit.button("Go on", self.accept, kind="primary", tip="Start the new run")
        self.go.setDefault(True)
        cancel = kit.button("Cancel", self.reject, tip="Leave everything as it is (Escape)")
        column = QVBoxLayout(self)
        column.setContentsMargins(*(4 * [3 * GRID]))
        column.setSpacing(2 * GRID)
        for item in (heading, about, self._method_field, budget_field):
            column.addWidget(item)
        column.addLayout(kit.row(None, cancel, self.go))
        self.setMinimumWidth(480)
        self._choose(self._method)

    def changes(self) -> dict[str, Any]:
        """Return the settings that differ from the run's, as the fork takes them."""
        return {"method": self._method, "budget": self._budget, "seconds": None}

    def _choose(self, key: object) -> None:
        self._method = str(key)
        self._method_field.explain(self._summaries.get(self._method, ""))

    def _set_budget(self, value: object) -> None:
        assert isinstance(value, int)
        self._budget = value

"""Choice of one run of the document, or all of them."""

from collections.abc import Callable, Sequence

from studio.gui.base.tooltips import make_plain_tip
from studio.gui.session.run_view import RunView
from studio.gui.widgets.fields import Choice
from studio.language import tr


class RunChoice(Choice):
    """A drop-down of all runs."""

    def __init__(self, on_choice: Callable[[], None], name: str, tip: str) -> None:
        self.run: int | None = None
        self._on_choice = on_choice
        super().__init__([(None, tr("All runs"))], self._set_run)
        self.setAccessibleName(name)
        self.setToolTip(make_plain_tip(tip))
        self.setMinimumContentsLength(18)

    def set_runs(self, views: Sequence[RunView]) -> None:
        """List these runs; a removed one is deselected."""
        choices: list[tuple[object, str]] = [(None, tr("All runs"))]
        self.set_items([*choices, *((view.row.id, view.row.name) for view in views)])
        if self.run not in {view.row.id for view in views}:
            self.run = None
        self.show_value(self.run)

    def _set_run(self, value: object) -> None:
        self.run = int(str(value)) if value is not None else None
        self._on_choice()

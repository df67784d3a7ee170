"""What of the open document's runs is looked at."""

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from studio.gui.session.run_view import RunView
from studio.gui.session.runs import RunViews


@dataclass(frozen=True)
class Selection:
    """What is looked at: a run, an iteration (``None`` is live), and the overlaid runs."""

    run_id: int | None = None
    iteration: int | None = None
    overlaid: tuple[int, ...] = ()


class ShownRun(QObject):
    """The run and iteration that every page shows, and the runs overlaid on it in plots.

    Args:
        runs: What there is to look at.

    Signals:
        run_chosen: Another run is looked at.
        iteration_chosen: Another iteration is looked at; ``None`` is live.
        overlay_changed: Other runs are overlaid on the chosen one.
    """

    run_chosen = Signal(object)
    iteration_chosen = Signal(object)
    overlay_changed = Signal()

    def __init__(self, runs: RunViews, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runs = runs
        self._selection = Selection()
        runs.gone.connect(self._leave)

    @property
    def run_id(self) -> int | None:
        """The id of the run that is looked at."""
        return self._selection.run_id

    @property
    def run(self) -> RunView | None:
        """The run that is looked at."""
        chosen = self._selection.run_id
        if chosen is None or chosen not in self._runs.ids:
            return None
        return self._runs.view(chosen)

    @property
    def iteration(self) -> int | None:
        """The iteration that is looked at; ``None`` while the run is followed live."""
        return self._selection.iteration

    @property
    def overlaid(self) -> list[RunView]:
        """The runs overlaid on the chosen one, in the order of their colours."""
        return [
            self._runs.view(each)
            for each in self._selection.overlaid
            if each in self._runs.ids and each != self.run_id
        ]

    @property
    def unfolded(self) -> list[RunView]:
        """The runs that have a place of their own: no cells but those that are looked at."""
        looked_at = {self.run_id, *self._selection.overlaid}
        folded = self._runs.folded - looked_at
        return [view for view in self._runs.views if view.row.id not in folded]

    def choose_run(self, run_id: int | None) -> None:
        """Look at another run, live."""
        if run_id != self.run_id:
            self._selection = replace(self._selection, run_id=run_id)
            self.run_chosen.emit(run_id)
            self.choose_iteration(None)

    def choose_iteration(self, number: int | None) -> None:
        """Look at an earlier iteration of the chosen run; ``None`` to follow it live."""
        if number != self.iteration:
            self._selection = replace(self._selection, iteration=number)
            self.iteration_chosen.emit(number)

    def overlay(self, run_id: int, wanted: bool) -> None:
        """Lay a run over the chosen one in the plots, or take it away."""
        others = tuple(each for each in self._selection.overlaid if each != run_id)
        overlaid = (*others, run_id) if wanted else others
        if overlaid != self._selection.overlaid:
            self._selection = replace(self._selection, overlaid=overlaid)
            self.overlay_changed.emit()

    @property
    def selection(self) -> Selection:
        """All of what is looked at, for :meth:`resume`."""
        return self._selection

    def resume(self, selection: Selection) -> None:
        """Look at what was looked at before, as far as it is still there."""
        if selection.run_id in self._runs.ids:
            self.choose_run(selection.run_id)
            self.choose_iteration(selection.iteration)
        self._selection = replace(self._selection, overlaid=selection.overlaid)
        self.overlay_changed.emit()

    def clear(self) -> None:
        """Look at nothing; nothing is emitted."""
        self._selection = Selection()

    def _leave(self, run_id: int) -> None:
        """Look at another run where this one was looked at."""
        self.overlay(run_id, wanted=False)
        if self.run_id == run_id:
            others = [view.row.id for view in self._runs.views if view.row.id != run_id]
            self.choose_run(max(others, default=None))

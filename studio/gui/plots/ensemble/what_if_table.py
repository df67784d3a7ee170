"""The list of the what-if ensemble as Qt's table model."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtGui import QColor

from studio.figures.ink import Ink
from studio.gui.base.inks import colour
from studio.gui.plots.base.series import RunSeries
from studio.gui.plots.ensemble.what_if_model import WhatIfMember, WhatIfModel
from studio.gui.widgets.records import CellChange, ColumnSpec, RecordModel
from studio.language import number, percent, tr

WHO, WEIGHT, OWN, OWN_TEST, ADDS = range(5)


@dataclass(frozen=True)
class TrialFacts:
    """What is known of the trials of the list, beside who is in.

    Attributes:
        series: The run.
        iteration: The iteration looked at.
        own_test, adds: Loss by trial number, where known.
        inks: Of each branch.
        weighable: Whether weights may be changed.
    """

    series: RunSeries = field(default_factory=RunSeries, compare=False)
    iteration: int = 0
    own_test: Mapping[int, float] = field(default_factory=dict)
    adds: Mapping[int, float] = field(default_factory=dict)
    inks: Mapping[str, Ink] = field(default_factory=dict)
    weighable: bool = True


class WhatIfTable(RecordModel[WhatIfMember]):
    """Shows a :class:`WhatIfModel`; ticks and weights are changed through it.

    Args:
        model: The list.
        changed: Called after a tick or a weight was changed.
    """

    def __init__(self, model: WhatIfModel, changed: Callable[[], None]) -> None:
        self._model = model
        self._changed = changed
        self._facts = TrialFacts()
        self._written: Callable[[float | None], str] = self._facts.series.measure.text
        self._shown: tuple[tuple[WhatIfMember, ...], TrialFacts] = ((), self._facts)
        super().__init__(
            (
                ColumnSpec(
                    tr("member"),
                    self._who,
                    tr("Tick the members (space bar)"),
                    sign=self._colour,
                    tick=CellChange(lambda entry: entry.ticked, self._tick),
                ),
                self._number(
                    tr("weight"),
                    self._weight,
                    tr("Share of the vote or of the average; double-click or F2 to change it"),
                    CellChange(
                        lambda entry: round(100 * self._share(entry), 1),
                        self._weigh,
                        lambda entry: entry.ticked and self._facts.weighable,
                    ),
                ),
                self._number(
                    tr("own error"), self._own, tr("The trial's own loss on the validation rows")
                ),
                self._number(
                    tr("on test"), self._own_test, tr("The trial's own loss on the test rows")
                ),
                self._number(
                    tr("adds"),
                    self._adds,
                    tr(
                        "How much worse the search's ensemble would be without it, on the "
                        "validation rows"
                    ),
                ),
            ),
            identify=lambda entry: entry.number,
        )

    def _number(
        self,
        title: str,
        text: Callable[[WhatIfMember], str],
        tip: str,
        edit: CellChange[WhatIfMember] | None = None,
    ) -> ColumnSpec[WhatIfMember]:
        return ColumnSpec(title, text, tip, tip=self._who, edit=edit, right=True)

    def show_facts(self, facts: TrialFacts) -> None:
        """Bring the list up to date; rows stay in place while the same trials are in it."""
        shown = (self._model.entries, facts)
        if shown == self._shown:
            return  # a run under way is drawn many times a second
        self._shown, self._facts = shown, facts
        self._written = facts.series.measure.column(facts.series.losses)
        self.show(self._model.entries)
        self.renew()

    # ---- what a seat says

    def _who(self, entry: WhatIfMember) -> str:
        name = self._facts.series.name(entry.number)
        late = entry.number > self._facts.iteration
        return tr("{trial}, not finished yet", trial=name) if late else name

    def _colour(self, entry: WhatIfMember) -> QColor | None:
        ink = self._facts.inks.get(self._facts.series.branch(entry.number))
        return None if ink is None else colour(ink)

    def _share(self, entry: WhatIfMember) -> float:
        return self._model.share(entry.number, self._facts.iteration)

    def _weight(self, entry: WhatIfMember) -> str:
        share = self._share(entry)
        return percent(share) if share else "—"

    def _own(self, entry: WhatIfMember) -> str:
        trial = self._facts.series.trial(entry.number)
        return self._written(None if trial is None else trial.loss)

    def _own_test(self, entry: WhatIfMember) -> str:
        return self._written(self._facts.own_test.get(entry.number))

    def _adds(self, entry: WhatIfMember) -> str:
        measure, value = self._facts.series.measure, self._facts.adds.get(entry.number)
        if value is None or math.isnan(value):
            return measure.text(value)
        return signed(value, measure.unit)

    # ---- what is changed

    def _tick(self, entry: WhatIfMember, ticked: bool) -> None:
        self._model.tick(entry.number, ticked)
        self._changed()

    def _weigh(self, entry: WhatIfMember, percents: Any) -> None:
        self._model.weigh(entry.number, float(percents) / 100.0)
        self._changed()


def signed(change: float, unit: str) -> str:
    """Write a difference of losses with its sign: "+0.28" (points, of shares), "−0.0123"."""
    size = number(abs(change) * 100, ".2f") if unit == "%" else number(abs(change), ".3g")
    return f"{'+' if change > 0 else '−' if change < 0 else '±'}{size}"

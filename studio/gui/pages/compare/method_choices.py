"""All methods in a list with boxes to tick, and a field that finds them."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.gui.base.language import ntr, said, tr
from studio.gui.pages.compare.ticks import TickModel, TickRow, TickTable
from studio.gui.widgets import kit
from studio.proposers.families.base import Preset

_WIDTHS = (160, 200)
_HEIGHT = 320


class MethodChoices(QWidget):
    """The list with its search field and a line that names what is chosen."""

    ticked = Signal(object, bool)
    """A method (as a study has it) is wanted, or not any more."""

    def __init__(self) -> None:
        super().__init__()
        self.methods = TickModel((tr("Method"), tr("Family"), tr("What it does")))
        self.methods.ticked.connect(self.ticked)
        self.search = kit.search(
            tr("Find a method by name or by what it does"),
            self.methods.find,
            name=tr("Find a method to compare"),
            tip=tr("Searches names, families, descriptions and references"),
        )
        self.table = TickTable(self.methods, _WIDTHS, _HEIGHT)
        self.table.setAccessibleName(tr("Methods to compare"))
        self.table.setToolTip(tr("Tick what is compared: a click on the box, or the space bar"))
        self.chosen = kit.label("", "small", wrap=True)
        kit.column(self.search, self.table, self.chosen, on=self)

    def show_choice(self, offered: Sequence[Mapping[str, Any]], names: Sequence[str]) -> None:
        """Offer methods (as :func:`offers` gives them) and tick the chosen ones."""
        self.methods.offer([_row(each) for each in offered])
        self.methods.choose(names)
        self.chosen.setText(
            ntr("{count} chosen: {names}", "{count} chosen: {names}", len(names),
                names=", ".join(names))
            if names
            else tr("None chosen yet")
        )  # fmt: skip


def _row(method: Mapping[str, Any]) -> TickRow:
    name = str(method["name"])
    texts = [str(method[key]) for key in ("family", "summary", "reference")]
    family, summary, reference = map(said, texts)
    return TickRow(
        key=name,
        texts=(name, family, summary),
        tip="\n".join(each for each in (summary, reference) if each),
        words=" ".join([name, *texts, family, summary, reference]).lower(),
        entry=dict(method["entry"]),
    )


def offers(
    catalogue: Sequence[Preset],
    mine: Mapping[str, tuple[str, Mapping[str, Any]]],
    drafted: Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """Return what can be ticked.

    Parameters
    ----------
    catalogue : sequence of Preset
        Presets and one's own methods, as the Run page offers them.
    mine : Mapping
        One's own methods by name: preset and changes.
    drafted : sequence of Mapping
        The study's methods; those that nobody else offers come first.
    """
    found = []
    for each in catalogue:
        method, changes = mine.get(each.key, (each.key, {}))
        found.append(
            {
                "name": each.key,
                "family": each.family,
                "summary": each.summary,
                "reference": each.reference,
                "entry": {"name": each.key, "method": method, "set": dict(changes)},
            }
        )
    known = {each["name"] for each in found}
    own = [
        {
            "name": each["name"],
            "family": tr("Of this study"),
            "summary": tr("{method} with other settings", method=each["method"]),
            "reference": "",
            "entry": dict(each),
        }
        for each in drafted
        if each["name"] not in known
    ]
    return [*own, *found]

"""All methods in a list with boxes to tick, and a field that finds them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.compare.notes import StudyMethod
from studio.gui.pages.compare.ticks import TickModel, TickRow, TickTable
from studio.gui.widgets import kit
from studio.language import ntr, tr, translate
from studio.proposers.preset import Preset

_WIDTHS = (160, 200)
_HEIGHT = 320


@dataclass(frozen=True)
class OfferedMethod:
    """A method that can be ticked.

    Attributes:
        entry: As a study has it.
        family, summary, reference: What it is.
    """

    entry: StudyMethod
    family: str = ""
    summary: str = ""
    reference: str = ""


class MethodChoices(QWidget):
    """The list with its search field and a line that names what is chosen."""

    ticked = Signal(object, bool)
    """A method (:class:`studio.compare.notes.StudyMethod`) is wanted, or not any more."""

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
        self.table.setToolTip(
            tr("Tick the methods to compare: click the box or press the space bar")
        )
        self.chosen = kit.label("", "small", wrap=True)
        kit.column(self.search, self.table, self.chosen, on=self)

    def show_choice(self, offered: Sequence[OfferedMethod], names: Sequence[str]) -> None:
        """Offer methods (as :func:`offers` gives them) and tick the chosen ones."""
        self.methods.offer([_row(each) for each in offered])
        self.methods.choose(names)
        self.chosen.setText(
            ntr("{count} selected: {names}", "{count} selected: {names}", len(names),
                names=", ".join(names))
            if names
            else tr("None selected yet")
        )  # fmt: skip


def _row(method: OfferedMethod) -> TickRow:
    name, texts = method.entry.name, (method.family, method.summary, method.reference)
    family, summary, reference = map(translate, texts)
    return TickRow(
        key=name,
        texts=(name, family, summary),
        tip="\n".join(each for each in (summary, reference) if each),
        words=" ".join([name, *texts, family, summary, reference]).lower(),
        entry=method.entry,
    )


def offers(
    catalogue: Sequence[Preset],
    mine: Mapping[str, tuple[str, Mapping[str, Any]]],
    drafted: Sequence[StudyMethod],
) -> list[OfferedMethod]:
    """Return what can be ticked.

    Args:
        catalogue: Presets and one's own methods, as the Run page offers them.
        mine: One's own methods by name: preset and changes.
        drafted: The study's methods; those that nobody else offers come first.
    """
    found = []
    for each in catalogue:
        asked = StudyMethod(each.key, *mine.get(each.key, (each.key, {})))
        found.append(OfferedMethod(asked, each.family, each.summary, each.reference))
    known = {each.key for each in catalogue}
    own = [
        OfferedMethod(
            each, tr("This comparison"), tr("{method} with other settings", method=each.method)
        )
        for each in drafted
        if each.name not in known
    ]
    return [*own, *found]

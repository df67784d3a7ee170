"""The search spaces of a comparison in a list with boxes to tick."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.gui.base.language import ntr, said, tr
from studio.gui.pages.compare.ticks import TickModel, TickRow, TickTable
from studio.gui.widgets import kit

_WIDTHS = (280, 136)
_HEIGHT = 224


class SpaceChoices(QWidget):
    """The list and a line that says what the choice means."""

    ticked = Signal(object, bool)
    """The space of this key (``None``: what suits each task) is wanted, or not any more."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.spaces = TickModel((tr("Search space"), tr("Predicts"), tr("What is in it")))
        self.spaces.ticked.connect(self.ticked)
        self.table = TickTable(self.spaces, _WIDTHS, _HEIGHT)
        self.table.setAccessibleName(tr("Search spaces to compare in"))
        self.table.setToolTip(
            tr("Tick what is searched: a click on the box, or the space bar; several may be ticked")
        )
        self.chosen = kit.label("", "small", wrap=True)
        kit.column(self.table, self.chosen, on=self)

    def show_choice(
        self, offered: Sequence[Mapping[str, Any]], chosen: Sequence[str | None]
    ) -> None:
        """Offer the catalogue's spaces and tick the chosen ones."""
        self.spaces.offer(space_rows(offered, chosen))
        self.spaces.choose(chosen)
        self.chosen.setText(choice_words(chosen))


def space_rows(
    catalogue: Sequence[Mapping[str, Any]], chosen: Sequence[str | None]
) -> list[TickRow]:
    """Return what can be ticked.

    Parameters
    ----------
    catalogue : sequence of Mapping
        Shipped spaces: key, title, summary, tasks.
    chosen : sequence of (str or None)
        The draft's; files, which nobody else offers, come behind the task's default.
    """
    known = {str(each["key"]) for each in catalogue}
    suits = tr("For every data set the space that its task begins with")
    found = [TickRow(None, (tr("What suits each task"), "", suits), suits)]
    found += [
        TickRow(each, (each, "", tr("Of this study")), each, entry=each)
        for each in chosen
        if each is not None and each not in known
    ]
    for each in catalogue:
        title, summary = said(str(each["title"])), said(str(each["summary"]))
        tip = f"{title} ({each['key']})\n{summary}"
        found.append(
            TickRow(
                str(each["key"]),
                (title, task_words(each["tasks"]), summary),
                tip,
                entry=str(each["key"]),
            )
        )
    return found


def task_words(tasks: Sequence[str]) -> str:
    """Say what a space predicts: classes, numbers, or both."""
    numbers = "regression" in tasks
    classes = len(tasks) > numbers
    if classes and numbers:
        return tr("classes or numbers")
    return tr("numbers") if numbers else tr("classes")


def choice_words(chosen: Sequence[str | None]) -> str:
    """Say what the choice means."""
    names = [each for each in chosen if each is not None]
    if not names:
        return tr("Each data set is searched in the space that suits its task.")
    words = ntr(
        "{count} chosen: {names}", "{count} chosen: {names}", len(names), names=", ".join(names)
    )
    if len(names) == 1:
        return words
    return tr("{words}. Every method searches each of them on every data set.", words=words)

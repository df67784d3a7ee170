"""The search spaces of a comparison in a list with boxes to tick."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.gui.base.language import ntr, said, tr
from studio.gui.pages.compare.ticks import TickModel, TickRow, TickTable
from studio.gui.widgets import kit
from studio.space.library import ShippedSpace, shipped

_WIDTHS = (280, 136)
_HEIGHT = 224


class SpaceChoices(QWidget):
    """The list and a line that says what the choice means."""

    ticked = Signal(object, bool)
    """The space of this key (``None``: what suits each task) is wanted, or not any more."""

    def __init__(self) -> None:
        super().__init__()
        self.spaces = TickModel((tr("Search space"), tr("Predicts"), tr("What is in it")))
        self.spaces.ticked.connect(self.ticked)
        self.table = TickTable(self.spaces, _WIDTHS, _HEIGHT)
        self.table.setAccessibleName(tr("Search spaces to compare in"))
        self.table.setToolTip(
            tr("Tick what is searched: a click on the box, or the space bar; several may be ticked")
        )
        self.chosen = kit.label("", "small", wrap=True)
        kit.column(self.table, self.chosen, on=self)

    def show_choice(self, chosen: Sequence[str | None]) -> None:
        """Offer the shipped spaces and tick the chosen ones."""
        self.spaces.offer(space_rows(shipped(), chosen))
        self.spaces.choose(chosen)
        self.chosen.setText(choice_words(chosen))


def space_rows(offered: Sequence[ShippedSpace], chosen: Sequence[str | None]) -> list[TickRow]:
    """Return what can be ticked.

    Parameters
    ----------
    offered : sequence of ShippedSpace
        What there is.
    chosen : sequence of (str or None)
        The draft's; files, which nobody else offers, come after the task's default.
    """
    known = {each.key for each in offered}
    suits = tr(
        "For every data set the default space of its task; a method with a space of its own, such "
        "as best, searches that"
    )
    found = [TickRow(None, (tr("What suits each task"), "", suits), suits)]
    found += [
        TickRow(each, (each, "", tr("Of this study")), each, entry=each)
        for each in chosen
        if each is not None and each not in known
    ]
    for each in offered:
        title, summary = said(each.title), said(each.summary)
        tip = f"{title} ({each.key})\n{summary}"
        texts = (title, task_words(each.tasks), summary)
        found.append(TickRow(each.key, texts, tip, entry=each.key))
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
        return tr(
            "Each data set is searched in the space that suits its task; a method with a space of "
            "its own, such as best, searches that."
        )
    words = ntr(
        "{count} chosen: {names}", "{count} chosen: {names}", len(names), names=", ".join(names)
    )
    if len(names) == 1:
        return words
    return tr("{words}. Every method searches each of them on every data set.", words=words)

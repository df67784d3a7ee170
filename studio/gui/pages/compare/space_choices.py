"""The search spaces of a comparison: a list with boxes to tick."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from studio.gui.base import places
from studio.gui.base.file_kinds import spaces as space_kinds
from studio.gui.pages.compare.draft import OPEN_SPACE
from studio.gui.pages.compare.ticks import TickModel, TickRow, TickTable
from studio.gui.widgets import kit
from studio.language import ntr, tr, translate
from studio.space.library import ShippedSpace, shipped
from studio.space.space import Space

_WIDTHS = (280, 136)


class SpaceChoices(QWidget):
    """The list and a line that says what the choice means."""

    ticked = Signal(object, bool)
    """The space of this key (``None``: what suits each task) is wanted, or not any more."""

    file_chosen = Signal(Path)
    """The space of this file is wanted, too."""

    def __init__(self) -> None:
        super().__init__()
        self.spaces = TickModel((tr("Search space"), tr("Predicts"), tr("Contents")))
        self.spaces.ticked.connect(self.ticked)
        self.table = TickTable(self.spaces, _WIDTHS)
        self.table.setAccessibleName(tr("Search spaces to compare in"))
        self.table.setToolTip(tr("Tick one or more spaces: click the box or press the space bar"))
        self.chosen = kit.label("", "small", wrap=True)
        self.complaint = kit.label("", "problem", wrap=True)
        self.complaint.hide()
        self.from_file = kit.button(
            tr("Add a space from a file…"),
            self._ask_file,
            icon="open",
            tip=tr("A search space kept as JSON"),
        )
        kit.column(self.table, kit.row(self.from_file, None), self.complaint, self.chosen, on=self)

    def _ask_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, tr("Open a search space"), places.start_folder(), space_kinds()
        )
        places.went_to(name)
        if name:
            self.file_chosen.emit(Path(name))

    def show_choice(self, chosen: Sequence[str | None], open_space: Space | None) -> None:
        """Offer the spaces that there are and tick the chosen ones.

        Args:
            chosen: The draft's.
            open_space: That of the Space page, if there is one.
        """
        self.spaces.offer(space_rows(shipped(), chosen, open_space))
        self.spaces.choose(chosen)
        self.chosen.setText(choice_words(chosen))


def space_rows(
    offered: Sequence[ShippedSpace],
    chosen: Sequence[str | None],
    open_space: Space | None = None,
) -> list[TickRow]:
    """Return what can be ticked.

    Args:
        offered: What there is.
        chosen: The draft's; files, which nobody else offers, come after the task's default.
        open_space: That of the Space page, if there is one.
    """
    known = {each.key for each in offered}
    suits = tr(
        "For every data set the default space of its task; a method with its own space, such "
        "as best, searches that one"
    )
    found = [TickRow(None, (tr("The default for each task"), "", suits), suits)]
    if open_space is not None or OPEN_SPACE in chosen:
        found.append(_open_row(open_space))
    found += [
        TickRow(
            each, (Path(each).stem, "", tr("From the file {path}", path=each)), each, entry=each
        )
        for each in chosen
        if each is not None and each not in known and each != OPEN_SPACE
    ]
    for each in offered:
        title, summary = translate(each.title), translate(each.summary)
        tip = f"{title} ({each.key})\n{summary}"
        texts = (title, task_words(each.tasks), summary)
        found.append(TickRow(each.key, texts, tip, entry=each.key))
    return found


def _open_row(space: Space | None) -> TickRow:
    """Return the row of the Space page's space."""
    title = tr("Space page")
    about = tr("A copy is made when the comparison starts; later edits do not change it")
    if space is None:
        return TickRow(OPEN_SPACE, (title, "", about), about, entry=OPEN_SPACE)
    name = translate(space.title) or space.name
    words = tr("Space page: {name}", name=name)
    return TickRow(
        OPEN_SPACE, (words, task_words(space.tasks), about), f"{words}\n{about}", entry=OPEN_SPACE
    )


def task_words(tasks: Sequence[str]) -> str:
    """Say what a space predicts: classes, numbers, or both."""
    numbers = "regression" in tasks
    classes = len(tasks) > numbers
    if classes and numbers:
        return tr("classes or numbers")
    return tr("numbers") if numbers else tr("classes")


def choice_words(chosen: Sequence[str | None]) -> str:
    """Say what the choice means."""
    names = [
        tr("Space page") if each == OPEN_SPACE else Path(each).stem
        for each in chosen
        if each is not None
    ]
    if not names:
        return tr(
            "Each data set is searched in the default space of its task; a method with its own "
            "space, such as best, searches that one."
        )
    words = ntr(
        "{count} selected: {names}", "{count} selected: {names}", len(names), names=", ".join(names)
    )
    if len(names) == 1:
        return words
    return tr("{words}. Every method searches each of them on every data set.", words=words)

"""What was found in a table in three tiers: what to decide first, what is done, and ideas."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from studio.gui.base.theme import GRID, pixels
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.decisions import Tiers
from studio.gui.pages.data.findings import FindingList
from studio.gui.pages.data.notes import Note, notes, settled_words
from studio.gui.widgets import kit
from studio.gui.widgets.fold import Fold
from studio.helper.preview import Preview
from studio.language import grouped, ntr, tr

_SHOWN = 30
"""Findings that are listed."""

_LEAST = 56
"""Height of a list where room is scarce."""


class DecideFirst(QFrame):
    """One finding at a time that only the user can decide on; hidden where there is none.

    Args:
        model: Whose table it is.
    """

    def __init__(self, model: DataModel) -> None:
        super().__init__()
        self.setProperty("role", "decide")
        self._notes: Sequence[Note] = ()
        self._at = 0
        self._title = kit.label(tr("Decide first"), "section")
        self._place = kit.label("", "muted")
        self.before = kit.button(
            tr("Previous"), lambda: self._turn(-1), kind="link", tip=tr("Previous decision")
        )
        self.after = kit.button(
            tr("Next"), lambda: self._turn(1), kind="link", tip=tr("Next decision")
        )
        # Buttons stay where they are from one question to the next.
        for made in (self.before, self.after):
            policy = made.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            made.setSizePolicy(policy)
        self.finding = FindingList(model, kind="", lines=2)
        kit.column(
            kit.row(self._title, self._place, None, self.before, self.after, spacing=2 * GRID),
            self.finding,
            on=self,
            spacing=GRID // 2,
            margin=(2 * GRID, GRID, 2 * GRID, GRID + GRID // 2),
        )

    def show_notes(self, found: Sequence[Note]) -> None:
        """Show what is to be decided, at the place of what was shown before."""
        self._notes = found
        self._turn(0)

    def _turn(self, by: int) -> None:
        count = len(self._notes)
        self._at = max(0, min(self._at + by, count - 1))
        self.finding.show_notes(self._notes[self._at : self._at + 1])
        self.setVisible(count > 0)
        self._place.setText(tr("{place} of {count}", place=self._at + 1, count=count))
        several = count > 1
        for made in (self._place, self.before, self.after):
            made.setVisible(several)
        self.before.setEnabled(self._at > 0)
        self.after.setEnabled(self._at < count - 1)


class Settled(QFrame):
    """What was done for the user and by the user, and ideas: a folded line each.

    Only one of them is open at a time, so that the rows keep their room.

    Args:
        model: Whose table it is.
    """

    def __init__(self, model: DataModel) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.done = _Listed(model, tr("Settled findings"))
        self.ideas = _Listed(model, tr("Ideas"))
        self._words = kit.ElidedLabel("", "muted")
        self.done_fold = Fold(
            "data/done",
            "",
            tr("Findings that need no decision; your decisions can be undone"),
            self.done,
            beside=self._words,
        )
        self.ideas_fold = Fold("data/ideas", "", tr("Suggestions that may help"), self.ideas)
        self._most = 0
        folds = (self.done_fold, self.ideas_fold)
        sides, ends = 2 * GRID, GRID // 2
        kit.column(*folds, on=self, spacing=0, margin=(sides, ends, sides, ends))
        for fold, other in (folds, folds[::-1]):
            fold.line.toggled.connect(partial(self._toggled, other))

    def show_tiers(self, preview: Preview, found: Tiers) -> None:
        """Show what is settled, the user's choices first, and the ideas."""
        done = (
            *notes(preview, found.kept, kept=True),
            *notes(preview, (*found.chosen, *found.done)),
        )
        ideas = notes(preview, found.ideas)
        by_program = bool(found.done)
        self.done_fold.name(tr("Done for you") if by_program else tr("Decided by you"))
        self._words.setText(settled_words(preview, found))
        self.ideas_fold.name(tr("Ideas ({count})", count=grouped(len(ideas))))
        self.done.show_notes(done)
        self.ideas.show_notes(ideas)
        self.done_fold.setVisible(bool(done))
        self.ideas_fold.setVisible(bool(ideas))
        self.setVisible(bool(done or ideas))
        self.fit(self._most)

    def fit(self, most: int) -> None:
        """Show the lists as tall as their wrapped lines need, up to a height."""
        self._most = most
        for each in (self.done, self.ideas):
            QTimer.singleShot(0, self, partial(each.fit, most))  # once the rows have their sizes

    def _toggled(self, other: Fold, shown: bool) -> None:
        if shown:
            other.line.setChecked(False)
        self.fit(self._most)


class _Listed(QScrollArea):
    """Findings under one another, which scroll; where room is scarce two lines are seen."""

    def __init__(self, model: DataModel, name: str) -> None:
        super().__init__()
        self.findings = FindingList(model)
        self._more = kit.label("", "muted", wrap=True)
        inside = QWidget()
        self._column = kit.column(self.findings, self._more, on=inside)
        kit.scroll(self, inside)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # to be scrolled by keys
        self.setAccessibleName(name)

    def sizeHint(self) -> QSize:
        """Ask for the height that it was given."""
        return QSize(super().sizeHint().width(), self.maximumHeight())

    def show_notes(self, found: Sequence[Note]) -> None:
        """Show findings, and how many more there are."""
        self.findings.show_notes(found[:_SHOWN])
        more = len(found) - _SHOWN
        self._more.setVisible(more > 0)
        self._more.setText(ntr("… and {count} more.", "… and {count} more.", more))

    def fit(self, most: int) -> None:
        """Be as tall as the wrapped lines need, up to a height."""
        needed = self._column.heightForWidth(self.viewport().width())
        tall = min(max(needed, 0) + 2, most)
        self.setMaximumHeight(tall)
        self.setMinimumHeight(min(tall, pixels(_LEAST)))
        self.updateGeometry()

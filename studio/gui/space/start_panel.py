"""The empty state: no space was chosen yet; the shipped ones are a click away."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QSizePolicy, QVBoxLayout, QWidget

from studio.gui import kit
from studio.gui.theme import GRID
from studio.space.library import ShippedSpace, shipped

_COLUMNS = 3
_TASKS = {"binary": "classes", "multiclass": "classes", "regression": "numbers"}


def fitting(task: str | None) -> list[ShippedSpace]:
    """Return the shipped spaces for a task (``None``: all), examples that name no learner last."""
    fit = [s for s in shipped() if not s.tasks or task is None or task in s.tasks]
    return sorted(fit, key=lambda each: not each.tasks)


def predicts(space: ShippedSpace) -> str:
    """Say what a shipped space is for."""
    words = dict.fromkeys(_TASKS[task] for task in space.tasks)
    return f"for {' and '.join(words)}" if words else "example"


class StartPanel(QWidget):
    """Shipped spaces as cards, an empty one, one from a file.

    Parameters
    ----------
    choose : callable
        Called with the key of a shipped space.
    empty, load : callable
        Called for an empty space, and for one from a file.
    """

    def __init__(
        self,
        choose: Callable[[str], object],
        empty: Callable[[], object],
        load: Callable[[], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._choose = choose
        self._shown: object = None
        self._words = kit.label("", "muted", wrap=True)
        self._cards = QGridLayout()
        self._cards.setSpacing(GRID + GRID // 2)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, GRID, GRID, GRID)
        column.setSpacing(GRID + GRID // 2)
        column.addWidget(kit.label("Which models and settings to try", "title"))
        column.addWidget(self._words)
        column.addSpacing(GRID // 2)
        column.addLayout(self._cards)
        column.addSpacing(GRID // 2)
        column.addLayout(
            kit.row(
                kit.button("Empty space", empty, icon="add", tip="Build one from nothing"),
                kit.button("Load JSON…", load, icon="open", tip="A search space kept in a file"),
                None,
            )
        )
        column.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(kit.scrolled(inside))

    def show_task(self, task: str | None) -> None:
        """Offer what fits a task."""
        if (task,) == self._shown:
            return
        self._shown = (task,)
        words = "A run searches a space: models, their settings, and the range of each. "
        words += (
            "Open a table on the Data page first and only spaces that fit it are offered here. "
            if task is None
            else ""
        )
        self._words.setText(words + "Without a choice, the first one that fits is used.")
        kit.clear(self._cards)
        offered = fitting(task)
        for place, space in enumerate(offered):
            card = self._card(space, first=place == 0)
            self._cards.addWidget(card, place // _COLUMNS, place % _COLUMNS)
        for side in range(_COLUMNS):
            self._cards.setColumnStretch(side, 1)

    def _card(self, space: ShippedSpace, *, first: bool) -> QFrame:
        frame, column = kit.card()
        column.addWidget(kit.ElidedLabel(space.title, "section"))
        summary = kit.label(space.summary, "muted", wrap=True)
        summary.setAlignment(Qt.AlignmentFlag.AlignTop)
        # A scrolled page does not ask wrapped text how tall it gets; room for four lines is kept.
        summary.setMinimumHeight(4 * summary.fontMetrics().lineSpacing() + GRID // 2)
        column.addWidget(summary, 1)
        pill = kit.label(predicts(space), "pill")
        pill.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        column.addLayout(
            kit.row(
                kit.button(
                    "Start from this",
                    partial(self._choose, space.key),
                    kind="primary" if first else "",
                    name=f"Start from {space.title}",
                    tip="Everything in it can be changed",
                ),
                None,
                pill,
            )
        )
        return frame

"""The empty state: no space was chosen yet; the shipped ones are a click away."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QSizePolicy, QWidget

from studio.gui.base.theme import GRID
from studio.gui.widgets import kit
from studio.language import N_, tr, translate
from studio.space.library import ShippedSpace, shipped

_COLUMNS = 3
_TASKS = {
    "binary": N_("for classes"),
    "multiclass": N_("for classes"),
    "regression": N_("for numbers"),
}


def offered(task: str | None) -> list[tuple[ShippedSpace, bool]]:
    """Return all shipped spaces, those that fit a task first, each with whether it does.

    An example that names no learner fits none: it is there to be looked at.
    """

    def fits(space: ShippedSpace) -> bool:
        return bool(space.tasks) and (task is None or task in space.tasks)

    ordered = sorted(shipped(), key=lambda each: (not fits(each), bool(each.tasks)))
    return [(each, fits(each)) for each in ordered]


def predicts(space: ShippedSpace) -> str:
    """Say what a shipped space is for."""
    words = dict.fromkeys(tr(_TASKS[task]) for task in space.tasks)
    return ", ".join(words) if words else tr("example")


class StartPanel(QWidget):
    """Shipped spaces as cards, an empty one, one from a file.

    Args:
        choose: Called with the key of a shipped space.
        empty, load: Called for an empty space, and for one from a file.
    """

    def __init__(
        self,
        choose: Callable[[str], object],
        empty: Callable[[], object],
        load: Callable[[], object],
    ) -> None:
        super().__init__()
        self._choose = choose
        self._shown: object = None
        self._words = kit.label("", "muted", wrap=True)
        self._cards = QGridLayout()
        self._cards.setSpacing(GRID + GRID // 2)
        inside = QWidget()
        kit.column(
            kit.label(tr("Which models and settings to try"), "title"),
            self._words,
            GRID // 2,
            kit.row(
                kit.button(tr("Empty space"), empty, icon="add", tip=tr("Build one from scratch")),
                kit.button(
                    tr("Open a file…"),
                    load,
                    icon="open",
                    tip=tr("A search space kept as JSON"),
                ),
                None,
            ),
            GRID // 2,
            self._cards,
            None,
            on=inside,
            spacing=GRID + GRID // 2,
            margin=(0, GRID, GRID, GRID),
        )
        kit.column(kit.scrolled(inside), on=self, spacing=None)

    def show_task(self, task: str | None) -> None:
        """Offer what fits a task."""
        if (task,) == self._shown:
            return
        self._shown = (task,)
        if task is None:
            words = tr(
                "A run searches a space: models, their settings, and the range of each. Open a "
                "table on the Data page first to see which spaces fit it. Without a choice, "
                "the first one that fits is used."
            )
        else:
            words = tr(
                "A run searches a space: models, their settings, and the range of each. "
                "Those that fit your table come first. "
                "Without a choice, the first one is used."
            )
        self._words.setText(words)
        kit.clear(self._cards)
        for place, (space, fits) in enumerate(offered(task)):
            card = self._card(space, first=place == 0, fits=fits and task is not None)
            self._cards.addWidget(card, place // _COLUMNS, place % _COLUMNS)
        for side in range(_COLUMNS):
            self._cards.setColumnStretch(side, 1)

    def _card(self, space: ShippedSpace, *, first: bool, fits: bool) -> QFrame:
        frame, column = kit.card()
        column.addWidget(kit.ElidedLabel(translate(space.title), "section"))
        summary = kit.label(translate(space.summary), "muted", wrap=True)
        summary.setAlignment(Qt.AlignmentFlag.AlignTop)
        # A scrolled page does not ask wrapped text how tall it gets; room for four lines is kept.
        summary.setMinimumHeight(4 * summary.fontMetrics().lineSpacing() + GRID // 2)
        column.addWidget(summary, 1)
        words = tr("✓ fits your table") if fits else predicts(space)
        pill = kit.label(words, "pill")
        pill.setToolTip(predicts(space))
        pill.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        column.addLayout(
            kit.row(
                kit.button(
                    tr("Start from this"),
                    partial(self._choose, space.key),
                    kind="primary" if first else "",
                    name=tr("Start from {title}", title=translate(space.title)),
                    tip=tr("Everything in it can be changed"),
                ),
                None,
                pill,
            )
        )
        return frame

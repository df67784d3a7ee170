"""Diversity: how differently the ensemble's members predict, pair by pair."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QComboBox, QWidget

from studio.gui import theme
from studio.gui.plots import canvas
from studio.gui.plots.asking import Asker, Helper, Reply, Wish
from studio.gui.plots.base import Plot
from studio.gui.plots.colours import branch_colours, scale_table, triple
from studio.gui.plots.diversity_model import (
    TITLES,
    DiversityPicture,
    diversity_picture,
    diversity_words,
)
from studio.gui.plots.legend import Entry
from studio.gui.plots.matrix_numbers import MatrixNumbers
from studio.gui.plots.scale_bar import ScaleBar
from studio.gui.plots.subject import Subject


class DiversityPlot(Plot):
    """A heat map of all pairs of members, similar ones side by side."""

    key: ClassVar[str] = "diversity"
    title: ClassVar[str] = "Diversity"
    summary: ClassVar[str] = (
        "How differently each pair of members predicts: an ensemble gains "
        "where its members do not make the same mistakes."
    )
    source: ClassVar[str] = "Shen et al. 2022, equation 3 and figure 6"

    def __init__(self, helper: Helper, parent: QWidget | None = None) -> None:
        super().__init__(helper, parent)
        self._picture: DiversityPicture | None = None
        self._reply: Reply | None = None
        self._asker = Asker(helper, "diversity", self._answer, self._refused)
        self.which = QComboBox()
        self.which.setAccessibleName("What is compared")
        self.which.setToolTip(
            "Diversity compares the predicted probabilities (or values); "
            "disagreement counts the rows for which two members choose different classes"
        )
        for key, title in TITLES.items():
            self.which.addItem(title.capitalize(), key)
        self.which.activated.connect(lambda _: self.follow(self.subject))
        self.header.controls.addWidget(self.which)
        self.scale = ScaleBar()
        self.add_below_legend(self.scale)
        self._axes = canvas.add_axes(self.canvas, 0)
        self._axes.getViewBox().invertY(True)
        self._axes.getViewBox().setMouseEnabled(False, False)
        self._image = pyqtgraph.ImageItem(axisOrder="row-major")
        self._strip = pyqtgraph.ImageItem(axisOrder="row-major")
        self._numbers = MatrixNumbers()
        for depth, item in enumerate((self._image, self._strip, self._numbers)):
            item.setZValue(depth)
            self._axes.addItem(item, ignoreBounds=True)
        self.dress()

    @property
    def _which(self) -> str:
        return str(self.which.currentData())

    def dress(self) -> None:
        """Take the colours of the theme in force."""
        canvas.dress_canvas(self.canvas, self._axes)
        self._axes.showGrid(x=False, y=False)
        canvas.label(self._axes, "left", "trial number")
        canvas.label(self._axes, "bottom", "member (trial number)")

    def follow(self, subject: Subject | None) -> None:
        """Ask for the members' matrix at this iteration."""
        known = self.subject
        if subject is None or known is None or subject.run_id != known.run_id:
            self._picture = self._reply = None
            self._asker.forget()
        if subject is not None and self._reply is not None:
            self._picture = diversity_picture(*self._reply, subject.series, self._which)
        super().follow(subject)
        if subject is not None and subject.iteration > 0:
            members = subject.series.iterations[subject.iteration - 1].members
            self._asker.wish(
                Wish(
                    {
                        "document": str(subject.document),
                        "run": subject.run_id,
                        "iteration": subject.iteration,
                    },
                    kind=subject.run_id,
                    # The same members have the same matrix, whatever the iteration.
                    moment=frozenset(number for number, _ in members),
                )
            )

    def missing(self, subject: Subject) -> str:
        """Say what is waited for, or why there are no pairs."""
        if self._picture is None:
            return super().missing(subject) or "Comparing the members' predictions…"
        return self._picture.reason

    def _answer(self, wish: Wish, reply: Reply) -> None:
        subject = self.subject
        if subject is None or wish.arguments["run"] != subject.run_id:
            return
        self._reply = reply
        self._picture = diversity_picture(*reply, subject.series, self._which)
        super().follow(subject)

    def _refused(self, message: str) -> None:
        self._picture = self._reply = None
        self.say(message)

    def draw(self, subject: Subject) -> None:
        """Draw the last answer."""
        picture = self._picture
        if picture is None:
            return
        size = len(picture.members)
        look = theme.current()
        known = [*subject.series.branches]
        known += [b for b in dict.fromkeys(picture.branches) if b and b not in known]
        colours = branch_colours(known, look)
        table = scale_table()
        shares = np.nan_to_num(picture.values / picture.highest)
        image = np.empty((size, size, 4), dtype=np.uint8)
        image[..., :3] = table[np.clip(shares * 255, 0, 255).astype(int)]
        image[..., 3] = np.where(np.isnan(picture.values), 0, 255)
        self._image.setImage(image, autoLevels=False, levels=None)
        self._image.setRect(0, 0, size, size)
        strip = np.zeros((size, 1, 4), dtype=np.uint8)
        strip[:, 0, :3] = [triple(colours[branch]) for branch in picture.branches]
        strip[..., 3] = 255
        self._strip.setImage(strip, autoLevels=False, levels=None)
        self._strip.setRect(-0.024 * size, 0, 0.016 * size, size)
        self._numbers.show_values(
            picture.values if picture.few else None,
            picture.highest,
            percent=self._which == "disagreement",
        )
        step = canvas.label_step(self._axes, size)
        ticks = [(row + 0.5, str(int(picture.members[row]))) for row in range(0, size, step)]
        for side in ("left", "bottom"):
            self._axes.getAxis(side).setTicks([ticks])
        self._axes.setRange(xRange=(-0.03 * size, size), yRange=(0, size), padding=0)
        percent = self._which == "disagreement"
        high = f"{picture.highest:.0%}" if percent else f"{picture.highest:g}"
        self.scale.show_scale(TITLES[self._which], "0 %" if percent else "0", high)
        seen = set(picture.branches)
        self.legend.show_entries([Entry(b, "square", colours[b]) for b in known if b in seen])

    def _cell(self, where: QPointF) -> tuple[int, int]:
        at = self._axes.getViewBox().mapSceneToView(where)
        return int(np.floor(at.y())), int(np.floor(at.x()))

    def words_at(self, where: QPointF) -> str:
        """Say which pair is pointed at, and how different they are."""
        if self.subject is None or self._picture is None:
            return ""
        return diversity_words(self._picture, self.subject.series, *self._cell(where), self._which)

    def words_at_rest(self) -> str:
        """Say how different the members are on average."""
        picture = self._picture
        if picture is None or not np.isfinite(picture.values).any():
            return ""
        mean = float(np.nanmean(picture.values))
        text = f"{mean:.1%}" if self._which == "disagreement" else f"{mean:.3f}"
        return f"{len(picture.members)} members  ·  mean {TITLES[self._which]} of a pair {text}"

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """Return the matrix, one row a member."""
        picture = self._picture
        if picture is None:
            return ("trial",), []
        numbers = [int(number) for number in picture.members]
        rows = [
            (number, *line) for number, line in zip(numbers, picture.values.tolist(), strict=True)
        ]
        return ("trial", *(f"trial {number}" for number in numbers)), rows

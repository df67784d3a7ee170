"""Membership: who was in the ensemble at every iteration, and what each member is worth."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPen, QResizeEvent
from PySide6.QtWidgets import QPushButton, QSplitter, QWidget

from studio.gui.base import theme
from studio.gui.base.language import mark, ntr, tr
from studio.gui.plots.asking import Asker, Helper, Reply, Wish
from studio.gui.plots.base import Plot
from studio.gui.plots.by_hand_panel import ByHandPanel
from studio.gui.plots.colours import branch_colours, triple
from studio.gui.plots.member_columns import MemberColumnsView
from studio.gui.plots.membership_model import (
    ORDERS,
    MemberColumns,
    MembershipPicture,
    Memberships,
    MemberWorth,
    member_columns,
    member_words,
    member_worth,
    membership_words,
    raster,
    row_order,
)
from studio.gui.plots.painting import canvas
from studio.gui.plots.painting.legend import Entry, later_entry
from studio.gui.plots.questions import ENSEMBLE
from studio.gui.plots.subject import Subject
from studio.gui.widgets import kit
from studio.gui.widgets.drop_down import DropDown

BESIDE = 720
"""From this width on the ensemble by hand stands beside the raster; else it takes its place."""


class MembershipPlot(Plot):
    """Members × iterations, coloured by branch, as opaque as the member is heavy.

    Beside each row stand the trial's own error and what it adds; "Try by hand" opens a list in
    which members are taken out and other trials put in, on paper only.
    """

    key: ClassVar[str] = "membership"
    title: ClassVar[str] = mark("Membership")
    question: ClassVar[str] = ENSEMBLE
    summary: ClassVar[str] = mark(
        "Each row is a trial that joined the ensemble; a bar shows when it was in, "
        "and the stronger its colour, the heavier its weight."
    )
    explanation: ClassVar[str] = mark(
        "Each row is a trial that was a member of the ensemble at some time. Time goes from left "
        "to right; the bar shows when it was in, its colour which algorithm it is.\n"
        "The column “own” shows how good the trial is by itself.\n"
        "The column “adds” shows how much worse the ensemble would be without it: to the right it "
        "helps, to the left the ensemble would be better without. Rings are the same on the test "
        "rows, which no search has seen.\n"
        "A member with a high own error can still add much: it is right where the others err.\n"
        "“Try by hand” lets you take members out and put others in, and shows the error at once. "
        "That is an experiment on paper: the run does not change."
    )
    source: ClassVar[str] = mark("Shen et al. 2022 (DivBO), table 4")

    def __init__(self, helper: Helper, parent: QWidget | None = None) -> None:
        super().__init__(helper, parent)
        self._memberships = Memberships()
        self._picture: MembershipPicture | None = None
        self._columns: MemberColumns | None = None
        self._worth: MemberWorth | None = None
        self._colours: dict[str, QColor] = {}
        self._asker = Asker(
            helper,
            "contributions",
            self._answer,
            self._refused,
            channel=f"{self.key}:contributions",
        )
        self._make_controls()
        self._axes = canvas.add_axes(self.canvas, 0)
        self._axes.getViewBox().invertY(True)
        self._axes.getViewBox().setMouseEnabled(False, False)
        self._image = pyqtgraph.ImageItem(axisOrder="row-major")
        nothing = QPen(Qt.PenStyle.NoPen)
        self._later = pyqtgraph.LinearRegionItem(movable=False, pen=nothing, hoverPen=nothing)
        self._here = pyqtgraph.InfiniteLine(angle=90)
        for depth, item in enumerate((self._image, self._later, self._here)):
            item.setZValue(depth)
            self._axes.addItem(item, ignoreBounds=True)
        self._beside = MemberColumnsView(self.canvas, self._axes)
        self.by_hand = ByHandPanel(helper, f"{self.key}:by_hand")
        self.by_hand.hide()
        self._split()
        self.dress()

    def _make_controls(self) -> None:
        self.order = DropDown()
        self.order.setAccessibleName(tr("Order of the rows"))
        self.order.setToolTip(tr("The order of the rows"))
        self.order.setSizeAdjustPolicy(
            DropDown.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.order.setMinimumContentsLength(11)
        for key, name in ORDERS.items():
            self.order.addItem(tr(name), key)
        self.order.activated.connect(self.again)
        self.try_by_hand: QPushButton = kit.button(
            tr("Try by hand"),
            self._toggle_by_hand,
            kind="chip",
            tip=tr(
                "Take members out and put others in, and see the error; the run does not change"
            ),
        )
        self.try_by_hand.setCheckable(True)
        self.header.controls.addWidget(self.order)
        self.header.controls.addWidget(self.try_by_hand)

    def _split(self) -> None:
        """Put the canvas into a splitter, with the list beside it."""
        place = self._inside.indexOf(self.canvas)
        self._inside.removeWidget(self.canvas)
        self._splitter = splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(2 * theme.GRID)
        splitter.addWidget(self.canvas)
        splitter.addWidget(self.by_hand)
        splitter.setStretchFactor(0, 1)
        splitter.setStretchFactor(1, 1)
        self._inside.insertWidget(place, splitter, 1)

    def missing(self, subject: Subject) -> str:
        """Say so before the first ensemble."""
        if any(record.members for record in subject.series.iterations):
            return ""
        return tr("There is no ensemble yet: it appears when the first trials have finished.")

    def dress(self) -> None:
        """Take the colours of the theme in force."""
        look = theme.current()
        canvas.dress_canvas(self.canvas, self._axes)
        self._axes.showGrid(x=True, y=False, alpha=0.12)
        self._later.setBrush(theme.colour(look.surface, 0.72))
        self._here.setPen(canvas.hairline(QColor(look.text), dashed=True))
        canvas.label(self._axes, "bottom", tr("iteration (finished trials)"))
        canvas.label(self._axes, "left", tr("trial number"))
        self._beside.dress(self.canvas)

    # Following ----------------------------------------------------------------------------

    def forget(self) -> None:
        """Forget the members of the run before."""
        self._worth = None
        self._memberships = Memberships()
        self._asker.forget()
        self.by_hand.forget()

    def ask(self, subject: Subject) -> None:
        """Ask what the members of this iteration add."""
        if subject.iteration > 0:
            # The same ensemble is worth the same, whatever the iteration.
            wish = Wish(subject.asked, kind=subject.identity, moment=subject.members)
            self._asker.wish(wish)

    def _answer(self, wish: Wish, reply: Reply) -> None:
        subject = self.subject
        if subject is None or wish.arguments["run"] != subject.run_id:
            return
        words, arrays = reply
        self._worth = member_worth(arrays, words, int(wish.arguments["iteration"]))
        self.draw_in_turn()

    def _refused(self, _: str) -> None:
        """Leave the columns empty: the raster stands without them."""
        self._worth = None

    # Drawing ------------------------------------------------------------------------------

    def draw(self, subject: Subject) -> None:
        """Bring the raster and its columns up to date."""
        series = subject.series
        picture = self._memberships.picture(series, subject.chosen)
        columns = member_columns(series, picture, self._worth)
        chosen = str(self.order.currentData())
        if chosen != "joined":
            picture = picture.ordered(row_order(series, picture, columns, chosen))
            columns = member_columns(series, picture, self._worth)
        self._picture, self._columns = picture, columns
        known = [*series.branches, *dict.fromkeys(picture.branches)]
        known = list(dict.fromkeys(branch for branch in known if branch))
        self._colours = branch_colours(known, theme.current())
        image = raster(picture, {branch: triple(c) for branch, c in self._colours.items()})
        rows = len(picture.members)
        first, last = int(picture.iterations[0]), int(picture.iterations[-1])
        self._image.setImage(image, autoLevels=False, levels=None)
        self._image.setRect(first - 0.5, -0.5, last - first + 1.0, rows)
        back = subject.chosen is not None and picture.shown < last
        self._later.setVisible(back)
        self._here.setVisible(back)
        if back:
            self._later.setRegion((picture.shown + 0.5, last + 0.5))
            self._here.setPos(picture.shown + 0.5)
        self._axes.setRange(
            xRange=(0.5, max(last + 0.5, 10.5)), yRange=(-0.5, max(rows, 6) - 0.5), padding=0
        )
        self._beside.fit(self.canvas.width())
        self._beside.show_columns(columns, series.measure)
        self._name_rows(picture)
        self._show_legend(picture, known)
        self._show_by_hand(subject)

    def _name_rows(self, picture: MembershipPicture) -> None:
        rows = len(picture.members)
        step = canvas.label_step(self._axes, max(rows, 6))
        ticks = [(row, str(int(picture.members[row]))) for row in range(0, rows, step)]
        self._axes.getAxis("left").setTicks([ticks])

    def _show_legend(self, picture: MembershipPicture, known: Sequence[str]) -> None:
        seen = set(picture.branches)
        entries = [Entry(name, "square", self._colours[name]) for name in known if name in seen]
        if self._later.isVisible():
            entries.append(later_entry())
        self.legend.show_entries([*self._beside.entries(), *entries])

    # By hand ------------------------------------------------------------------------------

    def _toggle_by_hand(self) -> None:
        self.by_hand.setVisible(self.try_by_hand.isChecked())
        self._arrange()
        self._splitter.setSizes([self.width() // 2] * 2)
        self.again()
        if self.try_by_hand.isChecked():
            self.by_hand.view.setFocus()

    def _arrange(self) -> None:
        narrow = self.width() < BESIDE and self.try_by_hand.isChecked()
        self.canvas.setVisible(not narrow)
        self.legend.setVisible(not narrow)

    def _show_by_hand(self, subject: Subject) -> None:
        if not self.try_by_hand.isChecked():
            return
        worth = self._worth
        own_test = {} if worth is None else worth.own_test
        adds = {} if worth is None else worth.adds
        self.by_hand.follow(subject, own_test, adds, self._colours)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the columns and the list by hand as much room as there is."""
        super().resizeEvent(event)
        self._arrange()
        self._beside.fit(self.canvas.width())

    # Pointing -----------------------------------------------------------------------------

    def _cell(self, where: QPointF) -> tuple[int, int]:
        picture = self._picture
        if picture is None:
            return -1, -1
        at = self._axes.getViewBox().mapSceneToView(where)
        column = int(np.abs(picture.iterations - at.x()).argmin())
        if not picture.iterations[0] - 0.5 <= at.x() <= picture.iterations[-1] + 0.5:
            column = -1
        return round(at.y()), column

    def _is_beside(self, where: QPointF) -> bool:
        """Whether a position is in the columns beside the raster."""
        columns = (self._beside.own, self._beside.adds)
        return any(
            axes.isVisible() and axes.sceneBoundingRect().contains(where) for axes in columns
        )

    def words_at(self, where: QPointF) -> str:
        """Say whose cell is pointed at, and what the member is worth."""
        subject, picture, columns = self.subject, self._picture, self._columns
        if subject is None or picture is None or columns is None:
            return ""
        row, column = self._cell(where)
        if self._is_beside(where):
            return member_words(subject.series, picture, columns, row)
        return membership_words(subject.series, picture, row, column)

    def words_at_rest(self) -> str:
        """Say how many members there are, and what does not fit."""
        picture, subject = self._picture, self.subject
        if picture is None or subject is None or subject.iteration == 0:
            return ""
        size = len(subject.series.iterations[subject.iteration - 1].members)
        words = tr(
            "iteration {iteration}  ·  {members}, {ever} ever",
            iteration=subject.iteration,
            members=ntr("{count} member now", "{count} different members now", size),
            ever=len(picture.members) + picture.left_out,
        )
        if picture.left_out:
            words += "  ·  " + tr(
                "the {drawn} that stayed longest are drawn", drawn=len(picture.members)
            )
        return words

    def clicked(self, where: QPointF) -> None:
        """Look at the iteration clicked on; beside it, put the trial in or out by hand."""
        picture = self._picture
        if picture is None:
            return
        row, column = self._cell(where)
        if self._is_beside(where):
            if self.try_by_hand.isChecked() and 0 <= row < len(picture.members):
                self.by_hand.toggle(int(picture.members[row]))
        elif column >= 0:
            self.iteration_picked.emit(int(picture.iterations[column]))

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """Return every membership: iteration, trial, branch, weight, own error, what it adds now.

        What a member adds is that of the iteration looked at; empty for all others.
        """
        names = ("iteration", "trial", "branch", "weight", "own error", "adds now")
        if self.subject is None:
            return names, []
        series, now = self.subject.series, self.subject.iteration
        adds = {} if self._worth is None else self._worth.adds
        return names, [
            (
                record.number,
                number,
                series.branch(number),
                weight,
                series.losses[number - 1],
                adds.get(number, "") if record.number == now else "",
            )
            for record in series.iterations
            for number, weight in record.members
        ]

"""Errors: where the ensemble at the iteration looked at is wrong, and how."""

from collections.abc import Sequence
from typing import Any, ClassVar

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio.gui.base import theme
from studio.gui.base.language import mark, tr
from studio.gui.plots.asking import Helper, Reply
from studio.gui.plots.class_chooser import ClassChooser
from studio.gui.plots.colours import ENSEMBLE, SINGLE
from studio.gui.plots.errors_items import ErrorsItems
from studio.gui.plots.errors_list import RowList
from studio.gui.plots.errors_model import (
    CONFUSION,
    HISTOGRAM,
    LIST,
    OF_CLASSES,
    OF_VALUES,
    PRECISION,
    RELIABILITY,
    RESIDUALS,
    ROC,
    SCATTER,
    SPOILED,
    SUMMARIES,
    ErrorsPicture,
    errors_picture,
)
from studio.gui.plots.errors_rows import row_words, table_of
from studio.gui.plots.errors_words import dot_words, place_words, rest_words
from studio.gui.plots.helped import HelpedPlot
from studio.gui.plots.painting import canvas
from studio.gui.plots.painting.legend import Entry
from studio.gui.plots.painting.scale_bar import ScaleBar
from studio.gui.plots.questions import GOOD
from studio.gui.plots.subject import Subject
from studio.gui.plots.view_chooser import ViewChooser
from studio.gui.widgets.kit import ElidedLabel

ROWS = {"validation": mark("validation rows"), "test": mark("test rows")}


class ErrorsPlot(HelpedPlot[ErrorsPicture]):
    """Views of one answer: matrix, curves, dots, bars or a list of rows."""

    key: ClassVar[str] = "errors"
    title: ClassVar[str] = mark("Errors")
    question: ClassVar[str] = GOOD
    summary: ClassVar[str] = mark("Where the ensemble is wrong: which classes, which rows, how.")
    explanation: ClassVar[str] = mark(
        "Everything is of the ensemble at the iteration looked at, from the predictions that the "
        "run has kept; nothing is trained. The dashed line is its best single model.\n"
        "Classes: the matrix shows who is taken for whom; all that is right is on the diagonal. "
        "ROC and precision-recall show what other thresholds than the usual one would give; a "
        "curve nearer to its upper corner is better. In the calibration a point on the diagonal "
        "keeps its word: of the rows that were given 80 %, 80 % are so; bars show how many rows "
        "that is.\n"
        "Numbers: dots on the diagonal are right; a residual is predicted minus true. A funnel or "
        "a curve among the residuals is something the models have not understood.\n"
        "Where the members disagree is where the ensemble is unsure: rows to look at by hand, for "
        "they are often mislabelled or unusual.\n"
        "Validation rows have chosen the ensemble, so it looks a little too good on them. Test "
        "rows are honest as long as nobody chooses by them: look at them last."
    )
    source: ClassVar[str] = mark(
        "Fawcett 2006 (ROC analysis); Davis and Goadrich 2006 (precision-recall); Guo et al. 2017, "
        "figure 1 and equation 3 (calibration)"
    )
    task: ClassVar[str] = "prediction_errors"
    waiting: ClassVar[str] = mark("Looking at the ensemble's answers…")

    def __init__(self, helper: Helper, parent: QWidget | None = None) -> None:
        super().__init__(helper, parent)
        self._about: int | None = None
        self._chosen = 0
        name, tip = tr("View of the errors"), tr("How the errors are shown")
        self.of_classes = ViewChooser(OF_CLASSES, name, tip)
        self.of_values = ViewChooser(OF_VALUES, name, tip)
        self.rows = ViewChooser(
            ROWS,
            tr("Rows that are looked at"),
            tr(
                "The rows that are looked at. Looking at test rows while you still choose methods "
                "or settings spoils them: they are no fair test any more"
            ),
        )
        self.rows.setMinimumContentsLength(14)
        self.about = ClassChooser(whole=True)
        self.of_values.hide()
        self.about.hide()
        for chooser in (self.of_classes, self.of_values):
            self.header.controls.addWidget(chooser)
        for view in (self.of_classes, self.of_values, self.rows):
            view.chosen.connect(self.again)
        self.about.chosen.connect(self._choose_class)
        self._spoiled = ElidedLabel(tr(SPOILED), "warning")
        strip = QWidget()
        inside = QHBoxLayout(strip)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(theme.GRID)
        inside.addWidget(self.rows)
        inside.addWidget(self.about)
        inside.addWidget(self._spoiled, 1)
        inside.addStretch()
        self.scale = ScaleBar()
        self.add_below_legend(self.scale)
        self.list = RowList()
        self.list.row_chosen.connect(self._row_chosen)
        self.add_below_legend(self.list)
        self._inside.setStretchFactor(self.list, 1)
        self.list.hide()
        self._inside.insertWidget(0, strip)
        self._axes = canvas.add_axes(self.canvas, 0)
        self._axes.getViewBox().setMouseEnabled(False, False)
        self._items = ErrorsItems(self._axes)
        self.dress()

    @property
    def view(self) -> str:
        """The view that is shown."""
        values = self.picture is not None and not self.picture.classes
        return self.of_values.key if values else self.of_classes.key

    def dress(self) -> None:
        """Take the colours of the theme in force."""
        canvas.dress_canvas(self.canvas, self._axes)
        self._items.dress()

    # Asking ----------------------------------------------------------------------------------

    def forget(self) -> None:
        """Forget the class and the row that were chosen in the run before."""
        super().forget()
        self._about, self._chosen = None, 0

    def asked_for(self, subject: Subject) -> dict[str, Any] | None:
        """Ask for the rows and the class chosen."""
        del subject
        return {"rows": self.rows.key, "about": self._about}

    def read(self, reply: Reply, subject: Subject) -> ErrorsPicture:
        """Return what the answer means."""
        target = subject.settings.get("source", {}).get("target") or tr("the target")
        return errors_picture(*reply, test=self.rows.key == "test", target=str(target))

    def _choose_class(self, code: int) -> None:
        self._about = code
        self.again()

    # Drawing ---------------------------------------------------------------------------------

    def draw(self, subject: Subject) -> None:
        """Draw the last answer in the view chosen."""
        del subject
        picture = self.picture
        if picture is None or picture.reason:
            return
        view = self.view
        self.of_classes.setVisible(bool(picture.classes))
        self.of_values.setVisible(not picture.classes)
        self.about.setVisible(view in (ROC, PRECISION, RELIABILITY))
        if picture.classes:
            self.about.offer(picture.classes, picture.about)
        self.list.setVisible(view == LIST)
        self.canvas.setVisible(view != LIST)
        self.scale.setVisible(view == CONFUSION)
        self.header.summary.setText(tr(SUMMARIES[view]))
        self._spoiled.setVisible(picture.test)
        if view == CONFUSION:
            self.scale.show_scale(tr("share of the true class' rows"), "0 %", "100 %")
        if view == LIST:
            self.list.show_picture(picture)
        else:
            self._items.draw(picture, view, self._chosen)
        entries = self._entries(picture, view)
        self.legend.show_entries(entries)
        self.legend.setVisible(bool(entries))

    def _entries(self, picture: ErrorsPicture, view: str) -> Sequence[Entry]:
        look = theme.current()
        mine, alone = QColor(look.series[ENSEMBLE]), QColor(look.series[SINGLE])
        pale, muted = theme.colour(look.series[ENSEMBLE], 0.3), QColor(look.muted)
        single = [Entry(picture.single, "dash", alone)] if picture.single else []
        ensemble = tr("ensemble")
        if view in (ROC, PRECISION):
            chance = Entry(tr("by chance"), "dash", muted)
            return [Entry(ensemble, "line", mine), *single, chance]
        if view == RELIABILITY:
            return [
                Entry(ensemble, "line", mine),
                *single,
                Entry(tr("rows in the bin"), "square", pale),
                Entry(tr("keeps its word"), "dash", muted),
            ]
        if view in (SCATTER, RESIDUALS):
            shown, count = len(picture.arrays["dots"]), int(picture.words["count"])
            dots = (
                tr("row")
                if shown == count
                else tr("row ({shown} of {count}, drawn at random)", shown=shown, count=count)
            )
            return [Entry(dots, "dot", mine), Entry(tr("exactly right"), "dash", muted)]
        if view == HISTOGRAM:
            return [Entry(ensemble, "square", pale), *single]
        return []

    # Reading out -----------------------------------------------------------------------------

    def words_at(self, where: QPointF) -> str:
        """Say what lies where the pointer is."""
        picture, box = self.picture, self._axes.getViewBox()
        if picture is None or picture.reason or not box.sceneBoundingRect().contains(where):
            return ""
        if self.view in (SCATTER, RESIDUALS):
            place = self._items.dot_at(where)
            return dot_words(picture, place) if place >= 0 else ""
        at = box.mapSceneToView(where)
        return place_words(picture, self.view, at.x(), at.y())

    def words_at_rest(self) -> str:
        """Say what stands out, or what the chosen row is."""
        picture, view = self.picture, self.view
        if picture is None or picture.reason:
            return ""
        if view == LIST and self.list.chosen >= 0:
            return row_words(picture, self.list.chosen)
        return rest_words(picture, view)

    def clicked(self, where: QPointF) -> None:
        """Ring the dot that is clicked, and choose its row in the list."""
        picture = self.picture
        if picture is None or self.view not in (SCATTER, RESIDUALS):
            return
        place = self._items.dot_at(where)
        self._chosen = int(picture.arrays["dots"][place]) if place >= 0 else 0
        self.list.show_picture(picture)
        self.list.choose_number(self._chosen)
        self.again()

    def _row_chosen(self, place: int) -> None:
        if self.picture is not None and self.view == LIST:
            self._chosen = int(self.picture.arrays["listed"][place]) if place >= 0 else 0
            self._rest()

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """Return the numbers of the view."""
        picture = self.picture
        if picture is None or picture.reason:
            return ("row",), []
        return table_of(picture, self.view)

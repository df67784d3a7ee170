"""Diversity: how differently the ensemble's members predict, pair by pair and against error."""

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QStandardItemModel
from PySide6.QtWidgets import QWidget

from studio.gui.base import theme
from studio.gui.base.language import mark, number, percent, tr
from studio.gui.plots.asking import Helper, Reply
from studio.gui.plots.colours import ENSEMBLE, branch_colours
from studio.gui.plots.diversity_errors import DiversityErrors
from studio.gui.plots.diversity_errors_model import (
    ErrorsPicture,
    ensemble_words,
    errors_picture,
    member_words,
)
from studio.gui.plots.diversity_map import DiversityMap
from studio.gui.plots.diversity_model import (
    TITLES,
    VIEWS,
    DiversityPicture,
    diversity_picture,
    diversity_words,
    rest_words,
)
from studio.gui.plots.helped import HelpedPlot
from studio.gui.plots.painting import canvas
from studio.gui.plots.painting.legend import Entry
from studio.gui.plots.painting.scale_bar import ScaleBar
from studio.gui.plots.questions import ENSEMBLE as ABOUT_ENSEMBLE
from studio.gui.plots.subject import Subject
from studio.gui.plots.view_chooser import ViewChooser


class DiversityPlot(HelpedPlot[DiversityPicture]):
    """A heat map of all pairs of members, or each member's error against its diversity."""

    key: ClassVar[str] = "diversity"
    title: ClassVar[str] = mark("Diversity")
    question: ClassVar[str] = ABOUT_ENSEMBLE
    summary: ClassVar[str] = mark(
        "How differently each pair of members predicts: an ensemble gains "
        "where its members do not make the same mistakes."
    )
    explanation: ClassVar[str] = mark(
        "Each row and each column is a member of the ensemble, and similar members are neighbours. "
        "Diversity is the mean distance between the probabilities (or values) that two members "
        "predict for the validation rows: 0 for the same predictions, 1 for opposite and certain "
        "ones; disagreement counts the rows for which they choose different classes. "
        "A dark block is a group of members that could replace each other. "
        "The views of error against diversity show each member as a dot, as large as its weight: "
        "a good ensemble has members low (small error) and far to the right (unlike the others), "
        "and the dashed line is the error of all of them together."
    )
    source: ClassVar[str] = mark("Shen et al. 2022, equation 3 and figure 6")
    task: ClassVar[str] = "diversity"
    waiting: ClassVar[str] = mark("Comparing the members' predictions…")

    def __init__(self, helper: Helper, parent: QWidget | None = None) -> None:
        super().__init__(helper, parent)
        self._errors: ErrorsPicture | None = None
        self.view = ViewChooser(
            VIEWS,
            tr("What is compared"),
            tr(
                "Diversity compares the predicted probabilities (or values); disagreement counts "
                "the rows for which two members choose different classes; the others show each "
                "member's error against its mean diversity to the others, or against that to the "
                "most similar one"
            ),
        )
        self.view.chosen.connect(self.again)
        self.header.controls.addWidget(self.view)
        self.scale = ScaleBar()
        self.add_below_legend(self.scale)
        self._axes = canvas.add_axes(self.canvas, 0)
        self._axes.getViewBox().setMouseEnabled(False, False)
        self._map = DiversityMap(self._axes)
        self._dots = DiversityErrors(self._axes)
        self.dress()

    @property
    def _matrix(self) -> str:
        """Which matrix the view reads."""
        return self.view.key if self.view.key in TITLES else "diversity"

    def dress(self) -> None:
        """Take the colours of the theme in force."""
        canvas.dress_canvas(self.canvas, self._axes)

    def moment(self, subject: Subject) -> Hashable:
        """Return the members: the same ensemble has the same matrix, whatever the iteration."""
        return subject.members

    def read(self, reply: Reply, subject: Subject) -> DiversityPicture:
        """Return the matrix of the view chosen."""
        self._offer_disagreement(bool(reply[0].get("classes", True)))
        return diversity_picture(*reply, subject.series, self._matrix)

    def _offer_disagreement(self, offered: bool) -> None:
        """Take the disagreement away where values are predicted: they cannot disagree."""
        model = self.view.model()
        assert isinstance(model, QStandardItemModel), "a QComboBox has one of its own"
        model.item(self.view.findData("disagreement")).setEnabled(offered)
        if not offered and self.view.key == "disagreement":
            self.view.setCurrentIndex(0)

    def draw(self, subject: Subject) -> None:
        """Draw the last answer."""
        picture = self.picture
        if picture is None:
            return
        known = [*subject.series.branches]
        known += [b for b in dict.fromkeys(picture.branches) if b and b not in known]
        colours = branch_colours(known, theme.current())
        seen = set(picture.branches)
        entries = [Entry(b, "square", colours[b]) for b in known if b in seen]
        if self.view.key in TITLES:
            self._draw_map(picture, colours)
        else:
            self._draw_errors(picture, subject, colours)
            line = QColor(theme.current().series[ENSEMBLE])
            entries.append(Entry(tr("all members together"), "dash", line))
        self.legend.show_entries(entries)

    def _draw_map(self, picture: DiversityPicture, colours: dict[str, QColor]) -> None:
        self._errors = None
        self._dots.hide()
        self.header.summary.setText(tr(self.summary))
        shares = self._matrix == "disagreement"
        self._map.draw(picture, colours, percent=shares)
        high = percent(picture.highest, 0) if shares else number(picture.highest, "g")
        self.scale.show_scale(tr(TITLES[self._matrix]), percent(0, 0) if shares else "0", high)
        self.scale.show()

    def _draw_errors(
        self, picture: DiversityPicture, subject: Subject, colours: dict[str, QColor]
    ) -> None:
        self._map.hide()
        self.scale.hide()
        self.header.summary.setText(
            tr("How good each member is by itself, against how unlike the others it predicts.")
        )
        self._errors = errors_picture(picture, subject.series, subject.iteration, self.view.key)
        self._dots.draw(self._errors, colours, subject.series.measure, self.view.key)

    def words_at(self, where: QPointF) -> str:
        """Say which pair or member is pointed at."""
        subject, picture = self.subject, self.picture
        if subject is None or picture is None:
            return ""
        if self._errors is not None:
            place = self._dots.place_at(where)
            if not 0 <= place < len(self._errors.members):
                return ""
            return member_words(self._errors, subject.series, place, self.view.key)
        at = self._axes.getViewBox().mapSceneToView(where)
        row, column = int(np.floor(at.y())), int(np.floor(at.x()))
        return diversity_words(picture, subject.series, row, column, self._matrix)

    def words_at_rest(self) -> str:
        """Say how different the members are on average, or whom the ensemble beats."""
        subject, picture = self.subject, self.picture
        if subject is None or picture is None:
            return ""
        if self._errors is not None:
            return ensemble_words(self._errors, subject.series)
        return rest_words(picture, self._matrix)

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
        """Return the matrix, one row a member; or error, diversity and weight of each."""
        picture, errors = self.picture, self._errors
        if errors is not None:
            columns = (errors.members, errors.errors, errors.diversity, errors.weights)
            names = ("trial", "error", f"{self.view.key}_diversity", "weight")
            return names, list(zip(*(each.tolist() for each in columns), strict=True))
        if picture is None:
            return ("trial",), []
        numbers = [int(number) for number in picture.members]
        rows = [
            (number, *line) for number, line in zip(numbers, picture.values.tolist(), strict=True)
        ]
        return ("trial", *(f"trial {number}" for number in numbers)), rows

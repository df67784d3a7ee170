"""Errors plot: the ensemble's errors by row and kind."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHeaderView, QLabel

from studio.analysis.answers.predictions import ALL, PredictionErrors
from studio.arrays import Integers
from studio.data.metrics.curves import find_most_confused
from studio.figures.compose import confusion
from studio.figures.figure import Figure, Pointer, Scale
from studio.gui.base.theme import GRID
from studio.gui.plots.base.asking import Helper
from studio.gui.plots.base.chooser import Chooser
from studio.gui.plots.base.plot import GOOD, HelperPlot
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.quality.errors_curves import PRECISION, RELIABILITY, ROC
from studio.gui.plots.quality.errors_model import ErrorsPicture, ErrorsView, Table, format_row_count
from studio.gui.plots.quality.errors_values import HISTOGRAM, RESIDUALS, SCATTER
from studio.gui.widgets import kit
from studio.gui.widgets.records import ColumnSpec, RecordTable
from studio.language import N_, format_among, group_digits, ntr, number, percent, tr
from studio.measure import NOTHING, append_unit
from studio.numerals import NumeralFormat

_MEASURED = 30
"""Rows sampled for a column's width."""

_WIDEST = 22 * GRID
"""Maximum width of a column: class names may be whole sentences."""


def list_headings(picture: ErrorsPicture) -> tuple[str, ...]:
    """Return the column names of the list of rows."""
    if picture.classes:
        return tr("row"), tr("true"), tr("ensemble"), tr("agree"), tr("others predict")
    return tr("row"), tr("true"), tr("ensemble"), tr("off by"), tr("members' sd")


def list_rows(picture: ErrorsPicture) -> list[tuple[str, ...]]:
    """Return the formatted cells of the list."""
    found = picture.found
    rows: list[tuple[str, ...]] = []
    columns = (
        found.listed,
        found.listed_truth,
        found.listed_predicted,
        found.listed_spread,
        found.listed_other,
    )
    values = NumeralFormat.together([*found.listed_truth, *found.listed_predicted])
    off = NumeralFormat.together(found.listed_predicted - found.listed_truth, 3)
    spreads = NumeralFormat.together(found.listed_spread, 3)
    for place, true, answer, spread, other in zip(*(x.tolist() for x in columns), strict=True):
        if picture.classes:
            classes = picture.classes
            rows.append(
                (
                    str(place),
                    classes[int(true)],
                    ("" if int(true) == int(answer) else "✗ ") + classes[int(answer)],
                    percent(spread, 0),
                    classes[int(other)] if other >= 0 else NOTHING,
                )
            )
        else:
            rows.append(
                (
                    str(place),
                    *(format_among(each, values) for each in (true, answer)),
                    format_among(answer - true, off, "+"),
                    format_among(spread, spreads),
                )
            )
    return rows


def describe_row(picture: ErrorsPicture, place: int) -> str:
    """Describe a row of the list."""
    cells = list_rows(picture)[place]
    if picture.classes:
        values = {"row": cells[0], "true": cells[1], "share": cells[3], "other": cells[4]}
        if not cells[2].startswith("✗"):
            return tr(
                "row {row} is {true}: {share} of the ensemble's weight predicts that, "
                "correctly; most others predict {other}",
                **values,
            )
        return tr(
            "row {row} is {true}, but {share} of the ensemble's weight predicts {answer}; most "
            "others predict {other}",
            answer=cells[2][2:],
            **values,
        )
    return tr(
        "row {row}: true {true}, the ensemble predicts {answer} ({off}); its members "
        "differ by {sd}",
        row=cells[0],
        true=cells[1],
        answer=cells[2],
        off=cells[3],
        sd=cells[4],
    )


def _errors_rows_rest(picture: ErrorsPicture) -> str:
    count = len(picture.found.listed)
    if not count:
        members = ntr("{count} member", "{count} members", picture.found.members)
        return tr("{members}: they agree on every row", members=members)
    if not picture.classes:
        return tr("the {rows} of largest disagreement", rows=format_row_count(count))
    return tr(
        "{rows} where the members disagree, the most divided first", rows=format_row_count(count)
    )


LIST = ErrorsView(
    title=N_("Disputed rows"),
    summary=N_("Rows about which the members disagree most; a click marks a row."),
    rest=_errors_rows_rest,
    table=lambda picture: (list_headings(picture), [*list_rows(picture)]),
)


class RowList(RecordTable[tuple[str, ...]]):
    """A table of rows, the most disputed first, with single selection."""

    row_chosen = Signal(int)
    """A row was selected: its index in the list; -1 for none."""

    def __init__(self) -> None:
        super().__init__((), tr("Rows the members disagree on most"))
        self.setToolTip(tr("Rows are numbered from 1 below the header of the table they are in"))
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        header.setResizeContentsPrecision(_MEASURED)
        header.setMaximumSectionSize(_WIDEST)
        self.selectionModel().selectionChanged.connect(lambda *_: self._on_selection())

    def show_picture(self, picture: ErrorsPicture) -> None:
        """Set the rows; the selection stays while its row is there."""
        kept = self.picked
        columns = [
            _column(place, title, right=place == 0 or not picture.classes)
            for place, title in enumerate(list_headings(picture))
        ]
        with QSignalBlocker(self):
            self.records.show(list_rows(picture), columns)
            self.choose_number(int(kept[0][0]) if kept else 0)
        self._on_selection()

    @property
    def chosen(self) -> int:
        """The selected index; -1 for none."""
        rows = self.selectionModel().selectedRows()
        return rows[0].row() if rows else -1

    def choose_number(self, number: int) -> None:
        """Select the row of this number; ignored if it is not in the list."""
        numbers = [row[0] for row in self.records.records]
        if str(number) in numbers:
            self.selectRow(numbers.index(str(number)))
        else:
            self.clearSelection()

    def _on_selection(self) -> None:
        self.row_chosen.emit(self.chosen)


def _column(place: int, title: str, *, right: bool) -> ColumnSpec[tuple[str, ...]]:
    return ColumnSpec(title, lambda row: row[place], right=right)


_FEW = 4
"""Maximum number of classes with zeros shown."""


def _figure(picture: ErrorsPicture, chosen: int) -> Figure:
    """Return the confusion matrix: true classes in rows, predictions in columns."""
    del chosen
    names, counts = picture.matrix

    def written(count: float, share: float) -> str:
        if not count and len(names) > _FEW:
            return ""  # most cells of many classes
        return f"{number(count, ',.0f')}\n{percent(share, 0)}"

    labels = (tr("predicted class"), tr("true class"))
    panel, cells = confusion(names, counts, written, labels)
    return Figure(
        [panel], [cells], scale=Scale(tr("share of the true class's rows"), "0 %", "100 %")
    )


def _summarise_errors(picture: ErrorsPicture) -> str:
    """Return the number of wrong predictions and the most frequent mistake, in words."""
    counts = picture.found.confusion
    total, wrong = int(counts.sum()), int(counts.sum() - np.trace(counts))
    if not wrong:
        return tr("none of {rows} is wrong", rows=format_row_count(total))
    values = {
        "share": percent(wrong / total),
        "wrong": number(wrong, ",d"),
        "total": number(total, ",d"),
    }
    found = find_most_confused(counts)
    assert found is not None, "an answer is wrong"
    if counts[found] == 1:
        return tr("{share} wrong ({wrong} of {total}); no mistake occurs twice", **values)
    true, answer = found
    return tr(
        "{share} wrong ({wrong} of {total}); most often {true} predicted as {answer} ({rows})",
        true=picture.classes[true],
        answer=picture.classes[answer],
        rows=format_row_count(int(counts[found])),
        **values,
    )


def describe_errors(picture: ErrorsPicture, looked_for: str | None) -> str:
    """Describe the errors in one plain sentence or two.

    Args:
        looked_for: The positive one of two classes; ``None``: the rarer one.
    """
    found, counts = picture.found, picture.found.confusion
    rows = ntr("{count} row", "{count} rows", found.count)
    if not picture.classes:
        off = append_unit(number(float(found.mae[0]), ",.3g"), found.unit)
        return tr("Off by {off} on average, over {rows}.", off=off, rows=rows)
    if len(picture.classes) == 2:
        return _describe_two_classes(picture.classes, counts, looked_for)
    wrong = int(counts.sum() - np.trace(counts))
    words = tr("Wrong for {wrong} of {rows}.", wrong=group_digits(wrong), rows=rows)
    mistake = find_most_confused(counts)
    if mistake is None or counts[mistake] == 1:
        return words
    true, answer = (picture.classes[each] for each in mistake)
    return tr(
        "{words} Most often “{true}” is predicted as “{answer}” ({rows}).",
        words=words,
        true=true,
        answer=answer,
        rows=format_row_count(int(counts[mistake])),
    )


def _describe_two_classes(
    classes: tuple[str, ...], counts: Integers, looked_for: str | None
) -> str:
    """Describe how many rows of the positive class are found, from counts (2, 2)."""
    code = classes.index(looked_for) if looked_for in classes else int(counts.sum(axis=1).argmin())
    found, alarms = int(counts[code, code]), int(counts[1 - code, code])
    values = {"label": classes[code], "all": group_digits(int(counts[code].sum()))}
    if not found + alarms:
        return tr(
            "At 50 % it never predicts “{label}”, though {all} rows are: choose a lower "
            "probability to find some of them.",
            **values,
        )
    values["found"] = group_digits(found)
    if not alarms:
        return tr("At 50 % it finds {found} of {all} “{label}”, without a false alarm.", **values)
    return ntr(
        "At 50 % it finds {found} of {all} “{label}”, with {count} false alarm.",
        "At 50 % it finds {found} of {all} “{label}”, with {count} false alarms.",
        alarms,
        **values,
    )


def _describe_cell(picture: ErrorsPicture, at: Pointer) -> str:
    """Describe a cell's count."""
    names, counts = picture.matrix
    row, column = int(at.y // 1), int(at.x // 1)
    if not (0 <= row < len(names) and 0 <= column < len(names)):
        return ""
    if not (total := int(counts[row].sum())):
        return tr("no row is of class {true}", true=names[row])
    return tr(
        "{rows} of class {true} predicted as {answer}: {share} of that class",
        rows=format_row_count(int(counts[row, column])),
        true=names[row],
        answer=names[column],
        share=percent(counts[row, column] / total),
    )


def _table(picture: ErrorsPicture) -> Table:
    names = ("true class", *(f"answer {name}" for name in picture.classes))
    counts = picture.found.confusion.tolist()
    return names, [(name, *line) for name, line in zip(picture.classes, counts, strict=True)]


CONFUSION = ErrorsView(
    title=N_("Confusion matrix"),
    summary=N_("Rows of each true class, by the class that the ensemble predicts."),
    rest=_summarise_errors,
    table=_table,
    figure=_figure,
    words=_describe_cell,
)


OF_CLASSES = {
    "confusion": CONFUSION,
    "roc": ROC,
    "precision": PRECISION,
    "reliability": RELIABILITY,
    "list": LIST,
}
OF_VALUES = {"scatter": SCATTER, "residuals": RESIDUALS, "histogram": HISTOGRAM, "list": LIST}
"""The views by kind of target, in the order of the chooser."""

SPOILED = N_(
    "Looking at test rows while you are still choosing methods spoils them as a fair test."
)

ROWS = {"validation": N_("validation rows"), "test": N_("test rows")}


class ErrorsPlot(HelperPlot[PredictionErrors, ErrorsPicture]):
    """Views of one answer: matrix, curves, dots, bars or a list of rows.

    Attributes:
        sentence: A page's label for the errors in a sentence; ``None`` for none.
        looked_for: The positive one of two classes in it; ``None``: the rarer one.
    """

    key: ClassVar[str] = "errors"
    title: ClassVar[str] = N_("Errors")
    also: ClassVar[str] = N_(
        "confusion matrix mistakes wrong rows residuals threshold accuracy predicted actual"
    )
    question: ClassVar[str] = GOOD
    summary: ClassVar[str] = N_("Where the ensemble is wrong: which classes, which rows, how.")
    explanation: ClassVar[str] = N_(
        "Everything is about the ensemble at the iteration shown, from the predictions that the "
        "run has kept; nothing is trained. The dashed line is its best single model.\n"
        "Classes: the confusion matrix shows true against predicted classes; all that is right is "
        "on the diagonal. ROC and precision-recall show what other thresholds than the usual one "
        "would give; a curve nearer to its upper corner is better. In the reliability diagram a "
        "point on the diagonal is calibrated: of the rows with a predicted probability of 80 %, "
        "80 % are of that class; bars show how many rows that is.\n"
        "Numbers: dots on the diagonal are right; a residual is predicted minus true. A funnel or "
        "a curve among the residuals is something the models have not understood.\n"
        "Where the members disagree is where the ensemble is unsure: rows to check yourself, for "
        "they are often mislabelled or unusual.\n"
        "The ensemble was chosen on the validation rows, so its errors there are optimistic. Test "
        "rows are honest as long as they are not used for choosing; they are shown first once the "
        "run is over."
    )
    source: ClassVar[str] = N_(
        "Fawcett 2006 (ROC analysis); Davis and Goadrich 2006 (precision-recall); Guo et al. 2017, "
        "figure 1 and equation 3 (calibration)"
    )
    task: ClassVar[str] = "prediction_errors"
    answer: ClassVar[type[Any]] = PredictionErrors
    waiting: ClassVar[str] = N_("Reading the ensemble's predictions…")

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        self._about: int | None = None
        self._chosen = 0
        name, tip = tr("View of the errors"), tr("How the errors are shown")
        self.of_classes, self.of_values = (
            self.add_view_choice({key: view.title for key, view in views.items()}, name, tip)
            for views in (OF_CLASSES, OF_VALUES)
        )
        self.rows = Chooser(
            tr("Rows shown"),
            tr(
                "The rows shown. Looking at test rows while you are still choosing methods or "
                "settings spoils them: they are no longer a fair test"
            ),
            14,
        )
        self.rows.set_choices([(key, tr(title)) for key, title in ROWS.items()])
        self.about = Chooser(
            tr("Class shown by the curve"),
            tr("The class shown by the curve, one against the rest, or the mean of all"),
            8,
        )
        self.sentence: QLabel | None = None
        self.looked_for: str | None = None
        self.of_values.hide()
        self.about.hide()
        self.header.controls.insertWidget(0, self.rows)
        self.header.controls.addWidget(self.about)
        self.rows.chosen.connect(self.refresh)
        self.about.chosen.connect(self._choose_class)
        self._spoiled = kit.label(tr(SPOILED), "warning", wrap=True)
        self._spoiled.hide()  # otherwise the drawing would start lower than it is
        self.list = RowList()
        self.list.row_chosen.connect(self._on_row_choice)
        self.add_below_legend(self.list)
        self._inside.setStretchFactor(self.list, 1)
        self.list.hide()
        self._inside.insertWidget(0, self._spoiled)

    @property
    def view(self) -> ErrorsView:
        """The current view."""
        if self.picture is not None and not self.picture.classes:
            return OF_VALUES[self.of_values.key]
        return OF_CLASSES[self.of_classes.key]

    # Requests --------------------------------------------------------------------------------

    def forget(self) -> None:
        """Reset the chosen class and row for another run."""
        super().forget()
        self._about, self._chosen = None, 0
        self.rows.reset()

    def prepare(self, subject: Subject) -> None:
        """Show test rows by default once the run is over, as no choice depends on them any more."""
        self.rows.suggest("test" if subject.tested else "validation")
        super().prepare(subject)

    def get_task_arguments(self, subject: Subject) -> dict[str, Any] | None:
        """Request the chosen rows and class."""
        return {"rows": self.rows.key, "about": self._about}

    def read(self, answer: PredictionErrors, subject: Subject) -> ErrorsPicture:
        """Convert the answer to a picture."""
        target = subject.settings.source.target or tr("the target")
        return ErrorsPicture(answer, self.rows.key == "test", target)

    def _choose_class(self, code: int) -> None:
        self._about = code
        self.refresh()

    # Drawing ---------------------------------------------------------------------------------

    def figure(self, picture: ErrorsPicture, subject: Subject) -> Figure:
        """Return the current view; the list has a widget beside its description."""
        view = self.view
        self._show_controls(picture, view)
        self._spoiled.setVisible(picture.test and not subject.tested)
        if view is LIST:
            self.list.show_picture(picture)
        if self.sentence is not None:
            kit.show_text(self.sentence, describe_errors(picture, self.looked_for))
        drawn = view.figure(picture, self._chosen)
        return replace(drawn, summary=tr(view.summary), rest=view.rest(picture))

    def _show_controls(self, picture: ErrorsPicture, view: ErrorsView) -> None:
        self.of_classes.setVisible(bool(picture.classes))
        self.of_values.setVisible(not picture.classes)
        self.about.setVisible(view.of_class)
        if picture.classes:
            every = [(ALL, tr("all classes"))] if len(picture.classes) > 2 else []
            self.about.set_choices([*every, *enumerate(picture.classes)], picture.found.about)
            self.about.choose(picture.found.about)
        self.list.setVisible(view is LIST)
        self.canvas.setVisible(view is not LIST)

    # Read-out --------------------------------------------------------------------------------

    def words(self, picture: ErrorsPicture, subject: Subject, at: Pointer) -> str:
        """Describe the hovered item."""
        return self.view.words(picture, at)

    def describe_at_rest(self) -> str:
        """Describe the most notable error, or the selected row."""
        if self.picture is not None and self.view is LIST and self.list.chosen >= 0:
            return describe_row(self.picture, self.list.chosen)
        return super().describe_at_rest()

    def pressed(self, picture: ErrorsPicture, at: Pointer) -> None:
        """Select the row of the clicked dot, which gets a ring."""
        if self.view.dots is None:
            return
        place = at.nearest(*self.view.dots(picture))
        self._chosen = 0 if place is None else int(picture.found.dots[place])
        self.list.show_picture(picture)
        self.list.choose_number(self._chosen)
        self.refresh()

    def _on_row_choice(self, place: int) -> None:
        if self.picture is not None and self.view is LIST:
            self._chosen = int(self.picture.found.listed[place]) if place >= 0 else 0
            self.clear_hover()

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """Return the view's numbers."""
        picture = self.picture
        if picture is None or picture.found.reason:
            return ("row",), []
        return self.view.table(picture)

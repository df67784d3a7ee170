"""The rows about which an ensemble's members disagree most, and the list of them."""

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHeaderView

from studio.gui.base.theme import GRID
from studio.gui.plots.quality.errors_model import ErrorsPicture, ErrorsView, rows_words
from studio.gui.widgets.record_table import RecordTable
from studio.gui.widgets.records import ColumnSpec
from studio.language import N_, ntr, percent, tr, written
from studio.numerals import Numerals

_MEASURED = 30
"""Rows that are measured for the width of a column."""

_WIDEST = 22 * GRID
"""Width that no column exceeds: a class may have a whole sentence as its name."""


def list_headings(picture: ErrorsPicture) -> tuple[str, ...]:
    """Name the columns of the list of rows."""
    if picture.classes:
        return tr("row"), tr("true"), tr("ensemble"), tr("agree"), tr("others predict")
    return tr("row"), tr("true"), tr("ensemble"), tr("off by"), tr("members' sd")


def list_rows(picture: ErrorsPicture) -> list[tuple[str, ...]]:
    """Return the list's cells as they are shown."""
    found = picture.found
    rows: list[tuple[str, ...]] = []
    columns = (
        found.listed,
        found.listed_truth,
        found.listed_predicted,
        found.listed_spread,
        found.listed_other,
    )
    values = Numerals.together([*found.listed_truth, *found.listed_predicted])
    off = Numerals.together(found.listed_predicted - found.listed_truth, 3)
    spreads = Numerals.together(found.listed_spread, 3)
    for place, true, answer, spread, other in zip(*(x.tolist() for x in columns), strict=True):
        if picture.classes:
            classes = picture.classes
            rows.append(
                (
                    str(place),
                    classes[int(true)],
                    ("" if int(true) == int(answer) else "✗ ") + classes[int(answer)],
                    percent(spread, 0),
                    classes[int(other)] if other >= 0 else "—",
                )
            )
        else:
            rows.append(
                (
                    str(place),
                    *(written(each, values) for each in (true, answer)),
                    written(answer - true, off, "+"),
                    written(spread, spreads),
                )
            )
    return rows


def row_words(picture: ErrorsPicture, place: int) -> str:
    """Say what a row of the list means."""
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


def _rest(picture: ErrorsPicture) -> str:
    count = len(picture.found.listed)
    if not count:
        members = ntr("{count} member", "{count} members", picture.found.members)
        return tr("{members}: they agree on every row", members=members)
    if not picture.classes:
        return tr("the {rows} of largest disagreement", rows=rows_words(count))
    return tr("{rows} where the members disagree, the most divided first", rows=rows_words(count))


LIST = ErrorsView(
    title=N_("Disputed rows"),
    summary=N_("Rows about which the members disagree most; a click marks a row."),
    rest=_rest,
    table=lambda picture: (list_headings(picture), [*list_rows(picture)]),
)


class RowList(RecordTable[tuple[str, ...]]):
    """Rows of the table, the most divided first; one can be chosen."""

    row_chosen = Signal(int)
    """The place of a row in the list; -1 for none."""

    def __init__(self) -> None:
        super().__init__((), tr("Rows the members disagree on most"))
        self.setToolTip(tr("Rows are numbered from 1 below the header of the table they are in"))
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        header.setResizeContentsPrecision(_MEASURED)
        header.setMaximumSectionSize(_WIDEST)
        self.selectionModel().selectionChanged.connect(lambda *_: self._changed())

    def show_picture(self, picture: ErrorsPicture) -> None:
        """List the picture's rows; the choice is kept while the same row is there."""
        kept = self.picked
        columns = [
            _column(place, title, right=place == 0 or not picture.classes)
            for place, title in enumerate(list_headings(picture))
        ]
        with QSignalBlocker(self):
            self.records.show(list_rows(picture), columns)
            self.choose_number(int(kept[0][0]) if kept else 0)
        self._changed()

    @property
    def chosen(self) -> int:
        """The place of the chosen row; -1 for none."""
        rows = self.selectionModel().selectedRows()
        return rows[0].row() if rows else -1

    def choose_number(self, number: int) -> None:
        """Choose the row of the table with this number; nothing where it is not in the list."""
        numbers = [row[0] for row in self.records.records]
        if str(number) in numbers:
            self.selectRow(numbers.index(str(number)))
        else:
            self.clearSelection()

    def _changed(self) -> None:
        self.row_chosen.emit(self.chosen)


def _column(place: int, title: str, *, right: bool) -> ColumnSpec[tuple[str, ...]]:
    return ColumnSpec(title, lambda row: row[place], right=right)

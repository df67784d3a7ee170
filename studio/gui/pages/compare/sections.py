"""A table or diagram of the results, with title, explanation, caption and export."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import QApplication, QFrame, QStyledItemDelegate, QStyleOptionViewItem

from studio.compare.answers import InterimResults, render_files
from studio.compare.tables.table import (
    ResultTable,
    TableCell,
    render_csv,
    render_latex,
    render_markdown,
)
from studio.document.atomic_files import write_file
from studio.figures.shapes import Diagram, render_svg
from studio.gui.base import saving, theme
from studio.gui.base.error_reporting import reporting_errors
from studio.gui.base.preferences import get_appearance
from studio.gui.base.theme import GRID
from studio.gui.plots.base.header import FullScreen
from studio.gui.widgets import kit
from studio.gui.widgets.diagram_view import DiagramView, render_png
from studio.gui.widgets.fold import CollapsibleSection
from studio.gui.widgets.plain_table import PlainTable, paint_background
from studio.gui.widgets.records import VALUE_ROLE, ColumnSpec, RecordModel
from studio.language import N_, tr, translate, translate_figures
from studio.measure import UNKNOWN_TEXT
from studio.proposers.presets import find_title

Row = tuple[TableCell, ...]

_ROW_HEIGHT = 32
_MAX_WIDTH = 440
_MAX_ROWS = 14

_NUMBER_PATTERN = re.compile(r"[<+−-]?\s*\d")


def make_columns(table: ResultTable) -> list[ColumnSpec[Row]]:
    """Return the columns of a table."""
    return [
        _make_column(column, translate(title), table) for column, title in enumerate(table.headers)
    ]


def _make_column(column: int, title: str, table: ResultTable) -> ColumnSpec[Row]:
    texts = [row[column].text for row in table.rows]
    has_numbers = any(map(_NUMBER_PATTERN.match, texts)) or set(texts) == {UNKNOWN_TEXT}
    is_text = column == 0 or not has_numbers

    def get_cell_tooltip(row: Row) -> str:
        cell = row[column]
        text = _get_plain_text(cell)
        tooltip = text if column == 0 else f"{row[0].text} · {title}: {text}"
        if cell.is_best:
            tooltip = tr("{entry} – the best", entry=tooltip)
        if cell.worse:
            tooltip = tr("{entry} – significantly worse than the best", entry=tooltip)
        return tooltip

    return ColumnSpec(
        title,
        lambda row: translate_figures(row[column].text),
        translate(find_title(title)),
        cell_tooltip=get_cell_tooltip,
        accessible_text=get_cell_tooltip,
        value=lambda row: row[column],
        is_right_aligned=not is_text,
    )


class ResultsDelegate(QStyledItemDelegate):
    """Draws a cell followed by its note in smaller type."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Any) -> QSize:
        cell: TableCell = index.data(VALUE_ROLE)
        metrics = QFontMetrics(_make_font(cell))
        width = metrics.horizontalAdvance(translate_figures(cell.text)) + 3 * GRID
        if cell.note:
            metrics = QFontMetrics(theme.font(theme.SMALL))
            width += metrics.horizontalAdvance(translate_figures(cell.note)) + GRID
        return QSize(width, theme.pixels(_ROW_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Any) -> None:
        cell: TableCell = index.data(VALUE_ROLE)
        paint_background(painter, option)
        tokens, box = theme.current(), option.rect.adjusted(GRID, 0, -GRID, 0)
        painter.save()
        centre = Qt.AlignmentFlag.AlignVCenter
        if not index.data(Qt.ItemDataRole.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight.value:
            painter.setFont(_make_font(cell))
            painter.setPen(theme.colour(tokens.text))
            text = painter.fontMetrics().elidedText(
                _get_plain_text(cell), Qt.TextElideMode.ElideMiddle, box.width()
            )
            painter.drawText(box, centre | Qt.AlignmentFlag.AlignLeft, text)
            painter.restore()
            return
        if cell.note:
            note = translate_figures(cell.note)
            painter.setFont(theme.font(theme.SMALL))
            painter.setPen(theme.colour(tokens.muted))
            painter.drawText(box, centre | Qt.AlignmentFlag.AlignRight, note)
            note_width = painter.fontMetrics().horizontalAdvance(note) + GRID
            box = QRect(box.left(), box.top(), box.width() - note_width, box.height())
        painter.setFont(_make_font(cell))
        painter.setPen(theme.colour(tokens.text))
        painter.drawText(box, centre | Qt.AlignmentFlag.AlignRight, translate_figures(cell.text))
        painter.restore()


def _get_plain_text(cell: TableCell) -> str:
    return f"{translate_figures(cell.text)} {translate_figures(cell.note)}".strip()


def _make_font(cell: TableCell) -> QFont:
    font = theme.font(bold=cell.is_best)
    font.setUnderline(cell.worse)
    return font


class ResultsTable(PlainTable):
    """A view of a table of results, as tall as its rows up to a limit."""

    def __init__(self) -> None:
        super().__init__(_ROW_HEIGHT)
        self.results: RecordModel[Row] = RecordModel()
        self.setModel(self.results)
        self.setItemDelegate(ResultsDelegate(self))
        self.setAlternatingRowColors(True)
        self.horizontalHeader().setMinimumHeight(36)

    def show_table(self, table: ResultTable) -> None:
        """Show a table."""
        self.setAccessibleName(translate(table.title))
        self.results.show(table.rows, make_columns(table))
        self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy the selected cells."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QApplication.clipboard().setText(self.get_selected_text())
        else:
            super().keyPressEvent(event)

    def get_selected_text(self) -> str:
        """Return the selected cells as text, columns separated by tabs."""
        rows: dict[int, list[tuple[int, str]]] = {}
        for index in self.selectedIndexes():
            cell: TableCell = index.data(VALUE_ROLE)
            rows.setdefault(index.row(), []).append((index.column(), _get_plain_text(cell)))
        lines = ("\t".join(text for _, text in sorted(cells)) for _, cells in sorted(rows.items()))
        return "\n".join(lines)

    def fit(self, _: Any = None) -> None:
        """Resize to headers, cells and rows, up to a limit of width and height."""
        super().fit()
        self.resizeColumnsToContents()
        for column in range(self.results.columnCount()):
            header_width = self.horizontalHeader().sectionSizeHint(column)
            max_width = max(theme.pixels(_MAX_WIDTH), header_width)
            self.setColumnWidth(column, min(max_width, self.columnWidth(column)))
        self.show_rows(_MAX_ROWS)


EXPLANATIONS = {
    "errors": N_(
        "Errors on rows that no search ever saw. Bold: the best of a row; underlined: worse by "
        "more than chance explains; n: repetitions that all methods of the row have finished."
    ),
    "ranks": N_(
        "On every data set the best method gets rank 1, the next 2, and so on. The mean rank "
        "shows which method is usually ahead, even where errors on different data sets cannot "
        "be compared."
    ),
    "wins": N_(
        "How often the method of the row beats that of the column, as a share of all "
        "repetitions: 50 % is a draw. Stars and daggers mark a method whose lead over the data "
        "sets is unlikely to be chance."
    ),
    "pairs": N_(
        "Each pair of methods compared. A small p means: if both were equally good, a "
        "difference like this would rarely arise by chance. Below 0.05 is the usual limit."
    ),
    "differences": N_(
        "By how much the first method's error lies below (−) or above (+) the second's on each "
        "data set, with the range in which the true difference may be. Undecided differences "
        "may well be chance."
    ),
    "rank-over-iterations": N_(
        "Which method would be ahead if the searches had stopped earlier, judged by the models "
        "of the search so far."
    ),
    "probability-over-iterations": N_(
        "How likely it is, judging by the individual test rows, that a method beats the first "
        "one on most data sets. One half means undecided; near 1 it is almost certain."
    ),
    "critical-difference": N_(
        "Methods on a line by mean rank, better ones on the left. A thick bar joins methods that "
        "these data sets cannot tell apart."
    ),
    "algorithms": N_(
        "What each method spent its trials on, and (in brackets) which kinds of models ended "
        "up in its ensembles."
    ),
    "mean-errors": N_("Lower is better; each method is compared with the lowest."),
    "box-plots": N_(
        "How much the errors vary. Each box holds the middle half of all repetitions; 1 is the "
        "average of all methods in the same repetition, and lower is better."
    ),
    "cost": N_(
        "What each method cost: runs, trials, the time spent on suggestions, and the total time."
    ),
    "searches": N_(
        "Statistics recorded by the searches, for readers who know the methods: for instance, "
        "the diversity of the models tried."
    ),
}
"""Explanation of each table or diagram by key; translated on display."""

EMPTY_MESSAGES = {
    "": N_("Nothing to show yet. Results appear when every method has finished a repetition."),
    **dict.fromkeys(
        ("ranks", "wins", "pairs"),
        N_("Needs two data sets, each with one repetition completed by every method."),
    ),
    "differences": N_("Needs one repetition completed by at least two methods."),
    "rank-over-iterations": N_(
        "Needs one repetition completed by every method, and at least two iterations to draw a "
        "curve; the table also shows a single one."
    ),
    "probability-over-iterations": N_(
        "Needs one repetition completed by every method. Computing it from the test rows takes a "
        "moment."
    ),
    "critical-difference": N_(
        "Needs three data sets, each with three repetitions completed by every method."
    ),
    "algorithms": N_("Needs a finished run of a search space with a choice among algorithms."),
    "mean-errors": N_(
        "Needs one repetition completed by every method. Shows at most twelve means; the table has "
        "all."
    ),
    "box-plots": N_("Needs three repetitions of each data set completed by every method."),
}
"""Why a table or diagram is empty, and what it requires, by key."""


TABLE, DIAGRAM = "table", "diagram"

_TEST_ROW_TABLES = ("wins", "pairs")

_EXPLAINED_KEYS = ("mean-errors", "box-plots", "algorithms")
"""Diagrams and tables that an audience cannot read without their explanation."""

_TABLE_FILTERS = N_("CSV for spreadsheets (*.csv);;LaTeX (*.tex);;Markdown (*.md)")
_DIAGRAM_FILTERS = N_("SVG for print (*.svg);;PNG image (*.png)")


class ResultSection(QFrame):
    """A card with one table or diagram; its title is shown while it is empty."""

    failed = Signal(str)

    def __init__(self, kind: str, key: str, title: str) -> None:
        super().__init__()
        self.kind, self.key = kind, key
        self._results = InterimResults()
        self.setProperty("role", "card")
        self.title_label = kit.label(title, "section", wrap=True)
        self.explanation_label = kit.label(tr(EXPLANATIONS[key]), "muted", wrap=True)
        tip = tr("Save this table or diagram")
        self.save_button = kit.button(
            tr("Save…"), self.save_as, icon="save", tip=tip, name=tr("Save {title}", title=title)
        )
        tip = tr("Full screen; press Esc to return")
        name = tr("Full screen: {title}", title=title)
        self.full_button = kit.button(
            "", self.fill_screen, kind="quiet", icon="full", tip=tip, name=name
        )
        self._full_screen: FullScreen | None = None
        self.view: ResultsTable | DiagramView = ResultsTable() if kind == TABLE else DiagramView()
        self.view.setAccessibleName(title)
        self._missing_label = kit.label("", wrap=True)
        self.show_pending(False)
        self._caption_label = kit.label("", "small", wrap=True, selectable=True)
        text = tr("How it is computed")
        self.method = CollapsibleSection(
            f"compare/{kind}-{key}", text, tr("The statistics behind it"), self._caption_label
        )
        self._remarks_label = kit.label("", wrap=True, selectable=True)
        header = kit.row(self.title_label)
        header.setStretch(0, 1)
        header.addWidget(self.full_button)
        header.addWidget(self.save_button)
        kit.column(
            header,
            self.explanation_label,
            self.view,
            self._missing_label,
            self._remarks_label,
            self.method,
            parent=self,
            margin=2 * GRID,
        )
        get_appearance().presenting_changed.connect(self._show_captions)
        self.show_results(InterimResults())
        self._show_captions(get_appearance().is_presenting)

    def _show_captions(self, presenting: bool) -> None:
        """Show explanation and caption; in presentation mode, only indispensable explanations."""
        has_content = not self.is_empty
        is_explained = self.key in _EXPLAINED_KEYS and has_content
        self.explanation_label.setVisible(not presenting or is_explained)
        self.save_button.setVisible(not presenting and has_content)
        self.method.setVisible(not presenting and has_content)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show yet."""
        return self.view.isHidden()

    def fill_screen(self) -> None:
        """Show only the table or diagram in full screen, in large type."""
        if self._full_screen is not None:
            self._full_screen.close()
            return
        if isinstance(self.view, DiagramView):
            self.view.fill(True)
        title, conclusions = self.title_label.text(), self._results.conclusions
        # A diagram's axis labels name its quantities.
        caption = translate(conclusions[0]) if conclusions and self.kind != TABLE else title
        if isinstance(self.view, DiagramView) and self.view.diagram is not None:
            caption = f"{caption} {translate(self.view.diagram.remark)}".strip()
        self._full_screen = FullScreen(self.view, title, caption)
        self._full_screen.left.connect(self._on_full_screen_end)

    def _on_full_screen_end(self) -> None:
        self._full_screen = None
        if isinstance(self.view, DiagramView):
            self.view.fill(False)
        self.full_button.setFocus()

    def show_results(self, results: InterimResults) -> None:
        """Update the content."""
        self._results = results
        caption, remarks, has_content = "", "", False
        if isinstance(self.view, ResultsTable):
            table = results.tables.get(self.key)
            if table is not None:
                has_content, caption = True, translate(table.caption)
                remarks = "\n".join(map(translate, table.remarks))
                self.title_label.setText(translate(table.title))
                self.view.show_table(table)
        else:
            diagram = results.diagrams.get(self.key)
            if diagram is not None:
                has_content, caption = True, translate(diagram.caption)
                remarks = translate(diagram.remark)
                self.title_label.setText(translate(diagram.title))
                self.view.show_diagram(diagram)
        if has_content and not results.thorough and self.key in _TEST_ROW_TABLES:
            remarks = tr("The probabilities (PB) are still being computed from the test rows…")
        self._caption_label.setText(caption)
        kit.show_text(self._remarks_label, remarks)
        for widget in (self.view, self.full_button, self.save_button):
            widget.setVisible(has_content)
        self._show_captions(get_appearance().is_presenting)
        self._missing_label.setVisible(not has_content)

    def show_pending(self, is_pending: bool, *, has_failed: bool = False) -> None:
        """State, while it is empty, that its results are being computed, or what it needs.

        ``has_failed``: whether they could not be computed, for which the page gives the reason.
        """
        message = EMPTY_MESSAGES.get(self.key, EMPTY_MESSAGES[""])
        text = tr("Computing…") if is_pending else tr(message)
        self._missing_label.setText("" if has_failed else text)

    def save_as(self) -> None:
        """Ask for a path and save the content."""
        is_table = self.kind == TABLE
        filters, suffix = (_TABLE_FILTERS, ".csv") if is_table else (_DIAGRAM_FILTERS, ".svg")
        choice = saving.choose_file(self, tr("Save"), f"{self.key}{suffix}", tr(filters))
        if choice is not None:
            self.save_to(choice.path)

    def save_to(self, path: Path) -> None:
        """Save the content."""
        with reporting_errors(self.failed.emit):
            if self.kind == TABLE:
                save_table(self._results.tables[self.key], path)
            else:
                save_diagram(self._results.diagrams[self.key], path)


_TABLE_WRITERS: dict[str, Callable[[ResultTable], str]] = {
    ".csv": render_csv,
    ".tex": render_latex,
    ".md": render_markdown,
}


def save_table(table: ResultTable, path: Path) -> None:
    """Write a table in the format of the file suffix (CSV if unknown), or raise ExportError."""
    write_file(path, _TABLE_WRITERS.get(path.suffix.lower(), render_csv)(table))


def save_diagram(diagram: Diagram, path: Path) -> None:
    """Write a diagram as PNG or SVG by the suffix, or raise ExportError."""
    write_file(path, render_png(diagram) if path.suffix.lower() == ".png" else render_svg(diagram))


def render_all(results: InterimResults) -> dict[str, str | bytes]:
    """Return all tables, diagrams and the report, by file name."""
    return {
        **render_files(results.tables.values(), results.diagrams.values()),
        **{f"{each.key}.png": render_png(each) for each in results.diagrams.values()},
        "report.md": results.report,
    }

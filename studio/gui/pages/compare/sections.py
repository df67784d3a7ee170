"""One table or diagram of the results: title, how to read it, itself, its caption, saving."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QFrame, QMenu

from studio.compare.answers import StudySoFar
from studio.compare.writers.latex import latex
from studio.errors import ExportError
from studio.gui.base import saving
from studio.gui.base.language import mark, said, tr
from studio.gui.base.menus import drop_from, passing_menu
from studio.gui.base.theme import GRID
from studio.gui.pages.compare.explain import MISSING, WORDS
from studio.gui.pages.compare.export import save_diagram, save_table
from studio.gui.pages.compare.table_view import ResultsTable
from studio.gui.widgets import kit
from studio.gui.widgets.diagram_view import DiagramView

TABLE, DIAGRAM = "table", "diagram"

_FROM_TEST_ROWS = ("wins", "pairs")

_TABLE_KINDS = mark("CSV for spreadsheets (*.csv);;LaTeX (*.tex);;Markdown (*.md)")
_DIAGRAM_KINDS = mark("SVG for print (*.svg);;PNG picture (*.png)")


class ResultSection(QFrame):
    """A card with one table or diagram.

    Parameters
    ----------
    kind : str
        "table" or "diagram".
    key : str
        Its key.
    title : str
        Shown while there is nothing, in the user's language.
    """

    failed = Signal(str)

    def __init__(self, kind: str, key: str, title: str) -> None:
        super().__init__()
        self.kind, self.key = kind, key
        self._results = StudySoFar()
        self.setProperty("role", "card")
        self.title = kit.label(title, "section", wrap=True)
        self.words = kit.label(tr(WORDS[key]), "muted", wrap=True)
        self.save_button = kit.button(
            tr("Save…"),
            self._open_menu,
            icon="save",
            tip=tr("Save this alone, or copy it"),
            name=tr("Save {title}", title=title),
        )
        self.view: ResultsTable | DiagramView = ResultsTable() if kind == TABLE else DiagramView()
        self.view.setAccessibleName(title)
        self._missing = kit.label(tr(MISSING.get(key, MISSING[""])), wrap=True)
        self._caption = kit.label("", "small", wrap=True, selectable=True)
        self._remarks = kit.label("", wrap=True, selectable=True)
        head = kit.row(self.title)
        head.setStretch(0, 1)
        head.addWidget(self.save_button)
        kit.column(
            head,
            self.words,
            self.view,
            self._missing,
            self._remarks,
            self._caption,
            on=self,
            margin=2 * GRID,
        )
        self.show_results(StudySoFar())

    def show_results(self, results: StudySoFar) -> None:
        """Show what there is."""
        self._results = results
        caption, remarks, there = "", "", False
        if isinstance(self.view, ResultsTable):
            table = results.tables.get(self.key)
            if table is not None:
                there, caption = True, said(table.caption)
                remarks = "\n".join(map(said, table.remarks))
                self.title.setText(said(table.title))
                self.view.show_table(table)
        else:
            diagram = results.diagrams.get(self.key)
            if diagram is not None:
                there, caption = True, said(diagram.caption)
                self.title.setText(said(diagram.title))
                self.view.show_diagram(diagram, results.methods)
        if there and not results.thorough and self.key in _FROM_TEST_ROWS:
            remarks = tr("The probabilities (PB) are still being worked out from the test rows…")
        self._caption.setText(caption)
        kit.show_text(self._remarks, remarks)
        for part in (self.view, self._caption, self.save_button):
            part.setVisible(there)
        self._missing.setVisible(not there)

    def menu(self) -> QMenu:
        """Return what can be done with it."""
        made = passing_menu(self)
        if self.kind == TABLE:
            made.addAction(tr("Save as CSV, LaTeX or Markdown…"), self.save_as)
            made.addAction(tr("Copy as LaTeX"), self.copy_latex)
        else:
            made.addAction(tr("Save as SVG or PNG…"), self.save_as)
        return made

    def copy_latex(self) -> None:
        """Put the table on the clipboard as LaTeX."""
        QApplication.clipboard().setText(latex(self._results.tables[self.key]))

    def save_as(self) -> None:
        """Ask for a place and save it there."""
        kinds, suffix = (_TABLE_KINDS, ".csv") if self.kind == TABLE else (_DIAGRAM_KINDS, ".svg")
        chosen = saving.choose_file(self, tr("Save"), f"{self.key}{suffix}", tr(kinds))
        if chosen is not None:
            self.save_to(chosen.path)

    def save_to(self, path: Path) -> None:
        """Save it there."""
        save: Callable[[], None]
        if self.kind == TABLE:
            save = partial(save_table, self._results.tables[self.key], path)
        else:
            save = partial(save_diagram, self._results.diagrams[self.key], path)
        try:
            save()
        except ExportError as error:
            self.failed.emit(said(str(error)))

    def _open_menu(self) -> None:
        drop_from(self.save_button, self.menu())

"""Reading options of the file: each guess with its evidence and alternatives."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QFrame, QHeaderView

from studio.data.encodings import EncodingGuess
from studio.data.read_options import ReadOptions
from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.drafts.data_draft import DataDraft
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice, Field
from studio.gui.widgets.plain_table import PlainTable
from studio.gui.widgets.records import ColumnSpec, RecordModel
from studio.helper.preview import Preview
from studio.language import N_, tr, translate

_ROW_HEIGHT = 24
_HEIGHT = 7 * _ROW_HEIGHT
_SEPARATOR = "  ·  "


@dataclass(frozen=True)
class FileRow:
    """A row of the file.

    Attributes:
        position: "above", "names" or "below": relative to the header row; "below" if there is none.
    """

    cells: tuple[str, ...]
    position: str


def get_rows(preview: Preview | None) -> list[FileRow]:
    """Return the first rows of a preview's file; empty if its format stores column names."""
    if preview is None:
        return []
    names = preview.header_row or 0
    positions = {True: "above", False: "below"}
    return [
        FileRow(cells, "names" if number == names else positions[number < names])
        for number, cells in enumerate(preview.opening, 1)
    ]


def _format_text(row: FileRow) -> str:
    return _SEPARATOR.join(cell.strip().replace("\n", " ⏎ ") or "–" for cell in row.cells)


def _get_colour(row: FileRow) -> QColor | None:
    return theme.colour(theme.current().muted, 0.75) if row.position == "above" else None


def _get_background(row: FileRow) -> QColor | None:
    return theme.colour(theme.current().accent_soft) if row.position == "names" else None


def _format_accessible_text(row: FileRow) -> str:
    text = _format_text(row)
    if row.position == "above":
        return tr("Left out: {text}", text=text)
    return tr("Names of the columns: {text}", text=text) if row.position == "names" else text


class FirstRows(PlainTable):
    """Numbered rows; a click or Return chooses the header row."""

    row_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__(_ROW_HEIGHT, height=_HEIGHT)
        column = ColumnSpec(
            "",
            _format_text,
            colour=_get_colour,
            background=_get_background,
            accessible_text=_format_accessible_text,
        )
        self.rows: RecordModel[FileRow] = RecordModel([column], numbered=True)
        self.setModel(self.rows)
        self.setSelectionMode(PlainTable.SelectionMode.SingleSelection)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().show()
        self.verticalHeader().setSectionsClickable(True)
        self.verticalHeader().sectionClicked.connect(self._choose)
        self.clicked.connect(lambda index: self._choose(index.row()))
        self.fit()

    def show_preview(self, preview: Preview | None) -> None:
        """Show the rows of another file, or different rows of the same file."""
        self.rows.show(get_rows(preview))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose the current row on Return."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self.currentIndex().isValid():
            self._choose(self.currentIndex().row())
        else:
            super().keyPressEvent(event)

    def _choose(self, row: int) -> None:
        self.row_chosen.emit(row + 1)


_SEPARATORS = [
    (",", N_("comma  ,")),
    (";", N_("semicolon  ;")),
    ("\t", N_("tab")),
    ("|", N_("pipe  |")),
    (" ", N_("space")),
    (":", N_("colon  :")),
]
_DECIMAL_MARKS = [(".", N_("point  3.14")), (",", N_("comma  3,14"))]
_THOUSANDS = [
    ("", N_("none")),
    (",", N_("comma")),
    (".", N_("point")),
    (" ", N_("space")),
    ("'", N_("apostrophe")),
]
_QUOTES = [('"', N_('double  "')), ("'", N_("single  '")), ("", N_("none"))]
_HEADER = [(True, N_("names of columns")), (False, N_("data"))]
_ENCODINGS = [
    "utf-8",
    "utf-16",
    "cp1252",
    "iso-8859-1",
    "iso-8859-15",
    "cp1250",
    "iso-8859-2",
    "cp1251",
    "koi8-r",
    "mac-roman",
    "cp932",
    "euc-jp",
    "gb18030",
    "big5",
    "euc-kr",
]

OPTIONS: tuple[tuple[str, str, list[tuple[Any, str]], str, str], ...] = (
    ("sheet", N_("Sheet"), [], N_("Sheet of the workbook"), N_("workbook tab excel")),
    (
        "separator",
        N_("Separator"),
        _SEPARATORS,
        N_("Separator between cells"),
        N_("delimiter comma semicolon csv tab"),
    ),
    (
        "decimal",
        N_("Decimal mark"),
        _DECIMAL_MARKS,
        N_("Decimal mark"),
        N_("comma point fraction numbers"),
    ),
    (
        "thousands",
        N_("Thousands mark"),
        _THOUSANDS,
        N_("Separator between groups of three digits"),
        N_("digits grouping"),
    ),
    (
        "encoding",
        N_("Encoding"),
        [(each, each) for each in _ENCODINGS],
        N_("Encoding of the characters"),
        N_("utf-8 unicode accents umlauts charset strange letters"),
    ),
    (
        "quote",
        N_("Quotes"),
        _QUOTES,
        N_("The character around cells that contain separators"),
        N_("quotation apostrophe"),
    ),
    (
        "header",
        N_("First line"),
        _HEADER,
        N_("Whether it contains the column names"),
        N_("column names header row title"),
    ),
)
"""Key, title, values, tooltip and search words of each option."""


_PER_COLUMN = frozenset({"decimal", "thousands"})
"""Options detected per column: the most common value does not apply to all columns."""


class ReadingCard(QFrame):
    """Drop-downs for a file's reading options: separator, decimal mark, … or the sheet."""

    option_changed = Signal(str, object)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.choices: dict[str, Choice] = {}
        self._fields: dict[str, Field] = {}
        tip = tr("Separator, number format, encoding: guesses and other choices")
        self.options_button = kit.button(
            "", lambda: self._unfold(not self._is_open), kind="link", tip=tip
        )
        self._whole_table_label = kit.label("", "small", wrap=True)
        column = kit.column(
            kit.label(tr("How the file was read"), "section", wrap=True),
            self._whole_table_label,
            parent=self,
            spacing=GRID + GRID // 2,
            margin=2 * GRID,
        )
        for key, title, items, tip, _ in OPTIONS:
            options: list[tuple[object, str]] = [(None, tr("guess"))]
            options += [(value, tr(text)) for value, text in items]
            choice = Choice(options, partial(self.option_changed.emit, key))
            self.choices[key] = choice
            self._fields[key] = Field(tr(title), choice, tip=tr(tip))
            column.addWidget(self._fields[key])
        self.first_rows = FirstRows()
        self.first_rows.row_chosen.connect(partial(self.option_changed.emit, "header_row"))
        self._rows = Field(
            tr("First rows of the file"),
            self.first_rows,
            tip=tr("As written in the file, including the rows left out"),
            hint=tr("Click the row with the column names."),
        )
        column.addWidget(self._rows)
        column.addWidget(self.options_button)
        self._is_open = False
        self._draft = DataDraft()
        self._unfold(False)

    def reveal(self, key: str) -> Choice:
        """Show an option's field, unfolding it if necessary."""
        self._unfold(True)
        return self.choices[key]

    def _unfold(self, opened: bool) -> None:
        self._is_open = opened
        self.options_button.setText(
            tr("Hide the guesses") if opened else tr("Show and change the guesses")
        )
        self.options_button.setAccessibleName(self.options_button.text())
        self.show_draft(self._draft)

    def show_draft(self, draft: DataDraft) -> None:
        """Show a file's options, and the evidence of each guess."""
        self._draft = draft
        preview = draft.preview
        evidence = {} if preview is None else preview.evidence
        is_text = preview is None or preview.options.encoding is not None
        has_rows = preview is not None and bool(preview.opening)
        for key, title, items, *_ in OPTIONS:
            resolved = None if preview is None else getattr(preview.options, key)
            choices: list[tuple[object, str]] = [(value, tr(text)) for value, text in items]
            if key == "sheet" and preview is not None:
                choices = [(each, each) for each in preview.sheets]
            if key == "separator" and preview is not None and is_text and resolved is None:
                choices = [(None, tr("none: fixed widths")), *choices]
            if key == "encoding" and preview is not None:
                choices = _list_encodings(choices, preview.likely)
            if resolved is not None and resolved not in [value for value, _ in choices]:
                choices.append((resolved, str(resolved)))
            chosen_value = draft.options.get(key)
            if key == "header" and chosen_value is None:
                chosen_value = draft.options.get("header_row")
            guess_text = tr("guess again")
            if key in _PER_COLUMN:
                if chosen_value is None and preview is not None:
                    guessed_text = tr(dict(items).get(resolved, str(resolved)))
                    if key == "thousands" and not resolved and _groups_digits(preview):
                        guessed_text = tr("in some columns")
                    guess_text = tr("Detected: {found}", found=guessed_text)
                resolved = chosen_value
            if chosen_value is not None or key in _PER_COLUMN:
                choices.insert(0, (None, guess_text))
            self.choices[key].set_items(choices)
            self.choices[key].show_value(resolved)
            self._fields[key].explain(
                _describe_evidence(tr(title), chosen_value, evidence.get(key, ""))
            )
            is_shown = self._is_open and (is_text or (key == "header" and has_rows))
            if key == "sheet":
                is_shown = len(choices) > 1
            self._fields[key].setVisible(is_shown)
        options = ReadOptions() if preview is None else preview.options
        sheet = translate(evidence.get("sheet", ""))
        self._whole_table_label.setText(_summarise_options(options) if is_text else sheet)
        has_sheets = self._fields["sheet"].isVisibleTo(self)
        self._whole_table_label.setVisible(not has_sheets and bool(self._whole_table_label.text()))
        self.first_rows.show_preview(preview)
        self._rows.setVisible(has_rows and self._is_open)
        self.options_button.setVisible(is_text or has_rows)


def _groups_digits(preview: Preview) -> bool:
    """Whether any column's numbers have a thousands mark."""
    formats = (each.number_format for each in preview.columns)
    return any(each is not None and bool(each.thousands) for each in formats)


def _list_encodings(
    choices: list[tuple[object, str]], likely: Sequence[EncodingGuess]
) -> list[tuple[object, str]]:
    """List the likely encodings first, each with words of the file decoded by it."""
    first: list[tuple[object, str]] = [
        (each.encoding, f"{each.encoding}  {each.sample}") for each in likely
    ]
    listed_keys = {value for value, _ in first}
    return [*first, *(each for each in choices if each[0] not in listed_keys)]


def _describe_evidence(title: str, user_value: object, guess: str) -> str:
    if user_value is not None:
        return tr("You chose this {what}.", what=title.lower())
    return translate(guess)


def _summarise_options(options: ReadOptions) -> str:
    """Summarise the current values: "separator: comma, decimal point, UTF-8"."""
    labels = {key: dict(items) for key, _, items, *_ in OPTIONS}
    parts = []
    if options.separator is not None:
        name = tr(labels["separator"].get(options.separator, options.separator)).split("  ")[0]
        parts.append(tr("separator: {name}", name=name))
    if options.decimal is not None:
        parts.append(tr("decimal point") if options.decimal == "." else tr("decimal comma"))
    if options.encoding is not None:
        parts.append(options.encoding.upper())
    return ", ".join(parts)

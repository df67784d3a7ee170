"""How the file was read: every guess with its evidence, and another choice for each."""

from functools import partial
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QVBoxLayout, QWidget

from studio.gui import kit
from studio.gui.data_draft import DataDraft
from studio.gui.fields import Choice
from studio.gui.theme import GRID

_SEPARATORS = [
    (",", "comma  ,"),
    (";", "semicolon  ;"),
    ("\t", "tab"),
    ("|", "bar  |"),
    (" ", "blank"),
    (":", "colon  :"),
]
_MARKS = [(".", "point  3.14"), (",", "comma  3,14")]
_THOUSANDS = [("", "none"), (",", "comma"), (".", "point"), (" ", "blank"), ("'", "apostrophe")]
_QUOTES = [('"', 'double  "'), ("'", "single  '"), ("", "none")]
_HEADER = [(True, "names of columns"), (False, "data")]
_ENCODINGS = [
    "utf-8",
    "utf-16",
    "cp1252",
    "iso-8859-1",
    "iso-8859-15",
    "cp1250",
    "iso-8859-2",
    "cp1251",
    "mac-roman",
    "shift_jis",
    "gb18030",
    "big5",
    "euc-kr",
]

OPTIONS: tuple[tuple[str, str, list[tuple[Any, str]], str], ...] = (
    ("separator", "Separator", _SEPARATORS, "What stands between two cells"),
    ("decimal", "Decimal mark", _MARKS, "How fractions are written"),
    ("thousands", "Thousands mark", _THOUSANDS, "What groups digits by three"),
    ("encoding", "Encoding", [(e, e) for e in _ENCODINGS], "How letters are stored"),
    ("quote", "Quotes", _QUOTES, "What encloses cells that hold separators"),
    ("header", "First line", _HEADER, "Whether it holds the columns' names"),
)


class ReadingCard(QFrame):
    """Drop-downs for separator, decimal mark, encoding, quotes and header."""

    option_changed = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.choices: dict[str, Choice] = {}
        self._evidence = {}
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        for position, (key, title, items, tip) in enumerate(OPTIONS):
            choice = Choice(
                [(None, "guess"), *items],
                partial(self.option_changed.emit, key),
            )
            choice.setToolTip(tip)
            choice.setAccessibleName(title)
            evidence = kit.label("", "small", wrap=True)
            name = kit.label(title)
            name.setBuddy(choice)
            grid.addWidget(name, 3 * position, 0)
            grid.addWidget(choice, 3 * position, 1)
            grid.addWidget(evidence, 3 * position + 1, 0, 1, 2)
            grid.setRowMinimumHeight(3 * position + 2, GRID)
            self.choices[key] = choice
            self._evidence[key] = evidence
        column = QVBoxLayout(self)
        column.setContentsMargins(*(4 * [2 * GRID]))
        column.setSpacing(GRID)
        column.addWidget(kit.label("How the file was read", "section"))
        column.addLayout(grid)

    def show_draft(self, draft: DataDraft) -> None:
        """Show what holds for a file, and how each guess is known."""
        preview = draft.preview
        for key, title, items, _ in OPTIONS:
            choice = self.choices[key]
            resolved = None if preview is None else preview["options"].get(key)
            offered = list(items)
            if resolved is not None and resolved not in [value for value, _ in items]:
                offered.append((resolved, str(resolved)))
            chosen = draft.options.get(key)
            choice.set_items([(None, "guess again"), *offered] if chosen is not None else offered)
            choice.show_value(resolved)
            said = "" if preview is None else preview["evidence"].get(key, "")
            text = f"You chose this {title.lower()}." if chosen is not None else said
            self._evidence[key].setText(text)
            self._evidence[key].setVisible(bool(text))

"""What is worth knowing of a table, each with buttons for what can be done about it."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.data.column_reading import column_reading
from studio.data.description import ColumnRemedy, Finding
from studio.data.treatments import ValueLimits, treatment
from studio.gui.base.language import grouped, mark, ntr, number, said, tr
from studio.gui.base.theme import GRID
from studio.gui.pages.data.reading_words import reading_words
from studio.gui.widgets import kit
from studio.gui.widgets.flow import Flow
from studio.gui.widgets.near_focus import focus_near, focusable
from studio.helper.preview import Preview, PreviewColumn

_WORDS = {
    ("kind", "number"): mark("Treat as numbers"),
    ("kind", "category"): mark("Treat as words"),
    ("kind", "date"): mark("Split the date"),
    ("kind", "text"): mark("Learn from its words"),
    ("role", "ignore"): mark("Leave out"),
    ("role", "feature"): mark("Use it"),
    ("role", "group"): mark("Use as group"),
    ("role", "time"): mark("Use as time"),
    ("role", "weight"): mark("Use as weight"),
    ("treatment", "missing"): mark("Treat as missing"),
    ("treatment", "merge"): mark("Merge rare values"),
    ("treatment", "merge alike"): mark("Merge them"),
    ("treatment", ""): mark("Revert"),
}
"""What the button of a remedy says, by its choice and the first word of its value."""


def remedy_words(remedy: ColumnRemedy) -> str:
    """Return what the button of a remedy says."""
    for words in (remedy.value, remedy.value.partition(" ")[0]):
        if (remedy.choice, words) in _WORDS:
            return tr(_WORDS[remedy.choice, words])
    if remedy.choice == "reading":
        return reading_words(column_reading(remedy.value))
    how = treatment(remedy.value)
    assert isinstance(how, ValueLimits)
    ends = [number(each, ",.8g") for each in (how.low, how.high) if abs(each) != float("inf")]
    return tr("Limit to {ends}", ends=" … ".join(ends))


class FindingList(QWidget):
    """Sentences with their remedies beneath.

    Parameters
    ----------
    narrow : bool
        Whether each remedy has a line of its own, in which the words of its effect wrap.
    """

    remedy_wanted = Signal(str, object)
    """The name of a column, and the :class:`ColumnRemedy` that was pressed."""

    def __init__(self, *, narrow: bool = False) -> None:
        super().__init__()
        self._narrow = narrow
        self._shown: tuple[tuple[str, str, Finding], ...] = ()
        self._column = kit.column(on=self)
        self.hide()

    def show_findings(self, found: Sequence[tuple[str, str, Finding]]) -> None:
        """Show findings: of which column each is, how its sentence reads here, and itself."""
        if tuple(found) == self._shown:
            return
        self._shown = tuple(found)
        before = focusable(self)
        focused = self.window().focusWidget()
        held = before.index(focused) if focused in before else None
        kit.clear(self._column)
        for name, words, finding in self._shown:
            self._column.addLayout(self._row(name, words, finding))
        self.setVisible(bool(self._shown))
        if held is not None:
            # What is new is shown once the layout has taken it in.
            QTimer.singleShot(0, self, partial(focus_near, self, held))

    def _row(self, name: str, words: str, finding: Finding) -> QVBoxLayout:
        row = kit.column(kit.label(words, wrap=True, selectable=True), spacing=GRID // 2)
        offered = [self._remedy(name, each) for each in finding.remedies]
        if self._narrow:
            for each in offered:
                row.addWidget(each)
        elif offered:
            row.addLayout(Flow(*offered, gap=2 * GRID))
        return row

    def _remedy(self, name: str, remedy: ColumnRemedy) -> QWidget:
        text, effect = remedy_words(remedy), said(remedy.effect)
        press = kit.button(
            text,
            partial(self.remedy_wanted.emit, name, remedy),
            kind="chip",
            tip=effect,
            name=tr("{name}: {words}", name=name, words=text),
        )
        made = QWidget()
        line = kit.row(press, kit.label(effect, "small", wrap=self._narrow), spacing=GRID)
        line.setStretch(1, 1)
        made.setLayout(line)
        return made


def facts(preview: Preview) -> str:
    """Say how large the table is: "1,200 rows · 8 columns, 7 used to predict"."""
    used = sum(column.role == "feature" for column in preview.columns)
    rows = ntr("{count} row", "{count} rows", preview.n_rows)
    if not preview.complete:
        rows = tr("the first {rows}", rows=rows)
    columns = ntr("{count} column", "{count} columns", len(preview.columns))
    parts = [rows, tr("{columns}, {used} used to predict", columns=columns, used=grouped(used))]
    shown = len(preview.rows)
    if shown < preview.n_rows:
        parts.append(tr("showing the first {count}", count=shown))
    if len(preview.sheets) > 1:
        parts.insert(0, tr("sheet “{name}”", name=preview.options.sheet))
    return " · ".join(parts)


def notes(preview: Preview) -> list[tuple[str, str, Finding]]:
    """Return what was found, by level: of which column, a sentence, and what it is of.

    What is odd about the column to predict is shown beside it and not repeated.
    """
    columns = {each.name: each for each in preview.columns}
    found = []
    for finding in preview.findings:
        column = columns.get(finding.columns[0]) if len(finding.columns) == 1 else None
        if column is None:
            found.append(("", said(finding.sentence), finding))
        elif column.role != "target":
            words = tr("{name}: {words}", name=column.name, words=sentence(column, finding))
            found.append((column.name, words, finding))
    return found


def sentence(column: PreviewColumn, finding: Finding) -> str:
    """Say what was found, and whether the column is left out."""
    left_out = " " + tr("It is left out.") if column.role == "ignore" else ""
    return said(finding.sentence) + left_out

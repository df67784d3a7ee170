"""The data page: the table as it was read, what was guessed of it, and what to predict."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QProgressBar,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from studio.gui import kit
from studio.gui.data_model import DataModel
from studio.gui.documents import TABLES
from studio.gui.preview_table import PreviewTable
from studio.gui.reading_card import ReadingCard
from studio.gui.split_field import SplitField
from studio.gui.target_card import TargetCard
from studio.gui.theme import GRID
from studio.gui.wording import count

_SIDE = 344
_SHOWN_WARNINGS = 50


class DataPage(QWidget):
    """Preview at the left; target, split and reading at the right."""

    table_wanted = Signal()

    def __init__(self, model: DataModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "page")
        self._model = model
        self._layers = QStackedLayout(self)
        self._layers.addWidget(self._build_empty())
        self._layers.addWidget(self._build_full())
        model.changed.connect(self._show)
        model.state_changed.connect(self._show_state)
        self._show()
        self._show_state()

    # ---- layout

    def _build_empty(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.addStretch(2)
        for text, role in (
            ("No table yet", "title"),
            ("Drop a CSV or TSV file on the window, or choose one.", "muted"),
        ):
            made = kit.label(text, role)
            made.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(made)
        column.addSpacing(GRID)
        press = kit.button(
            "Open a table…", self.table_wanted.emit, icon="open", tip="CSV or TSV, also .gz, .zip"
        )
        column.addLayout(kit.row(None, press, None))
        column.addStretch(3)
        return page

    def _build_full(self) -> QWidget:
        page = QWidget()
        self._title = kit.ElidedLabel("", "title")
        self._facts = kit.ElidedLabel("", "muted")
        again = kit.button(
            "Open another table…", self.table_wanted.emit, tip="Replace this table", icon="open"
        )
        self.table = PreviewTable()
        self.table.header.role_wanted.connect(self._model.set_role)
        self.table.header.kind_wanted.connect(self._model.set_kind)
        frame, inside = kit.card(margin=0)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.addWidget(self.table)
        left = QVBoxLayout()
        left.setSpacing(2 * GRID)
        head = kit.row(kit.column(self._title, self._facts, spacing=2), again)
        head.setStretch(0, 1)
        left.addLayout(head)
        left.addWidget(self._build_state())
        left.addWidget(frame, 1)
        left.addWidget(self._build_warnings())
        self.target = TargetCard()
        self.target.target_changed.connect(lambda name: self._model.set_role(name, "target"))
        self.target.task_changed.connect(lambda task: self._model.change(task=task))
        self.split = SplitField()
        self.split.plan_changed.connect(lambda plan: self._model.change(plan=plan))
        self.reading = ReadingCard()
        self.reading.option_changed.connect(self._model.set_option)
        side = QWidget()
        right = QVBoxLayout(side)
        right.setContentsMargins(0, 0, GRID, 0)
        right.setSpacing(2 * GRID)
        right.addWidget(self.target)
        right.addWidget(self._build_split())
        right.addWidget(self.reading)
        right.addStretch(1)
        area = kit.scrolled(side)
        area.setFixedWidth(_SIDE)
        row = QHBoxLayout(page)
        row.setContentsMargins(3 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        row.setSpacing(2 * GRID)
        row.addLayout(left, 1)
        row.addWidget(area)
        return page

    def _build_state(self) -> QWidget:
        self._state = QFrame()
        self._state.setProperty("role", "banner")
        self._state_text = kit.label("", wrap=True, selectable=True)
        self._state_bar = QProgressBar()
        self._state_bar.setRange(0, 0)
        self._state_bar.setTextVisible(False)
        self._state_bar.setFixedWidth(120)
        self._stop = kit.button("Stop", self._model.stop, tip="Give up reading this file")
        row = QHBoxLayout(self._state)
        row.setContentsMargins(2 * GRID, GRID, GRID, GRID)
        row.addWidget(self._state_text, 1)
        row.addWidget(self._state_bar)
        row.addWidget(self._stop)
        return self._state

    def _build_warnings(self) -> QWidget:
        self._warnings, column = kit.card()
        self._warnings_title = kit.label("Worth knowing", "section")
        self.notes = QListWidget()
        self.notes.setAccessibleName("What was noticed about the table")
        self.notes.setWordWrap(True)
        self.notes.setSelectionMode(QListWidget.SelectionMode.NoSelection)
        self.notes.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.notes.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.notes.setSpacing(2)
        column.addWidget(self._warnings_title)
        column.addWidget(self.notes)
        return self._warnings

    def _build_split(self) -> QWidget:
        frame, column = kit.card()
        column.setSpacing(GRID + GRID // 2)
        column.addWidget(kit.label("How rows are divided (split)", "section"))
        column.addWidget(self.split)
        self._test_file = kit.label("", "small", wrap=True)
        self._take_test = kit.button(
            "Use a second file as the test…",
            self._choose_test,
            kind="link",
            tip="Test rows come from another file with the same columns",
        )
        column.addWidget(self._test_file)
        column.addWidget(self._take_test)
        return frame

    # ---- showing

    def _show(self) -> None:
        draft = self._model.draft
        self._layers.setCurrentIndex(1 if draft.path else 0)
        self._title.setText(draft.title)
        preview = draft.preview
        self.table.show_preview(preview)
        self.target.show_draft(draft)
        self.reading.show_draft(draft)
        self.split.show_plan(
            draft.plan,
            draft.n_rows,
            classes=draft.resolved_task != "regression",
            kept=draft.divided_by,
        )
        self._facts.setText("" if preview is None else _facts(preview))
        self._show_notes([] if preview is None else notes(preview))
        self._test_file.setVisible(bool(draft.test_path))
        self._test_file.setText(f"Test rows come from {Path(draft.test_path).name}.")
        self._take_test.setText(
            "Cut the test from this table instead"
            if draft.test_path
            else "Use a second file as the test…"
        )

    def _show_notes(self, lines: list[str]) -> None:
        self._warnings.setVisible(bool(lines))
        self._warnings_title.setText(f"Worth knowing ({len(lines)})")
        self.notes.clear()
        self.notes.addItems(lines[:_SHOWN_WARNINGS])
        if len(lines) > _SHOWN_WARNINGS:
            self.notes.addItem(f"… and {len(lines) - _SHOWN_WARNINGS:,} more.")
        self.notes.setFixedHeight(min(4, self.notes.count()) * (self.fontMetrics().height() + 10))

    def _show_state(self) -> None:
        model = self._model
        self._state.setVisible(bool(model.busy or model.error))
        self._state_text.setText(model.error or model.busy)
        self._state_bar.setVisible(bool(model.busy))
        self._stop.setVisible(bool(model.busy))

    def _choose_test(self) -> None:
        if self._model.draft.test_path:
            self._model.change(test_path="")
            return
        folder = str(Path(self._model.draft.path).parent)
        name, _ = QFileDialog.getOpenFileName(self, "Rows for the test", folder, TABLES)
        if name:
            self._model.change(test_path=name)


def _facts(preview: Any) -> str:
    used = sum(column["role"] == "feature" for column in preview["columns"])
    rows = count(preview["n_rows"], "row")
    first = "" if preview["complete"] else "the first "
    shown = len(preview["rows"])
    tail = f" · showing the first {shown}" if shown < preview["n_rows"] else ""
    columns = count(len(preview["columns"]), "column")
    return f"{first}{rows} · {columns}, {used} used to predict{tail}"


def notes(preview: Any) -> list[str]:
    """Return what was repaired and what looks odd, in plain sentences, the columns' name first."""
    found = [str(note) for note in preview["notes"]]
    for column in preview["columns"]:
        out = " It is left out." if column["role"] == "ignore" else ""
        found += [f"{column['name']}: {warning}{out}" for warning in column["warnings"]]
    return found

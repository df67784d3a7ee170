"""The Data page: the imported table, guesses about it, and the target."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFileDialog,
    QFrame,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QStackedLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from studio.gui.base import file_filters, user_paths
from studio.gui.base.theme import GRID, get_notifier, pixels
from studio.gui.drafts.advice_model import AdviceModel
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.decisions import FindingGroups, group_findings, mark_dismissed
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.data.column_list import ColumnList
from studio.gui.pages.data.column_panel import ColumnPanel
from studio.gui.pages.data.finding_display import (
    DisplayedFinding,
    describe_size,
    make_notes,
    summarise_settled_findings,
)
from studio.gui.pages.data.findings import FindingList
from studio.gui.pages.data.preview_table import PreviewTable
from studio.gui.pages.data.reading_card import ReadingCard
from studio.gui.pages.data.target_card import TargetCard
from studio.gui.widgets import kit
from studio.gui.widgets.flow import HeightForWidthWidget
from studio.gui.widgets.fold import CollapsibleSection
from studio.gui.widgets.split_field import SplitField
from studio.helper.preview import Preview
from studio.language import group_digits, ntr, tr, translate

_MAX_FINDINGS = 30

_MIN_LIST_HEIGHT = 56


class OpenFinding(HeightForWidthWidget):
    """The current finding that needs a decision; hidden if there is none."""

    def __init__(self, model: DataModel) -> None:
        super().__init__()
        card = QFrame()
        card.setProperty("role", "decide")
        kit.column(card, parent=self)
        self._notes: Sequence[DisplayedFinding] = ()
        self._position = 0
        self._title_label = kit.label(tr("Decide first"), "section")
        self._position_label = kit.label("", "muted")
        self.previous_button = self._make_button(tr("Previous"), tr("Previous decision"), -1)
        self.next_button = self._make_button(tr("Next"), tr("Next decision"), 1)
        self.finding = FindingList(model, kind="", n_lines=2)
        kit.column(
            kit.row(
                self._title_label,
                self._position_label,
                None,
                self.previous_button,
                self.next_button,
                spacing=2 * GRID,
            ),
            self.finding,
            parent=card,
            spacing=GRID // 2,
            margin=(2 * GRID, GRID, 2 * GRID, GRID + GRID // 2),
        )

    def _make_button(self, text: str, tip: str, step: int) -> QPushButton:
        """Return a button larger than its text, as it is clicked repeatedly."""
        button = kit.button(text, lambda: self._show_adjacent(step), kind="quiet", tip=tip)
        policy = button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # so that none moves between findings
        button.setSizePolicy(policy)
        return button

    def show_notes(self, findings: Sequence[DisplayedFinding]) -> None:
        """Show a finding in place of the previous one."""
        self._notes = findings
        self._show_adjacent(0)

    def _show_adjacent(self, step: int) -> None:
        count = len(self._notes)
        self._position = max(0, min(self._position + step, count - 1))
        self.finding.show_notes(self._notes[self._position : self._position + 1])
        self.setVisible(count > 0)
        text = tr("{place} of {count}", place=self._position + 1, count=count)
        self._position_label.setText(text)
        for widget in (self._position_label, self.previous_button, self.next_button):
            widget.setVisible(count > 1)
        self.previous_button.setEnabled(self._position > 0)
        self.next_button.setEnabled(self._position < count - 1)


class SettledFindings(QFrame):
    """Automatic actions, user actions and ideas, each in a collapsible section.

    Only one is open at a time, to keep the table visible.
    """

    def __init__(self, model: DataModel) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.done = _FindingsColumn(model, tr("Settled findings"))
        self.ideas = _FindingsColumn(model, tr("Ideas"))
        self._summary_label = kit.ElidedLabel("", "muted")
        text = tr("Findings that need no decision; your decisions can be undone")
        self.handled_fold = CollapsibleSection(
            "data/done", "", text, self.done, header_widget=self._summary_label
        )
        tip = tr("Optional suggestions")
        self.ideas_fold = CollapsibleSection("data/ideas", "", tip, self.ideas)
        self.has_findings = False
        self._max_height = 0
        self.folds = folds = (self.handled_fold, self.ideas_fold)
        margin = (2 * GRID, GRID // 2, 2 * GRID, GRID // 2)
        kit.column(*folds, parent=self, spacing=0, margin=margin)
        for fold, other in (folds, folds[::-1]):
            fold.header_button.toggled.connect(partial(self._on_toggle, other))

    def show_findings(self, preview: Preview, findings: FindingGroups) -> None:
        """Show settled findings, the user's choices first, and ideas."""
        settled = (
            *make_notes(preview, findings.kept_findings, is_dismissed=True),
            *make_notes(preview, (*findings.user_choices, *findings.handled_findings)),
        )
        ideas = make_notes(preview, findings.suggestions)
        has_automatic = bool(findings.handled_findings)
        self.handled_fold.set_title(tr("Done for you") if has_automatic else tr("Decided by you"))
        self._summary_label.setText(summarise_settled_findings(preview, findings))
        self.ideas_fold.set_title(tr("Ideas ({count})", count=group_digits(len(ideas))))
        self.done.show_notes(settled)
        self.ideas.show_notes(ideas)
        self.handled_fold.setVisible(bool(settled))
        self.ideas_fold.setVisible(bool(ideas))
        self.has_findings = bool(settled or ideas)
        self.fit(self._max_height)

    def fit(self, max_height: int) -> None:
        """Resize the lists to their wrapped lines, up to a height."""
        self._max_height = max_height
        for each in (self.done, self.ideas):  # deferred until the rows have their heights
            QTimer.singleShot(0, self, partial(each.fit, max_height))

    def _on_toggle(self, other: CollapsibleSection, is_open: bool) -> None:
        if is_open:
            other.header_button.setChecked(False)
        self.fit(self._max_height)


class _FindingsColumn(QScrollArea):
    """A scrolling column of findings; where space is scarce, two lines are visible."""

    def __init__(self, model: DataModel, name: str) -> None:
        super().__init__()
        self.findings = FindingList(model)
        self._more_label = kit.label("", "muted", wrap=True)
        content = QWidget()
        self._column = kit.column(self.findings, self._more_label, parent=content)
        kit.wrap_in_scroll(self, content)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # for keyboard scrolling
        self.setAccessibleName(name)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.maximumHeight())

    def show_notes(self, findings: Sequence[DisplayedFinding]) -> None:
        self.findings.show_notes(findings[:_MAX_FINDINGS])
        n_hidden = len(findings) - _MAX_FINDINGS
        self._more_label.setVisible(n_hidden > 0)
        self._more_label.setText(ntr("… and {count} more.", "… and {count} more.", n_hidden))

    def fit(self, max_height: int) -> None:
        """Resize to the wrapped lines, up to a height."""
        needed_height = self._column.heightForWidth(self.viewport().width())
        height = min(max(needed_height, 0) + 2, max_height)
        self.setMaximumHeight(height)
        self.setMinimumHeight(min(height, pixels(_MIN_LIST_HEIGHT)))
        self.updateGeometry()


_MAX_LIST_SHARE = 0.24
"""Maximum share of the page's height for a list of findings."""
_MIN_TABLE_HEIGHT = 128
"""Height of the tables on the smallest screens: the header and one row."""
_SHORT_HEIGHT = 520
"""Height of a page below which, while findings are shown, the table is reduced to its rows; a
finding that needs a decision is shown alone."""
_UNSET = object()
"""Initial preview; ``None`` means that the table has not been read yet."""


class DataPage(QWidget):
    """Rows and columns on the left; target, split and reading options on the right."""

    table_requested = Signal()

    def __init__(self, model: DataModel, run: RunModel, advice: AdviceModel) -> None:
        super().__init__()
        self._advice = advice
        self.setProperty("role", "page")
        self._model, self._run = model, run
        self._displayed: tuple[object, object] = (_UNSET, ())
        self._layers = QStackedLayout(self)
        self._layers.addWidget(self._build_empty())
        self._layers.addWidget(self._build_content())
        model.changed.connect(self._show)
        run.changed.connect(self._show_split)
        advice.changed.connect(self._show_split)
        model.state_changed.connect(self._show_state)
        self._show()
        self._show_state()

    # ---- layout

    def reveal(self, name: str) -> QWidget:
        """Show a setting's field, and return its input."""
        fields = {"target": self.target.target, "task": self.target.task}
        return fields[name] if name in fields else self.reading.reveal(name)

    def _build_empty(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.addStretch(2)
        for text, role in (
            (tr("No table yet"), "title"),
            (tr("Drop a table on the window, or choose one: CSV, TSV, Excel, Parquet."), "muted"),
        ):
            label = kit.label(text, role)
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(label)
        column.addSpacing(GRID)
        tip = tr("CSV or TSV, also compressed (.gz or .zip); Excel and Parquet")
        button = kit.button(tr("Open a table…"), self.table_requested.emit, icon="open", tip=tip)
        column.addLayout(kit.row(None, button, None))
        column.addStretch(3)
        return page

    def _build_content(self) -> QWidget:
        page = QWidget()
        self._title_label = kit.ElidedLabel("", "title")
        self._facts_label = kit.ElidedLabel("", "muted")
        text = tr("Open another table…")
        open_button = kit.button(
            text, self.table_requested.emit, tip=tr("Replace this table"), icon="open"
        )
        self._names = kit.column(self._title_label, self._facts_label, spacing=GRID // 2)
        header = kit.row((self._names, 1), open_button)
        self.first, self.settled = OpenFinding(self._model), SettledFindings(self._model)
        for fold in self.settled.folds:
            fold.header_button.toggled.connect(lambda _: self._fit_height())
        self._left = kit.column(
            header,
            self._build_state(),
            self.first,
            (self._build_tables(), 1),
            (self._build_unread(), 1),
            self.settled,
            spacing=2 * GRID,
        )
        self.target = TargetCard(self._model, self._run)
        self.split = SplitField()
        self.split.plan_changed.connect(lambda plan: self._model.change(plan=plan))
        self.split.automatic_split_requested.connect(lambda: self._model.change(advised=True))
        self.split.custom_split_requested.connect(self._advice.customise_split)
        self.split.row_role_requested.connect(self._model.set_row_role)
        self.reading = ReadingCard()
        self.reading.option_changed.connect(self._model.set_option)
        side, split = QWidget(), self._build_split()
        kit.column(self.target, split, self.reading, None, parent=side, spacing=2 * GRID)
        self.panel = ColumnPanel(self._model)
        self.panel.closed.connect(lambda: self.choose_column(""))
        panel_container = QWidget()
        kit.column(self.panel, None, parent=panel_container)
        self._side = QStackedWidget()
        self._side.addWidget(kit.scroll_area(side))
        self._side.addWidget(kit.scroll_area(panel_container))
        get_notifier().changed.connect(self._resize_side)
        kit.row(
            (self._left, 1), self._side, parent=page, spacing=2 * GRID, margin=kit.SCROLLING_PAGE
        )
        return page

    def _build_tables(self) -> QFrame:
        self.table = PreviewTable()
        self.table.header.role_requested.connect(self._model.set_role)
        self.table.header.kind_requested.connect(self._model.set_kind)
        self.columns = ColumnList()
        self.columns.role_requested.connect(self._model.set_roles)
        self.columns.kind_requested.connect(self._model.set_kinds)
        self.columns.column_chosen.connect(self.choose_column)
        self.table.header.column_chosen.connect(self.choose_column)
        rows = tr("Rows"), tr("The first rows, as written in the file"), self.table
        tip = tr("All columns in a list: find, compare, change several")
        columns = tr("Columns"), tip, self.columns
        self.tabs, stack = kit.make_tab_stack(tr("Rows or columns"), (rows, columns))
        frame, layout = kit.card(margin=0)
        layout.setContentsMargins(1, GRID // 2, 1, 1)
        layout.setSpacing(0)
        layout.addLayout(kit.row(self.tabs, None, margin=(GRID, 0, GRID, 0)))
        layout.addWidget(stack, 1)
        frame.setMinimumHeight(_MIN_TABLE_HEIGHT)
        self.tables = frame
        return frame

    def _build_unread(self) -> QWidget:
        """Return the placeholder shown before a preview."""
        text = tr(
            "Rows, columns and the target appear here once the file has been read. If it "
            "is not a table, open another file."
        )
        self._unread_label = kit.label(text, "muted", wrap=True)
        self._unread_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        return self._unread_label

    def _build_state(self) -> QWidget:
        self._state = QFrame()
        self._state.setProperty("role", "banner")
        self._state_text_label = kit.label("", wrap=True, selectable=True)
        self._state_bar = QProgressBar()
        self._state_bar.setRange(0, 0)
        self._state_bar.setTextVisible(False)
        self._state_bar.setFixedWidth(120)
        self._state_bar.setAccessibleName(tr("The file is being read"))
        self._stop_button = kit.button(
            tr("Stop"), self._model.stop, tip=tr("Cancel reading this file")
        )
        tip = tr("Open the document's table and show its rows")
        self.read_button = kit.button(tr("Read the table"), self._model.read, tip=tip)
        kit.row(
            (self._state_text_label, 1),
            self._state_bar,
            self._stop_button,
            self.read_button,
            parent=self._state,
            spacing=None,
            margin=(2 * GRID, GRID, GRID, GRID),
        )
        return self._state

    def _build_split(self) -> QWidget:
        frame, column = kit.card()
        column.setSpacing(GRID + GRID // 2)
        column.addWidget(kit.label(tr("Train/validation/test split"), "section", wrap=True))
        column.addWidget(self.split)
        self._test_file_label = kit.label("", wrap=True)
        self._test_note_label = kit.label("", "small", wrap=True, selectable=True)
        tip = tr("Test rows come from another file with the same columns")
        self._use_custom_test_button = kit.button("", self._choose_test_file, kind="link", tip=tip)
        column.addWidget(self._test_file_label)
        column.addWidget(self._test_note_label)
        column.addWidget(self._use_custom_test_button)
        text = tr("Split, rows that belong together, order in time, weights, a file of test rows")
        self.split_card = CollapsibleSection("data/advanced", tr("Advanced"), text, frame)
        return self.split_card

    # ---- display

    def choose_column(self, name: str) -> None:
        """Show the details of a column; an empty name closes them."""
        preview = self._model.draft.preview
        columns = () if preview is None else preview.columns
        column = next((each for each in columns if each.name == name), None)
        self.panel.show_column(column)
        self._side.setCurrentIndex(0 if column is None else 1)

    def _show(self) -> None:
        draft = self._model.draft
        self._layers.setCurrentIndex(1 if draft.path else 0)
        self._title_label.setText(translate(draft.title))
        preview, dismissed_findings = self._displayed
        if draft.preview is not preview or draft.kept != dismissed_findings:
            self._displayed = draft.preview, draft.kept
            self._show_preview(mark_dismissed(draft))
        self.columns.columns.show_constraints(draft.constraints)
        self._show_findings()
        self.target.show_draft(draft)
        self.reading.show_draft(draft)
        self._show_split()
        self._test_file_label.setVisible(bool(draft.test_path))
        self._test_file_label.setText(tr("Test rows come from {name}.", name=draft.test_file))
        text = tr("Test rows from a second file…")
        if draft.test_path:
            text = tr("Take the test rows from this table instead")
        self._use_custom_test_button.setText(text)
        self._use_custom_test_button.setAccessibleName(text)

    def _show_split(self) -> None:
        """Show the split; the program's choice is requested only while the page is visible."""
        draft = self._model.draft
        if self.isVisible() and self._advice.is_split_automatic:
            self._advice.request()
        self.split.show_plan(
            draft.plan,
            draft.n_split_rows,
            classes=draft.resolved_task != "regression",
            row_constraint=draft.split_constraint,
            program=self._advice.is_split_automatic,
            words=self._advice.division,
            test_file=draft.test_file,
        )

    def show_rows(self) -> QWidget:
        """Show the first rows in place of the list of columns; return the frame around them."""
        self.tabs.setCurrentIndex(0)
        return self.tables

    def showEvent(self, event: QShowEvent) -> None:
        """Request the program's choice of a split."""
        super().showEvent(event)
        self._show_split()

    def _show_preview(self, preview: Preview | None) -> None:
        """Show rows and columns; with thousands of columns, not after every change."""
        columns = [] if preview is None else preview.columns
        self.table.show_preview(preview)
        self.columns.show_preview(preview)
        self.split.show_columns(columns)
        self.tabs.setTabText(1, tr("Columns ({count})", count=group_digits(len(columns))))
        if self.panel.column:
            self.choose_column(self.panel.column)
        self._show_facts(preview)
        for widget in (self.tables, self.target, self.split_card):
            widget.setVisible(preview is not None)
        self._unread_label.setVisible(preview is None)

    def _show_facts(self, preview: Preview | None) -> None:
        """Show the table's size and folder, with the path as tooltip."""
        path = self._model.draft.path
        folder = tr("in the folder {folder}", folder=Path(path).parent.name or path)
        text = "" if preview is None else f"{describe_size(preview)} · {folder}"
        self._facts_label.setText(text, tr("read from {path}", path=path))

    def _show_findings(self) -> None:
        preview, findings = self._model.draft.preview, group_findings(self._model.draft)
        had_focus = self.first.isAncestorOf(self.focusWidget() or self)
        notes = [] if preview is None else make_notes(preview, findings.open_findings)
        self.first.show_notes(notes)
        if had_focus and not findings.open_findings:
            QTimer.singleShot(0, self.tabs, self.tabs.setFocus)  # after the list's selection
        if preview is None:
            self.settled.has_findings = False
        else:
            self.settled.show_findings(preview, findings)
        self._fit_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Divide the height among the lists."""
        super().resizeEvent(event)
        self._resize_side()
        self.settled.fit(round(_MAX_LIST_SHARE * self.height()))
        self._fit_height()

    def _resize_side(self, _: object = None) -> None:
        self._side.setFixedWidth(kit.compute_side_width(self))

    def _fit_height(self) -> None:
        """Keep rows visible if findings are shown on a short page."""
        is_short, has_question = self.height() < pixels(_SHORT_HEIGHT), not self.first.isHidden()
        is_open = any(each.is_open and not each.isHidden() for each in self.settled.folds)
        is_tight = is_short and (has_question or is_open)
        self._left.setSpacing(GRID if is_tight else 2 * GRID)
        directions = QBoxLayout.Direction
        self._names.setDirection(directions.LeftToRight if is_tight else directions.TopToBottom)
        self._names.setSpacing(2 * GRID if is_tight else GRID // 2)
        self._names.setStretchFactor(self._facts_label, int(is_tight))
        self.table.header.show_histograms(not is_tight)
        self.settled.setVisible(self.settled.has_findings and not (is_short and has_question))

    def _show_state(self) -> None:
        model = self._model
        unread_message = "" if model.busy or model.error else model.unread_file_message
        self._state.setVisible(bool(model.busy or model.error or unread_message))
        self._state_text_label.setText(model.error or model.busy or unread_message)
        self.read_button.setVisible(bool(unread_message))
        self.reading.setVisible(not unread_message)
        self._state_bar.setVisible(bool(model.busy))
        self._stop_button.setVisible(bool(model.busy))
        kit.show_text(self._test_note_label, model.test_note)

    def _choose_test_file(self) -> None:
        if self._model.draft.test_path:
            self._model.change(test_path="")
            return
        model = self._model
        folder = user_paths.get_start_folder()
        if model.can_read:
            folder = str(Path(model.draft.path).parent)
        title, kinds = tr("Rows for the test"), file_filters.get_table_filters()
        name, _ = QFileDialog.getOpenFileName(self, title, folder, kinds)
        if name:
            model.approve_files(name)
            model.change(test_path=name)

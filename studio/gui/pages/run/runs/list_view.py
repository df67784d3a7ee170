"""Tab with the list of runs: a table, its actions, and undo of a removal."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from PySide6.QtCore import (
    QItemSelectionModel,
    QPointF,
    QRectF,
    QSortFilterProxyModel,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QCursor, QPainter, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QMenu,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from studio.gui.base import theme
from studio.gui.base.command import REMOVE_KEYS, Command
from studio.gui.base.menus import make_temporary_menu, open_menu_below
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import strip_mnemonics
from studio.gui.pages.run.runs import actions as acts
from studio.gui.pages.run.runs.actions import RunActions
from studio.gui.pages.run.runs.list_model import (
    DATA,
    LEFT,
    METHOD,
    METRIC,
    NAME,
    PROGRESS,
    RATE,
    STARTED,
    STATE,
    TEST,
    VALIDATION,
    RunLine,
    RunListModel,
)
from studio.gui.session.session import Session
from studio.gui.session.wording import STATE_LABELS
from studio.gui.widgets import kit
from studio.gui.widgets.list_actions import ListActions
from studio.gui.widgets.plain_table import PlainTable, compute_column_width, stretch_column
from studio.gui.widgets.records import VALUE_ROLE, get_record
from studio.gui.widgets.run_marks import get_state_colour, paint_state
from studio.language import N_, ntr, tr

_BAR_HEIGHT = 5


class RunDelegate(QStyledItemDelegate):
    """Draws the cells of state and progress; the style draws the remaining ones."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Any) -> None:
        if index.column() not in {STATE, PROGRESS}:
            super().paint(painter, option, index)
            return
        background = QStyleOptionViewItem(option)
        self.initStyleOption(background, index)
        background.text = ""
        widget = option.widget
        style = widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, background, painter, widget)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(option.rect).adjusted(8, 0, -8, 0)
        line: RunLine = get_record(index)
        if index.column() == STATE:
            paint_state(painter, line.state, QPointF(box.left() + 6, box.center().y()))
            _draw_text(painter, box.adjusted(24, 0, 0, 0), line.state_text)
        else:
            _draw_progress(painter, box, line.progress_share, line.state, line.progress)
        painter.restore()


def _draw_text(painter: QPainter, box: QRectF, text: str) -> None:
    painter.setPen(theme.colour(theme.current().text))
    elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(box.width()))
    painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, elided)


def _draw_progress(painter: QPainter, box: QRectF, share: float, state: str, text: str) -> None:
    """Draw the text above a progress bar; without a limit (``share`` < 0), only the text."""
    if share < 0:
        _draw_text(painter, box, text)
        return
    tokens = theme.current()
    height = painter.fontMetrics().height()
    top = box.center().y() - (height + _BAR_HEIGHT + 3) / 2
    _draw_text(painter, QRectF(box.left(), top, box.width(), height), text)
    bar = QRectF(box.left(), top + height + 3, box.width(), _BAR_HEIGHT)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.colour(tokens.border))
    painter.drawRoundedRect(bar, theme.MARK, theme.MARK)
    bar.setWidth(bar.width() * share)
    painter.setBrush(get_state_colour(state))
    painter.drawRoundedRect(bar, theme.MARK, theme.MARK)


_REFRESH_MILLISECONDS = 500

ACTIONS = (
    (acts.SHOW, N_("Show in Live"), "live", "Return; Enter", N_("Open the selected run")),
    (acts.PAUSE, N_("Pause"), "pause", "", N_("Trials in progress finish; no new ones start")),
    (acts.CONTINUE, N_("Continue"), "play", "", N_("Continue where it left off")),
    (acts.STOP, N_("Stop"), "stop", "", N_("Stop and keep the results so far")),
    (acts.MORE, N_("Extend budget…"), "clock", "Ctrl+B", N_("More models, or more time")),
    (
        acts.FORK,
        N_("Fork with another method…"),
        "space",
        "",
        N_("A separate run starting from this run's models"),
    ),
    (
        acts.COPY_SETTINGS,
        N_("Run again with these settings"),
        "copy",
        "Ctrl+D",
        N_("Fill the form with this run's settings; nothing starts yet"),
    ),
    (acts.OVERLAY, N_("Overlay on the selected run"), "data", "", N_("In the Live plots")),
    (acts.RENAME, N_("Rename"), "", "F2", N_("Give the run another name")),
    (acts.REMOVE, N_("Remove…"), "trash", REMOVE_KEYS, N_("Remove the run from the document")),
)
"""Text, icon, shortcut and tooltip of each action, for palette, buttons and menu."""

_ICON_ACTIONS = (acts.PAUSE, acts.CONTINUE, acts.STOP)
_SHORT_TITLES = {acts.COPY_SETTINGS: N_("Run again")}
_BUTTON_ACTIONS = (acts.SHOW, acts.PAUSE, acts.CONTINUE, acts.STOP, acts.MORE, acts.COPY_SETTINGS)
_MENU_ACTIONS = (
    acts.SHOW, acts.PAUSE, acts.CONTINUE, acts.STOP, "", acts.MORE, acts.FORK,
    acts.COPY_SETTINGS, "", acts.OVERLAY, acts.RENAME, "", acts.REMOVE,
)  # fmt: skip


class RunTable(PlainTable):
    """The table."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Runs"))
        self.setSelectionBehavior(PlainTable.SelectionBehavior.SelectRows)
        self.setSelectionMode(PlainTable.SelectionMode.ExtendedSelection)
        self.setSortingEnabled(True)
        self.setEditTriggers(PlainTable.EditTrigger.EditKeyPressed)
        self.setItemDelegate(RunDelegate(self))
        header = self.horizontalHeader()
        header.setMinimumHeight(36)
        self._min_name_width = self._min_method_width = 0
        self._is_resizing = self._resized_by_user = False
        header.sectionResized.connect(self._on_section_resize)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)

    def fit(self, _: Any = None) -> None:
        """Update the widths for a changed font size."""
        super().fit()
        if self._min_name_width:
            self.set_widths()

    def scale_columns(self) -> None:
        """Scale the columns with the type, which does not count as a resize by the user."""
        self._is_resizing = True
        super().scale_columns()
        self._is_resizing = False

    def set_widths(self) -> None:
        """Set the columns' widths; name and method share the rest."""
        self._is_resizing = True
        header = self.horizontalHeader()
        rates = tr("{number} a minute", number=60), tr("{number} a second", number="10.0")
        samples = {
            STATE: max((tr(word) for word in STATE_LABELS.values()), key=len) + "MM",
            METHOD: "EO-sig-post",
            PROGRESS: tr("{done} of {all}", done="1,000", all="1,000"),
            RATE: max(rates, key=len),
            LEFT: tr("{hours} h {minutes} min", hours=12, minutes=59),
            VALIDATION: "0.00001234",
            TEST: "100.0 %",
            STARTED: "12-31 23:59",
        }
        for column in range(header.count()):
            if column != NAME:
                title = self.model().headerData(column, Qt.Orientation.Horizontal)
                self.setColumnWidth(column, compute_column_width(title, samples.get(column, "")))
        header.setMinimumSectionSize(40)
        self._min_name_width = compute_column_width(tr("Name"), "EO-sig with C 0.1234")
        self._min_method_width = self.columnWidth(METHOD)
        self.fit_names()
        self.verticalHeader().setDefaultSectionSize(2 * self.fontMetrics().height() + GRID)

    def resize_column(self, column: int, texts: Iterable[str]) -> None:
        """Resize a column to its title and longest text."""
        title = self.model().headerData(column, Qt.Orientation.Horizontal)
        self.setColumnWidth(column, max(compute_column_width(title, each) for each in texts))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_names()

    def _on_section_resize(self, section: int, _: int, __: int) -> None:
        if not self._is_resizing:
            self._resized_by_user |= section == METHOD and self.isVisible()
            self.fit_names()

    def fit_names(self) -> None:
        """Show the full method name if it fits, unless the user has resized the column."""
        self._is_resizing = True
        if not self._resized_by_user and not self.isColumnHidden(METHOD):
            self.setColumnWidth(METHOD, self._compute_method_width())
        stretch_column(self, NAME, self._min_name_width)
        self._is_resizing = False

    def _compute_method_width(self) -> int:
        width, header = self.columnWidth, self.horizontalHeader()
        other_width = header.length() - width(NAME) - width(METHOD)
        available_width = self.viewport().width() - other_width - self._min_name_width
        return max(self._min_method_width, min(self.sizeHintForColumn(METHOD), available_width))


class RunsTab(QWidget):
    """The list with its buttons, and below it the undo of a removal."""

    compare_page_requested = Signal()
    """The runs of the comparison were requested."""

    def __init__(self, session: Session, model: RunListModel, actions: RunActions) -> None:
        super().__init__()
        self._session, self.model, self._actions = session, model, actions
        self.buttons: dict[str, QPushButton] = {}
        self.table = RunTable()
        self.table.doubleClicked.connect(lambda _: self._run_action(acts.SHOW))
        self.table.customContextMenuRequested.connect(
            lambda _: self.make_menu().popup(QCursor.pos())
        )
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(model)
        self._sorted.setSortRole(VALUE_ROLE)
        self.table.setModel(self._sorted)
        self.table.sortByColumn(STARTED, Qt.SortOrder.DescendingOrder)
        self.commands = tuple(self._list_commands())
        self._row_actions = ListActions(self.table, self.commands)
        self._build()
        self._timer = QTimer(self, interval=_REFRESH_MILLISECONDS)
        self._timer.timeout.connect(self._refresh)
        selection = session.run_selection
        for signal in (session.runs.changed, selection.run_chosen, selection.overlay_changed):
            signal.connect(self._refresh)
        model.rename_requested.connect(actions.rename)
        actions.rename_requested.connect(self._edit_name)
        actions.removal.changed.connect(self._show_undo)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._update_actions())
        self._show_undo()

    def _list_commands(self) -> Iterator[Command]:
        for action, title, icon, keys, tip in ACTIONS:
            yield Command(
                action,
                tr("List of runs"),
                tr(title),
                partial(self._run_action, action),
                keys,
                partial(self._can_perform, action),
                icon,
                tr(tip),
                focus_widget=self.table,
            )

    def _build(self) -> None:
        bar = kit.row()
        for action in _BUTTON_ACTIONS:
            title = strip_mnemonics(self._row_actions[action].text())
            if action in _SHORT_TITLES:
                title = tr(_SHORT_TITLES[action])
            elif action in _ICON_ACTIONS:
                title = ""
            self.buttons[action] = self._row_actions.make_button(action, title)
            bar.addWidget(self.buttons[action])
        tip = tr("All actions for the selected runs")
        self.more_button = kit.button(
            "", self._open_menu, kind="quiet", icon="more", name=tr("More actions"), tip=tip
        )
        bar.addWidget(self.more_button)
        bar.addStretch(1)
        self._count_label = kit.label("", "small")
        bar.addWidget(self._count_label)
        text = tr("No run yet. Choose a method on the tab “New run” and press Run.")
        self._empty_label = kit.label(text, "muted", wrap=True)
        self._empty_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._cells_label = kit.label("", "muted", wrap=True)
        tip = tr("The runs of the comparison, by data set and method")
        self.compare_link_button = kit.button(
            tr("Show in Compare"), self.compare_page_requested.emit, kind="quiet", tip=tip
        )
        self.undo_bar = QFrame()
        self.undo_bar.setProperty("role", "banner")
        self._removed_label = kit.label("")
        undo, tip = self._actions.removal.undo, tr("Restore the removed runs")
        self.undo_button = kit.button(tr("Undo"), undo, icon="undo", tip=tip)
        margin = (2 * GRID, GRID // 2, GRID, GRID // 2)
        label = (self._removed_label, 1)
        kit.row(label, self.undo_button, parent=self.undo_bar, spacing=None, margin=margin)
        self._card = kit.make_card(self.table, margin=0)
        cells = kit.row((self._cells_label, 1), self.compare_link_button)
        contents = ((self._card, 1), (self._empty_label, 1), cells, self.undo_bar)
        kit.column(bar, *contents, parent=self, margin=kit.PAGE)

    @property
    def selected(self) -> list[int]:
        """The selected runs, from top to bottom."""
        rows = self.table.selectionModel().selectedRows()
        return [int(get_record(each).id) for each in sorted(rows, key=lambda each: each.row())]

    def select(self, run_ids: list[int]) -> None:
        """Select exactly these runs."""
        selection = self.table.selectionModel()
        selection.clearSelection()
        flags = QItemSelectionModel.SelectionFlag
        for run_id in run_ids:
            index = self._sorted.mapFromSource(self.model.index(self.model.ids.index(run_id), NAME))
            selection.setCurrentIndex(index, flags.Select | flags.Rows)

    def make_menu(self) -> QMenu:
        """Return a menu of actions on the selected runs."""
        menu = make_temporary_menu(self)
        self._row_actions.fill(menu, _MENU_ACTIONS)
        return menu

    def showEvent(self, event: QShowEvent) -> None:
        """Update while the list is visible."""
        super().showEvent(event)
        self.table.set_widths()
        self._timer.start()
        self._refresh()

    def hideEvent(self, event: object) -> None:
        """Stop updating."""
        self._timer.stop()

    def _run_action(self, action: str) -> None:
        self._actions.perform_action(action, self.selected)

    def _can_perform(self, action: str) -> bool:
        return self._actions.is_possible(action, self.selected)

    def _open_menu(self) -> None:
        open_menu_below(self.more_button, self.make_menu())

    def _refresh(self) -> None:
        if not self.isVisible():
            return
        self.model.refresh()
        has_runs = bool(self.model.ids)
        self._card.setVisible(has_runs)
        n_unlisted = self.model.n_unlisted
        self._empty_label.setVisible(not has_runs and not n_unlisted)
        self.compare_link_button.setVisible(n_unlisted > 0)
        text = ntr(
            "{count} more run belongs to the comparison and is on the Compare page.",
            "{count} more runs belong to the comparison and are on the Compare page.",
            n_unlisted,
        )
        kit.show_text(self._cells_label, text if n_unlisted else "")
        if has_runs and not self.selected and self._session.run_selection.run_id in self.model.ids:
            self.select([self._session.run_selection.run_id])
        count = len(self.model.ids)
        self._count_label.setText(ntr("{count} run", "{count} runs", count) if count else "")
        constant_columns = self.model.constant_columns
        for column in range(self.model.columnCount()):
            self.table.setColumnHidden(column, column in constant_columns)
        if METRIC not in constant_columns:
            self.table.resize_column(METRIC, {line.metric for line in self.model.records})
        if DATA not in constant_columns:
            self.table.resize_column(
                DATA, {line.data_differences.note for line in self.model.records}
            )
        self.table.fit_names()
        self._update_actions()

    def _update_actions(self) -> None:
        self._row_actions.refresh()
        self.more_button.setEnabled(bool(self.selected))

    def _edit_name(self, run_id: int) -> None:
        source = self.model.index(self.model.ids.index(run_id), NAME)
        self.table.edit(self._sorted.mapFromSource(source))

    def _show_undo(self) -> None:
        count = len(self._actions.removal.restorable_run_ids)
        self.undo_bar.setVisible(count > 0)
        self._removed_label.setText(
            ntr("{count} run was removed.", "{count} runs were removed.", count) if count else ""
        )

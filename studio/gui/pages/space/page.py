"""The Space page: the tree on the left, the selected row and the space's summary on the right."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSplitter,
    QStackedLayout,
    QWidget,
)

from studio.gui.base import file_filters, saving, theme, user_paths
from studio.gui.base.command import Command
from studio.gui.base.helper_client import HelperClient
from studio.gui.base.menus import open_menu_below
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import escape_mnemonics, make_plain_tip
from studio.gui.drafts.data_model import DataModel
from studio.gui.pages.space.actions import TreeActions
from studio.gui.pages.space.details import DetailsForm
from studio.gui.pages.space.editor import EMPTY_SPACE, SpaceEditor
from studio.gui.pages.space.learners import LearnerPalette, LibraryCheck, SettingDialog
from studio.gui.pages.space.outline import RowKey
from studio.gui.pages.space.space_summary_card import SpaceSummaryCard
from studio.gui.pages.space.tree_view import SpaceTree
from studio.gui.plots.base.subjects import read_space
from studio.gui.session.session import Session
from studio.gui.session.wording import OPTIONAL_PAGE_NOTE
from studio.gui.widgets import kit
from studio.gui.widgets.flow import HeightForWidthWidget
from studio.gui.widgets.keyboard_focus import find_focusable
from studio.gui.widgets.list_actions import make_button
from studio.gui.widgets.messages import Banner
from studio.language import N_, ntr, tr, translate
from studio.space.library import ShippedSpace, format_title, list_shipped_spaces, load
from studio.space.space import Space

_TASKS = {
    "binary": N_("classification"),
    "multiclass": N_("classification"),
    "regression": N_("regression"),
}


def sort_shipped_spaces(task: str | None) -> list[tuple[ShippedSpace, bool]]:
    """Return all shipped spaces with their suitability for a task, suitable ones first."""

    def fits(space: ShippedSpace) -> bool:
        return bool(space.tasks) and (task is None or task in space.tasks)

    ordered = sorted(list_shipped_spaces(), key=lambda each: (not fits(each), bool(each.tasks)))
    return [(each, fits(each)) for each in ordered]


def describe_tasks(space: ShippedSpace) -> str:
    """Return the tasks of a shipped space in words."""
    texts = dict.fromkeys(tr(_TASKS[task]) for task in space.tasks)
    return ", ".join(texts) if texts else tr("example")


_RESERVED_CHARACTERS = re.compile(r'[\\/:*?"<>|]+')
"""Characters that file names cannot contain on all systems."""

_MIN_SIDE_WIDTH, _INITIAL_SIDE_WIDTH = 352, 450
"""Minimum width of the side, alone and next to 860 pixels of the tree."""

_MAX_SIDE_SHARE = 0.5
"""Maximum share of the width that the side's texts take of the tree, with larger type."""

_SHORT_HEIGHT, _MIN_EXAMPLES_HEIGHT = 520, 256
"""Height below which the side scrolls as a whole, and the examples' minimum height there."""

_FORM_HEIGHT, _EXAMPLES_HEIGHT = 440, 264
"""Initial proportion of the side's parts."""


class SpacePage(QWidget):
    """Edits the session's space; the helper provides the settings of libraries."""

    def __init__(self, session: Session, data: DataModel, helper: HelperClient) -> None:
        super().__init__()
        self.setProperty("role", "page")
        self._helper = helper
        self._session = session
        self.editor = SpaceEditor(session, data, self)
        self.tree = SpaceTree(self.editor)
        self.tree_actions = TreeActions(self.editor, self.tree, self)
        self.details = DetailsForm(self.editor)
        LibraryCheck(self.editor, helper, self)
        self.tree_actions.learner_requested.connect(self.show_palette)
        self.tree_actions.setting_requested.connect(self.show_setting_dialog)
        self.summary_card = SpaceSummaryCard(self.editor)
        self.palette_list = LearnerPalette(self.editor)
        self._form_key: RowKey | None = None
        self._from_menu = QMenu(self)
        self._from_menu.aboutToShow.connect(self._fill_space_menu)
        self.start_panel = self._build_start()
        self.banner = Banner()
        layers = QWidget()
        # Without a parent, the first page of a stack would briefly appear as a window.
        self._layers = QStackedLayout(layers)
        self._layers.addWidget(self.start_panel)
        self._layers.addWidget(self._build())
        # At the bottom, so that nothing moves under the pointer.
        kit.column((layers, 1), self.banner, parent=self, margin=kit.SCROLLING_PAGE)
        self.editor.rejected.connect(self._show_message)
        self.editor.changed.connect(self._show)
        self.editor.current_row_changed.connect(self._scroll_form_to_top)
        data.changed.connect(self._show)
        session.space.blocking_reason_changed.connect(self._show_facts)
        session.run_selection.run_chosen.connect(lambda _: self._show_facts())
        theme.get_notifier().changed.connect(self._on_theme_change)
        self._show()

    # ---- layout

    def _build_start(self) -> QWidget:
        """Return the page without a space: the ways to begin one."""
        panel, title = QWidget(), kit.label(tr("Which models and settings to try"), "title")
        text = tr(
            "A run searches a space: models, their settings, and the range of each. Open a "
            "table on the Data page first to see which spaces fit it. Without a choice, "
            "the first one that fits is used."
        )
        label = kit.label(f"{text} {tr(OPTIONAL_PAGE_NOTE)}", "muted", wrap=True)
        kit.column(title, label, kit.row(*self._make_source_buttons(), None), None, parent=panel)
        return panel

    def _make_source_buttons(self) -> tuple[QPushButton, QPushButton]:
        tip = tr("A search space saved as JSON")
        return (
            self._make_menu_button(
                tr("Start from"), self._from_menu, tr("Choose another space to start from")
            ),
            kit.button(tr("Open…"), self.load, icon="open", tip=tip),
        )

    def _build(self) -> QWidget:
        self._title_label = kit.ElidedLabel("", "title")
        self._facts_label = kit.label("", "muted", wrap=True)
        header = kit.row(
            kit.column(self._title_label, self._facts_label, spacing=GRID // 2),
            *self._make_source_buttons(),
            kit.button(
                tr("Save as…"), self.save, kind="quiet", icon="save", tip=tr("Save it as JSON")
            ),
        )
        header.setStretch(0, 1)
        frame, layout = kit.card(self._build_bar(), kit.make_separator(), (self.tree, 1), margin=0)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        page = QWidget()
        split = make_splitter(Qt.Orientation.Horizontal, frame, self._build_side())
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 1)
        split.setSizes([860, _INITIAL_SIDE_WIDTH])
        header.setContentsMargins(0, 0, kit.BAR, 0)
        kit.column(header, (split, 1), parent=page, spacing=2 * GRID)
        return page

    def _build_bar(self) -> QHBoxLayout:
        actions = self.tree_actions
        button = partial(actions.tree_commands.make_button, kind="quiet")
        self.learner_button = button("space.learner", tr("Learner"))
        self.more_button = kit.button(
            "",
            lambda: open_menu_below(self.more_button, actions.make_context_menu()),
            kind="quiet",
            icon="more",
            name=tr("More actions"),
            tip=tr("All actions for the selected rows"),
        )
        return kit.row(
            self._make_menu_button(
                tr("Add"), actions.add_menu, tr("Add a hyperparameter (Insert)"), "add"
            ),
            self.learner_button,
            _set_icon_width(button("space.duplicate")),
            _set_icon_width(button("space.remove")),
            _set_icon_width(self.more_button),
            None,
            *(
                _set_icon_width(make_button(action, icon=icon, kind="quiet"))
                for icon, action in (("undo", actions.undo), ("redo", actions.redo))
            ),
            spacing=GRID // 2,
            margin=(GRID, GRID // 2, GRID, GRID // 2),
        )

    def _build_side(self) -> QWidget:
        self._holder = HeightForWidthWidget()
        kit.column(self.details, None, parent=self._holder, spacing=None)
        self._details_area = kit.scroll_area(self._holder)
        self._details_area.setObjectName("form")
        details_card, upper = kit.card(self._details_area)
        upper.setContentsMargins(2 * GRID, 2 * GRID, kit.SCROLLING_GAP, GRID)
        tip = tr("Size of the space, and random configurations")
        examples = (tr("Examples"), tip, self.summary_card)
        learners = (tr("Learners"), tr("Models to add with their settings"), self.palette_list)
        name = tr("Examples and learners")
        self.tabs, stack = kit.make_tab_stack(name, (examples, learners))
        self.tabs.setUsesScrollButtons(False)
        self.tabs.setElideMode(Qt.TextElideMode.ElideRight)
        lower_card, lower = kit.card(self.tabs, (stack, 1))
        lower.setContentsMargins(2 * GRID, GRID, 2 * GRID, 2 * GRID)
        side = make_splitter(Qt.Orientation.Vertical, details_card, lower_card)
        side.setSizes([_FORM_HEIGHT, _EXAMPLES_HEIGHT])
        self._side_content, self._lower_card = side, lower_card
        self._side = kit.scroll_area(side)
        self._side.setMinimumWidth(_MIN_SIDE_WIDTH + kit.BAR)
        for part in (self._holder, lower_card):
            part.installEventFilter(self)
        return self._side

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fit the side to its texts when they change."""
        if event.type() == QEvent.Type.LayoutRequest:
            QTimer.singleShot(0, self, self._fit_details)
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the whole form if the page is short."""
        super().resizeEvent(event)
        QTimer.singleShot(0, self, self._fit_details)  # once the form has its width

    def _scroll_form_to_top(self) -> None:
        key = None if self.editor.current_row is None else self.editor.current_row.key
        if key != self._form_key:
            self._form_key = key
            self._details_area.verticalScrollBar().setValue(0)

    def _fit_details(self) -> None:
        """Scroll only the form on a tall page, so that the tabs do not move, else the side."""
        is_short = self.height() < theme.pixels(_SHORT_HEIGHT)
        needed = self._side_content.minimumSizeHint().width()
        side_width = max(_MIN_SIDE_WIDTH, min(needed, round(_MAX_SIDE_SHARE * self.width())))
        self._side.setMinimumWidth(side_width + kit.BAR)
        self._details_area.setMinimumHeight(self._holder.minimumHeight() if is_short else 0)
        self._lower_card.setMinimumHeight(theme.pixels(_MIN_EXAMPLES_HEIGHT) if is_short else 0)

    def _make_menu_button(self, text: str, menu: QMenu, tip: str, icon: str = "") -> QPushButton:
        button = kit.button(f"{text} ▾", lambda: None, kind="quiet", icon=icon, tip=tip, name=text)
        menu.setToolTipsVisible(True)
        kit.attach_menu(button, menu)
        action = menu.menuAction()
        # In the button's own slot: a menu emits a last signal during its destruction.
        action.enabledChanged.connect(button.setEnabled)
        button.setEnabled(action.isEnabled())
        return button

    def list_commands(self) -> Iterator[Command]:
        """Return the page's commands, on rows and on the whole space."""
        yield from self.tree_actions.commands
        group = tr("Search space")
        is_visible = self.tree.isVisible
        yield Command(
            "space.save", group, tr("Save the search space…"), self.save, "", is_visible, "save",
            tr("As JSON"), tr("export file"),
        )  # fmt: skip
        yield Command(
            "space.open", group, tr("Open a search space…"), self.load, "", self.isVisible, "open",
            tr("A search space saved as JSON"), tr("load file"),
        )  # fmt: skip

    # ---- display

    def _show(self) -> None:
        space = self.editor.space
        self._layers.setCurrentIndex(0 if space is None else 1)
        if self._session.space.history.redo_text:
            self.banner.hide()  # the banner reports an edit that was just undone
        if space is not None:
            self._title_label.setText(format_title(space))
            self._show_facts()

    def _show_facts(self) -> None:
        """Show the number of hyperparameters, and whether a run requires corrections."""
        space = self.editor.space
        if space is None:
            return
        searched = self.editor.searched
        number = ntr("{count} hyperparameter", "{count} hyperparameters", searched.space.n_tuned)
        tip = tr("Number of models and settings to try: {number}", number=number)
        is_unusable = self._session.space.explain_unusable(self.editor.task)
        note = "" if is_unusable else tr(OPTIONAL_PAGE_NOTE)
        texts = [self._describe_run_space(), note, f"{number}.", searched.sentence]
        self._facts_label.setText(" ".join(filter(None, texts)))
        self._facts_label.setToolTip(make_plain_tip(tip))

    def _get_run_space(self) -> Space | None:
        """Return the space of the selected run if it differs from the displayed one."""
        view, shown = self._session.run_selection.run, self.editor.space
        space = None if view is None else read_space(view.settings.space)
        if space is None or shown is None or space.to_json() == shown.to_json():
            return None
        return space

    def _describe_run_space(self) -> str:
        """Note that the displayed space is the next run's, if the selected run has another."""
        view, space = self._session.run_selection.run, self._get_run_space()
        if view is None or space is None:
            return ""
        return tr(
            "This is the space of the next run. The run “{run}” used “{space}”.",
            run=view.name,
            space=translate(space.title) or space.name,
        )

    def _fill_space_menu(self) -> None:
        menu, task = self._from_menu, self.editor.task
        menu.clear()
        view, run_space = self._session.run_selection.run, self._get_run_space()
        if view is not None and run_space is not None:
            text = tr("The space of “{run}”", run=view.name)
            menu.addAction(escape_mnemonics(text), partial(self.editor.replace_space, run_space))
            menu.addSeparator()
        previous_fits = True
        for space, fits in sort_shipped_spaces(task):
            text = translate(space.title)
            if not text.endswith(")"):  # the title already has a note in brackets
                text = f"{text} ({describe_tasks(space)})"
            if task and previous_fits and not fits:  # suitable spaces first
                menu.addSeparator()
            previous_fits = fits
            action = menu.addAction(escape_mnemonics(text), partial(self.begin_with, space.key))
            note = tr("Fits your table.") if fits and task else ""
            action.setToolTip(make_plain_tip(f"{translate(space.summary)} {note}".strip()))
        menu.addSeparator()
        menu.addAction(tr("Empty space"), partial(self.editor.replace_space, EMPTY_SPACE))

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Set the tab order: tree, form, the part below; Qt would append new fields at the end."""
        before: QWidget = self.tree
        for each in find_focusable(self.details):
            QWidget.setTabOrder(before, each)
            before = each
        return super().focusNextPrevChild(forward)

    def _show_message(self, text: str) -> None:
        self.banner.show_message(text)
        self.banner.setVisible(bool(text))

    def _on_theme_change(self) -> None:
        self.tree.redraw()
        self.details.redraw()
        self.summary_card.examples.viewport().update()
        self.palette_list.redraw()

    # ---- learners and their settings

    def show_palette(self) -> None:
        """Open the search for a learner."""
        self.tabs.setCurrentIndex(1)
        self._side.ensureWidgetVisible(self._lower_card)
        self.palette_list.search.setFocus()
        self.palette_list.search.selectAll()

    def show_setting_dialog(self, learner: str) -> None:
        """Open the search for a learner's setting."""
        dialog = SettingDialog(self.editor, self._helper, learner, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    # ---- replacing the space

    def begin_with(self, key: str) -> None:
        """Start with a shipped space."""
        self.editor.replace_space(load(key))

    def load(self) -> None:
        """Ask for a JSON file and use its space."""
        text = tr("Open a search space")
        name, _ = QFileDialog.getOpenFileName(
            self, text, user_paths.get_start_folder(), file_filters.get_space_filters()
        )
        user_paths.set_dialog_folder(name)
        if name:
            self.editor.load(Path(name))

    def save(self) -> None:
        """Ask for a path and save the space there as JSON."""
        space = self.editor.space
        if space is None:
            return
        stem = _RESERVED_CHARACTERS.sub(" ", translate(space.title)).strip() or space.name
        title, kinds = tr("Save the search space"), file_filters.get_space_filters()
        choice = saving.choose_file(self, title, f"{stem}.json", kinds)
        if choice is not None:
            self.editor.save(choice.path)


def make_splitter(orientation: Qt.Orientation, *parts: QWidget) -> QSplitter:
    """Return a splitter of parts that cannot be collapsed."""
    splitter = QSplitter(orientation)
    splitter.setChildrenCollapsible(False)
    splitter.setHandleWidth(2 * GRID)
    for part in parts:
        splitter.addWidget(part)
    return splitter


def _set_icon_width(button: QPushButton) -> QPushButton:
    button.setFixedWidth(36)
    return button

"""Palette of learners: searched by name, inserted by dragging or Enter."""

from collections.abc import Sequence

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtWidgets import QListWidgetItem, QWidget

from studio.gui.base import theme
from studio.gui.base.tooltips import plain_tip
from studio.gui.pages.space import branches
from studio.gui.pages.space.editor import Editor
from studio.gui.pages.space.tree_model import LEARNER_MIME
from studio.gui.widgets import kit
from studio.gui.widgets.searched_list import KEY, FilterList
from studio.language import ntr, tr, translate


class _LearnerList(FilterList):
    """A list whose items are dragged as learners."""

    def mimeTypes(self) -> list[str]:
        """Return the only MIME type of drags."""
        return [LEARNER_MIME]

    def mimeData(self, items: Sequence[QListWidgetItem]) -> QMimeData:
        """Return the data of the first learner's key."""
        data = QMimeData()
        for item in items[:1]:
            data.setData(LEARNER_MIME, str(item.data(KEY)).encode())
        return data

    def rank(self, item: QListWidgetItem, words: Sequence[str]) -> tuple[int, ...] | None:
        """Rank the current item first, then available ones."""
        if self.row(item) == self.currentRow():
            return (0,)
        return (1,) if item.flags() & Qt.ItemFlag.ItemIsEnabled else None


class LearnerPalette(QWidget):
    """All learners for the table's task, with the settings to be added."""

    def __init__(self, editor: Editor) -> None:
        super().__init__()
        self._editor = editor
        self._list_state: object = None
        self._order: list[str] = []
        self.list = _LearnerList(
            self._add_learner,
            tr("Search learners"),
            tr("By name, by kind, or by a setting such as max_depth"),
        )
        self.search = self.list.line
        self.list.setAccessibleName(tr("Learners"))
        self.list.setDragEnabled(True)
        self.list.setDefaultDropAction(Qt.DropAction.CopyAction)
        self.list.setToolTip(tr("Drag one into the tree, or press Enter on it"))
        self.list.searched.connect(self._make_hint)
        self.hint = kit.label("", "small", wrap=True)
        kit.column(self.search, (self.list, 1), self.hint, on=self)
        editor.changed.connect(self._show)
        editor.session.data_changed.connect(self._show)

    def showEvent(self, event: object) -> None:
        """Update the list when the palette is shown."""
        self._order, self._list_state = [], None
        self._show()

    def _show(self) -> None:
        space = self._editor.space
        if not self.isVisible() or space is None:
            return
        task, learners = self._editor.task, branches.LEARNERS
        missing = {
            each.learner: names for each, names in branches.find_missing_branches(space, task)
        }
        keys = [each.learner for each in branches.branches()]
        suitable = [key for key in keys if task is None or task in learners[key].tasks]
        list_state = (suitable, missing)
        if list_state == self._list_state:
            return
        self._list_state = list_state
        current = self.list.chosen
        self.list.clear()
        if set(self._order) != set(suitable):
            # Learners of the space come last already; an added one stays in place while the palette
            # is shown, or the next click would hit the one that has moved under the pointer.
            self._order = sorted(suitable, key=lambda each: each not in missing)
        for key in self._order:
            title = translate(learners[key].title)
            settings = missing.get(key)
            if settings is None:
                state_text = tr("in the space already")
            elif settings:
                state_text = ntr("{count} setting", "{count} settings", len(settings))
            else:
                state_text = tr("no settings")
            text, names = f"{title}  ·  {state_text}", ", ".join(learners[key].hyperparameters)
            tip = f"{key}: {names}" if names else key
            item = self.list.add(text, key, f"{text} {tip}", muted=settings is None)
            item.setToolTip(plain_tip(tip))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{title}, {state_text}")
            if settings is None:
                item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEnabled)
            if key == current:
                self.list.setCurrentItem(item)
        self.list.search()

    def _make_hint(self, count: int) -> None:
        if count:
            self.hint.setText(tr("Drag one into the tree, or press Enter on it."))
        else:
            self.hint.setText(tr("No learner has that name. Clear the search to see all of them."))

    def _add_learner(self) -> None:
        item = self.list.currentItem()
        if item is not None and item.flags() & Qt.ItemFlag.ItemIsEnabled:
            self._editor.add_learner(self.list.chosen)

    def focus_search(self) -> None:
        """Focus the search field."""
        self.search.setFocus()
        self.search.selectAll()

    def redraw(self) -> None:
        """Apply the current colours and type size."""
        theme.set_font_size(self.list, theme.BODY)
        self._list_state = None
        self._show()

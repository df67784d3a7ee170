"""Learners to take into the space: searched by name, dragged into the tree or taken by Enter."""

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from studio.gui.base import theme
from studio.gui.pages.space import branches
from studio.gui.pages.space.editor import Editor
from studio.gui.pages.space.tree_model import LEARNER_MIME
from studio.gui.widgets import kit
from studio.language import ntr, tr, translate

_KEY = Qt.ItemDataRole.UserRole


class _LearnerList(QListWidget):
    """Items that are dragged as learners."""

    def mimeTypes(self) -> list[str]:
        """Return the one type that is dragged."""
        return [LEARNER_MIME]

    def mimeData(self, items: object) -> QMimeData:
        """Return the first learner's key."""
        made = QMimeData()
        item = next(iter(items), None)  # type: ignore[call-overload]
        if item is not None:
            made.setData(LEARNER_MIME, str(item.data(_KEY)).encode())
        return made


class LearnerPalette(QWidget):
    """All learners for the table's task, with the settings that they would bring.

    Args:
        editor: Takes the learner that is chosen.
    """

    def __init__(self, editor: Editor) -> None:
        super().__init__()
        self._editor = editor
        self._shown: object = None
        self._order: list[str] = []
        self.search = kit.search(
            tr("Search learners"),
            lambda _: self._filter(),
            name=tr("Search learners"),
            tip=tr("By name, by kind, or by a setting such as max_depth"),
        )
        self.search.installEventFilter(self)
        self.list = _LearnerList()
        self.list.setAccessibleName(tr("Learners"))
        self.list.setDragEnabled(True)
        self.list.setDefaultDropAction(Qt.DropAction.CopyAction)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setToolTip(tr("Drag one into the tree, or press Enter on it"))
        self.list.itemActivated.connect(self._take)
        self.hint = kit.label("", "small", wrap=True)
        kit.column(self.search, (self.list, 1), self.hint, on=self)
        editor.changed.connect(self._show)
        editor.session.data_changed.connect(self._show)

    def showEvent(self, event: object) -> None:
        """List the learners when somebody looks."""
        del event
        self._order, self._shown = [], None
        self._show()

    def _show(self) -> None:
        space = self._editor.space
        if not self.isVisible() or space is None:
            return
        offered = branches.missing(space, self._editor.task)
        lacking = {branch.learner: settings for branch, settings in offered}
        task = self._editor.task
        known = branches.LEARNERS
        fitting = [
            branch.learner
            for branch in branches.branches()
            if task is None or task in known[branch.learner].tasks
        ]
        shown = (fitting, lacking)
        if shown == self._shown:
            return
        self._shown = shown
        current = self.list.currentItem()
        kept = None if current is None else current.data(_KEY)
        self.list.clear()
        if set(self._order) != set(fitting):
            # What is in the space already comes last; what is added while somebody looks stays
            # where it is, or the next click would add what has moved under the pointer.
            self._order = sorted(fitting, key=lambda each: each not in lacking)
        for key in self._order:
            title = translate(known[key].title)
            settings = lacking.get(key)
            if settings is None:
                words = tr("in the space already")
            elif settings:
                words = ntr("{count} setting", "{count} settings", len(settings))
            else:
                words = tr("no settings")
            item = QListWidgetItem(f"{title}  ·  {words}")
            item.setData(_KEY, key)
            names = ", ".join(known[key].hyperparameters)
            item.setToolTip(f"{key}: {names}" if names else key)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{title}, {words}")
            if settings is None:
                item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEnabled)
                item.setForeground(QColor(theme.current().muted))
            self.list.addItem(item)
            if key == kept:
                self.list.setCurrentItem(item)
        self._filter()

    def _filter(self) -> None:
        words = self.search.text().lower().split()
        found = 0
        first: QListWidgetItem | None = None
        for place in range(self.list.count()):
            item = self.list.item(place)
            text = f"{item.text()} {item.toolTip()}".lower()
            item.setHidden(not all(word in text for word in words))
            found += not item.isHidden()
            enabled = bool(item.flags() & Qt.ItemFlag.ItemIsEnabled)
            if first is None and not item.isHidden() and enabled:
                first = item
        current = self.list.currentItem()
        if current is None or current.isHidden():
            self.list.setCurrentRow(-1 if first is None else self.list.row(first))
        if found:
            self.hint.setText(tr("Drag one into the tree, or press Enter on it."))
        else:
            self.hint.setText(tr("No learner has that name. Clear the search to see all of them."))

    def _take(self, item: QListWidgetItem | None) -> None:
        if item is not None and item.flags() & Qt.ItemFlag.ItemIsEnabled:
            self._editor.add_learner(str(item.data(_KEY)))

    def begin(self) -> None:
        """Search at once."""
        self.search.setFocus()
        self.search.selectAll()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Go through the list and take from it while the search has the focus."""
        if watched is self.search and event.type() == QEvent.Type.KeyPress:
            assert isinstance(event, QKeyEvent)
            if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
                self._take(self.list.currentItem())
                return True
            if event.key() in {Qt.Key.Key_Up, Qt.Key.Key_Down}:
                self.list.keyPressEvent(event)
                return True
        return super().eventFilter(watched, event)

    def redraw(self) -> None:
        """Take the colours and the type size of the theme in force."""
        theme.give_font(self.list, theme.BODY)
        self._shown = None
        self._show()

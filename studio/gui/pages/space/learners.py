"""Learners and the settings of their libraries: search, insertion, checks."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QDialogButtonBox, QLineEdit, QListWidget, QListWidgetItem, QWidget

from studio.errors import SpaceError
from studio.gui.base import theme
from studio.gui.base.helper_client import HelperClient
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.pages.space import branches
from studio.gui.pages.space.editor import SpaceEditor
from studio.gui.pages.space.tree_model import LEARNER_MIME
from studio.gui.session.learner_names import get_learner_name
from studio.gui.widgets import kit
from studio.gui.widgets.flow import FittingDialog
from studio.helper.answers import Encoded, decode
from studio.helper.library_settings import (
    LearnerSetting,
    LearnerSettings,
    LibraryProblems,
    find_library_problems,
    format_library_setting,
    list_library_settings,
)
from studio.language import ntr, tr, translate
from studio.learners.library import explain_unknown_setting, find_similar_names
from studio.learners.space_problems import list_library_readers
from studio.space.json_form import read_branches
from studio.tasks import Task

KEY = Qt.ItemDataRole.UserRole
"""Item data role of an item's key."""

_SEARCH_TEXT_ROLE = Qt.ItemDataRole.UserRole + 1
_HINT_ROLE = Qt.ItemDataRole.UserRole + 2
_NAME_ROLE = Qt.ItemDataRole.UserRole + 3
_NAVIGATION_KEYS = {Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown}
_ACCEPT_KEYS = {Qt.Key.Key_Return, Qt.Key.Key_Enter}


class FilterList(QListWidget):
    """Items that match all words of the search field; the best match is current.

    Args:
        take: Called when an item is double-clicked, or Enter is pressed on it or in the search
            field.
        placeholder, tip: Placeholder and tooltip of the search field.

    Signals:
        searched: The shown items may have changed: their number.
    """

    searched = Signal(int)

    def __init__(self, take: Callable[[], object], placeholder: str, tip: str) -> None:
        super().__init__()
        self._on_accept = take
        self.line = kit.make_search_field(
            placeholder, lambda _: self.search(), name=placeholder, tip=tip
        )
        self.line.installEventFilter(self)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.itemActivated.connect(lambda _: take())

    def add(self, text: str, key: Any, searched: str, *, muted: bool = False) -> QListWidgetItem:
        """Add an item: its text, its key, and its search words."""
        item = QListWidgetItem(text, self)
        item.setData(KEY, key)
        item.setData(_SEARCH_TEXT_ROLE, searched.lower())
        if muted:
            item.setForeground(QColor(theme.current().muted))
        return item

    @property
    def current_key(self) -> Any:
        """The key of the current item; ``None`` if nothing matches."""
        item = self.currentItem()
        return None if item is None or item.isHidden() else item.data(KEY)

    def rank(self, item: QListWidgetItem, words: Sequence[str]) -> tuple[int, ...] | None:
        """Return the rank of an item, lowest first; ``None`` if it cannot be current."""
        raise NotImplementedError

    def list_similar_items(self, words: Sequence[str]) -> Sequence[QListWidgetItem]:
        """Return the items shown where none matches, without a current one."""
        del words
        return ()

    def search(self) -> None:
        """Show the matching items, and make the best one current."""
        words = self.line.text().lower().split()
        n_matches, ranked = 0, []
        for index in range(self.count()):
            item = self.item(index)
            hidden = not all(word in item.data(_SEARCH_TEXT_ROLE) for word in words)
            item.setHidden(hidden)
            n_matches += not hidden
            if not hidden and (rank := self.rank(item, words)) is not None:
                ranked.append((rank, index))
        for item in () if n_matches else self.list_similar_items(words):
            item.setHidden(False)
        self.setCurrentRow(min(ranked)[1] if ranked else -1)
        self.searched.emit(n_matches)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Navigate and activate items from the search field."""
        if watched is self.line and isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.ShortcutOverride and _is_unused_undo(self.line, event):
                event.ignore()
                return True
            if event.type() == QEvent.Type.KeyPress and event.key() in _ACCEPT_KEYS:
                self._on_accept()
                return True
            if event.type() == QEvent.Type.KeyPress and event.key() in _NAVIGATION_KEYS:
                self.keyPressEvent(event)
                return True
        return super().eventFilter(watched, event)


def _is_unused_undo(line: QLineEdit, event: QKeyEvent) -> bool:
    """Return whether keys undo or redo, but not in the field, which claims them nevertheless."""
    return (event.matches(QKeySequence.StandardKey.Undo) and not line.isUndoAvailable()) or (
        event.matches(QKeySequence.StandardKey.Redo) and not line.isRedoAvailable()
    )


class _SettingList(FilterList):
    """A learner's settings: matches by name first, unavailable settings last.

    Attributes:
        similar_names: Where nothing matches, the settings with similar names, with the similar name
            or alias.
    """

    similar_names: Mapping[str, str] = {}

    def search(self) -> None:
        self.similar_names = {}
        super().search()

    def list_similar_items(self, words: Sequence[str]) -> Sequence[QListWidgetItem]:
        """Return the items of settings with similar names, as of a misspelt one."""
        all_items = map(self.item, range(self.count()))
        items = {each.data(KEY).name: each for each in all_items if not each.data(KEY).rejection}
        self.similar_names = find_similar_names(
            "_".join(words), {name: each.data(KEY).aliases for name, each in items.items()}
        )
        return [items[name] for name in self.similar_names]

    def rank(self, item: QListWidgetItem, words: Sequence[str]) -> tuple[int, ...]:
        """Rank an exact name first, then a whole word, then a prefix."""
        setting, query = item.data(KEY), " ".join(words)
        names = (setting.name.lower(), *(each.lower() for each in setting.aliases))
        if query in names:
            rank = min(names.index(query), 1)
        else:
            rank = 2 if any(each.startswith(query) for each in names) else 3
        return bool(setting.rejection), rank


class SettingDialog(FittingDialog):
    """Lists a learner's settings known to the helper, and adds the chosen one."""

    def __init__(
        self, editor: SpaceEditor, helper: HelperClient, learner: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._editor, self._helper, self._learner = editor, helper, learner
        title = get_learner_name(learner)
        self.setWindowTitle(tr("Add a setting of {learner}", learner=title))
        tip = tr("By name, alias or description")
        self.list = _SettingList(self.add, tr("Search settings"), tip)
        self.search = self.list.line
        self.list.setAccessibleName(tr("Settings"))
        self.list.setToolTip(tr("Press Enter on one, or double-click it, to add it"))
        self.list.setMinimumHeight(36 * GRID)
        self.list.currentItemChanged.connect(lambda *_: self._show_description())
        self.list.searched.connect(lambda _: self._show_description())
        self.status_label = kit.label(tr("Reading the library's settings…"), wrap=True)
        self.status_label.setMinimumHeight(4 * self.status_label.fontMetrics().lineSpacing())
        self.status_label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.problem_label = kit.label("", "problem", wrap=True)
        self.problem_label.hide()
        box = QDialogButtonBox()
        self.ok = box.addButton(tr("Add"), QDialogButtonBox.ButtonRole.ActionRole)
        self.ok.setProperty("kind", "primary")
        self.ok.setToolTip(tr("Add it to the space with an initial range"))
        self.ok.clicked.connect(self.add)
        self.ok.setEnabled(False)
        cancel = box.addButton(tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        cancel.setToolTip(tr("Leave the space unchanged"))
        box.rejected.connect(self.reject)
        parts = (self.search, (self.list, 1), self.status_label, self.problem_label, box)
        kit.column(*parts, parent=self, margin=2 * GRID)
        self.resize(560, 0)
        self.search.setFocus()
        self._request(list_library_settings, {}, self._on_settings)

    def _request(
        self, task: Task[..., Any], arguments: dict[str, Any], on_done: Callable[[Encoded], None]
    ) -> None:
        """Request a task about the learner; the reply is dropped once the dialog is closed."""
        task_arguments = {"learner": self._learner, "task": self._editor.task, **arguments}
        ticket = self._helper.request(
            task, task_arguments, on_done, self._show_problem, channel=task.name
        )
        self.destroyed.connect(ticket.cancel)

    # ---- the list

    def _on_settings(self, reply: Encoded) -> None:
        settings = decode(LearnerSettings, *reply).settings
        for each in sorted(settings, key=lambda e: (bool(e.rejection), self._is_in_space(e))):
            is_present, remark = self._is_in_space(each), ""
            if is_present:
                remark = tr("already in the space")
            elif each.rejection:
                remark = tr("decided by the program")
            elif each.default:
                remark = tr("default {value}", value=translate(each.default))
            text = f"{each.name}  ·  {remark}" if remark else each.name
            search_text = " ".join((each.name, *each.aliases, each.description))
            self.list.add(text, each, search_text, muted=is_present or bool(each.rejection))
        self.list.search()

    def _is_in_space(self, setting: LearnerSetting) -> bool:
        parameters = () if self._editor.space is None else self._editor.space.parameters
        return any(each.sets == f"{self._learner}.{setting.name}" for each in parameters)

    def _show_description(self) -> None:
        self.problem_label.hide()
        setting: LearnerSetting | None = self.list.current_key
        if setting is None:
            self.ok.setEnabled(False)
            if self.list.count():
                text = explain_unknown_setting(
                    get_learner_name(self._learner),
                    self.search.text().strip(),
                    self.list.similar_names,
                )
                self.status_label.setText(translate(text))
            return
        self.ok.setEnabled(not setting.rejection and not self._is_in_space(setting))
        lines = []
        if setting.rejection:
            lines.append(tr("It cannot be set: {reason}.", reason=translate(setting.rejection)))
        elif setting.description:
            lines.append(setting.description)
        else:
            lines.append(tr("The library's documentation says what it does."))
        if setting.enabling_condition:
            note = tr("It has an effect only with {setting}, which is added if missing.",
                       setting=setting.enabling_condition)  # fmt: skip
            lines.append(note)
        if setting.domain:
            lines.append(tr("Accepts {values}.", values=translate(setting.domain)))
        if setting.default:
            lines.append(tr("Default: {value}.", value=translate(setting.default)))
        if setting.aliases:
            lines.append(tr("Also called {names}.", names=", ".join(setting.aliases)))
        self.status_label.setText("\n".join(lines))

    # ---- adding

    def add(self) -> None:
        """Add the chosen setting after its values have been checked."""
        setting = self.list.current_key
        if setting is None or not self.ok.isEnabled():
            return
        self.ok.setEnabled(False)
        self.status_label.setText(tr("Testing values of {name}…", name=setting.name))
        self._request(format_library_setting, {"name": setting.name}, self._on_setting)

    def _on_setting(self, reply: Encoded) -> None:
        try:
            parameters = read_branches(decode(str, *reply)).parameters
        except SpaceError as error:
            self._show_problem(str(error))
            return
        if self._editor.add_setting(self._learner, parameters):
            self.accept()
        else:
            self._show_description()

    def _show_problem(self, message: str) -> None:
        self._show_description()
        kit.show_text(self.problem_label, translate(message))


class LibraryCheck(QObject):
    """Requests training of estimators with the values of the space's library settings."""

    def __init__(self, editor: SpaceEditor, helper: HelperClient, parent: QObject) -> None:
        super().__init__(parent)
        self._editor, self._helper = editor, helper
        self._last_request: dict[str, Any] | None = None
        editor.meaning_changed.connect(self.request_checks)
        self.request_checks()

    def request_checks(self) -> None:
        """Request the checks again if the space or the task has changed."""
        space = self._editor.space
        if space is None or not any(list_library_readers(space)):
            self._last_request = None
            self._editor.show_library_problems(())
            return
        request = {"space": space.to_json(), "task": self._editor.task}
        if request != self._last_request:
            self._last_request = request
            self._helper.request(
                find_library_problems,
                request,
                self._on_problems,
                self._on_error,
                "library_problems",
            )

    def _on_problems(self, reply: Encoded) -> None:
        if self._last_request is not None:
            self._editor.show_library_problems(decode(LibraryProblems, *reply).problems)

    def _on_error(self, message: str) -> None:
        """Cancel the requests: the start of a run repeats them and reports problems."""
        self._last_request = None


class _LearnerList(FilterList):
    """A list from which learners can be dragged."""

    def mimeTypes(self) -> list[str]:
        return [LEARNER_MIME]

    def mimeData(self, items: Sequence[QListWidgetItem]) -> QMimeData:
        data = QMimeData()
        for item in items[:1]:
            data.setData(LEARNER_MIME, str(item.data(KEY)).encode())
        return data

    def rank(self, item: QListWidgetItem, words: Sequence[str]) -> tuple[int, ...] | None:
        """Rank names first, then the current item, then available ones."""
        is_current = self.row(item) == self.currentRow()
        if not is_current and not item.flags() & Qt.ItemFlag.ItemIsEnabled:
            return None
        is_named = all(word in item.data(_NAME_ROLE) for word in words)
        return not is_named, not is_current


class LearnerPalette(QWidget):
    """All learners for the table's task, with the settings that would be added."""

    def __init__(self, editor: SpaceEditor) -> None:
        super().__init__()
        self._editor = editor
        self._list_state: object = None
        self._order: list[str] = []
        tip = tr("By name, by kind, or by a setting such as max_depth")
        self.list = _LearnerList(self._add_learner, tr("Search learners"), tip)
        self.search = self.list.line
        self.list.setAccessibleName(tr("Learners"))
        self.list.setDragEnabled(True)
        self.list.setDefaultDropAction(Qt.DropAction.CopyAction)
        self.list.setToolTip(tr("Drag one into the tree, or press Enter on it"))
        self.list.searched.connect(lambda _: self._make_hint())
        self.list.currentItemChanged.connect(lambda *_: self._make_hint())
        self.hint_label = kit.label("", "small", wrap=True)
        kit.column(self.search, (self.list, 1), self.hint_label, parent=self)
        editor.changed.connect(self._show)
        editor.data.changed.connect(self._show)

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
        keys = [each.learner for each in branches.list_branches()]
        suitable_learners = [key for key in keys if task is None or task in learners[key].tasks]
        searched_learners = branches.list_searched_learners(space)
        list_state = (suitable_learners, missing, searched_learners)
        if list_state == self._list_state:
            return
        self._list_state = list_state
        current = self.list.current_key
        self.list.clear()
        if set(self._order) != set(suitable_learners):
            # Learners of the space come last already; an added one stays in place while the palette
            # is shown, or the next click would hit the one that has moved under the pointer.
            self._order = sorted(
                suitable_learners, key=lambda each: (each not in missing, each in searched_learners)
            )
        for key in self._order:
            # Those of one task need not say which.
            title = translate(learners[key].title) if task is None else get_learner_name(key)
            settings = missing.get(key)
            if settings is None:
                state_text = tr("already in the space")
            elif key in searched_learners:
                state_text = ntr(
                    "already in the space; adds {count} setting",
                    "already in the space; adds {count} settings",
                    len(settings),
                )
            elif settings:
                state_text = ntr("{count} setting", "{count} settings", len(settings))
            else:
                state_text = tr("no settings")
            text, names = f"{title}  ·  {state_text}", ", ".join(learners[key].hyperparameters)
            tip = f"{key}: {names}" if names else key
            item = self.list.add(text, key, f"{text} {tip}", muted=settings is None)
            item.setToolTip(make_plain_tip(tip))
            item.setData(_NAME_ROLE, f"{title} {key}".lower())
            if settings and key in searched_learners:
                added = ", ".join(each.removeprefix(f"{key}.") for each in settings)
                hint = tr("{learner} is already in the space: Enter adds {names}.",
                           learner=title, names=added)  # fmt: skip
                item.setData(_HINT_ROLE, hint)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{title}, {state_text}")
            if settings is None:
                item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEnabled)
            if key == current:
                self.list.setCurrentItem(item)
        self.list.search()

    def _make_hint(self) -> None:
        shown = [row for row in range(self.list.count()) if not self.list.isRowHidden(row)]
        current = self.list.currentItem()
        if not shown:
            text = tr("No learner has that name. Clear the search to see all of them.")
        elif current is None or not (text := str(current.data(_HINT_ROLE) or "")):
            text = tr("Drag one into the tree, or press Enter on it.")
        self.hint_label.setText(text)

    def _add_learner(self) -> None:
        item = self.list.currentItem()
        if item is not None and item.flags() & Qt.ItemFlag.ItemIsEnabled:
            self._editor.add_learner(self.list.current_key)
            self.search.setText("")  # for the next one; undo is then that of the space

    def redraw(self) -> None:
        """Apply the current colours and type size."""
        theme.set_font_size(self.list, theme.BODY)
        self._list_state = None
        self._show()

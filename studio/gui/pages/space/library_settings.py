"""Settings of learners' libraries: search, insertion with a default range, checks."""

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDialogButtonBox, QListWidgetItem, QWidget

from studio.errors import SpaceError
from studio.gui.base.helper_client import HelperClient
from studio.gui.base.theme import GRID
from studio.gui.pages.space.branches import LEARNERS
from studio.gui.pages.space.editor import Editor
from studio.gui.widgets import kit
from studio.gui.widgets.flow import FittingDialog
from studio.gui.widgets.searched_list import KEY, FilterList
from studio.helper.answers import Encoded, decode
from studio.helper.library_settings import LibraryProblems, OfferedSetting, OfferedSettings
from studio.language import tr, translate
from studio.learners.space_problems import list_library_readers
from studio.space.json_form import read_branches


class _SettingList(FilterList):
    """A learner's settings: matched by name first, unavailable ones last."""

    def rank(self, item: QListWidgetItem, words: Sequence[str]) -> tuple[int, ...]:
        """Rank an exact name first, then a whole word, then a prefix."""
        setting, query = item.data(KEY), " ".join(words)
        names = (setting.name.lower(), *(each.lower() for each in setting.aliases))
        if query in names:
            rank = min(names.index(query), 1)
        else:
            rank = 2 if any(each.startswith(query) for each in names) else 3
        return bool(setting.refusal), rank


class SettingDialog(FittingDialog):
    """Lists a learner's settings known to the helper, and adds the chosen one."""

    def __init__(self, editor: Editor, helper: HelperClient, learner: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._editor, self._helper, self._learner = editor, helper, learner
        title = translate(LEARNERS[learner].title)
        self.setWindowTitle(tr("Add a setting of {learner}", learner=title))
        tip = tr("By name, alias or description")
        self.list = _SettingList(self.add, tr("Search settings"), tip)
        self.search = self.list.line
        self.list.setAccessibleName(tr("Settings"))
        self.list.setToolTip(tr("Press Enter on one, or double-click it, to add it"))
        self.list.setMinimumHeight(36 * GRID)
        self.list.currentItemChanged.connect(lambda *_: self._show_description())
        self.list.searched.connect(lambda _: self._show_description())
        self.about = kit.label(tr("Reading the library's settings…"), wrap=True)
        self.about.setMinimumHeight(4 * self.about.fontMetrics().lineSpacing())
        self.about.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.complaint = kit.label("", "problem", wrap=True)
        self.complaint.hide()
        box = QDialogButtonBox()
        self.ok = box.addButton(tr("Add"), QDialogButtonBox.ButtonRole.ActionRole)
        self.ok.setProperty("kind", "primary")
        self.ok.setToolTip(tr("Add it to the space with an initial range"))
        self.ok.clicked.connect(self.add)
        self.ok.setEnabled(False)
        cancel = box.addButton(tr("Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        cancel.setToolTip(tr("Leave the space as it is"))
        box.rejected.connect(self.reject)
        parts = (self.search, (self.list, 1), self.about, self.complaint, box)
        kit.column(*parts, on=self, margin=2 * GRID)
        self.resize(560, 0)
        self.search.setFocus()
        self._request("library_settings", {}, self._on_settings)

    def _request(
        self, task: str, arguments: dict[str, Any], on_done: Callable[[Encoded], None]
    ) -> None:
        """Request a task about the learner; the answer is dropped once the dialog is gone."""
        task_arguments = {"learner": self._learner, "task": self._editor.task, **arguments}
        ticket = self._helper.request(
            task, task_arguments, on_done, self._show_problem, channel=task
        )
        self.destroyed.connect(ticket.cancel)

    # ---- the list

    def _on_settings(self, reply: Encoded) -> None:
        settings = decode(OfferedSettings, *reply).settings
        for each in sorted(settings, key=lambda e: (bool(e.refusal), self._is_in_space(e))):
            is_present, remark = self._is_in_space(each), ""
            if is_present:
                remark = tr("in the space already")
            elif each.refusal:
                remark = tr("decided by the program")
            elif each.default:
                remark = tr("default {value}", value=translate(each.default))
            text = f"{each.name}  ·  {remark}" if remark else each.name
            search_text = " ".join((each.name, *each.aliases, each.about))
            self.list.add(text, each, search_text, muted=is_present or bool(each.refusal))
        self.list.search()

    def _is_in_space(self, setting: OfferedSetting) -> bool:
        parameters = () if self._editor.space is None else self._editor.space.parameters
        return any(each.sets == f"{self._learner}.{setting.name}" for each in parameters)

    def _show_description(self) -> None:
        self.complaint.hide()
        setting: OfferedSetting | None = self.list.chosen
        if setting is None:
            self.ok.setEnabled(False)
            if self.list.count():
                self.about.setText(tr("No setting has that name. Clear the search to see all."))
            return
        self.ok.setEnabled(not setting.refusal and not self._is_in_space(setting))
        lines = []
        if setting.refusal:
            lines.append(tr("It cannot be set: {reason}.", reason=translate(setting.refusal)))
        elif setting.about:
            lines.append(setting.about)
        else:
            lines.append(tr("The library's documentation says what it does."))
        if setting.only:
            note = tr("It has an effect only with {setting}, which is added if missing.",
                       setting=setting.only)  # fmt: skip
            lines.append(note)
        if setting.takes:
            lines.append(tr("It takes {values}.", values=translate(setting.takes)))
        if setting.default:
            lines.append(tr("Default: {value}.", value=translate(setting.default)))
        if setting.aliases:
            lines.append(tr("Also called {names}.", names=", ".join(setting.aliases)))
        self.about.setText("\n".join(lines))

    # ---- adding

    def add(self) -> None:
        """Add the chosen setting after its values have been checked."""
        setting = self.list.chosen
        if setting is None or not self.ok.isEnabled():
            return
        self.ok.setEnabled(False)
        self.about.setText(tr("Testing values of {name}…", name=setting.name))
        self._request("library_setting", {"name": setting.name}, self._on_setting)

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
        kit.show_text(self.complaint, translate(message))


class LibraryCheck(QObject):
    """Lets the helper train estimators with the values of the space's library settings."""

    def __init__(self, editor: Editor, helper: HelperClient, parent: QObject) -> None:
        super().__init__(parent)
        self._editor, self._helper = editor, helper
        self._asked: dict[str, Any] | None = None
        editor.meaning_changed.connect(self.request_checks)
        self.request_checks()

    def request_checks(self) -> None:
        """Request the checks again if the space or the task has changed."""
        space = self._editor.space
        if space is None or not any(list_library_readers(space)):
            self._asked = None
            self._editor.show_library_problems(())
            return
        request = {"space": space.to_json(), "task": self._editor.task}
        if request != self._asked:
            self._asked = request
            task = "library_problems"
            self._helper.request(task, request, self._on_problems, self._on_error, channel=task)

    def _on_problems(self, reply: Encoded) -> None:
        if self._asked is not None:
            self._editor.show_library_problems(decode(LibraryProblems, *reply).problems)

    def _on_error(self, message: str) -> None:
        """Cancel the requests: the start of a run repeats them and reports problems."""
        self._asked = None

"""What libraries cannot take of the space in the editor: asked of the helper, newest first."""

from typing import Any

from PySide6.QtCore import QObject

from studio.gui.base.helper_client import HelperClient
from studio.gui.pages.space.editor import Editor
from studio.helper.answers import Encoded, decode
from studio.helper.library_settings import LibraryProblems
from studio.learners.space_problems import library_readers


class LibraryCheck(QObject):
    """Follows the editor; spaces with declared hyperparameters alone ask nobody.

    Args:
        editor: Has the space, and shows what is wrong.
        helper: Trains estimators with each value.
    """

    def __init__(self, editor: Editor, helper: HelperClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._editor, self._helper = editor, helper
        self._asked: dict[str, Any] | None = None
        editor.meaning_changed.connect(self.ask)
        self.ask()

    def ask(self) -> None:
        """Ask again if the space or the task is another one."""
        space = self._editor.space
        if space is None or not any(library_readers(space)):
            self._asked = None
            self._editor.show_of_libraries(())
            return
        asked = {"space": space.to_json(), "task": self._editor.task}
        if asked != self._asked:
            self._asked = asked
            self._helper.request(
                "library_problems", asked, self._arrived, self._failed, channel="library_problems"
            )

    def _arrived(self, reply: Encoded) -> None:
        if self._asked is not None:
            self._editor.show_of_libraries(decode(LibraryProblems, *reply).problems)

    def _failed(self, message: str) -> None:
        """Forget what was asked: the run's start asks again, and says what is wrong."""
        del message
        self._asked = None

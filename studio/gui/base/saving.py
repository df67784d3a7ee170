"""Save dialogs, which ask for confirmation before replacing files.

System dialogs ask before the suffix is added, and ignore companion files. Their question is
therefore disabled; the one here names all files.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSettings
from PySide6.QtGui import QImage, QImageWriter
from PySide6.QtWidgets import QFileDialog, QWidget

from studio.gui.base import file_filters, user_paths
from studio.gui.base.question import QuestionBox, Role
from studio.language import ntr, tr
from studio.printable import sanitise_line
from studio.system.files import is_same_file, path_exists

_MAX_NAMES = 6
"""Maximum number of files named in the question."""


@dataclass(frozen=True)
class ChosenPath:
    """The chosen path of a file with its suffix, and the selected filter, if known."""

    path: Path
    kind: str = ""


def choose_file(
    parent: QWidget,
    title: str,
    suggested: Path | str,
    kinds: str,
    *,
    list_companions: Callable[[Path], Iterable[Path]] | None = None,
    opened: Path | None = None,
    memory: str = "",
    kind: str = "",
) -> ChosenPath | None:
    """Ask for a path to save to, and whether to replace existing files; ``None`` if cancelled.

    Args:
        kinds: As a file dialog takes them.
        opened: The open document, which is replaced without confirmation.
        memory: Settings key of the user's last folder and kind; empty: only the folder, shared with
            other dialogs.
        kind: The initial kind if none is remembered; the suggested name then has no suffix.
    """
    start, selected_filter = Path(user_paths.get_start_folder()) / suggested, kind
    if memory:
        start, selected_filter = _recall_choice(memory, start, kinds, kind)
    while True:
        name, selected_filter = QFileDialog.getSaveFileName(
            parent,
            title,
            str(start),
            kinds,
            selected_filter,
            QFileDialog.Option.DontConfirmOverwrite,
        )
        if not name:
            return None
        path = file_filters.add_filter_suffix(name, kinds, selected_filter)
        files = [path, *(list_companions(path) if list_companions is not None else ())]
        if opened is not None:
            files = [each for each in files if not is_same_file(each, opened)]
        if confirm_overwrite(parent, files):
            user_paths.set_dialog_folder(str(path))
            if memory:
                _remember_choice(memory, path, kinds, selected_filter)
            return ChosenPath(path, selected_filter)
        start = path


def _recall_choice(memory: str, start: Path, kinds: str, kind: str) -> tuple[Path, str]:
    """Return a dialog's initial path and kind, according to the user's last choice."""
    settings, all_kinds = QSettings(), kinds.split(";;")
    folder = Path(str(settings.value(f"last/{memory}/folder") or start.parent))
    # By index, as the name depends on the language; an INI file returns it as text.
    number = str(settings.value(f"last/{memory}/kind", ""))
    if number.isdecimal() and int(number) < len(all_kinds):
        kind = all_kinds[int(number)]
    folder = folder if folder.is_dir() else start.parent
    return file_filters.add_filter_suffix(str(folder / start.name), kinds, kind), kind


def _remember_choice(memory: str, path: Path, kinds: str, kind: str) -> None:
    settings, all_kinds = QSettings(), kinds.split(";;")
    settings.setValue(f"last/{memory}/folder", str(path.parent))
    if kind in all_kinds:
        settings.setValue(f"last/{memory}/kind", all_kinds.index(kind))


def confirm_overwrite(parent: QWidget, files: Iterable[Path]) -> bool:
    """Return whether files may be written: none exists, or the user confirms."""
    # Folders are never replaced: the writer reports an error.
    existing = [each for each in files if path_exists(each) and not each.is_dir()]
    if not existing:
        return True
    box = QuestionBox(parent, tr("Replace existing files?"), _make_overwrite_question(existing))
    tip = tr("Their current content is lost")
    box.add("replace", tr("Replace"), tip, Role.DestructiveRole)
    tip = tr("Keep the files, and choose another place")
    keep = box.add("keep", tr("Do not replace"), tip, Role.RejectRole)
    return box.ask(default=keep) == "replace"


def _make_overwrite_question(existing: Sequence[Path]) -> str:
    names = ", ".join(sanitise_line(each.name) for each in existing[:_MAX_NAMES])
    if len(existing) > _MAX_NAMES:
        names = tr("{names} and others", names=names)
    return ntr(
        "{names} is already in {folder}. If you replace it, its current content is lost.",
        "{count} files are already in {folder}: {names}. If you replace them, their current "
        "content is lost.",
        len(existing),
        names=names,
        folder=sanitise_line(str(existing[0].parent)),
    )


def encode_png(image: QImage) -> bytes:
    """Encode a picture as PNG."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(buffer.data().data())

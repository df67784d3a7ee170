"""Group 13: save dialogs never lose files without confirmation.

The system's dialog and the answer to the question are simulated; everything else is the window's.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from unittest import mock

from PySide6.QtCore import QCoreApplication, QSettings
from PySide6.QtWidgets import QMessageBox, QWidget

from studio.document.atomic_files import write_file
from studio.errors import ExportError
from studio.export.formats.base import ExportFormat, ExportJob, ExportResult
from studio.export.formats.registry import REGISTRY
from studio.gui.app import make_app
from studio.gui.base import file_filters, saving
from studio.printable import sanitise_line
from torture.verdict import Try, Verdict

_FILE = QSettings.Format.IniFormat

TURNS = 12
"""Names typed in a case."""

STEMS = ("work", "results.v2", "my table", "notes", ".hidden", "a.b.c", "größe", "x\ny")
ENDINGS = (
    "", ".studio", ".csv", ".CSV", ".json", ".html", ".pkl", ".pkl.json", ".py", ".py.rows.csv",
    ".tex", ".md", ".png", ".txt", ".", ".v2",
)  # fmt: skip


@dataclass(frozen=True)
class Dialog:
    """A save dialog: its formats, and the companion files."""

    name: str
    kinds: str
    beside: Callable[[Path], Iterable[Path]] | None = None
    exports: ExportFormat | None = None


DIALOGS = (
    Dialog("a document", file_filters.get_document_filter()),
    Dialog("a table of results", "CSV (*.csv);;LaTeX (*.tex);;Markdown (*.md)"),
    Dialog("a diagram", "SVG (*.svg);;PNG (*.png)"),
    Dialog("a space", "Search spaces (*.json);;All files (*)"),
    *(
        Dialog(each.key, f"{each.title} (*{each.suffix})", each.list_companion_files, each)
        for each in REGISTRY
    ),
)


def dialogs(folder: Path) -> Try:
    """Isolate the settings; return the cases for a folder of files."""
    QSettings.setDefaultFormat(_FILE)
    QSettings.setPath(_FILE, QSettings.Scope.UserScope, str(folder))
    app = make_app()
    return partial(_attempt, app)


def _attempt(app: QCoreApplication, folder: Path, rng: Random, number: int) -> Iterator[Verdict]:
    del app, number
    for _ in range(rng.randrange(12)):
        (folder / _make_name(rng)).write_bytes(rng.choice((b"precious", b"SQLite format 3\x00")))
    link = folder / f"link{rng.choice(ENDINGS)}"
    link.symlink_to(rng.choice(("nowhere", *(each.name for each in _files(folder)))))
    for _ in range(TURNS):
        yield from _one(folder, rng, rng.choice(DIALOGS))


def _one(folder: Path, rng: Random, dialog: Dialog) -> Iterator[Verdict]:
    contents_before = {path: path.read_bytes() for path in _files(folder)}
    name, agrees = _make_typed_name(folder, rng), rng.random() < 0.4
    kind = rng.choice(("", *dialog.kinds.split(";;")))
    description = f"{dialog.name} as {name!r}, {kind!r}, {'replace' if agrees else 'keep'}"
    typed, questions = [str(folder / name)], list[str]()

    def ask(*_: object) -> tuple[str, str]:
        return (typed.pop(), kind) if typed else ("", "")

    def answer(box: QMessageBox) -> int:
        questions.append(box.text())
        return 0

    def pressed(box: QMessageBox) -> object:
        buttons_by_text = {each.text(): each for each in box.buttons()}
        return buttons_by_text["Replace" if agrees else "Do not replace"]

    parent = QWidget()
    with (
        mock.patch.object(saving.QFileDialog, "getSaveFileName", ask),
        mock.patch.object(QMessageBox, "exec", answer),
        mock.patch.object(QMessageBox, "clickedButton", pressed),
    ):
        chosen_file = saving.choose_file(
            parent, "Save", name, dialog.kinds, list_companions=dialog.beside
        )
    parent.deleteLater()
    verdict = Verdict("unharmed", description)
    if chosen_file is not None:
        try:
            _write(dialog, chosen_file.path)
        except ExportError as error:
            verdict = Verdict("reported", f"{description}: {error}")
    elif questions == [] or agrees:
        verdict = Verdict("fault", description, "nothing was chosen, and nothing asked")
    yield verdict
    for path, content in contents_before.items():
        if not path.exists() or path.read_bytes() != content:
            if content.startswith(b"SQLite"):
                yield Verdict("fault", description, f"the document {path.name!r} was lost")
            elif not (agrees and any(sanitise_line(path.name) in text for text in questions)):
                yield Verdict(
                    "fault", description, f"{path.name!r} was lost, and nobody had agreed"
                )
            path.write_bytes(content)
    if chosen_file is not None and not _is_of_a_kind(chosen_file.path, dialog.kinds, kind):
        yield Verdict(
            "fault", description, f"{chosen_file.path.name!r} is of no kind that was offered"
        )


def _write(dialog: Dialog, path: Path) -> None:
    """Write the output of a save dialog without training."""
    if dialog.exports is None:
        write_file(path, "new")
        return

    def write(job: ExportJob) -> ExportResult:
        for each in (job.path, *dialog.exports.list_companion_files(job.path)):
            write_file(each, "new")
        return ExportResult(job.path)

    with (
        mock.patch.object(type(dialog.exports), "modules", ()),
        mock.patch.object(dialog.exports, "write", write),
    ):
        dialog.exports.export(ExportJob(mock.Mock(), 1, path, replace=True))


def _make_name(rng: Random) -> str:
    return rng.choice(STEMS) + rng.choice(ENDINGS)


def _make_typed_name(folder: Path, rng: Random) -> str:
    """Return a name, often of an existing file or a variant."""
    existing = rng.choice([*folder.iterdir()])
    return rng.choice(
        (_make_name(rng), existing.name, existing.stem, existing.name.split(".")[0] or "x")
    )


def _files(folder: Path) -> list[Path]:
    return [each for each in sorted(folder.iterdir()) if each.is_file() and not each.is_symlink()]


def _is_of_a_kind(path: Path, filter_text: str, selected_filter: str) -> bool:
    return "(*)" in selected_filter or f"*{path.suffix.lower()}" in filter_text

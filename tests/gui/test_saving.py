"""File dialogs overwrite files only after confirmation."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from studio.compare.answers import InterimResults, write_files
from studio.document.store import Document
from studio.errors import ExportError
from studio.export.formats.registry import REGISTRY
from studio.gui.base import file_filters, saving, user_paths
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.compare.page import ComparePage
from studio.gui.pages.compare.sections import render_all
from studio.gui.session.session import Session
from studio.gui.shell.window import MainWindow
from tests.gui.compare.test_diagrams import DIAGRAM, TABLE

Typed = Callable[..., list[str]]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Typed:
    """Return a function that answers file dialogs with these names, then cancels."""

    def type_names(*names: Path | str, kind: str = "") -> list[str]:
        remaining_names, starts = [str(each) for each in names], []

        def ask(_parent: QWidget, _title: str, start: str, *_: Any) -> tuple[str, str]:
            starts.append(start)
            return (remaining_names.pop(0), kind) if remaining_names else ("", "")

        monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
        return starts

    return type_names


class AnsweringBox:
    """Answers each question by a button, and records it."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answers: list[str] = []
        self._timer = QTimer(interval=10)
        self._timer.timeout.connect(self._answer)
        self._timer.start()

    def _answer(self) -> None:
        box = QApplication.activeModalWidget()
        if isinstance(box, QMessageBox):
            self.asked.append(box.text())
            button_text = self.answers.pop(0)
            next(each for each in box.buttons() if each.text() == button_text).click()

    def end(self) -> None:
        self._timer.stop()


@pytest.fixture
def answering(qtbot: QtBot) -> Iterator[AnsweringBox]:
    del qtbot
    dialog_answers = AnsweringBox()
    yield dialog_answers
    dialog_answers.end()


KINDS = "CSV (*.csv);;LaTeX (*.tex)"


@pytest.mark.parametrize(
    ("name", "kinds", "chosen", "path"),
    [
        ("work", file_filters.get_document_filter(), "", "work.studio"),
        ("results.v2", file_filters.get_document_filter(), "", "results.v2.studio"),
        ("a.csv", file_filters.get_document_filter(), "", "a.csv.studio"),
        ("Work.STUDIO", file_filters.get_document_filter(), "", "Work.STUDIO"),
        (".studio", file_filters.get_document_filter(), "", ".studio.studio"),
        ("t", KINDS, "", "t.csv"),
        ("t", KINDS, "LaTeX (*.tex)", "t.tex"),
        ("t.tex", KINDS, "CSV (*.csv)", "t.tex"),
        ("t.1", KINDS, "LaTeX (*.tex)", "t.1.tex"),
        ("s.txt", "Spaces (*.json);;All files (*)", "All files (*)", "s.txt"),
        ("s", "Spaces (*.json);;All files (*)", "All files (*)", "s.json"),
        ("s.txt", "Spaces (*.json);;All files (*)", "Spaces (*.json)", "s.txt.json"),
    ],
)
def test_file_name_gets_default_suffix(name: str, kinds: str, chosen: str, path: str) -> None:
    assert (
        file_filters.add_filter_suffix(f"folder.d/{name}", kinds, chosen) == Path("folder.d") / path
    )


def test_overwrite_is_confirmed_for_completed_name(
    qtbot: QtBot, typed: Typed, answering: AnsweringBox, tmp_path: Path
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    (tmp_path / "t.csv").write_text("precious")
    starts = typed(tmp_path / "t", tmp_path / "u")
    answering.answers = ["Do not replace"]
    file_choice = saving.choose_file(parent, "Save", "t.csv", KINDS)
    assert file_choice is not None and file_choice.path == tmp_path / "u.csv"
    assert starts[1] == str(tmp_path / "t.csv"), "the dialog comes back where it was"
    assert len(answering.asked) == 1 and "t.csv" in answering.asked[0]
    assert user_paths.get_start_folder() == str(tmp_path)
    typed(tmp_path / "t.csv")
    answering.answers = ["Replace"]
    file_choice = saving.choose_file(parent, "Save", "t.csv", KINDS)
    assert file_choice is not None and file_choice.path == tmp_path / "t.csv"
    typed(tmp_path / "t.csv")
    answering.answers = ["Do not replace"]
    assert saving.choose_file(parent, "Save", "t.csv", KINDS) is None


@pytest.mark.parametrize("row", REGISTRY, ids=lambda row: row.key)
def test_overwrite_of_companion_files_is_confirmed(
    qtbot: QtBot, typed: Typed, answering: AnsweringBox, tmp_path: Path, row: Any
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    kinds = f"{row.title} (*{row.suffix})"
    for each in row.list_companion_files(tmp_path / f"b1{row.suffix}"):
        assert each.name.startswith(f"b1{row.suffix}."), "it could be a file of another one"
        each.write_text("precious")
        typed(tmp_path / "b1")
        answering.answers, answering.asked = ["Do not replace"], []
        assert (
            saving.choose_file(
                parent, "Save", "b1", kinds, list_companions=row.list_companion_files
            )
            is None
        )
        assert each.name in answering.asked[0]
        each.unlink()


def test_overwrite_of_many_files_is_confirmed_once(
    qtbot: QtBot, answering: AnsweringBox, tmp_path: Path
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    files = [tmp_path / f"<b>{number}.csv" for number in range(40)]
    assert saving.confirm_overwrite(parent, files) and not answering.asked
    for each in files:
        each.touch()
    (tmp_path / "folder").mkdir()
    answering.answers = ["Replace"]
    assert saving.confirm_overwrite(parent, [*files, tmp_path / "folder"])
    assert "40" in answering.asked[0] and "<b>0.csv" in answering.asked[0]
    assert len(answering.asked[0]) < 400
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    answering.answers = ["Do not replace"]
    assert not saving.confirm_overwrite(parent, [tmp_path / "link"])


def test_comparison_is_saved_to_chosen_folder(qapp: Any, tmp_path: Path) -> None:
    results = InterimResults(1, ("A", "B"), {"errors": TABLE}, {"spread": DIAGRAM}, "# Report\n")
    written = write_files(tmp_path / "new" / "all", render_all(results))
    assert sorted((tmp_path / "new" / "all").iterdir()) == sorted(written)
    with pytest.raises(ExportError):
        write_files(written[0], render_all(results))


# ---- documents


@pytest.fixture
def window(qtbot: QtBot, helper: Any) -> MainWindow:
    main_window = MainWindow(Session(), helper)
    qtbot.addWidget(main_window, before_close_func=lambda _: main_window.session.close())
    main_window.show()
    main_window.documents.create()
    return main_window


@pytest.mark.slow
@pytest.mark.parametrize(("name", "there"), [("work", "work.studio"), ("r.v2", "r.v2.studio")])
def test_completed_file_name_does_not_replace_document(
    window: MainWindow, typed: Typed, answering: AnsweringBox, tmp_path: Path, name: str, there: str
) -> None:
    other, untitled = tmp_path / there, window.session.path
    with Document.create(other) as document:
        document.runs.add("a week of work", {"method": "EO-sqm", "budget": 9})
    bytes_before = other.read_bytes()
    typed(tmp_path / name)
    answering.answers = ["Do not replace"]
    window.documents.save_as()
    assert there in answering.asked[0]
    assert other.read_bytes() == bytes_before
    assert window.session.path == untitled


@pytest.mark.slow
def test_version_number_in_name_is_not_suffix(
    window: MainWindow, typed: Typed, tmp_path: Path
) -> None:
    (tmp_path / "results.studio").write_bytes(b"another one")
    typed(tmp_path / "results.v2")
    window.documents.save_as()
    assert window.session.path == tmp_path / "results.v2.studio"
    assert (tmp_path / "results.studio").read_bytes() == b"another one"


@pytest.mark.slow
def test_untitled_document_is_not_saved_onto_alias(
    window: MainWindow, typed: Typed, answering: AnsweringBox, tmp_path: Path
) -> None:
    previous_path = window.session.path
    assert previous_path is not None
    window.session.set_note("x", 1)
    (tmp_path / "link").symlink_to(previous_path.parent)
    typed(tmp_path / "link" / previous_path.stem)
    window.documents.save_as()
    assert previous_path.exists() and not answering.asked
    assert window.session.path == previous_path and window.session.read_note("x") == 1
    assert previous_path in user_paths.get_recent()
    assert previous_path.name in window.toast.text_label.text()


@pytest.mark.slow
def test_deleted_document_can_be_saved_in_place(window: MainWindow) -> None:
    previous_path = window.session.path
    assert previous_path is not None
    window.session.set_note("x", 1)
    previous_path.unlink()
    window.documents.save_to(previous_path)
    assert previous_path.exists() and window.session.read_note("x") == 1


@pytest.mark.slow
@pytest.mark.parametrize("answer", ["Do not replace", "Replace"])
def test_saving_results_does_not_delete_other_files(
    helper: Any,
    session: Session,
    qtbot: QtBot,
    answering: AnsweringBox,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
) -> None:
    page = ComparePage(session, DataModel(session, helper), RunModel(session, helper), helper)
    qtbot.addWidget(page)
    page.model.results = InterimResults(1, ("A", "B"), {"errors": TABLE}, {}, "# Report\n")
    folder, mine = tmp_path / "folder", tmp_path / "folder" / "errors.csv"
    folder.mkdir()
    mine.write_text("precious")
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))
    answering.answers = [answer]
    page.study_view.export_all()
    assert "errors.csv" in answering.asked[0]
    assert (mine.read_text() == "precious") == (answer == "Do not replace")
    assert len(list(folder.iterdir())) == (1 if answer == "Do not replace" else 3)

"""The window with forged documents: altered records with valid checksums."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from studio.document.store import Document
from studio.gui.drafts.data_draft import DataDraft
from studio.gui.drafts.run_draft import RunDraft
from studio.gui.pages.compare.draft import StudyDraft
from studio.gui.pages.compare.targets import make_data_entry_from_file
from studio.gui.pages.run.page import RUNS
from studio.gui.pages.run.runs import actions as acts
from studio.gui.pages.run.runs.list_model import NAME, STATE
from studio.gui.session.session import Session
from studio.gui.shell.window import MainWindow
from studio.helper.registry import run_task
from tests.forged import iter_forgeries, make_complete_document, put, records, seal_text
from tests.gui.tables import texts

pytestmark = pytest.mark.slow

RUN = 2

PAGES = ("data", "space", "run", "live", "compare", "results")


@pytest.fixture(scope="module")
def valid_document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a valid document with every kind of record, including the window's."""
    path = make_complete_document(tmp_path_factory.mktemp("whole"))
    table = path.parent / "t.csv"
    draft = DataDraft.for_file(table).with_changes(kinds={"a": "number"}, roles={"b": "feature"})
    preview = run_task("preview", {"table": draft.request(), "quick": False})
    methods = ({"name": "RS", "method": "RS", "set": {}},)
    study = StudyDraft(
        data=(make_data_entry_from_file(table),), methods=methods, spaces=("svm-rbf",)
    )
    with Document.open(path) as document:
        document.notes.set("window.data", draft.with_changes(preview=preview).to_json())
        document.notes.set("window.run", RunDraft(overrides={"proposer.initial": 3}).to_json())
        document.notes.set("window.place", {"page": "run", "run": RUN})
        document.notes.set("window.compare", asdict(study))
    return path


@pytest.fixture
def window(qtbot: QtBot, helper: Any) -> Iterator[MainWindow]:
    """Return a visible window without a document."""
    session = Session()
    main_window = MainWindow(session, helper)
    qtbot.addWidget(main_window, before_close_func=lambda _: session.close())
    main_window.show()
    yield main_window


def show_every_page(window: MainWindow, path: Path) -> None:
    """Open a document and show every page of each of its runs."""
    window.opening.open_path(path)
    for view in window.session.runs.views:
        window.session.run_selection.choose_run(view.row.id)
        for page in PAGES:
            window.show_page(page)
            for _ in range(3):
                QApplication.processEvents()


def test_pages_survive_forged_records(
    valid_document: Path, tmp_path: Path, window: MainWindow, qtbot: QtBot, every: int
) -> None:
    faults = []
    for number, (description, record, text) in enumerate(iter_forgeries(valid_document)):
        if number % every:
            continue
        path = Path(shutil.copyfile(valid_document, tmp_path / f"{number}.studio"))
        put(path, record, text)
        with qtbot.capture_exceptions() as raised:
            try:
                show_every_page(window, path)
            except Exception as error:
                faults.append(f"{description}: {error!r}")
        faults += [f"{description}: {error!r}" for _, error, _ in raised]
        window.session.close()
    assert not faults, faults[:10]


def test_malformed_draft_is_discarded_with_notice(
    valid_document: Path, tmp_path: Path, window: MainWindow, subtests: Any
) -> None:
    changes: tuple[tuple[str, Any, str], ...] = (
        ("window.run", {"workers": "two"}, "“workers”"),
        ("window.run", [], "Expected an object; found a list."),
        ("window.data", {"roles": {"a": 5}}, "“roles.a”"),
        ("window.data", {"plan": {"folds": "x"}}, "“plan.folds”"),
        ("window.place", {"page": 7}, "“page”"),
        ("window.compare", {"methods": [{"name": 1}]}, "is missing"),
    )
    for number, (note, change, message) in enumerate(changes):
        with subtests.test(note=note, said=message):
            path = Path(shutil.copyfile(valid_document, tmp_path / f"{number}.studio"))
            with Document.open(path) as document:
                stored_note = document.notes.get(note)
                document.notes.set(
                    note, {**stored_note, **change} if isinstance(change, dict) else change
                )
            show_every_page(window, path)
            assert note in window.banner.text_label.text()
            assert message in window.banner.text_label.text()


def test_malformed_preview_is_recomputed(
    valid_document: Path, tmp_path: Path, window: MainWindow, qtbot: QtBot
) -> None:
    path = Path(shutil.copyfile(valid_document, tmp_path / "d.studio"))
    with Document.open(path) as document:
        document.notes.set(
            "window.data", {**document.notes.get("window.data"), "preview": {"rows": 1}}
        )
    show_every_page(window, path)
    assert window.data.draft.preview is None and window.data.unread_file_message
    window.data.read()
    qtbot.waitUntil(lambda: window.data.draft.preview is not None)
    assert window.data.draft.kinds == {"a": "number"}
    assert window.banner.isHidden()


@pytest.mark.parametrize(
    "damage",
    [
        lambda record: "x" + record.sealed[1:],
        lambda record: seal_text(record.label, '{"name": 5}'),
        lambda record: seal_text(
            record.label, record.sealed[8:].replace('"workers":1', '"workers":"two"')
        ),
    ],
    ids=["checksum", "body", "settings"],
)
def test_damaged_run_can_be_removed_and_restored(
    valid_document: Path,
    tmp_path: Path,
    window: MainWindow,
    qtbot: QtBot,
    damage: Callable[[Any], str],
) -> None:
    path = Path(shutil.copyfile(valid_document, tmp_path / "d.studio"))
    (record,) = [each for each in records(path) if each.kind == "runs body"]
    put(path, record, damage(record))
    window.opening.open_path(path)
    window.show_page("run")
    page = window.get_page_widget("run")
    page.tabs.setCurrentIndex(RUNS)
    tab = page.runs
    assert (texts(tab.model)[0][NAME], texts(tab.model)[0][STATE]) == (f"Run {RUN}", "damaged")
    tab.select([RUN])
    allowed = {each for each in (acts.SHOW, acts.FORK, acts.COPY_SETTINGS, acts.RENAME, acts.REMOVE)
               if page.run_actions.is_possible(each, [RUN])}  # fmt: skip
    assert allowed == {acts.REMOVE}
    page.run_actions.perform_action(acts.REMOVE, [RUN])
    question = page.findChild(QMessageBox)
    next(each for each in question.buttons() if each.text() == "Remove").click()
    assert tab.model.ids == []
    tab.undo_button.click()
    assert tab.model.ids == [RUN]
    page.removal.remove([RUN])
    page.removal.finish()
    qtbot.waitUntil(lambda: RUN in window.session.document.get_removed_runs())
    window.session.following.poll()
    window.session.runs.changed.emit()
    assert tab.model.ids == []
    with Document.open(path, writable=False) as document:
        assert document.runs.list_all() == ()
        assert document.damaged_records == ()

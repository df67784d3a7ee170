"""The data page's model."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from studio.analysis.answers.column_facts import ColumnFacts
from studio.data.read_options import ColumnReading
from studio.document.store import Document
from studio.document.user_tables import record_named_tables
from studio.gui.drafts import data_model
from studio.gui.drafts.advice_model import AdviceModel
from studio.gui.drafts.data_draft import DataDraft
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.decisions import apply_remedy, group_findings
from studio.gui.drafts.run_model import RunModel
from studio.gui.drafts.starter import Starter
from studio.gui.session.session import Session
from studio.phrases import phrase_to_json


@pytest.fixture
def model(session: Session, helper: Any) -> DataModel:
    return DataModel(session, helper)


def table(folder: Path, text: str = "a;b;target\n1,5;x;0\n2,5;y;1\n3,5;x;0\n4,5;y;1\n") -> Path:
    path = folder / "t.csv"
    path.write_text(text, "utf-8")
    return path


def test_changed_separator_updates_preview(model: DataModel, tmp_path: Path, qtbot: QtBot) -> None:
    model.open_file(table(tmp_path))
    qtbot.waitUntil(lambda: model.is_ready)
    model.set_option("separator", ",")
    qtbot.waitUntil(lambda: not model.busy)
    assert model.draft.preview is not None
    assert model.draft.preview.options.separator == ","
    model.set_option("separator", None)
    qtbot.waitUntil(lambda: not model.busy)
    assert model.draft.options == {}
    assert model.draft.preview.names == ("a", "b", "target")


def test_header_options_are_mutually_exclusive(
    model: DataModel, tmp_path: Path, qtbot: QtBot
) -> None:
    model.open_file(table(tmp_path))
    qtbot.waitUntil(lambda: model.is_ready)
    model.set_option("header", False)
    model.set_option("header_row", 2)
    qtbot.waitUntil(lambda: not model.busy)
    assert model.draft.options == {"header_row": 2}
    assert model.draft.preview.header_row == 2
    model.set_option("header", None)
    qtbot.waitUntil(lambda: not model.busy)
    assert model.draft.options == {}
    assert model.draft.preview.header_row == 1


def test_changed_target_infers_task(
    model: DataModel, tmp_path: Path, qtbot: QtBot, session: Session
) -> None:
    model.open_file(table(tmp_path))
    qtbot.waitUntil(lambda: model.is_ready)
    assert model.draft.resolved_task == "binary"
    assert session.space.value is not None
    assert "binary" in session.space.value.tasks
    model.set_role("a", "target")
    qtbot.waitUntil(lambda: not model.busy)
    assert model.draft.resolved_target == "a"
    assert model.draft.resolved_task == "regression"
    assert "regression" in session.space.value.tasks


def test_row_roles_are_mutually_exclusive(model: DataModel, tmp_path: Path, qtbot: QtBot) -> None:
    model.open_file(table(tmp_path))
    qtbot.waitUntil(lambda: model.is_ready)
    assert model.draft.split_constraint == ""
    model.set_role("a", "time")
    model.set_role("b", "group")
    qtbot.waitUntil(lambda: not model.busy)
    assert model.draft.roles == {"a": "time", "b": "group"}
    model.set_role("a", "group")
    qtbot.waitUntil(lambda: not model.busy)
    assert model.draft.roles == {"a": "group", "b": "ignore"}
    assert model.draft.split_constraint == "group"


def test_large_file_previews_first_rows(
    model: DataModel, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_model, "QUICK_PREVIEW_MIN_BYTES", 10)
    completeness: list[bool] = []
    model.changed.connect(
        lambda: completeness.append(bool(model.draft.preview and model.draft.preview.complete))
    )
    model.open_file(table(tmp_path, "a,target\n" + "1,x\n2,y\n" * 3000))
    qtbot.waitUntil(lambda: model.is_ready and not model.busy)
    assert completeness == [False, False, True]
    assert model.draft.n_rows == 6000


def test_reading_can_be_stopped(model: DataModel, tmp_path: Path, helper: Any) -> None:
    helper.holds_replies = True
    model.open_file(table(tmp_path))
    assert model.busy
    model.stop()
    assert not model.busy
    assert "stopped" in model.error
    helper.release()
    assert model.draft.preview is None


def test_unreadable_file_is_reported(model: DataModel, tmp_path: Path, qtbot: QtBot) -> None:
    model.open_file(tmp_path / "none.csv")
    qtbot.waitUntil(lambda: model.error != "")
    assert not model.is_ready
    assert "none.csv" in model.error


def test_setting_role_of_several_columns_keeps_target(
    model: DataModel, tmp_path: Path, qtbot: QtBot
) -> None:
    model.open_file(table(tmp_path))
    qtbot.waitUntil(lambda: model.is_ready)
    model.set_roles(["a", "b", "target"], "ignore")
    assert model.draft.roles == {"a": "ignore", "b": "ignore"}
    model.set_row_role("time", "a")
    assert model.draft.roles == {"a": "time", "b": "ignore"}
    model.set_row_role("time", None)
    assert model.draft.roles == {"b": "ignore"}


def test_second_file_is_read_immediately(model: DataModel, tmp_path: Path, qtbot: QtBot) -> None:
    other = tmp_path / "o.csv"
    other.write_text("a;b;target\n9,5;x;1\n", "utf-8")
    model.open_file(table(tmp_path))
    qtbot.waitUntil(lambda: model.is_ready)
    model.approve_files(other, tmp_path / "none.csv")
    model.change(test_path=str(other))
    assert model.test_note.startswith("Checking")
    qtbot.waitUntil(lambda: "1 row " in model.test_note)
    model.change(title="other")
    assert "1 row " in model.test_note
    model.change(test_path=str(tmp_path / "none.csv"))
    qtbot.waitUntil(lambda: "none.csv" in model.test_note)
    model.change(test_path="")
    assert model.test_note == ""


def test_preview_is_formatted_once(
    model: DataModel,
    session: Session,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Formatting thousands of columns is slow, and every change stores the draft."""
    model.open_file(table(tmp_path))
    qtbot.waitUntil(lambda: model.is_ready and not model.busy)
    stored: list[dict[str, Any]] = []
    store = session.set_note
    monkeypatch.setattr(session, "set_note", lambda *note: (stored.append(note[1]), store(*note)))
    draft = model.draft
    model.change(title="other")
    draft_json = model.draft.to_json()
    assert json.dumps(phrase_to_json(stored[-1])) == json.dumps(phrase_to_json(draft_json))
    path = session.path
    assert path is not None
    session.close()
    session.open(path)
    assert model.draft == draft.with_changes(title="other")
    model.change(title="third")
    model.change(title="fourth")
    assert stored[-1]["preview"] is stored[-2]["preview"] and stored[-1]["title"] == "fourth"


# ---- files named in documents


class PathGuard:
    """Fails on access to a document's named path or its folder."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.touched: list[str] = []
        for name in ("stat", "lstat", "open", "is_file", "is_dir", "exists"):
            monkeypatch.setattr(Path, name, self._make_recorder(name, getattr(Path, name), folder))

    def _make_recorder(self, name: str, real: Any, folder: Path) -> Any:
        def record_path(path: Path, *given: Any, **more: Any) -> Any:
            if folder in (path, *path.parents):
                self.touched.append(f"{name} {path}")
            return real(path, *given, **more)

        return record_path


def forget_opened_tables(session: Session) -> None:
    """Forget which tables the user has opened, as on another machine."""
    session.approved_files.clear()
    QSettings().clear()


def make_foreign_document(
    session: Session, helper: Any, qtbot: QtBot, folder: Path, **changes: Any
) -> Path:
    """Make a document with a draft about a table of this folder, and return its path."""
    folder.mkdir()
    model = DataModel(session, helper)
    model.open_file(table(folder))
    qtbot.waitUntil(lambda: model.is_ready and not model.busy)
    session.set_note("window.data", model.draft.with_changes(**changes).to_json())
    path = session.path
    assert path is not None
    session.close()
    model.deleteLater()
    helper.asked.clear()
    forget_opened_tables(session)  # another user's window
    return path


@pytest.mark.slow
@pytest.mark.parametrize("changes", [{}, {"preview": None}, {"test_path": "//server/share/t.csv"}])
def test_table_of_document_is_read_only_on_request(
    session: Session,
    helper: Any,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, Any],
) -> None:
    folder = tmp_path / "elsewhere"
    document = make_foreign_document(session, helper, qtbot, folder, **changes)
    model, run = DataModel(session, helper), RunModel(session, helper)
    advice, starter = AdviceModel(model, run, session, helper), Starter(session, helper, model, run)
    with monkeypatch.context() as patch:
        guard = PathGuard(patch, folder)
        session.open(document)
        advice.request()
        model.change(title="other")
        model.set_role("a", "ignore")
        starter.start()
        if model.draft.preview is not None:
            facts: list[ColumnFacts] = []
            refused: list[str] = []
            model.request_facts(model.draft.preview.columns[0], facts.append, refused.append)
            assert not facts and str(folder) in refused[0]
        qtbot.wait(50)
        assert guard.touched == []
    assert {name for name, _ in helper.asked} <= {"check_method", "catalogue"}
    assert str(folder / "t.csv") in model.unread_file_message
    assert "Read the table" in starter.get_blocking_problem()
    if "test_path" in changes:
        assert changes["test_path"] in model.unread_file_message
        return
    model.read()
    qtbot.waitUntil(lambda: model.is_ready and not model.busy)
    assert model.unread_file_message == "" and model.draft.preview is not None
    roles = {each.name: each.role for each in model.draft.preview.columns}
    assert roles["a"] == "ignore", "choices made meanwhile are kept"
    session.close()
    session.open(document)
    assert model.unread_file_message == "", "it was requested in this window"


def test_table_opened_by_user_needs_no_second_approval(
    session: Session, helper: Any, qtbot: QtBot, tmp_path: Path
) -> None:
    model = DataModel(session, helper)
    model.open_file(table(tmp_path))
    qtbot.waitUntil(lambda: model.is_ready and not model.busy)
    session.set_note("window.data", model.draft.with_changes(preview=None).to_json())
    path = session.path
    assert path is not None
    session.close()
    session.approved_files.clear()  # the same user, another day
    session.open(path)
    assert model.unread_file_message == ""
    qtbot.waitUntil(lambda: model.is_ready and not model.busy)
    session.close()
    forget_opened_tables(session)
    session.open(path)
    assert str(tmp_path / "t.csv") in model.unread_file_message


def test_table_on_command_line_needs_no_approval(
    session: Session, helper: Any, qtbot: QtBot, tmp_path: Path
) -> None:
    model = DataModel(session, helper)
    document = make_foreign_document(session, helper, qtbot, tmp_path / "elsewhere")
    session.open(document)
    assert model.unread_file_message
    record_named_tables([model.draft.path])
    session.close()
    session.open(document)
    assert model.unread_file_message == ""
    qtbot.waitUntil(lambda: model.is_ready and not model.busy)


def test_stored_table_is_available_without_file(
    session: Session, helper: Any, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "elsewhere"
    document = make_foreign_document(session, helper, qtbot, folder)
    model, run = DataModel(session, helper), RunModel(session, helper)
    advice = AdviceModel(model, run, session, helper)
    starter = Starter(session, helper, model, run)
    monkeypatch.setattr(session.control, "start", lambda run: None)
    session.open(document)
    model.read()
    qtbot.waitUntil(lambda: not model.busy)
    with qtbot.waitSignal(starter.started):
        starter.start()
    session.close()
    forget_opened_tables(session)
    helper.asked.clear()
    with monkeypatch.context() as patch:
        guard = PathGuard(patch, folder)
        session.open(document)
        assert (model.unread_file_message, starter.get_blocking_problem()) == ("", "")
        advice.request()
        qtbot.waitUntil(lambda: advice.advice is not None)
        with qtbot.waitSignal(starter.started):
            starter.start()
        assert guard.touched == []
    with Document.open(document, writable=False) as opened:
        assert len({row.table_id for row in opened.runs.list_all()}) == 1


UNCLEAR = "amount;when;region;y\n" + "1.234;01/02/2024;NA;a\n2.345;03/04/2024;EU;b\n" * 4


def get_column(model: DataModel, name: str) -> Any:
    assert model.draft.preview is not None
    return next(each for each in model.draft.preview.columns if each.name == name)


@pytest.fixture
def unclear(model: DataModel, tmp_path: Path, qtbot: QtBot) -> DataModel:
    model.open_file(table(tmp_path, UNCLEAR))
    qtbot.waitUntil(lambda: model.is_ready)
    return model


def test_column_reading_is_stored_and_undoable(
    unclear: DataModel, session: Session, qtbot: QtBot
) -> None:
    clock = map(float, itertools.count(0, 10)).__next__
    unclear.clock = clock
    history = unclear.history
    unclear.set_reading("region", ColumnReading(missing=("NA", "none")))
    unclear.set_reading("amount", ColumnReading(",", "."))
    qtbot.waitUntil(lambda: not unclear.busy)
    readings = {"region": "missing:NA|none", "amount": "decimal:comma,thousands:point"}
    assert unclear.draft.options == {"columns": readings}
    assert unclear.draft.make_source().reading == {"columns": readings}
    assert DataDraft.from_json(json.loads(json.dumps(unclear.draft.to_json()))) == unclear.draft
    assert session.read_value("window.data", DataDraft.from_json) == unclear.draft
    assert get_column(unclear, "amount").maximum == 2345.0
    assert get_column(unclear, "region").missing == 4
    history.undo()
    qtbot.waitUntil(lambda: not unclear.busy)
    assert unclear.draft.readings == {"region": ColumnReading(missing=("NA", "none"))}
    assert get_column(unclear, "amount").maximum == 2.345
    unclear.set_reading("region", ColumnReading())
    assert unclear.draft.options == {}


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("amount", "unclear-numbers",
         ["decimal:point,thousands:none", "decimal:comma,thousands:point"]),
        ("when", "unclear-dates", ["dates:day-first", "dates:month-first"]),
    ],
)  # fmt: skip
def test_finding_is_resolved_by_its_remedy(
    unclear: DataModel, qtbot: QtBot, name: str, kind: str, expected: list[str]
) -> None:
    unclear.set_reading(name, ColumnReading(missing=("x",)))
    qtbot.waitUntil(lambda: not unclear.busy)
    finding = next(each for each in get_column(unclear, name).findings if each.kind == kind)
    for remedy, reading in zip(finding.remedies, expected, strict=True):
        apply_remedy(unclear, finding, remedy)
        qtbot.waitUntil(lambda: not unclear.busy)
        assert unclear.draft.options == {"columns": {name: f"{reading},missing:x"}}
        assert kind not in {each.kind for each in get_column(unclear, name).findings}


@pytest.mark.slow
def test_column_choices_can_be_undone(unclear: DataModel, qtbot: QtBot) -> None:
    (other, name) = (each for each in unclear.draft.preview.names[:2])  # type: ignore[union-attr]
    unclear.set_role(other, "ignore")
    unclear.set_roles([other, name], "time")
    unclear.set_kind(name, "category")
    unclear.set_reading(name, ColumnReading(missing=("x",)))
    qtbot.waitUntil(lambda: not unclear.busy)
    choices = group_findings(unclear.draft).user_choices
    assert len(choices) == 3
    for each in choices:
        apply_remedy(unclear, each, each.remedies[0])
    assert (unclear.draft.roles, unclear.draft.kinds, unclear.draft.options) == ({}, {}, {})
    qtbot.waitUntil(lambda: not unclear.busy)
    assert group_findings(unclear.draft).user_choices == ()


def test_changing_target_requests_preview(model: DataModel, tmp_path: Path, qtbot: QtBot) -> None:
    model.open_file(table(tmp_path))
    qtbot.waitUntil(lambda: model.is_ready)
    model.change(kept=(("leak", "a"),))
    assert not model.busy, "the table is not read again for that"
    model.set_role("b", "target")
    assert model.draft.kept == ()


@pytest.mark.slow
def test_date_order_selection_changes_kind_to_date(unclear: DataModel, qtbot: QtBot) -> None:
    unclear.set_kind("when", "category")
    unclear.set_reading("when", ColumnReading(order="month-first"))
    qtbot.waitUntil(lambda: not unclear.busy)
    assert get_column(unclear, "when").kind == "date"
    unclear.set_kind("when", "category")
    qtbot.waitUntil(lambda: not unclear.busy)
    assert get_column(unclear, "when").kind == "category"


def test_malformed_reading_options_are_ignored(model: DataModel) -> None:
    for invalid in (3, ["a"], {"a": "soon"}, {"a": 3}):
        assert DataDraft(options={"columns": invalid}).readings == {}

"""The data page's model."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from studio.data.column_reading import ColumnReading
from studio.gui.drafts import data_model
from studio.gui.drafts.data_draft import DataDraft
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.draft_history import DraftHistory
from studio.gui.session.session import Session


@pytest.fixture
def model(session: Session, helper: Any) -> DataModel:
    return DataModel(session, helper)


def table(folder: Path, text: str = "a;b;target\n1,5;x;0\n2,5;y;1\n3,5;x;0\n4,5;y;1\n") -> Path:
    path = folder / "t.csv"
    path.write_text(text, "utf-8")
    return path


def test_another_separator_gives_another_preview(
    model: DataModel, tmp_path: Path, qtbot: QtBot
) -> None:
    model.open_file(table(tmp_path))
    qtbot.waitUntil(lambda: model.ready, timeout=10_000)
    model.set_option("separator", ",")
    qtbot.waitUntil(lambda: not model.busy, timeout=10_000)
    assert model.draft.preview is not None
    assert model.draft.preview.options.separator == ","
    model.set_option("separator", None)
    qtbot.waitUntil(lambda: not model.busy, timeout=10_000)
    assert model.draft.options == {}
    assert model.draft.preview.names == ("a", "b", "target")


def test_another_target_gets_its_own_task(
    model: DataModel, tmp_path: Path, qtbot: QtBot, session: Session
) -> None:
    model.open_file(table(tmp_path))
    qtbot.waitUntil(lambda: model.ready, timeout=10_000)
    assert model.draft.resolved_task == "binary"
    assert session.space.value is not None
    assert "binary" in session.space.value.tasks
    model.set_role("a", "target")
    qtbot.waitUntil(lambda: not model.busy, timeout=10_000)
    assert model.draft.resolved_target == "a"
    assert model.draft.resolved_task == "regression"
    assert "regression" in session.space.value.tasks


def test_one_column_at_most_says_something_about_rows(
    model: DataModel, tmp_path: Path, qtbot: QtBot
) -> None:
    model.open_file(table(tmp_path))
    qtbot.waitUntil(lambda: model.ready, timeout=10_000)
    assert model.draft.divided_by == ""
    model.set_role("a", "time")
    model.set_role("b", "group")
    qtbot.waitUntil(lambda: not model.busy, timeout=10_000)
    assert model.draft.roles == {"a": "time", "b": "group"}
    model.set_role("a", "group")
    qtbot.waitUntil(lambda: not model.busy, timeout=10_000)
    assert model.draft.roles == {"a": "group", "b": "ignore"}
    assert model.draft.divided_by == "group"


def test_a_large_file_shows_its_first_rows_at_once(
    model: DataModel, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_model, "QUICK_FROM_BYTES", 10)
    seen: list[bool] = []
    model.changed.connect(
        lambda: seen.append(bool(model.draft.preview and model.draft.preview.complete))
    )
    model.open_file(table(tmp_path, "a,target\n" + "1,x\n2,y\n" * 3000))
    qtbot.waitUntil(lambda: model.ready and not model.busy, timeout=10_000)
    assert seen == [False, False, True]
    assert model.draft.n_rows == 6000


def test_reading_can_be_stopped(model: DataModel, tmp_path: Path, helper: Any) -> None:
    helper.held = True
    model.open_file(table(tmp_path))
    assert model.busy
    model.stop()
    assert not model.busy
    assert "stopped" in model.error
    helper.release()
    assert model.draft.preview is None


def test_what_cannot_be_read_is_told(model: DataModel, tmp_path: Path, qtbot: QtBot) -> None:
    model.open_file(tmp_path / "none.csv")
    qtbot.waitUntil(lambda: model.error != "", timeout=10_000)
    assert not model.ready
    assert "none.csv" in model.error


def test_several_columns_get_a_role_and_the_target_keeps_its_own(
    model: DataModel, tmp_path: Path, qtbot: QtBot
) -> None:
    model.open_file(table(tmp_path))
    qtbot.waitUntil(lambda: model.ready, timeout=10_000)
    model.set_roles(["a", "b", "target"], "ignore")
    assert model.draft.roles == {"a": "ignore", "b": "ignore"}
    model.set_row_role("time", "a")
    assert model.draft.roles == {"a": "time", "b": "ignore"}
    model.set_row_role("time", None)
    assert model.draft.roles == {"b": "ignore"}


def test_a_second_file_is_looked_at_once(model: DataModel, tmp_path: Path, qtbot: QtBot) -> None:
    other = tmp_path / "o.csv"
    other.write_text("a;b;target\n9,5;x;1\n", "utf-8")
    model.open_file(table(tmp_path))
    qtbot.waitUntil(lambda: model.ready, timeout=10_000)
    model.change(test_path=str(other))
    assert model.test_note.startswith("Checking")
    qtbot.waitUntil(lambda: "1 row can be used" in model.test_note, timeout=10_000)
    model.change(title="other")
    assert "1 row can be used" in model.test_note
    model.change(test_path=str(tmp_path / "none.csv"))
    qtbot.waitUntil(lambda: "none.csv" in model.test_note, timeout=10_000)
    model.change(test_path="")
    assert model.test_note == ""


UNCLEAR = "amount;when;region;y\n" + "1.234;01/02/2024;NA;a\n2.345;03/04/2024;EU;b\n" * 4


def column_of(model: DataModel, name: str) -> Any:
    assert model.draft.preview is not None
    return next(each for each in model.draft.preview.columns if each.name == name)


@pytest.fixture
def unclear(model: DataModel, tmp_path: Path, qtbot: QtBot) -> DataModel:
    model.open_file(table(tmp_path, UNCLEAR))
    qtbot.waitUntil(lambda: model.ready, timeout=10_000)
    return model


def test_how_a_column_is_read_is_a_choice_that_is_kept_and_undone(
    unclear: DataModel, session: Session, qtbot: QtBot
) -> None:
    clock = map(float, itertools.count(0, 10)).__next__
    history = DraftHistory(unclear, session.document_changed, clock=clock).history
    unclear.set_reading("region", ColumnReading(missing=("NA", "none")))
    unclear.set_reading("amount", ColumnReading(",", "."))
    qtbot.waitUntil(lambda: not unclear.busy, timeout=10_000)
    said = {"region": "missing:NA|none", "amount": "decimal:comma,thousands:point"}
    assert unclear.draft.options == {"columns": said}
    assert unclear.draft.source().reading == {"columns": said}
    assert DataDraft.from_json(json.loads(json.dumps(unclear.draft.to_json()))) == unclear.draft
    assert session.kept_data(DataDraft.from_json) == unclear.draft
    assert column_of(unclear, "amount").maximum == 2345.0
    assert column_of(unclear, "region").missing == 4
    history.undo()
    qtbot.waitUntil(lambda: not unclear.busy, timeout=10_000)
    assert unclear.draft.readings == {"region": ColumnReading(missing=("NA", "none"))}
    assert column_of(unclear, "amount").maximum == 2.345
    unclear.set_reading("region", ColumnReading())
    assert unclear.draft.options == {}


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("amount", "unclear-numbers",
         ["decimal:point,thousands:none", "decimal:comma,thousands:point"]),
        ("when", "unclear-dates", ["dates:day-first", "dates:month-first"]),
    ],
)  # fmt: skip
def test_a_reading_that_a_finding_offers_settles_it(
    unclear: DataModel, qtbot: QtBot, name: str, kind: str, said: list[str]
) -> None:
    unclear.set_reading(name, ColumnReading(missing=("x",)))
    qtbot.waitUntil(lambda: not unclear.busy, timeout=10_000)
    seen = next(each for each in column_of(unclear, name).findings if each.kind == kind)
    for remedy, reading in zip(seen.remedies, said, strict=True):
        unclear.take(name, remedy)
        qtbot.waitUntil(lambda: not unclear.busy, timeout=10_000)
        assert unclear.draft.options == {"columns": {name: f"{reading},missing:x"}}
        assert kind not in {each.kind for each in column_of(unclear, name).findings}


def test_an_order_of_dates_takes_the_place_of_another_kind(
    unclear: DataModel, qtbot: QtBot
) -> None:
    unclear.set_kind("when", "category")
    unclear.set_reading("when", ColumnReading(order="month-first"))
    qtbot.waitUntil(lambda: not unclear.busy, timeout=10_000)
    assert column_of(unclear, "when").kind == "date"
    unclear.set_kind("when", "category")
    qtbot.waitUntil(lambda: not unclear.busy, timeout=10_000)
    assert column_of(unclear, "when").kind == "category"


def test_options_that_a_stranger_wrote_say_nothing_of_columns(model: DataModel) -> None:
    for wrong in (3, ["a"], {"a": "soon"}, {"a": 3}):
        assert DataDraft(options={"columns": wrong}).readings == {}

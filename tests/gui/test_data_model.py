"""The data page's model."""

from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from studio.gui.drafts import data_model
from studio.gui.drafts.data_model import DataModel
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


def test_one_answer_says_where_the_names_are(
    model: DataModel, tmp_path: Path, qtbot: QtBot
) -> None:
    model.open_file(table(tmp_path))
    qtbot.waitUntil(lambda: model.ready, timeout=10_000)
    model.set_option("header", False)
    model.set_option("header_row", 2)
    qtbot.waitUntil(lambda: not model.busy, timeout=10_000)
    assert model.draft.options == {"header_row": 2}
    assert model.draft.preview.header_row == 2
    model.set_option("header", None)
    qtbot.waitUntil(lambda: not model.busy, timeout=10_000)
    assert model.draft.options == {}
    assert model.draft.preview.header_row == 1


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

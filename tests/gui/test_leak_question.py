"""Starting a run on a table with leaking columns asks for confirmation once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.run_model import RunModel
from studio.gui.drafts.starter import Starter
from studio.gui.session.session import Session
from tests.facts import contains_facts

pytestmark = pytest.mark.slow

KEEP, OUT = "Keep: it is known beforehand", "Leave it out"


class Questions(list[str]):
    """Texts of the questions asked so far, and the next answer."""

    answer = "Cancel"


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> Questions:
    question_log = Questions()

    def press(box: QMessageBox) -> int:
        question_log.append(f"{box.text()}\n{box.informativeText()}")
        next(each for each in box.buttons() if each.text() == question_log.answer).click()
        return 0

    monkeypatch.setattr(QMessageBox, "exec", press)
    return question_log


@pytest.fixture
def opened(session: Session, helper: Any, qtbot: QtBot, tmp_path: Path) -> Callable[..., DataModel]:
    def read(*leaks: str) -> DataModel:
        rows = [
            [str(i * 7 % 31), *("2024-02-05" if i % 3 == 0 else "" for _ in leaks), "yn"[i % 3 > 0]]
            for i in range(90)
        ]
        path = tmp_path / "t.csv"
        lines = [["age", *leaks, "churn"], *rows]
        path.write_text("".join(",".join(each) + "\n" for each in lines), "utf-8")
        data = DataModel(session, helper)
        data.open_file(path)
        qtbot.waitUntil(lambda: data.is_ready and not data.busy)
        return data

    return read


@pytest.fixture
def data_with_fee(session: Session, helper: Any, qtbot: QtBot, tmp_path: Path) -> DataModel:
    """A fee paid for most missed appointments and hardly any other."""
    rows = [
        (i * 7 % 61, 20 * ((i % 10 == 0 and i % 150 > 0) or i % 100 == 1), "ny"[i % 10 == 0])
        for i in range(1200)
    ]
    path = tmp_path / "fees.csv"
    path.write_text("age,fee,missed\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows), "utf-8")
    data = DataModel(session, helper)
    data.open_file(path)
    qtbot.waitUntil(lambda: data.is_ready and not data.busy)
    return data


@pytest.fixture
def started_runs(
    session: Session, helper: Any, monkeypatch: pytest.MonkeyPatch
) -> Callable[[DataModel], Starter]:
    monkeypatch.setattr(session.control, "start", lambda run: None)
    return lambda data: Starter(session, helper, data, RunModel(session, helper))


def started_roles(session: Session, starter: Starter, qtbot: QtBot) -> dict[str, str]:
    """Start a run, and return the roles in its record."""
    with qtbot.waitSignal(starter.started):
        starter.start()
    roles: dict[str, str] = session.document.runs.list_all()[-1].settings["source"]["roles"]
    return roles


def test_overruled_leaking_column_is_recorded(
    opened: Any,
    started_runs: Any,
    questions: Questions,
    session: Session,
    helper: Any,
    qtbot: QtBot,
) -> None:
    data = opened("closed on")
    starter = started_runs(data)
    history = data.history
    starter.start()
    assert not starter.is_busy and session.document.runs.list_all() == ()
    assert len(questions) == 1
    assert contains_facts(questions[0], "“closed on” already", "\nIt is filled")
    questions.answer = KEEP
    readings = [name for name, _ in helper.asked].count("preview")
    assert started_roles(session, starter, qtbot) == {"closed on": "feature"}
    assert started_roles(session, starter, qtbot) == {"closed on": "feature"}
    assert len(questions) == 2
    assert [name for name, _ in helper.asked].count("preview") == readings
    history.undo()
    qtbot.waitUntil(lambda: not data.busy)
    questions.answer = "Cancel"
    starter.start()
    assert len(questions) == 3


def test_start_asks_about_near_leak(
    data_with_fee: DataModel,
    started_runs: Any,
    questions: Questions,
    session: Session,
    qtbot: QtBot,
) -> None:
    assert data_with_fee.draft.preview is not None
    (level,) = [each.level for each in data_with_fee.draft.preview.findings if each.kind == "leak"]
    assert level == "decide", "a few rows contradict it"
    starter = started_runs(data_with_fee)
    starter.start()
    assert not starter.is_busy and session.document.runs.list_all() == ()
    assert contains_facts(questions[0], "“fee”", "112 of the 120", "12 of the 1,080")
    questions.answer = KEEP
    assert started_roles(session, starter, qtbot) == {"fee": "feature"}
    assert started_roles(session, starter, qtbot) == {"fee": "feature"}
    assert len(questions) == 2


def test_excluded_column_is_removed_before_run(
    opened: Any, started_runs: Any, questions: Questions, session: Session, qtbot: QtBot
) -> None:
    data = opened("closed on")
    questions.answer = OUT
    assert started_roles(session, started_runs(data), qtbot) == {"closed on": "ignore"}
    assert data.draft.roles == {"closed on": "ignore"}
    assert len(questions) == 1


def test_several_leaking_columns_need_one_confirmation(
    opened: Any, started_runs: Any, questions: Questions, session: Session, qtbot: QtBot
) -> None:
    data = opened("closed on", "cancelled")
    questions.answer = "Leave them out"
    starter = started_runs(data)
    assert set(started_roles(session, starter, qtbot)) == {"closed on", "cancelled"}
    (question,) = questions
    assert contains_facts(question, "2 columns", "\nclosed on: ", "\ncancelled: ")


def test_pending_start_requires_confirmation_after_reading(
    opened: Any,
    started_runs: Any,
    questions: Questions,
    session: Session,
    helper: Any,
    qtbot: QtBot,
) -> None:
    data = opened("closed on")
    starter = started_runs(data)
    questions.answer = OUT
    helper.holds_replies = True
    data.set_kind("age", "category")
    starter.start()
    assert starter.is_busy and not questions
    helper.holds_replies = False
    with qtbot.waitSignal(starter.started):
        helper.release()
    assert len(questions) == 1
    assert len(session.document.runs.list_all()) == 1


def test_start_without_features_is_blocked(
    opened: Any, started_runs: Any, questions: Questions, session: Session, qtbot: QtBot
) -> None:
    data = opened("closed on")
    data.set_role("age", "ignore")
    qtbot.waitUntil(lambda: not data.busy)
    questions.answer = OUT
    starter = started_runs(data)
    with qtbot.waitSignal(starter.failed) as blocker:
        starter.start()
    assert blocker.args is not None and "No column" in blocker.args[0]
    assert not starter.is_busy and session.document.runs.list_all() == ()

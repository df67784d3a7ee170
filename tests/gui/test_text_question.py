"""Starting a run on a table with undecided free text asks once whether to learn from its words."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from studio.gui.base.question import QuestionBox
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.decisions import find_undecided_texts
from studio.gui.drafts.run_model import RunModel
from studio.gui.drafts.starter import Starter
from studio.gui.session.session import Session
from tests.facts import contains_facts

pytestmark = pytest.mark.slow

ROWS = 120
WORDS = ["refund", "late", "parcel", "invoice", "login", "crash", "screen", "thanks"]


class Questions(list[str]):
    """Texts of the questions asked so far with their default answers, and the next answer."""

    answer = "cancel"


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> Questions:
    question_log = Questions()

    def press(box: QuestionBox) -> int:
        assert box.defaultButton().objectName() in {"learn", "ignore"}
        question_log.append(f"{box.text()}\n{box.informativeText()}")
        next(each for each in box.buttons() if each.objectName() == question_log.answer).click()
        return 0

    monkeypatch.setattr(QuestionBox, "exec", press)
    return question_log


@pytest.fixture
def opened(session: Session, helper: Any, qtbot: QtBot, tmp_path: Path) -> Callable[..., DataModel]:
    """Return a function that opens a table with columns of free text, mostly distinct ones."""

    def read(*names: str, leak: str = "", distinct: int = ROWS) -> DataModel:
        rng = np.random.default_rng(4)
        columns = []
        for _ in names:
            texts = [" ".join(rng.choice(WORDS, 6)) for _ in range(distinct)]
            columns.append([texts[i % distinct] for i in range(ROWS)])
        if leak:
            columns.append(["2024-02-05" if i % 3 == 0 else "" for i in range(ROWS)])
        columns += [[str(i * 7 % 31) for i in range(ROWS)], ["yn"[i % 3 > 0] for i in range(ROWS)]]
        header = [*names, *filter(None, [leak]), "size", "team"]
        path = tmp_path / "tickets.csv"
        lines = [header, *zip(*columns, strict=True)]
        path.write_text("".join(",".join(each) + "\n" for each in lines), "utf-8")
        data = DataModel(session, helper)
        data.open_file(path)
        qtbot.waitUntil(lambda: data.is_ready and not data.busy)
        return data

    return read


@pytest.fixture
def start(
    session: Session, helper: Any, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> Callable[[DataModel], dict[str, Any]]:
    """Return a function that starts a run and returns the source in its record."""
    monkeypatch.setattr(session.control, "start", lambda run: None)

    def make(data: DataModel) -> dict[str, Any]:
        starter = Starter(session, helper, data, RunModel(session, helper))
        with qtbot.waitSignal(starter.started):
            starter.start()
        source: dict[str, Any] = session.document.runs.list_all()[-1].settings["source"]
        return source

    return make


@pytest.mark.parametrize("distinct", [ROWS, 80])
def test_chosen_words_are_recorded_and_asked_once(
    opened: Any, start: Any, questions: Questions, distinct: int
) -> None:
    data = opened("note", distinct=distinct)
    questions.answer = "learn"
    assert start(data)["kinds"] == {"note": "text"}
    assert start(data)["kinds"] == {"note": "text"}
    (question,) = questions
    assert contains_facts(question, "“note”", f"\n{distinct} of {ROWS}")


def test_run_without_words_is_asked_once(
    opened: Any, start: Any, questions: Questions, session: Session
) -> None:
    data = opened("note")
    questions.answer = "omit"
    assert start(data)["kinds"] == start(data)["kinds"] == {"note": "category"}
    assert len(questions) == 1
    run = session.document.runs.list_all()[-1]
    columns = session.document.tables.describe(run.table_id)["columns"]
    assert {each["name"]: each["role"] for each in columns}["note"] == "ignore"
    data.history.undo()
    questions.answer = "learn"
    assert start(data)["kinds"] == {"note": "text"}
    assert len(questions) == 2


def test_cancelled_question_starts_no_run(
    opened: Any, questions: Questions, session: Session, helper: Any
) -> None:
    data = opened("note")
    starter = Starter(session, helper, data, RunModel(session, helper))
    starter.start()
    assert len(questions) == 1
    assert not starter.is_busy and session.document.runs.list_all() == ()
    assert data.draft.kinds == {} and len(find_undecided_texts(data.draft)) == 1


def test_several_texts_need_one_question(opened: Any, start: Any, questions: Questions) -> None:
    data = opened("note", "reply")
    questions.answer = "learn"
    assert start(data)["kinds"] == {"note": "text", "reply": "text"}
    (question,) = questions
    assert contains_facts(question, "2 columns", "\nnote: ", "\nreply: ")


@pytest.mark.parametrize(
    "decide",
    [
        lambda data: data.set_role("note", "ignore"),
        lambda data: data.set_role("note", "feature"),
        lambda data: data.set_kind("note", "category"),
        lambda data: data.set_kind("note", "text"),
        lambda data: data.change(treatments={"note": "merge 10"}),
    ],
)
def test_decided_text_is_not_asked_about(
    opened: Any, questions: Questions, start: Any, qtbot: QtBot, decide: Callable[..., None]
) -> None:
    data = opened("note", distinct=80)
    decide(data)
    qtbot.waitUntil(lambda: not data.busy)
    start(data)
    assert not questions


def test_leak_is_asked_about_before_text(
    opened: Any, start: Any, questions: Questions, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = opened("note", leak="closed on")
    answers = iter(["ignore", "learn"])
    monkeypatch.setattr(Questions, "answer", property(lambda _: next(answers)))
    source = start(data)
    assert (source["roles"], source["kinds"]) == ({"closed on": "ignore"}, {"note": "text"})
    assert ["“closed on”" in questions[0], "“note”" in questions[1]] == [True, True]

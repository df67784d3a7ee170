"""Starting a run with the Run button."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from studio.data.description import Finding
from studio.gui.drafts.advice_model import AdviceModel
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.run_model import RunModel
from studio.gui.drafts.starter import Starter
from studio.gui.pages.run.settings import RunSettingsForm
from studio.gui.pages.run.start_card import StartCard
from studio.gui.session.session import Session
from studio.phrases import phrase
from studio.space.editing import remove
from studio.space.library import load
from tests.facts import contains_facts

pytestmark = pytest.mark.slow


@pytest.fixture
def data(session: Session, helper: Any, qtbot: QtBot, tmp_path: Path) -> DataModel:
    data_model = DataModel(session, helper)
    path = tmp_path / "t.csv"
    path.write_text("a,target\n" + "1,x\n2,y\n1,y\n2,x\n" * 10, "utf-8")
    data_model.open_file(path)
    qtbot.waitUntil(lambda: data_model.is_ready)
    return data_model


@pytest.fixture
def draft(session: Session, helper: Any) -> RunModel:
    return RunModel(session, helper)


@pytest.fixture
def starter(
    session: Session, helper: Any, data: DataModel, draft: RunModel, monkeypatch: pytest.MonkeyPatch
) -> Starter:
    monkeypatch.setattr(session.control, "start", lambda run: None)
    return Starter(session, helper, data, draft)


def test_rewritten_file_is_previewed_before_run(
    starter: Starter, helper: Any, qtbot: QtBot, data: DataModel
) -> None:
    path = Path(data.draft.path)
    path.write_text("b,target\n" + "1,late\n2,early\n1,early\n" * 20, "utf-8")
    with qtbot.waitSignal(starter.failed) as blocker:
        starter.start()
    assert "changed since" in blocker.args[0]
    qtbot.waitUntil(lambda: data.draft.n_rows == 60)
    assert "import_table" not in [name for name, _ in helper.asked]
    with qtbot.waitSignal(starter.started):
        starter.start()


def test_start_waits_for_table(
    starter: Starter, helper: Any, qtbot: QtBot, data: DataModel
) -> None:
    helper.holds_replies = True
    data.set_option("separator", ",")
    starter.start()
    assert starter.is_busy
    assert [name for name, _ in helper.asked].count("import_table") == 0
    helper.holds_replies = False
    with qtbot.waitSignal(starter.started) as blocker:
        helper.release()
    assert blocker.args == [1]
    assert not starter.is_busy


def test_repeated_presses_start_one_run(starter: Starter, qtbot: QtBot, session: Session) -> None:
    with qtbot.waitSignal(starter.started):
        for _ in range(20):
            starter.start()
    assert len(session.document.runs.list_all()) == 1
    (row,) = session.document.runs.list_all()
    assert row.settings["metric"] == "error"
    assert row.settings["source"]["target"] == "target"
    assert row.settings["advised"]
    assert row.settings["space"]["name"] == "best"


def test_custom_split_is_used(
    starter: Starter, qtbot: QtBot, session: Session, data: DataModel
) -> None:
    data.change(plan=dataclasses.replace(data.draft.plan, folds=3))
    with qtbot.waitSignal(starter.started):
        starter.start()
    (row,) = session.document.runs.list_all()
    assert not row.settings["advised"]
    assert row.settings["plan"]["folds"] == 3
    assert not row.settings["refit"]


def test_start_can_be_cancelled(
    starter: Starter, helper: Any, qtbot: QtBot, session: Session
) -> None:
    helper.holds_replies = True
    starter.start()
    starter.cancel()
    helper.release()
    assert not starter.is_busy
    assert session.document.runs.list_all() == ()


def test_invalid_space_blocks_start(starter: Starter, qtbot: QtBot, session: Session) -> None:
    space = load("svm-kernels")
    while space.parameters:
        space = remove(space, space.parameters[0].name)
    session.space.replace(space, "remove everything")
    with qtbot.waitSignal(starter.failed) as blocker:
        starter.start()
    assert "search space" in blocker.args[0]
    assert not starter.is_busy


@pytest.mark.parametrize(("key", "fits"), [("dummy", False), ("svr", False), ("svm-rbf", True)])
def test_space_without_suitable_learner_blocks_start(
    starter: Starter, qtbot: QtBot, session: Session, key: str, fits: bool
) -> None:
    with qtbot.waitSignal(starter.readiness_changed):
        session.space.replace(load(key), "start from it")
    assert ("search space" in starter.get_blocking_problem()) != fits


def test_invalid_settings_are_reported(
    starter: Starter, qtbot: QtBot, session: Session, draft: RunModel
) -> None:
    draft.change(budget=0)
    with qtbot.waitSignal(starter.failed) as blocker:
        starter.start()
    assert "one trial" in blocker.args[0]
    assert session.document.runs.list_all() == ()


def test_failed_engine_start_is_reported(
    starter: Starter, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, session: Session
) -> None:
    def fail(run: int) -> None:
        raise OSError("too many processes")

    monkeypatch.setattr(session.control, "start", fail)
    with qtbot.waitSignal(starter.failed) as blocker:
        starter.start()
    assert "too many processes" in blocker.args[0]


def test_cancelled_start_creates_no_run(
    starter: Starter, helper: Any, qtbot: QtBot, session: Session
) -> None:
    with qtbot.waitSignal(starter.started):
        starter.start()
    started_runs: list[int] = []
    starter.started.connect(started_runs.append)
    helper.holds_replies = True
    starter.start()
    assert helper.asked[-1][0] == "create_run"
    starter.cancel()
    assert not starter.is_busy
    helper.holds_replies = False
    helper.release()
    qtbot.waitUntil(lambda: len(session.document.runs.list_all()) == 1)
    assert started_runs == []


def test_rapid_start_and_stop_create_one_run(
    starter: Starter, helper: Any, qtbot: QtBot, session: Session
) -> None:
    started_runs: list[int] = []
    starter.started.connect(started_runs.append)
    for _ in range(6):
        starter.start()
        starter.start()
        starter.cancel()
    with qtbot.waitSignal(starter.started):
        starter.start()
    qtbot.waitUntil(lambda: [row.id for row in session.document.runs.list_all()] == started_runs)
    assert len(started_runs) == 1


def test_no_engine_is_started_for_closed_document(
    starter: Starter, helper: Any, qtbot: QtBot, tmp_path: Path, session: Session
) -> None:
    with qtbot.waitSignal(starter.started):
        starter.start()
    started_runs: list[int] = []
    starter.started.connect(started_runs.append)
    first = session.path
    assert first is not None
    helper.holds_replies = True
    starter.start()
    session.create(tmp_path / "other.studio")
    helper.holds_replies = False
    helper.release()
    qtbot.waitUntil(lambda: not starter.is_busy)
    assert started_runs == []


def test_run_names_are_unique(starter: Starter, qtbot: QtBot, session: Session) -> None:
    for _ in range(2):
        with qtbot.waitSignal(starter.started):
            starter.start()
        session.following.poll()
    names = [row.name for row in session.document.runs.list_all()]
    assert names == ["best", "best 2"]


def test_starter_reports_blocking_problem(
    starter: Starter, qtbot: QtBot, session: Session, draft: RunModel
) -> None:
    assert starter.get_blocking_problem() == ""
    draft.change(budget=0)
    qtbot.waitUntil(lambda: bool(starter.check.compatibility.problem))
    assert "one trial" in starter.get_blocking_problem()
    draft.change(budget=5)
    qtbot.waitUntil(lambda: not starter.check.compatibility.problem)
    session.close()
    assert "Open a table" in starter.get_blocking_problem()


def test_missing_table_is_reported_on_opening(
    starter: Starter, qtbot: QtBot, session: Session, data: DataModel
) -> None:
    """Reported on opening, not only at the start of a run; stored tables need no file."""
    document, table = session.path, Path(data.draft.path)
    assert document is not None
    table.unlink()
    session.close()
    session.open(document)
    qtbot.waitUntil(lambda: bool(data.error))
    assert "no file" in data.error
    assert starter.get_blocking_problem().endswith(data.error)

    data.mark_imported(1)
    session.close()
    session.open(document)
    assert (data.busy, data.error, starter.get_blocking_problem()) == ("", "", "")


def test_form_shows_automatic_refit_decision(
    qtbot: QtBot, session: Session, data: DataModel, draft: RunModel, helper: Any
) -> None:
    form = RunSettingsForm(draft, data, AdviceModel(data, draft, session, helper))
    qtbot.addWidget(form)
    draft.change(method="best", refit=None)
    form.show_draft()
    choice = form.refit_choice
    assert choice.values == (None, True, False), "the program may decide"
    assert contains_facts(choice.currentText(), "helps", "time")
    draft.change(cluster="tcp://10.0.0.5:8786")
    form.show_draft()
    assert "cluster" in form._refit_field.note_label.text(), "it is not refitted there"
    choice.activated.emit(2)
    assert draft.draft.refit is False
    draft.change(method="RS", refit=None)
    form.show_draft()
    assert choice.values == (True, False)
    assert choice.currentText() == "Yes", "other methods always refit"
    assert form.reveal("refit") is choice


def test_invalid_budget_blocks_run(
    starter: Starter, qtbot: QtBot, session: Session, data: DataModel, draft: RunModel, helper: Any
) -> None:
    form = RunSettingsForm(draft, data, AdviceModel(data, draft, session, helper))
    qtbot.addWidget(form)
    form.show()
    with qtbot.waitSignal(starter.readiness_changed):
        qtbot.keyClicks(form.fields.inputs["budget"], "abc")
    assert contains_facts(starter.get_blocking_problem(), "(trials)", "whole number")
    with qtbot.waitSignal(starter.failed):
        starter.start()
    form.fields.inputs["budget"].clear()
    qtbot.keyClicks(form.fields.inputs["budget"], "7")
    assert starter.get_blocking_problem() == ""
    assert draft.draft.budget == 7


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("target\n" + "x\ny\n" * 20, "No column"),
        ("a,target\n" + "1,x\n2,x\n" * 20, "the same value"),
        ("a,target\n" + "1,\n2,\n" * 20, "is empty"),
    ],
)
def test_useless_table_is_reported_before_start(
    starter: Starter, tmp_path: Path, qtbot: QtBot, text: str, expected: str, data: DataModel
) -> None:
    assert starter.get_blocking_problem() == ""
    path = tmp_path / "poor.csv"
    path.write_text(text, "utf-8")
    data.open_file(path)
    qtbot.waitUntil(lambda: expected in starter.get_blocking_problem())
    starter.start()
    assert not starter.is_busy


def test_unsuitable_metric_is_reported_before_start(
    starter: Starter, data: DataModel, draft: RunModel, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "prices.csv"
    path.write_text("a,price\n" + "".join(f"{i % 9},{1.5 * i}\n" for i in range(60)))
    data.open_file(path)
    qtbot.waitUntil(lambda: data.is_ready)
    assert data.draft.resolved_task == "regression"
    assert not starter.get_blocking_problem()
    draft.change(metric="mape")
    assert data.draft.explain_unsuitable_metric("mape") in starter.get_blocking_problem()
    draft.change(metric="mae")
    assert not starter.get_blocking_problem()


def test_run_without_leaking_column_copies_displayed_settings(
    starter: Starter, qtbot: QtBot, session: Session, data: DataModel, draft: RunModel
) -> None:
    path = Path(data.draft.path)
    path.write_text("a,b,target\n" + "1,3,x\n2,4,y\n1,4,x\n2,3,x\n1,3,y\n" * 8, "utf-8")
    data.reload_if_changed()
    qtbot.waitUntil(lambda: not data.busy and data.draft.n_rows == 40)
    draft.change(budget=7)
    data.set_kind("a", "category")
    qtbot.waitUntil(lambda: not data.busy)
    with qtbot.waitSignal(starter.started):
        starter.start()
    session.following.poll()
    data.set_role("a", "ignore")  # settings of the next run that were changed in the meantime
    draft.change(budget=99)
    qtbot.waitUntil(lambda: not data.busy)
    with qtbot.waitSignal(starter.started):
        starter.start_without(session.runs.get_view(1), ["b"])
    names = [each.name for each in session.document.runs.list_all()]
    assert names[1] == f"{names[0]} 2"
    first, second = (each.settings for each in session.document.runs.list_all())
    assert second["source"]["roles"] == {**first["source"]["roles"], "b": "ignore"}
    assert second["source"]["kinds"] == {"a": "category"}
    assert second["budget"] == first["budget"] == 7


def test_table_with_only_ignored_identifier_is_rejected(
    starter: Starter, qtbot: QtBot, data: DataModel
) -> None:
    path = Path(data.draft.path)
    rows = "".join(f"C-{i:04},{'xy'[i % 2]}\n" for i in range(60))
    path.write_text("key,target\n" + rows, "utf-8")
    data.reload_if_changed()
    qtbot.waitUntil(lambda: not data.busy and data.draft.n_rows == 60)
    blocking_reason = starter.get_blocking_problem()
    assert "60 of 60 values are distinct" in blocking_reason
    assert "“key”" in blocking_reason and "“feature”" in blocking_reason


def test_start_card_lists_open_decisions_and_starts(
    starter: Starter, qtbot: QtBot, data: DataModel
) -> None:
    time, note = QLineEdit(), QLabel("The result is ready when the time is up.")
    card = StartCard(starter, data, advice=QLabel(), time=time, notes=note)
    qtbot.addWidget(card)
    assert card.decisions_label.isHidden() and card.data_button.isHidden()
    preview = data.draft.preview
    assert preview is not None
    finding = Finding("sentinels", "decide", phrase("-999 may mean missing."), (), ("a",))
    data.draft = data.draft.with_changes(preview=dataclasses.replace(preview, findings=(finding,)))
    data.changed.emit()
    assert contains_facts(card.decisions_label.text(), "1 decision", "Data")
    with qtbot.waitSignal(card.data_page_requested):
        card.data_button.click()
    with qtbot.waitSignal(starter.started):  # no question: only leaks cause one
        card.start_button.click()


def test_start_card_states_problem_of_space_and_leads_there(
    starter: Starter, qtbot: QtBot, data: DataModel, session: Session
) -> None:
    card = StartCard(starter, data, advice=QLabel(), time=QLineEdit(), notes=QLabel())
    qtbot.addWidget(card)
    assert card.problem_label.isHidden() and card.space_button.isHidden()
    session.space.set_blocking_problem("C: raise it.")
    assert "C: raise it." in card.problem_label.text()
    assert not card.start_button.isEnabled() and not card.space_button.isHidden()
    with qtbot.waitSignal(card.space_page_requested):
        card.space_button.click()
    session.space.set_blocking_problem("")
    assert card.problem_label.isHidden() and card.space_button.isHidden()

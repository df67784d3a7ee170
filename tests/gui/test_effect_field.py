"""The field for monotonic constraints on the Data page."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from studio.data.distribution import Distribution
from studio.gui.drafts.advice_model import AdviceModel
from studio.gui.drafts.data_draft import DataDraft
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.decisions import apply_remedy, group_findings
from studio.gui.drafts.run_model import RunModel
from studio.gui.drafts.starter import MethodCheck
from studio.gui.pages.data.column_panel import explain_constraint, find_rarer_label
from studio.gui.pages.data.page import DataPage
from studio.gui.session.session import Session
from tests.facts import contains_facts
from tests.gui.previews import column, preview


@pytest.fixture
def window(tmp_path: Path, helper: Any, qtbot: QtBot) -> Iterator[SimpleNamespace]:
    session = Session()
    data, run = DataModel(session, helper), RunModel(session, helper)
    session.create(tmp_path / "d.studio")
    page = DataPage(data, run, AdviceModel(data, run, session, helper))
    qtbot.addWidget(page)
    page.resize(1280, 900)
    page.show()
    yield SimpleNamespace(session=session, data=data, run=run, page=page)
    session.close()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "loans.csv"
    rows = (
        f"{1000 + 37 * i % 900},20{10 + i % 12}-0{1 + i % 9}-1{i % 9},{'abc'[i % 3]},"
        f"{i % 5},{'no' if i % 4 else 'yes'}\n"
        for i in range(120)
    )
    path.write_text("income,since,region,grade,approved\n" + "".join(rows), "utf-8")
    return path


def open_table(window: SimpleNamespace, path: Path, qtbot: QtBot) -> None:
    window.data.open_file(path)
    qtbot.waitUntil(lambda: not window.data.busy)


def choose(field: Any, way: object) -> None:
    index = field.effect.values.index(way)
    field.effect.setCurrentIndex(index)
    field.effect.activated.emit(index)


@pytest.mark.slow
def test_monotonic_constraint_can_be_set_and_undone(
    window: SimpleNamespace, table: Path, qtbot: QtBot
) -> None:
    times = itertools.count(step=10.0)
    window.data.clock = lambda: next(times)
    history = window.data.history
    open_table(window, table, qtbot)
    before = window.data.draft.preview
    window.page.choose_column("income")
    field = window.page.panel.effect
    assert field.isVisible()
    assert contains_facts(field.note_label.text(), "probability", "“yes”")
    choose(field, "up")
    assert window.data.draft.make_source().monotone == {"income": "up"}
    assert window.data.draft.preview is before, "the table stays as it was read"
    assert "trees, forests" in field.note_label.text()
    assert window.data.draft.request()["monotone"] == {"income": "up"}
    (choice,) = group_findings(window.data.draft).user_choices
    assert contains_facts(choice.sentence, "never lowers")
    apply_remedy(window.data, choice, choice.remedies[0])
    assert (window.data.draft.monotone, field.effect.currentIndex()) == ({}, 0)
    history.undo()
    assert window.data.draft.monotone == {"income": "up"}
    assert DataDraft.from_json(window.data.draft.to_json()).monotone == {"income": "up"}
    window.page.choose_column("since")
    choose(field, "down")
    assert "month, weekday or" in field.note_label.text()
    window.page.choose_column("region")
    assert not field.isVisible()
    window.data.set_role("income", "ignore")
    qtbot.waitUntil(lambda: window.data.draft.make_source().monotone == {"since": "down"})
    window.data.set_role("grade", "target")
    assert window.data.draft.monotone == {}, "it was said of another answer"


@pytest.mark.slow
def test_constraints_reject_incompatible_ensemble(
    window: SimpleNamespace, table: Path, helper: Any, qtbot: QtBot
) -> None:
    check = MethodCheck(window.data, window.run, helper)
    window.run.change(method="RS-post", overrides={"ensemble": "stacking"})
    open_table(window, table, qtbot)
    window.data.set_effect("income", "up")
    qtbot.waitUntil(lambda: "negative weight" in check.compatibility.problem)
    window.data.set_effect("income", None)
    qtbot.waitUntil(lambda: not check.compatibility.problem)


@pytest.mark.slow
def test_constraints_are_disabled_for_several_classes(
    window: SimpleNamespace, table: Path, qtbot: QtBot
) -> None:
    open_table(window, table, qtbot)
    window.data.set_role("region", "target")
    qtbot.waitUntil(lambda: window.data.draft.resolved_task == "multiclass")
    window.page.choose_column("income")
    field = window.page.panel.effect
    assert not field.effect.isEnabled()
    assert "two classes" in field.note_label.text()


def test_effect_field_shows_prediction_or_rarer_class() -> None:
    income = column("income")
    distribution = Distribution((30, 70), ("late", "in time"))
    table_preview = preview(
        income, column("y", role="target", kind="category", distribution=distribution)
    )
    assert find_rarer_label(table_preview) == "late"
    equal = Distribution((50, 50), ("late", "in time"))
    even = preview(income, column("y", role="target", kind="category", distribution=equal))
    assert (find_rarer_label(even), find_rarer_label(None)) == ("", "")
    text = explain_constraint(income, DataDraft(preview=even, task="binary"), is_user_choice=False)
    assert contains_facts(text, "probability", "rarer class", " y.")
    number = DataDraft(preview=table_preview, task="regression")
    text = explain_constraint(income, number, is_user_choice=False)
    assert text.endswith("value of y.") and "probability" not in text


def test_old_draft_has_no_constraints() -> None:
    content = DataDraft(path="t.csv").to_json()
    del content["monotone"]
    assert DataDraft.from_json(content).monotone == {}

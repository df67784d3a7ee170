"Train/validation/test split."

from typing import Literal

import pytest
from pytestqt.qtbot import QtBot

from studio.data.splits import PROTOCOLS, SplitPlan
from studio.gui.widgets.split_field import SplitField, describe_plan
from tests.facts import contains_facts
from tests.gui.previews import column


@pytest.fixture
def field(qtbot: QtBot) -> SplitField:
    split_field = SplitField()
    qtbot.addWidget(split_field)
    split_field.plan_changed.connect(lambda plan: split_field.show_plan(plan, 1000))
    split_field.show_plan(SplitPlan(), 1000)
    return split_field


def test_remaining_share_is_recomputed(field: SplitField, qtbot: QtBot) -> None:
    plans: list[SplitPlan] = []
    field.plan_changed.connect(plans.append)
    field.edits["test"].clear()
    qtbot.keyClicks(field.edits["test"], "30")
    assert plans[-1].shares == (0.5, 0.2, 0.3)
    assert contains_facts(field.note_label.text(), "500 rows", " 200 ", " 300 ")


def test_invalid_shares_are_reported(field: SplitField, qtbot: QtBot) -> None:
    field.edits["test"].clear()
    qtbot.keyClicks(field.edits["test"], "98")
    assert "No rows" in field.note_label.text()
    assert field.edits["test"].property("valid") == "false"


@pytest.mark.parametrize("equal_rows", ["together", "apart"])
def test_paper_split_keeps_setting_for_equal_rows(
    field: SplitField, equal_rows: Literal["together", "apart"]
) -> None:
    field.show_plan(SplitPlan(equal_rows=equal_rows, seed=3), 1000)
    plans: list[SplitPlan] = []
    field.plan_changed.connect(plans.append)
    field.preset.activated.emit([each.key for each in PROTOCOLS].index("EO"))
    assert (plans[-1].folds, plans[-1].equal_rows, plans[-1].seed) == (5, equal_rows, 3)


def test_row_constraints_are_described(field: SplitField) -> None:
    field.show_plan(SplitPlan(), 1000, row_constraint="group")
    assert contains_facts(field.note_label.text(), "200 ", "one group")
    field.show_plan(SplitPlan(), 1000, row_constraint="time")
    assert contains_facts(field.note_label.text(), "time order", "latest rows")
    folds = describe_plan(SplitPlan(folds=5), 1000, row_constraint="time")
    assert contains_facts(folds, "latest rows", "each fold")


def test_class_shares_are_described() -> None:
    stratified = "(stratified)."
    assert describe_plan(SplitPlan(), 1000, classes=True).endswith(stratified)
    assert stratified not in describe_plan(SplitPlan(), 1000, classes=False)
    assert "where classes" in describe_plan(SplitPlan(), 1000), "of several tables"


def test_rules_of_several_tables_are_described() -> None:
    stratified = "(stratified)."
    plan = SplitPlan()
    assert stratified not in describe_plan(plan, 100, rules={"a": "time", "b": "group"})
    text = describe_plan(plan, 100, rules={"a": "time", "b": "group", "c": "classes", "d": "time"})
    assert contains_facts(text, "60 rows", "a, d: in time", "b: rows", "c: classes")
    assert describe_plan(plan, 100, rules={"a": "time", "b": "time"}) == describe_plan(
        plan, 100, row_constraint="time"
    )
    assert describe_plan(plan, 100, rules={"a": "classes"}).endswith(stratified)
    assert stratified not in describe_plan(plan, 100, rules={"a": "numbers"})
    assert "each fold" in describe_plan(SplitPlan(folds=5), 100, rules={"a": "time", "b": ""})


def test_split_cap_is_described() -> None:
    text = describe_plan(SplitPlan(cap=100), 1000)
    assert contains_facts(text, "100 rows", " 700 ", " 200 ")


def test_fold_field_follows_split_kind(field: SplitField) -> None:
    plans: list[SplitPlan] = []
    field.plan_changed.connect(plans.append)
    field.kind.activated.emit(1)
    assert plans[-1].folds == 5
    assert field.edits["folds"].text() == "5"
    assert contains_facts(describe_plan(plans[-1], 100), "5 folds", "80 rows", "20 rows")
    field.kind.activated.emit(0)
    assert plans[-1].folds is None
    assert plans[-1] == SplitPlan()


def test_paper_split_is_selected_by_name(field: SplitField) -> None:
    plans: list[SplitPlan] = []
    field.plan_changed.connect(plans.append)
    keys = [each.key for each in PROTOCOLS]
    field.preset.activated.emit(keys.index("thesis3"))
    assert (plans[-1].folds, plans[-1].cap) == (5, 5000)
    field.preset.activated.emit(len(keys))
    assert field.edits["cap"].isVisibleTo(field)
    assert field.edits["cap"].text() == "5000"


def test_row_constraint_fields_list_columns(field: SplitField) -> None:
    role_requests: list[tuple[str, object]] = []
    field.row_role_requested.connect(lambda role, name: role_requests.append((role, name)))
    columns = column("who", role="group"), column("when"), column("y", role="target")
    field.show_columns(columns)
    assert [field.rows["group"].itemText(i) for i in range(3)] == ["none", "who", "when"]
    assert field.rows["group"].currentText() == "who"
    assert not field.rows["time"].isEnabled()
    field.rows["weight"].activated.emit(2)
    field.rows["group"].activated.emit(0)
    assert role_requests == [("weight", "when"), ("group", None)]


def test_date_columns_are_listed_first_for_time(field: SplitField) -> None:
    columns = column("id"), column("n"), column("when", kind="date"), column("y", role="target")
    field.show_columns(columns)
    order = [field.rows["time"].itemText(i) for i in range(4)]
    assert order == ["none", "when", "id", "n"]
    assert field.rows["group"].itemText(1) == "id"


def test_split_of_unread_table_is_not_described() -> None:
    assert describe_plan(SplitPlan(), 0) == ""


def test_automatic_split_can_be_customised(field: SplitField, qtbot: QtBot) -> None:
    field.show_plan(SplitPlan(), 1000, program=True)
    assert "the program" in field.preset.currentText()
    assert "run starts" in field.note_label.text() and "200 rows" in field.note_label.text()
    assert not any(edit.isVisibleTo(field) for edit in field.edits.values())
    reason = "8 folds: the time allows it"
    field.show_plan(SplitPlan(), 1000, program=True, words=reason)
    assert contains_facts(field.note_label.text(), f"{reason}. ", "200 rows")
    for row_constraint in ("", "time", "group"):  # copies, days and groups are not split
        field.show_plan(
            SplitPlan(), 1000, program=True, words=reason, row_constraint=row_constraint
        )
        assert "About 200 rows" in field.note_label.text()
    with qtbot.waitSignal(field.custom_split_requested):
        field.preset.activated.emit(field.preset.findText("Custom split"))
    field.show_plan(SplitPlan(folds=8), 1000, program=False)
    assert field.preset.currentText() == "Custom split"
    assert field.edits["folds"].isVisibleTo(field)
    with qtbot.waitSignal(field.automatic_split_requested):
        field.preset.activated.emit(0)


def test_fixed_split_method_offers_no_automatic_split(field: SplitField) -> None:
    assert not any(
        "program" in field.preset.itemText(index) for index in range(field.preset.count())
    )


@pytest.mark.parametrize("kept", ["", "group", "time"])
@pytest.mark.parametrize("plan", [SplitPlan(), SplitPlan(folds=4), SplitPlan(cap=90)], ids=str)
def test_separate_test_file_disables_test_share(
    field: SplitField, plan: SplitPlan, kept: str
) -> None:
    field.show_plan(plan, 1000, row_constraint=kept, test_file="later.csv")
    text = field.note_label.text()
    assert "later.csv" in text
    assert contains_facts(
        text, *(["1,000 rows"] if plan.folds else ["90", "910"] if plan.cap else ["750", "250"])
    )
    assert "200" not in text
    assert "latest" not in text
    assert not field.edits["test"].isEnabled()
    field.show_plan(plan, 1000, row_constraint=kept)
    assert "later.csv" not in field.note_label.text()
    assert field.edits["test"].isEnabled()


def test_automatic_split_omits_test_rows_with_test_file(field: SplitField) -> None:
    field.show_plan(SplitPlan(), 1000, program=True, words="5 folds")
    assert "200" in field.note_label.text()
    field.show_plan(SplitPlan(), 1000, program=True, words="5 folds", test_file="later.csv")
    assert contains_facts(field.note_label.text(), "5 folds", "later.csv")
    assert "200" not in field.note_label.text()

"""Settings of a learner's library, found by name, added, checked by the library and undone."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.errors import SpaceError
from studio.gui.pages.space import branches, edits
from studio.gui.pages.space.learners import SettingDialog
from studio.gui.pages.space.outline import make_outline
from studio.gui.pages.space.page import SpacePage
from studio.learners.library_spaces import propose_parameters
from studio.learners.registry import REGISTRY
from studio.parts import find_part
from studio.space.base import Condition
from studio.space.choices import Categorical, Constant
from studio.space.library import load
from studio.space.space import Space
from tests.facts import contains_facts
from tests.gui.test_names_and_tooltips import find_nameless

pytestmark = pytest.mark.slow

LONG = 60_000


def dart() -> Any:
    return propose_parameters(find_part(REGISTRY, "lightgbm", "learner"), "drop_rate", "binary")


def open_settings_dialog(page: SpacePage, value: str) -> None:
    rows = page.editor.outline.rows
    page.editor.select_row(next(r for r in rows if r.rule is not None and r.value == value).key)


def opened(page: SpacePage, qtbot: QtBot) -> SettingDialog:
    page.tree_actions.tree_commands["space.setting"].trigger()
    (dialog,) = [
        each
        for each in QApplication.topLevelWidgets()
        if isinstance(each, SettingDialog) and each.isVisible()
    ]
    qtbot.waitUntil(lambda: dialog.list.count() > 0)
    return dialog


@pytest.fixture
def boosted(page: SpacePage) -> SpacePage:
    page.begin_with("compact-boosted")
    page.editor.flush()
    open_settings_dialog(page, "lightgbm")
    return page


def test_row_menu_contains_learner_name(boosted: SpacePage) -> None:
    action = boosted.tree_actions.tree_commands["space.setting"]
    assert "LightGBM" in action.text()
    assert action.isEnabled()
    boosted.editor.select_row(boosted.editor.outline.rows[0].key)  # the choice among six learners
    assert not action.isEnabled()


def test_reply_after_closing_is_ignored(boosted: SpacePage, helper: Any, qtbot: QtBot) -> None:
    helper.holds_replies = True
    boosted.tree_actions.tree_commands["space.setting"].trigger()
    dialog = boosted.findChild(SettingDialog)
    assert dialog is not None
    dialog.reject()
    qtbot.waitUntil(lambda: boosted.findChild(SettingDialog) is None)
    helper.release()
    assert "library_settings" in [task for task, _ in helper.asked]


@pytest.mark.parametrize(
    ("typed", "setting"), [("num_leavs", "num_leaves"), ("feature fractoin", "colsample_bytree")]
)
def test_misspelt_setting_shows_nearest_names_first(
    boosted: SpacePage, qtbot: QtBot, typed: str, setting: str
) -> None:
    dialog = opened(boosted, qtbot)
    QTest.keyClicks(dialog.search, typed)
    items = [dialog.list.item(row) for row in range(dialog.list.count())]
    shown = [each.text() for each in items if not each.isHidden()]
    assert any(each.startswith(f"{setting}  ·") for each in shown) and len(shown) <= 3
    text = dialog.status_label.text()
    assert text.index(f"“{typed}”") < text.index(setting), "the unknown one, then the nearest"
    assert text.endswith("?") and not dialog.ok.isEnabled()
    QTest.keyClick(dialog.search, Qt.Key.Key_Return)  # must not add what was not typed
    assert dialog.isVisible() and boosted.editor.space == load("compact-boosted")
    QTest.keyClick(dialog.search, Qt.Key.Key_Down)
    assert dialog.list.current_key.name in {each.split("  ·")[0] for each in shown}
    dialog.reject()


def test_unrelated_setting_shows_none(boosted: SpacePage, qtbot: QtBot) -> None:
    dialog = opened(boosted, qtbot)
    QTest.keyClicks(dialog.search, "qqzz")
    assert all(dialog.list.item(row).isHidden() for row in range(dialog.list.count()))
    text = dialog.status_label.text()
    assert "“qqzz”" in text and not text.endswith("?")
    dialog.reject()


def test_setting_is_added_with_dependency(boosted: SpacePage, qtbot: QtBot) -> None:
    dialog = opened(boosted, qtbot)
    assert find_nameless(dialog) == []
    QTest.keyClicks(dialog.search, "rate_drop")  # also by LightGBM's name
    assert dialog.list.currentItem().text() == "drop_rate  ·  default 0.1"
    assert contains_facts(dialog.status_label.text(), "from 0", " 1")
    assert "boosting_type = dart" in dialog.status_label.text()
    QTest.keyClick(dialog.search, Qt.Key.Key_Return)
    space = boosted.editor
    qtbot.waitUntil(lambda: "lightgbm.drop_rate" in (space.space or load("dummy")))
    new_space = space.space
    assert new_space is not None
    assert new_space.get_parameter("lightgbm.drop_rate").conditions == (
        Condition("lightgbm.boosting_type", ("dart",)),
    )
    assert new_space.get_parameter("lightgbm.boosting_type").conditions == (
        Condition("algorithm", ("lightgbm",)),
    )
    assert space.current_row is not None
    assert space.current_row.key.name == "lightgbm.drop_rate"
    boosted.tree_actions.undo.trigger()
    assert space.space == load("compact-boosted")


def test_controlled_settings_are_listed_with_reason(boosted: SpacePage, qtbot: QtBot) -> None:
    dialog = opened(boosted, qtbot)
    QTest.keyClicks(dialog.search, "n_jobs")
    assert "one thread" in dialog.status_label.text()
    assert not dialog.ok.isEnabled()
    dialog.search.setText("num_leaves")
    assert not dialog.ok.isEnabled()  # in the space already
    dialog.search.setText("nothing of that kind")
    assert "“nothing of that kind”" in dialog.status_label.text()
    assert not dialog.ok.isEnabled()
    dialog.reject()


def test_library_problem_is_shown_in_its_row(boosted: SpacePage, qtbot: QtBot) -> None:
    editor = boosted.editor
    assert editor.add_setting("lightgbm", dart())
    row = editor.current_row
    assert row is not None
    editor.apply_edit(lambda space: edits.apply_input(space, row, "high", "1.5"))
    qtbot.waitUntil(lambda: bool(editor.library_problems))
    editor.flush()
    assert editor.meaning is not None
    text = "lightgbm.drop_rate must be a number from 0 up to 1; 1.5 was given."
    assert [each.message for each in editor.meaning.errors] == [text]
    assert text in editor.session.space.blocking_reason
    assert not editor.meaning.examples
    form = boosted.details.findChild(type(boosted.details.fields["high"]))
    assert form is not None
    assert boosted.details.fields["high"].note_label.text() == text
    current_row = editor.current_row
    assert current_row is not None
    editor.apply_edit(lambda space: edits.apply_input(space, current_row, "high", "0.5"))
    editor.flush()
    assert editor.library_problems == ()
    assert editor.session.space.blocking_reason == ""


def test_learner_of_row_is_found() -> None:
    space = branches.add_setting(load("compact-boosted"), "lightgbm", dart()).space
    rows = {(r.parameter.name, r.value): r for r in make_outline(space).rows if r.rule is not None}
    alone = {r.parameter.name: r for r in make_outline(space).rows if r.rule is None}
    assert branches.find_learner(space, rows["algorithm", "lightgbm"]) == "lightgbm"
    assert branches.find_learner(space, rows["lightgbm.boosting_type", "dart"]) == "lightgbm"
    assert branches.find_learner(space, alone["lightgbm.drop_rate"]) == "lightgbm"
    assert branches.find_learner(space, alone["algorithm"]) is None
    assert branches.find_learner(space, None) is None
    single = Space("one", (Constant("algorithm", "knn"),))
    assert branches.find_learner(single, None) == "knn"


def test_required_value_is_added_to_existing_choice() -> None:
    kind = Categorical(
        "how", ("gbdt", "rf"), sets="lightgbm.boosting_type",
        conditions=(Condition("algorithm", ("lightgbm",)),),
    )  # fmt: skip
    base = load("compact-boosted")
    space = Space("mine", (*base.parameters, kind))
    new_space = branches.add_setting(space, "lightgbm", dart()).space
    assert new_space.get_parameter("how").choices == ("gbdt", "rf", "dart")  # type: ignore[attr-defined]
    assert new_space.get_parameter("lightgbm.drop_rate").conditions == (
        Condition("how", ("dart",)),
    )
    assert "lightgbm.boosting_type" not in new_space
    with pytest.raises(SpaceError, match=r"drop_rate .*already"):
        branches.add_setting(new_space, "lightgbm", dart())


def test_new_row_can_be_renamed_to_library_setting() -> None:
    space = Space("one", (Constant("algorithm", "lightgbm"),))
    extended_space = edits.add(space, "float", None).space
    row = next(r for r in make_outline(extended_space).rows if r.parameter.name == "float")
    renamed_space = edits.rename(extended_space, row, "lightgbm.path_smooth").space
    assert renamed_space.get_parameter("lightgbm.path_smooth").sets == "lightgbm.path_smooth"

"""Constraints on columns: what of the space is not tried is greyed, counted out and named."""

from collections.abc import Mapping
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from studio.gui.base import theme
from studio.gui.drafts.advice_model import AdviceModel
from studio.gui.drafts.data_draft import DataDraft
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.run_model import RunModel
from studio.gui.drafts.searched_space import find_searched_space
from studio.gui.drafts.starter import Starter
from studio.gui.pages.run.form import RunForm
from studio.gui.pages.space.cells import NAME, VALUES
from studio.gui.pages.space.outline import OutlineRow
from studio.gui.pages.space.page import SpacePage
from studio.gui.pages.space.tree_model import SpaceTreeModel
from studio.gui.session.learner_names import get_learner_name
from studio.gui.session.session import Session
from studio.learners.choice import ALGORITHM
from studio.space import editing
from studio.space.library import load
from studio.space.space import Space

KEPT, DROPPED = ("lightgbm", "forest"), "logistic"


@pytest.fixture
def space() -> Space:
    """Return a space of two learners that keep constraints, and one that does not."""
    full_space = load("compact-boosted")
    (root,) = (each for each in full_space.parameters if each.sets == ALGORITHM)
    for value in root.choices:  # type: ignore[attr-defined]
        if value not in {*KEPT, DROPPED}:
            full_space = editing.remove_choice(full_space, root.name, value)
    return full_space


def constrain(page: SpacePage, constraints: Mapping[str, Any]) -> None:
    page.editor.data.change(monotone=constraints)
    page.editor.flush()


def find_row(page: SpacePage, value: str) -> OutlineRow:
    return next(row for row in page.editor.outline.rows if row.value == value)


@pytest.mark.slow
def test_part_is_counted_and_drawn(page: SpacePage, space: Space) -> None:
    page.editor.replace_space(space)
    page.editor.flush()
    facts = page._facts_label
    n_dropped = len([each for each in space.columns if each.name.startswith(DROPPED)])
    assert n_dropped and f"{space.n_tuned} " in facts.text()
    constrain(page, {"age": "up"})
    assert f"{space.n_tuned - n_dropped} " in facts.text()
    assert get_learner_name(DROPPED) in facts.text() and "“age”" in facts.text()
    for _ in range(5):
        page.editor.resample()
        assert page.editor.meaning is not None
        assert page.editor.meaning.n_dimensions == space.dimensions - n_dropped
        algorithms = {each["algorithm"] for each in page.editor.meaning.examples}
        assert algorithms <= set(KEPT)
    constrain(page, {})
    assert f"{space.n_tuned} " in facts.text() and "“age”" not in facts.text()


@pytest.mark.slow
def test_branch_is_greyed_with_reason(page: SpacePage, space: Space) -> None:
    page.editor.replace_space(space)
    page.editor.flush()
    model = page.tree.model()
    assert isinstance(model, SpaceTreeModel)
    page.editor.choose_example(None)

    def get(row: OutlineRow, role: Qt.ItemDataRole) -> Any:
        column = VALUES if role == Qt.ItemDataRole.DisplayRole else NAME
        return model.data(model.get_index(row, column), role)

    assert get(find_row(page, DROPPED), Qt.ItemDataRole.DisplayRole) == ""
    changed = []
    model.dataChanged.connect(lambda top, _: changed.append(top.internalId()))
    constrain(page, {"age": "up"})
    page.editor.choose_example(None)
    row = find_row(page, DROPPED)
    remark = page.editor.searched.remark
    assert remark and get(row, Qt.ItemDataRole.DisplayRole) == remark
    below = page.editor.outline.get_children(row)
    assert below and {row.number, *below} <= set(changed)
    for number in (row.number, *below):
        colour = get(page.editor.outline.rows[number], Qt.ItemDataRole.ForegroundRole)
        assert colour.name() == theme.current().muted
    assert remark not in get(page.editor.outline.rows[below[0]], Qt.ItemDataRole.DisplayRole)
    kept = find_row(page, KEPT[0])
    assert remark not in get(kept, Qt.ItemDataRole.DisplayRole)
    assert get(kept, Qt.ItemDataRole.ForegroundRole).name() == theme.current().text


def test_space_without_suitable_learner_is_explained(space: Space) -> None:
    draft = DataDraft(monotone={"age": "up"}, task="binary")
    for value in KEPT:
        space = editing.remove_choice(space, "algorithm", value)
    searched = find_searched_space(space, draft)
    assert searched.space == space and searched.reason != ""
    unconstrained = find_searched_space(space, DataDraft(task="binary"))
    assert (unconstrained.sentence, unconstrained.remark) == ("", "")


def test_excluded_operators_are_named() -> None:
    searched = find_searched_space(load("large-cash"), DataDraft(monotone={"age": "up"}))
    assert not searched.is_excluded("algorithm", "forest")
    assert searched.is_excluded("algorithm", "knn")
    names = [each.name for each in searched.space.parameters]
    assert any(name.startswith("forest.") for name in names)
    assert not any(name.startswith("knn.") for name in names)


def test_effects_are_grouped_by_direction_and_left_out_learners_named(space: Space) -> None:
    constraints: dict[str, Any] = {"age": "up", "height": "down", "weight": "up"}
    draft = DataDraft(monotone=constraints, task="binary")
    text = find_searched_space(space, draft).sentence
    up, down = (text.index(each) for each in ("lower", "raise"))
    assert text.index("“age”") < text.index("“weight”") < up < text.index("“height”") < down
    assert get_learner_name(DROPPED) in text
    assert all(get_learner_name(each) not in text for each in KEPT)
    trees = editing.remove_choice(space, "algorithm", DROPPED)
    text = find_searched_space(trees, draft).sentence
    assert "“age”" in text and text.count(".") == 1, "the constraint alone"
    multiclass = DataDraft(monotone=constraints, task="multiclass")
    for each in (multiclass, DataDraft(task="binary")):
        assert find_searched_space(space, each).sentence == ""


def test_constraint_without_suitable_learner_is_named_with_reason(space: Space) -> None:
    for value in KEPT:
        space = editing.remove_choice(space, "algorithm", value)
    searched = find_searched_space(space, DataDraft(monotone={"age": "up"}, task="binary"))
    assert "“age”" in searched.sentence
    assert searched.sentence.endswith(searched.reason)


@pytest.mark.slow
@pytest.mark.parametrize("is_space_chosen", [True, False])
def test_start_of_run_names_constraint(
    session: Session, helper: Any, qtbot: QtBot, is_space_chosen: bool
) -> None:
    data, run = DataModel(session, helper), RunModel(session, helper)
    advice, starter = AdviceModel(data, run, session, helper), Starter(session, helper, data, run)
    form = RunForm(run, data, session, advice=advice, starter=starter)
    qtbot.addWidget(form)
    label = form.start_card.constraint_label
    assert label.isHidden()
    data.change(task="binary")
    if is_space_chosen:
        session.space.replace(load("compact-boosted"), "choose")
    data.change(monotone={"age": "up"})
    assert not label.isHidden() and "“age”" in label.text()
    assert get_learner_name("forest") not in label.text()
    for key, is_left_out in (
        ("gradient-boosting", is_space_chosen),
        ("real-mlp", not is_space_chosen),
    ):
        assert (get_learner_name(key) in label.text()) == is_left_out, "of the searched space"
    data.change(monotone={})
    assert label.isHidden()

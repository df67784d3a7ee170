"""Composing a method: form, check, and storage."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from studio.gui.drafts.advice_model import AdviceModel
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.run_model import RunModel
from studio.gui.drafts.starter import Starter
from studio.gui.pages.run.form import RunForm
from studio.gui.session.learner_names import get_learner_name
from studio.gui.session.session import Session
from studio.space.library import load
from tests.facts import contains_facts
from tests.gui.visible_content import pick

pytestmark = pytest.mark.slow


@pytest.fixture
def run_setup(tmp_path: Path, helper: Any, qtbot: QtBot) -> Iterator[SimpleNamespace]:
    session = Session()
    session.create(tmp_path / "d.studio")
    data, run = DataModel(session, helper), RunModel(session, helper)
    starter = Starter(session, helper, data, run)
    path = tmp_path / "t.csv"
    path.write_text("a,b,target\n" + "1,3,x\n2,4,y\n1,3,y\n" * 20, "utf-8")
    data.open_file(path)
    qtbot.waitUntil(lambda: data.is_ready)
    run.request_catalogue()
    qtbot.waitUntil(lambda: run.catalogue is not None)
    form = RunForm(
        run, data, session, advice=AdviceModel(data, run, session, helper), starter=starter
    )
    qtbot.addWidget(form)
    form.show()
    yield SimpleNamespace(form=form, run=run, starter=starter, data=data, session=session)
    session.close()


def test_inapplicable_parts_are_hidden(run_setup: SimpleNamespace, qtbot: QtBot) -> None:
    run_setup.run.change(method="EO-sig")
    qtbot.mouseClick(run_setup.form.from_parts, Qt.MouseButton.LeftButton)
    cards = run_setup.form.parts.cards
    assert "acquisition" in cards
    pick(cards["proposer"].choice, "random")
    assert list(run_setup.form.parts.cards) == ["proposer", "evaluation", "ensemble"]
    assert run_setup.run.draft.overrides == {"proposer": "random", "ensemble": "greedy"}
    assert contains_facts(run_setup.form.bar.name_label.text(), "Random search", "Greedy selection")


def test_evaluation_section_expands_fully_and_collapses_without_gap(
    run_setup: SimpleNamespace, qtbot: QtBot
) -> None:
    form, settings = run_setup.form, run_setup.form.settings
    form.resize(1200, 650)
    y = settings.more_section.y()
    settings.evaluation.header_button.setChecked(True)

    column = settings.evaluation.content.layout()
    parts = [column.itemAt(position).widget() for position in range(column.count())]

    def is_cut(part: QWidget) -> bool:
        return part.height() < part.heightForWidth(part.width())

    qtbot.waitUntil(lambda: not any(map(is_cut, parts)))
    settings.evaluation.header_button.setChecked(False)
    qtbot.waitUntil(lambda: settings.more_section.y() == y)


def test_late_advice_does_not_shift_layout(
    run_setup: SimpleNamespace, helper: Any, qtbot: QtBot
) -> None:
    form = run_setup.form
    form.resize(1200, 650)
    qtbot.waitUntil(form.advice.isVisible)
    y = form.start_card.start_button.y()
    helper.holds_replies = True
    run_setup.run.change(seconds=77.0)
    qtbot.waitUntil(lambda: not form.advice.isVisible())
    QApplication.processEvents()
    assert form.start_card.start_button.y() == y
    helper.holds_replies = False
    helper.release()
    qtbot.waitUntil(form.advice.isVisible)
    assert form.start_card.start_button.y() == y


def test_opening_another_document_clears_method_search(
    run_setup: SimpleNamespace, tmp_path: Path
) -> None:
    run_setup.form.methods.search.setText("DivBO")
    run_setup.run.change(method="DivBO")
    assert run_setup.form.methods.cards["DivBO"].isChecked()
    run_setup.session.create(tmp_path / "other.studio")
    assert run_setup.form.methods.search.text() == ""
    marked = [key for key, card in run_setup.form.methods.cards.items() if card.isChecked()]
    assert marked == ["best"]


def test_hits_of_method_search_are_visible(run_setup: SimpleNamespace, qtbot: QtBot) -> None:
    form = run_setup.form
    form.resize(1200, 520)
    form.method.header_button.setChecked(True)
    form.other_methods.header_button.setChecked(True)
    methods, area = form.methods, form.findChild(QScrollArea)
    methods.search.setFocus()
    area.ensureWidgetVisible(methods.search)  # as the Tab key does

    def is_visible(widget: QWidget) -> bool:
        return widget.visibleRegion().boundingRect() == widget.rect()

    assert not is_visible(next(iter(methods.cards.values())))
    for text in ("r", "an", "dom"):
        qtbot.keyClicks(methods.search, text)
        cards = list(methods.cards.values())
        qtbot.waitUntil(lambda cards=cards: all(map(is_visible, cards[:2])))
        assert is_visible(methods.search)
        assert 0 < cards[0].y() - methods.search.geometry().bottom() < 30
    qtbot.keyClick(methods.search, Qt.Key.Key_Return)
    assert run_setup.run.draft.method == next(iter(methods.cards))


def test_method_can_be_reset_to_preset(run_setup: SimpleNamespace, qtbot: QtBot) -> None:
    run_setup.run.change(method="EO-sig", overrides={"surrogate.kernel": "matern"})
    bar = run_setup.form.bar
    assert contains_facts(bar.name_label.text(), "EO-sig", "Matérn 5/2")
    assert bar.back_button.text().endswith(" EO-sig")
    qtbot.mouseClick(bar.back_button, Qt.MouseButton.LeftButton)
    assert run_setup.run.draft.overrides == {}
    assert contains_facts(bar.name_label.text(), "Ensemble search", "EO-sig")
    assert "5/2" not in bar.name_label.text()
    assert not bar.back_button.isVisible()


def test_incompatible_part_shows_error(run_setup: SimpleNamespace, qtbot: QtBot) -> None:
    run_setup.run.change(method="EO-sig")
    run_setup.form.from_parts.setChecked(True)
    check = run_setup.starter.check
    qtbot.waitUntil(lambda: "reshuffle" in check.compatibility.rejections.get("evaluation", {}))
    choice_box = run_setup.form.parts.cards["evaluation"].choice
    tip = choice_box.itemData(choice_box.values.index("reshuffle"), Qt.ItemDataRole.ToolTipRole)
    assert "reshuffled hold-out" in tip
    pick(run_setup.form.parts.cards["evaluation"].choice, "reshuffle")
    qtbot.waitUntil(lambda: bool(check.compatibility.problem))
    card = run_setup.form.parts.cards["evaluation"]
    assert "reshuffled hold-out" in card.problem_label.text()
    assert card.problem_label.isVisible()
    assert "reshuffled hold-out" in run_setup.starter.get_blocking_problem()
    pick(card.choice, "fixed")
    qtbot.waitUntil(lambda: not check.compatibility.problem)
    assert run_setup.starter.get_blocking_problem() == ""
    assert not run_setup.form.parts.cards["evaluation"].problem_label.isVisible()


def test_typing_does_not_rebuild_form(run_setup: SimpleNamespace, qtbot: QtBot) -> None:
    run_setup.run.change(method="EO-sig")
    run_setup.form.from_parts.setChecked(True)
    card = run_setup.form.parts.cards["proposer"]
    slots = card.fields["proposer.slots"].control
    slots.clear()
    qtbot.keyClicks(slots, "25")
    assert run_setup.run.draft.overrides == {"proposer.slots": 25}
    assert run_setup.form.parts.cards["proposer"] is card
    run_setup.run.change(overrides={})
    assert run_setup.form.parts.cards["proposer"].fields["proposer.slots"].control.text() == "12"


def test_custom_method_can_be_selected_and_deleted(
    run_setup: SimpleNamespace, qtbot: QtBot
) -> None:
    run_setup.run.change(method="EO-sig", overrides={"surrogate.kernel": "matern"})
    run_setup.form.bar.save_as("Smooth EO")
    assert "Mine" in run_setup.form.methods.families
    run_setup.run.choose_method("RS", "binary")
    qtbot.mouseClick(run_setup.form.methods.families["Mine"], Qt.MouseButton.LeftButton)
    qtbot.mouseClick(run_setup.form.methods.cards["Smooth EO"], Qt.MouseButton.LeftButton)
    assert run_setup.run.draft.method == "EO-sig"
    assert run_setup.run.draft.overrides == {"surrogate.kernel": "matern"}
    assert run_setup.form.bar.name_label.text() == "Smooth EO  ·  Mine"
    qtbot.mouseClick(run_setup.form.bar.delete_button, Qt.MouseButton.LeftButton)
    assert "Mine" not in run_setup.form.methods.families
    assert contains_facts(run_setup.form.bar.name_label.text(), "EO-sig", "Matérn 5/2")


def test_duplicate_name_is_rejected(run_setup: SimpleNamespace, qtbot: QtBot) -> None:
    with qtbot.waitSignal(run_setup.run.failed) as blocker:
        run_setup.form.bar.save_as("EO-sig")
    assert "papers" in blocker.args[0]


def test_method_explanation_has_parts_and_source(run_setup: SimpleNamespace, qtbot: QtBot) -> None:
    from studio.gui.plots.base.header import Explanation

    run_setup.run.change(method="EO-sig")
    qtbot.mouseClick(run_setup.form.bar.explain_button, Qt.MouseButton.LeftButton)
    panel = run_setup.form.bar.findChild(Explanation)
    assert "surrogate: Gaussian process" in panel.accessibleDescription()
    assert "2018, 4.3" in panel.accessibleDescription()
    panel.close()


def test_invalid_option_blocks_run(run_setup: SimpleNamespace, qtbot: QtBot) -> None:
    run_setup.run.change(method="EO-sqm")
    qtbot.mouseClick(run_setup.form.from_parts, Qt.MouseButton.LeftButton)
    slots = run_setup.form.parts.fields["proposer.slots"].control
    assert run_setup.starter.get_blocking_problem() == ""
    slots.selectAll()
    qtbot.keyClicks(slots, "abc")
    assert "whole number" in run_setup.starter.get_blocking_problem()
    assert (
        run_setup.form.parts.fields["proposer.slots"].name
        in run_setup.starter.get_blocking_problem()
    )
    slots.selectAll()
    qtbot.keyClicks(slots, "7")
    assert run_setup.starter.get_blocking_problem() == ""
    slots.selectAll()
    qtbot.keyClicks(slots, "abc")
    qtbot.mouseClick(run_setup.form.by_name, Qt.MouseButton.LeftButton)  # hidden text is discarded
    assert run_setup.starter.get_blocking_problem() == ""
    assert slots.text() == "7"
    qtbot.mouseClick(run_setup.form.from_parts, Qt.MouseButton.LeftButton)
    slots.selectAll()
    qtbot.keyClicks(slots, "abc")
    run_setup.run.change(method="DivBO", overrides={})
    assert run_setup.starter.get_blocking_problem() == ""


def test_form_lists_learners_excluded_by_constraints(run_setup: SimpleNamespace) -> None:
    run_setup.session.space.replace(load("compact-boosted"), "a space")
    label = run_setup.form.start_card.constraint_label
    assert not label.text()
    run_setup.data.change(monotone={"a": "up"})
    assert get_learner_name("logistic") in label.text() and "“a”" in label.text()
    assert get_learner_name("lightgbm") not in label.text()
    run_setup.data.change(monotone={})
    assert not label.text()

"""The view *Why?*, and the first sentence of the answer."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio import language
from studio.analysis.answers.ensemble import Contributions
from studio.analysis.verdict import make_verdict
from studio.data.dates import PART_WORDS
from studio.data.metrics.plain_score import PlainScore, UnitKind
from studio.figures.shapes import TextLabel
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.results.page import ResultsPage
from studio.gui.pages.results.views.answer import AnswerView
from studio.gui.session.session import Session
from studio.gui.widgets.kit import make_unbroken_heading
from studio.phrases import phrase
from studio.questions.columns.answer import (
    ColumnEffects,
    ColumnEffectsPlan,
    describe_dominant_column,
    find_dominant_columns,
    name_important_columns,
    summarise_bars,
)
from studio.questions.columns.effect_figure import ColumnEffectFigure
from studio.questions.columns.figure import (
    ColumnsData,
    find_missing_effect,
    list_shown_rows,
    make_importance_diagram,
    make_importance_figure,
    summarise_plot,
)
from studio.questions.columns.view import ColumnsView
from tests.facts import contains_facts
from tests.gui.plots.examples import EFFECTS, PLAN
from tests.gui.test_results_page import RESULT, add_run
from tests.gui.visible_content import get_visible_text, press

SCORE = PlainScore(50, True, 0.96, None, 0.5, False, True)
TESTED_SCORE = replace(SCORE, beyond_chance=True)
DOMINANT_EFFECTS = ColumnEffects(
    plan=ColumnEffectsPlan(names=("a", "b", "c"), sources=("a", "b", "c"), classes=("no", "yes")),
    rises=np.array([[1.0, 0.02, 0.01]]),
    low=np.array([0.99, 0.01, 0.0]),
    high=np.array([1.01, 0.03, 0.02]),
    is_significant=np.array([True, True, True]),
    loss=0.05,
)


def answers(
    helper: Any, plan: ColumnEffectsPlan, steps: list[ColumnEffects]
) -> list[dict[str, Any]]:
    """Let the helper answer stepwise; return the requests about effects."""
    requests: list[dict[str, Any]] = []

    def step(arguments: dict[str, Any]) -> ColumnEffects:
        requests.append(arguments)
        return steps[min(len(requests), len(steps)) - 1]

    helper.replaced |= {
        "contributions": lambda _: Contributions(),
        "headline": lambda _: SCORE,
        "make_column_plan": lambda _: plan,
        "compute_column_effects": step,
    }
    return requests


@pytest.fixture
def page(session: Session, helper: Any, qtbot: QtBot) -> ResultsPage:
    results_page = ResultsPage(session, RunModel(session, helper), helper)
    qtbot.addWidget(results_page)
    results_page.resize(1100, 800)
    return results_page


def finish(session: Session) -> None:
    run = add_run(session)
    session.document.runs.set_result(run, RESULT)
    session.document.runs.set_state(run, "finished")
    session.following.poll()


@pytest.mark.slow
def test_why_page_starts_with_quality_and_importance(
    page: ResultsPage, session: Session, helper: Any, qtbot: QtBot
) -> None:
    answers(helper, PLAN, [EFFECTS])
    finish(session)
    page.show()
    qtbot.waitUntil(lambda: "Right for 48 of 50 rows" in get_visible_text(page))
    answer = page.views.get_view(AnswerView)
    qtbot.waitUntil(lambda: answer.why_button.text() == "What matters most: colour, a")
    press(page, "What matters most: colour, a")
    assert page.views.current_key == "why"
    unfinished = name_important_columns(replace(EFFECTS, is_complete=False))
    assert unfinished
    assert "colour" not in unfinished, "the order may still change"


@pytest.mark.slow
def test_verdict_agrees_with_warning_about_dominant_column(
    page: ResultsPage, session: Session, helper: Any, qtbot: QtBot
) -> None:
    helper.holds_replies = True
    answers(helper, PLAN, [replace(EFFECTS, is_complete=False), DOMINANT_EFFECTS])
    run = add_run(session)
    session.document.runs.set_result(run, replace(RESULT, headline=TESTED_SCORE))
    session.document.runs.set_state(run, "finished")
    session.following.poll()
    page.show()
    answer = page.views.get_view(AnswerView)
    before = make_verdict(TESTED_SCORE, result=RESULT)
    assert before.grade == "yes"
    assert answer.verdict_label.text() == make_unbroken_heading(before.sentence)
    helper.holds_replies = False
    helper.release()
    qtbot.waitUntil(answer.dominance.isVisible)
    after = make_verdict(TESTED_SCORE, result=RESULT, dominant_columns=("a",))
    assert after.grade == "if known"
    assert answer.verdict_label.text() == make_unbroken_heading(after.sentence)


@pytest.mark.slow
def test_bars_appear_incrementally_and_click_shows_effect(
    page: ResultsPage, session: Session, helper: Any, qtbot: QtBot
) -> None:
    first = ColumnEffects(
        is_complete=False, phase="Shuffling…", progress=0.2, plan=PLAN, rises=EFFECTS.rises[:1],
        low=EFFECTS.low, high=EFFECTS.high, is_significant=EFFECTS.is_significant,
        metric="Log loss", loss=0.2,
    )  # fmt: skip
    helper.holds_replies = True
    answers(helper, PLAN, [first, EFFECTS])
    finish(session)
    page.show()
    page.views.open("why")
    view = page.views.get_view(ColumnsView)
    helper.release()  # the plan
    helper.release()  # the first step
    assert [row.name for row in view.bars.rows] == ["colour", "a"]
    assert view.strip.bar.isVisible()
    press(view, "Cancel")
    assert not view.strip.bar.isVisible()
    helper.release()
    press(view, "Compute")
    assert view.strip.bar.isVisible()
    helper.holds_replies = False
    helper.release()
    assert not view.strip.isVisible()
    assert contains_facts(view.bars.rows[0].details, "“green”", "yes")
    assert "log loss" in get_visible_text(view) and "20 validation rows" in get_visible_text(view)
    assert contains_facts(view.bars.rows[1].details, "more often yes")
    qtbot.wait(10)
    QTest.mouseClick(view.bars, Qt.MouseButton.LeftButton, pos=QPoint(40, view.bars.height() - 20))
    assert "Effect of a" in get_visible_text(page)
    assert contains_facts(view.effect.description, "“yes”", "50.0 %", "90.0 %")
    QTest.keyClick(view.bars, Qt.Key.Key_Up)
    assert "Effect of colour" in get_visible_text(page)
    assert not page.grab().isNull()


@pytest.mark.slow
def test_effects_of_another_run_are_not_shown(
    page: ResultsPage, session: Session, helper: Any
) -> None:
    helper.holds_replies = True
    answers(helper, PLAN, [replace(EFFECTS, is_complete=False), EFFECTS])
    finish(session)
    page.show()
    page.views.open("why")
    helper.release()  # the plan
    helper.release()  # the first step
    assert page.effects.effects is not None
    page.hide()
    finish(session)
    session.run_selection.choose_run(session.run_selection.listed_runs[-1].row.id)
    assert page.effects.effects is None
    helper.holds_replies = False
    helper.release()
    assert page.effects.effects is None, "the second step of the first run"


@pytest.mark.slow
def test_hidden_view_ignores_effects_of_another_run(
    page: ResultsPage, session: Session, helper: Any, qtbot: QtBot
) -> None:
    answers(helper, PLAN, [EFFECTS])
    finish(session)
    page.show()
    page.views.open("why")
    view = page.views.get_view(ColumnsView)
    qtbot.waitUntil(lambda: bool(view.bars.rows))
    first_rows = view.bars.rows
    page.views.open("answer")
    other = replace(PLAN, names=("x", "y", "z"), sources=("x", "y", "z"), classes=("p", "q"))
    answers(helper, other, [replace(EFFECTS, plan=other)])
    finish(session)
    session.run_selection.choose_run(session.run_selection.listed_runs[-1].row.id)
    qtbot.waitUntil(lambda: page.effects.effects is not None and page.effects.effects.plan == other)
    assert view.bars.rows == first_rows, "of the run that it was shown for"


@pytest.mark.slow
def test_importance_pauses_while_hidden(page: ResultsPage, session: Session, helper: Any) -> None:
    first = replace(EFFECTS, is_complete=False, progress=0.2)
    helper.holds_replies = True
    requests = answers(helper, PLAN, [first, EFFECTS])
    finish(session)
    page.show()
    page.views.open("why")
    helper.release()  # the plan
    page.views.open("who_first")
    helper.release()  # the first step
    helper.release()
    assert len(requests) == 1, "the others do not wait"
    page.views.open("why")
    helper.release()
    assert len(requests) == 2 and not page.effects.is_computing


@pytest.mark.slow
def test_cancelled_effect_is_not_restarted(
    page: ResultsPage, session: Session, helper: Any
) -> None:
    number, curve = next(iter(EFFECTS.dependences.items()))
    helper.holds_replies = True
    answers(helper, PLAN, [replace(EFFECTS, dependences={number: curve}), EFFECTS])
    finish(session)
    page.show()
    page.views.open("why")
    view = page.views.get_view(ColumnsView)
    helper.release()  # the plan
    helper.release()  # the importances; the missing effect is requested
    assert view.strip.bar.isVisible()
    press(view, "Cancel")
    assert not view.strip.bar.isVisible()
    missing = next(row.name for row in view.bars.rows if row.name != PLAN.names[number])
    view.bars.chosen.emit([row.name for row in view.bars.rows].index(missing))
    assert view.strip.bar.isVisible(), "a click on its bar requests it"


@pytest.mark.slow
def test_long_refits_need_confirmation(
    page: ResultsPage, session: Session, helper: Any, qtbot: QtBot
) -> None:
    requests = answers(helper, replace(PLAN, fit_seconds=45.0), [EFFECTS])
    finish(session)
    page.show()
    page.views.open("why")
    view = page.views.get_view(ColumnsView)
    qtbot.waitUntil(lambda: "about 45 s" in get_visible_text(view))
    assert not requests
    press(view, "Compute")
    qtbot.waitUntil(lambda: bool(view.bars.rows))


@pytest.mark.slow
def test_importance_waits_for_end_of_run(page: ResultsPage, session: Session, helper: Any) -> None:
    requests = answers(helper, PLAN, [EFFECTS])
    add_run(session)
    page.show()
    page.views.open("why")
    assert "once the run" in get_visible_text(page)
    assert not requests


def test_insignificant_columns_are_not_listed_as_important() -> None:
    effects = ColumnEffects(
        plan=ColumnEffectsPlan(names=("a", "b", "c"), sources=("a", "b", "c")),
        rises=np.array([[0.3, 0.1, np.nan]]),
        low=np.array([0.1, -0.1, np.nan]),
        high=np.array([0.5, 0.3, np.nan]),
        is_significant=np.array([True, False, False]),
    )
    assert name_important_columns(effects) == "What matters most: a"
    bars = list_shown_rows(effects)
    assert [bar.number for bar in bars] == [0, 1]
    assert find_missing_effect(effects, bars) == "a"
    assert name_important_columns(None) == ""


def make_three_columns(
    matters: list[bool], *rises: float, together: UnitKind = ""
) -> ColumnEffects:
    """Return three compared columns with intervals of ± 0.2."""
    return ColumnEffects(
        plan=ColumnEffectsPlan(names=("a", "b", "c"), sources=("a", "b", "c")),
        rises=np.array([rises]),
        low=np.array(rises) - 0.2,
        high=np.array(rises) + 0.2,
        is_significant=np.array(matters),
        unit_kind=together,
    )


def test_bars_are_sorted_and_include_all_significant_columns() -> None:
    effects = make_three_columns([True, False, False], 0.1, 0.3, 0.2)
    assert [row.name for row in list_shown_rows(effects)] == ["b", "c", "a"]
    many = ColumnEffects(
        plan=ColumnEffectsPlan(names=tuple("abcdefgh"), sources=tuple("abcdefgh")),
        rises=np.linspace(0.8, 0.1, 8)[None],
        low=np.zeros(8),
        high=np.ones(8),
        is_significant=np.arange(8) == 6,
    )
    assert [row.name for row in list_shown_rows(many)] == list("abcdefg"), (
        "as far as the last of them"
    )
    assert "may not" not in " ".join(row.details for row in list_shown_rows(many))


def test_caption_describes_bars() -> None:
    assert contains_facts(
        summarise_bars(make_three_columns([True, True, True], 0.3, 0.2, 0.1)), "a, b and c"
    )
    assert contains_facts(
        summarise_bars(make_three_columns([True, False, False], 0.3, 0.2, 0.1)), "a", "most"
    )
    later = make_three_columns([False, True, False], 0.3, 0.2, 0.1)
    for sentence in (summarise_bars(later), name_important_columns(later)):
        assert contains_facts(sentence, "b") and "most" not in sentence
    some = summarise_bars(make_three_columns([True, False, True], 0.3, 0.2, 0.1))
    assert contains_facts(some, "a improves", "aint bars") and "a, " not in some
    unsure = make_three_columns([False, False, False], 0.3, -0.1, 0.1, together="times")
    assert contains_facts(summarise_bars(unsure), "estimate", "a and c", "neighbouring times")
    assert contains_facts(name_important_columns(unsure), "estimate", "a, c")
    assert unsure.uncertain_columns == frozenset(), "Why says it once"
    assert "times" not in summarise_bars(replace(unsure, unit_kind=""))
    none = make_three_columns([False, False, False], -0.1, -0.1, -0.2)
    assert "No column" in summarise_bars(none)
    assert name_important_columns(none) == ""
    assert summarise_bars(replace(unsure, is_complete=False)) == ""


@pytest.mark.parametrize(
    ("rises", "loss", "classes", "asked"),
    [
        ([1.0, 0.02, 0.01], 0.05, ("no", "yes"), True),
        ([1.0, 0.02, 0.01], 0.30, ("no", "yes"), False),  # far from perfect
        ([1.0, 0.60, 0.01], 0.05, ("no", "yes"), False),  # another column matters as well
        ([1.0, 0.02, 0.01], 0.25, (), False),  # R² of about .92
        ([1.0, 0.02, 0.01], 0.12, (), True),  # R² of about .97
        ([1.0, 0.60, 0.01], 0.05, (), False),  # another column matters as well
    ],
)
def test_dominant_column_of_almost_perfect_model_is_questioned(
    rises: list[float], loss: float, classes: tuple[str, ...], asked: bool
) -> None:
    effects = ColumnEffects(
        plan=ColumnEffectsPlan(names=("a", "b", "c"), sources=("a", "b", "c"), classes=classes),
        rises=np.array([rises]),
        low=np.array(rises) - 0.01,
        high=np.array(rises) + 0.01,
        is_significant=np.array([True, True, True]),
        loss=loss,
    )
    assert contains_facts(describe_dominant_column(effects), "a") == asked
    assert find_dominant_columns(effects) == (("a",) if asked else ())


@pytest.mark.parametrize(
    ("paid", "claimed", "columns"),
    [
        (1.0, 0.05, ("paid",)),  # shares information with the leak
        (0.2, 0.15, ("paid", "claimed")),  # each replaces the other
        (-0.01, -0.02, ("paid",)),
    ],
)
def test_only_dominant_columns_of_group_are_questioned(
    paid: float, claimed: float, columns: tuple[str, ...]
) -> None:
    rises = np.array([claimed, 0.01, paid, 1.0])
    effects = ColumnEffects(
        plan=ColumnEffectsPlan(
            names=("claimed", "b", "paid"), sources=("claimed", "b", "paid"), classes=("no", "yes")
        ),
        rises=rises[None],
        low=rises - 0.01,
        high=rises + 0.01,
        is_significant=np.array([True, True, True, True]),
        groups=((0, 2),),
        loss=0.05,
    )
    assert find_dominant_columns(effects) == columns
    assert contains_facts(describe_dominant_column(effects), *columns)
    assert ("claimed" in describe_dominant_column(effects)) == ("claimed" in columns)


def test_importance_digits_match_precision() -> None:
    effects = ColumnEffects(
        plan=ColumnEffectsPlan(names=("a", "b", "c"), sources=("a", "b", "c")),
        rises=np.array([[0.03, 0.027, 0.0102]]),
        low=np.array([0.001, -0.004, 0.0011]),
        high=np.array([0.059, 0.060, 0.0200]),
        is_significant=np.array([True, True, True]),
    )
    bars = list_shown_rows(effects)
    assert [bar.text.partition(" ")[0] for bar in bars] == ["+0.030", "+0.027", "+0.010"]


def make_grouped_effects() -> ColumnEffects:
    """Return seven columns, of which three are parts of a date and two go together."""
    names = ("when: days", "when: year", "when: month", "a", "b", "c", "d")
    return ColumnEffects(
        plan=ColumnEffectsPlan(names=names, sources=("when", "when", "when", "a", "b", "c", "d")),
        groups=((0, 1, 2), (3, 5)),
        rises=np.array([[0.1, 0.6, 0.1, 0.2, 0.4, 0.3, 0.2, 0.7, 0.5]]),
        low=np.full(9, 0.05),
        high=np.full(9, 0.9),
        is_significant=np.full(9, True),
    )


def test_expanded_group_bar_shows_its_columns() -> None:
    effects = make_grouped_effects()
    closed = list_shown_rows(effects)
    assert [bar.number for bar in closed] == [7, 8, 4, 6]
    assert [bar.is_expanded for bar in closed] == [False, False, None, None]
    opened = list_shown_rows(effects, opened={8})
    assert [(bar.number, bar.is_in_group) for bar in opened] == [
        (7, False), (8, False), (5, True), (3, True), (4, False), (6, False),
    ]  # fmt: skip
    assert [row.name for row in opened[:3]] == ["▸ when", "▾ c", "c"]
    assert opened[0].details == "year, days, month"
    assert opened[1].details.endswith(" a")


def test_columns_do_not_contradict_their_group() -> None:
    effects = make_grouped_effects()
    significant = effects.is_significant.copy()
    significant[7] = False
    effects = replace(effects, is_significant=significant)
    group, *parts = [
        row for row in list_shown_rows(effects, opened={7}) if {*row.columns} <= {0, 1, 2}
    ]
    assert not group.is_significant and group.value == 0.7
    assert [row.name for row in parts] == ["when: year", "when: days", "when: month"]
    assert not any(row.is_significant or row.interval for row in parts)
    assert sum(row.value for row in parts) == pytest.approx(group.value)
    assert contains_facts(parts[0].text, "75") and "+" not in parts[0].text, "a share, not a rise"
    useless = effects.rises.copy()
    useless[:, 7] = -0.1
    for rises in (-effects.rises, useless):
        rows = list_shown_rows(replace(effects, rises=rises), opened={7}, shows_all=True)
        members = [(row.value, row.text) for row in rows if row.is_in_group]
        assert members == [(0.0, "")] * 3, "there is nothing to share"
    clear = list_shown_rows(make_grouped_effects(), opened={7})
    bold = {
        each.text
        for each in make_importance_diagram(clear, "t").shapes
        if isinstance(each, TextLabel) and each.bold
    }
    assert bold == {row.name for row in clear if not row.is_in_group}


def test_hidden_columns_are_counted_as_table_columns() -> None:
    effects = make_grouped_effects()
    alone = replace(
        effects, groups=(), rises=effects.rises[:, :7], is_significant=np.isin(np.arange(7), (1, 4))
    )
    few = list_shown_rows(alone)
    assert len(few) == 5
    dates = [row for row in list_shown_rows(alone, shows_all=True) if row.number < 3]
    assert summarise_plot(alone, dates).startswith("4 more columns"), "all of them are of a date"
    assert [len(list_shown_rows(alone, shows_all=each)) for each in (False, True)] == [5, 7]
    assert summarise_plot(effects, list_shown_rows(effects)[:2]).startswith("2 more columns")


def test_date_parts_are_named_in_current_language(monkeypatch: pytest.MonkeyPatch) -> None:
    year = phrase("{name}: {part}", name="when", part=PART_WORDS["year"])
    plan = ColumnEffectsPlan(names=(year, "a: day"), sources=("when", "a: day"))
    effects = ColumnEffects(
        plan=plan,
        rises=np.array([[0.2, 0.1]]),
        low=np.full(2, 0.05),
        high=np.full(2, 0.3),
        is_significant=np.full(2, True),
    )
    monkeypatch.setattr(language, "tr", lambda text: {"year": "année"}.get(text, text))
    assert name_important_columns(effects).endswith(": when: année, a: day")
    assert ColumnEffectFigure(effects, 0).name == "when: année"


def test_live_plot_has_bars_of_why() -> None:
    effects = make_grouped_effects()
    data = ColumnsData(effects.plan, effects, is_current=True)
    assert data.bars == [row.number for row in list_shown_rows(effects, shows_all=True)]
    figure = make_importance_figure(effects.plan, effects, data.bars)
    names = [text for _, text in figure.panels[0].y.ticks or ()]
    rows = list_shown_rows(effects, shows_all=True)
    assert len(names) == len(rows)
    for name, row in zip(names, rows, strict=True):
        assert name.startswith(row.name.removeprefix("▸ ")), "no part of a date alone"
        assert data.get_column(row.number) == row.columns[0]
    waiting = ColumnsData(effects.plan, None, is_current=False)
    assert [effects.plan.sources[k] for k in waiting.bars] == [*dict.fromkeys(effects.plan.sources)]


@pytest.mark.slow
def test_class_of_effect_can_be_chosen_among_more_than_two(
    page: ResultsPage, session: Session, helper: Any, qtbot: QtBot
) -> None:
    plan = replace(PLAN, classes=("no", "perhaps", "yes"))
    dependences = {
        k: replace(each, means=each.means[:, [0, 1, 0]] * [1.0, 0.5, 0.5])
        for k, each in EFFECTS.dependences.items()
    }
    answers(helper, plan, [replace(EFFECTS, plan=plan, dependences=dependences)])
    finish(session)
    page.show()
    page.views.open("why")
    view = page.views.get_view(ColumnsView)
    qtbot.waitUntil(view.classes.isVisible)
    assert view.classes.currentText() == "no", "the most affected"
    view.classes.show_key(2)
    assert "“yes”" in get_visible_text(view.effect)
    view.bars.chosen.emit(1)
    assert view.classes.currentText() == "yes", "also for other columns"


@pytest.mark.slow
def test_class_choice_is_hidden_for_two_classes(
    page: ResultsPage, session: Session, helper: Any, qtbot: QtBot
) -> None:
    answers(helper, PLAN, [EFFECTS])
    finish(session)
    page.show()
    page.views.open("why")
    view = page.views.get_view(ColumnsView)
    qtbot.waitUntil(view.effect.isVisible)
    assert not view.classes.isVisible()

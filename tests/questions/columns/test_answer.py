"""Descriptions of directions and groups of columns."""

from dataclasses import replace

import numpy as np
import pytest

from studio.arrays import Floats
from studio.data.dates import DatePart
from studio.questions.columns.answer import (
    REDUNDANCY_NOTE,
    ColumnEffects,
    ColumnEffectsPlan,
    Dependence,
    describe_importance,
    explain_groups,
    format_rise,
    get_main_name,
    summarise_bars,
)
from studio.questions.columns.effect_figure import (
    ColumnEffectFigure,
    describe_direction,
    make_direction_phrase,
)
from studio.questions.columns.figure import (
    describe_group,
    list_shown_rows,
    render_report_appendix,
    render_report_section,
)
from tests.facts import contains_facts, facts

PRICE = ColumnEffectsPlan(target="price")
DAYS = DatePart("days", "year-first")
ANSWER = ColumnEffectsPlan(classes=("no", "yes"), positive_class="yes", target="answer")


def line(
    means: Floats, counts: list[int] | None = None, labels: tuple[str, ...] = ()
) -> Dependence:
    grid = np.arange(len(means), dtype=float)
    rows = np.full(len(means), 10) if counts is None else np.array(counts)
    return Dependence(grid, labels, means.reshape(len(means), -1), np.empty(0), rows, 0)


@pytest.mark.parametrize(
    ("means", "expected"),
    [
        ([1.0, 2.0, 4.0, 4.5], "higher → higher price"),
        ([4.0, 4.1, 2.0, 1.0], "higher → lower price"),
        ([1.0, 5.0, 9.0, 5.0, 1.0], "highest price near 2"),
        ([3.0, 3.0, 3.0], ""),
    ],
)
def test_direction_of_numeric_column_is_described(means: list[float], expected: str) -> None:
    assert describe_direction(line(np.array(means)), PRICE) == expected


def test_best_of_most_common_categories_is_described_as_such() -> None:
    dependence = line(np.array([1.0, 5.0, 2.0]), labels=("a", "b", "c"))
    assert "3" not in describe_direction(dependence, PRICE)
    with_rarer = line(np.array([1.0, 5.0, 2.0, 9.0]), labels=("a", "b", "c", "31 rarer values"))
    direction = describe_direction(replace(with_rarer, n_rarer=31), PRICE)
    assert facts(direction)["count"] == "3" and facts(direction)["value"] == "b"


def test_later_date_is_not_called_higher() -> None:
    rising = replace(line(np.array([1.0, 2.0, 4.0])), date=DAYS)
    assert describe_direction(rising, PRICE) == "later → higher price"
    rarer = replace(line(np.array([[0.1, 0.9], [0.6, 0.4]])), date=DAYS)
    assert describe_direction(rarer, ANSWER) == "later → less often yes"


def test_best_value_is_formatted_as_in_table() -> None:
    """Days since 1970 and grouped years would not be recognised."""
    peaked = line(np.array([1.0, 5.0, 9.0, 5.0, 1.0]))
    days = np.array([20300.0, 20312, 20324.25, 20336, 20350])
    dated = replace(peaked, grid=days, date=DatePart("days", "day-first", mark="."))
    assert facts(describe_direction(dated, PRICE))["value"] == "24.08.2025"
    assert facts(describe_direction(replace(dated, date=DAYS), PRICE)) == {
        "name": "price",
        "value": "2025-08-24",
    }
    years = replace(peaked, grid=np.arange(2018.0, 2023))
    assert facts(describe_direction(years, PRICE))["value"] == "2020"


def test_bound_of_significant_bar_is_not_rounded_to_zero() -> None:
    found = ColumnEffects(
        plan=replace(PRICE, names=("size", "age"), sources=("size", "age")),
        rises=np.array([[69.0, 7.0]]),
        low=np.array([57.0, 0.3]),
        high=np.array([82.0, 14.0]),
        is_significant=np.full(2, True),
    )
    assert "(57 to 82)" in format_rise(found, 0)
    assert "(0.3 to 14)" in format_rise(found, 1)


def test_direction_ignores_ends_with_few_rows() -> None:
    for means, rows in (
        ([1.0, 2.0, 3.0, 0.0], [50, 50, 50, 1]),
        ([1.0, 2.0, 3.0, 2.0, -9.0], [50, 50, 50, 1, 0]),
    ):
        assert describe_direction(line(np.array(means), rows), PRICE) == "higher → higher price"


def test_class_direction_refers_to_positive_or_most_changed_class() -> None:
    two = line(np.array([[0.9, 0.1], [0.4, 0.6]]))
    assert contains_facts(describe_direction(two, ANSWER), "more", "yes")
    assert contains_facts(
        describe_direction(two, replace(ANSWER, positive_class="no")), "less", " no"
    )
    three = line(np.array([[0.8, 0.1, 0.1], [0.1, 0.15, 0.75]]))
    direction = describe_direction(three, ColumnEffectsPlan(classes=("a", "b", "c"), target="kind"))
    assert "less often" in direction and facts(direction) == {"name": "a"}


def test_categorical_effect_states_value_with_highest_prediction() -> None:
    dependence = line(np.array([2.0, 9.0, 4.0]), labels=("red", "green", "blue"))
    assert describe_direction(dependence, PRICE) == "“green” → highest price"
    chances = np.array([[0.5, 0.5], [0.3, 0.7]])
    dependence = line(chances, labels=("red", "green"))
    assert facts(describe_direction(dependence, ANSWER)) == {"value": "green", "name": "yes"}


def test_group_is_named_by_most_important_column_or_date() -> None:
    effects = ColumnEffects(
        plan=ColumnEffectsPlan(
            names=("rm", "lstat", "on: day", "on: year"), sources=("rm", "lstat", "on", "on")
        ),
        groups=((0, 1), (2, 3)),
        rises=np.array([[0.1, 0.2, 0.1, np.nan, 0.3, 0.4]]),
        is_significant=np.full(6, True),
    )
    assert effects.ranked_indices.tolist() == [5, 4], "the groups, as no column is without one"
    chance = replace(effects, is_significant=np.arange(6) < 5)
    assert chance.ranked_indices.tolist() == [5, 4], "the order is that of the numbers shown"
    assert chance.significant_indices.tolist() == [4]
    assert [get_main_name(effects, k) for k in (5, 0, 4)] == ["on", "rm", "lstat"]
    assert describe_group(effects, 4) == "together with rm"
    mixed = replace(effects, groups=((0, 2, 3),), rises=np.array([[0.1, 0.3, 0.2, 0.1, 0.3]]))
    assert get_main_name(mixed, 4) == "on"
    assert describe_group(mixed, 4) == "together with rm", "columns are listed, not parts of dates"
    assert explain_groups(effects) == explain_groups(mixed) == REDUNDANCY_NOTE
    assert explain_groups(replace(effects, groups=())) == ""


def test_report_names_all_columns_of_groups() -> None:
    others = tuple(f"neighbour {k}" for k in range(4))
    names = ("size", "plan", "annual fee", "visits", *others)
    found = ColumnEffects(
        plan=replace(PRICE, names=names, sources=names),
        groups=((1, 2), (3, 4, 5, 6, 7)),
        rises=np.array([[0.9, *np.linspace(0.2, 0.1, 7), 0.2, 0.3]]),
        low=np.full(10, -0.1),
        high=np.ones(10),
        is_significant=np.arange(10) == 0,
    )
    pages = render_report_section(found), render_report_appendix(found)
    assert [name for name in names if not any(name in page for page in pages)] == []
    all_faint = replace(found, is_significant=np.full(10, False))
    section = render_report_section(all_faint)
    assert [name for name in names if name not in section] == []


def describe_effect(effects: ColumnEffects, column: int) -> str:
    return make_direction_phrase(effects, column, is_faint=effects.is_faint(column))


def test_direction_of_insignificant_column_is_qualified() -> None:
    plan = replace(PRICE, names=("size", "age", "rm"), sources=("size", "age", "rm"))
    rising = line(np.array([1.0, 2.0, 4.0]))
    effects = ColumnEffects(
        plan=plan,
        rises=np.array([[0.3, 0.1, 0.2]]),
        is_significant=np.array([True, False, False]),
        dependences={0: rising, 1: rising, 2: rising},
    )
    assert describe_effect(effects, 0) == "higher → higher price"
    assert describe_effect(effects, 1) == "may be chance: higher → higher price"
    assert "may not matter" in ColumnEffectFigure(effects, 1, 0).default_text
    assert "may not matter" not in ColumnEffectFigure(effects, 0, 0).default_text
    group = replace(
        effects,
        groups=((1, 2),),
        rises=np.array([[0.3, 0.1, 0.2, 0.3]]),
        is_significant=np.array([True, False, False, True]),
    )
    assert describe_effect(group, 1) == "higher → higher price", "its group matters"
    unknown = np.full(4, np.nan)
    (_, _, drawn) = list_shown_rows(replace(group, low=unknown, high=unknown), opened={3})[:3]
    assert drawn.details == "may be chance: higher → higher price", "as its bar is drawn faint"
    assert describe_effect(replace(effects, is_complete=False), 1) == "higher → higher price"


def test_constrained_direction_is_stated() -> None:
    plan = replace(PRICE, names=("size", "age"), constraints=("By your choice.", ""))
    rising, flat = line(np.array([1.0, 2.0, 4.0])), line(np.array([1.0, 1.0, 1.0]))
    effects = ColumnEffects(plan=plan, dependences={0: rising, 1: rising})
    assert describe_effect(effects, 0) == f"{describe_effect(effects, 1)}, as you chose"
    assert describe_effect(effects, 1) == "higher → higher price"
    assert describe_effect(replace(effects, dependences={0: flat}), 0) == ""
    assert describe_effect(effects, 2) == "", "not computed yet"
    assert plan.get_constraint(1) == PRICE.get_constraint(0) == ""


def test_insignificant_bars_are_mentioned_only_if_drawn() -> None:
    effects = ColumnEffects(
        plan=replace(
            PRICE, names=("size", "age"), sources=("size", "age"), n_rows=60, n_test_rows=35
        ),
        rises=np.array([[0.3, 0.1]]),
        low=np.array([0.2, -0.1]),
        high=np.array([0.4, 0.3]),
        is_significant=np.array([True, False]),
    )
    for write in (summarise_bars, describe_importance):
        assert " may be chance" in write(effects)
        assert " may be chance" not in write(effects, effects.ranked_indices[:1])
    assert "60 test and" in describe_importance(effects)
    note = "The error is another metric."
    for bars in (None, effects.ranked_indices[:1]):
        assert note in describe_importance(replace(effects, metric_note=note), bars)


def test_legend_has_dots_for_categories_and_line_for_numbers() -> None:
    means = np.array([1.0, 2.0, 4.0])
    effects = ColumnEffects(
        plan=replace(PRICE, names=("a", "b"), sources=("a", "b")),
        rises=np.array([[0.3, 0.1]]),
        is_significant=np.full(2, True),
        dependences={0: line(means), 1: line(means, labels=("x", "y", "z"))},
    )
    samples = [
        ColumnEffectFigure(effects, column, 0).make_figure().marks[0].legend_sample
        for column in (0, 1)
    ]
    assert samples[0] == "line" and samples[1] != "line"

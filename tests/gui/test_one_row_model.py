"""The model of the view *One row*, without a window."""

from dataclasses import replace

import numpy as np
import pytest

from studio.analysis.answers.rows import (
    NearestChange,
    RowColumn,
    RowForm,
    RowPrediction,
    RowReasons,
    TableRow,
)
from studio.gui.pages.results.one_row.model import MAX_STEPS, RowModel, format_column_number
from studio.gui.pages.results.views.one_row import _format_input
from studio.measure import PREFIX_MARK, format_amount
from studio.runs.prepare import CLASSES_WEIGHTED
from tests.facts import contains_facts
from tests.small_runs import small_table  # noqa: F401


def number_form() -> RowForm:
    columns = tuple(
        RowColumn(f"c{index}", "number", 0.0, 1e6, default_value=5.0) for index in range(20)
    )
    return RowForm(columns, rows=10, target="price", notable_change=1234.5)


def test_numbers_have_significant_digits_only() -> None:
    model = RowModel()
    model.set_form(number_form())
    assert model.notable_change == 1200.0
    assert model.format_target(1_234_567.8) == "1,234,568"
    prediction = RowPrediction(
        value=2e6, low=1e6, high=3.1e6, coverage=0.9, n_covered=72, n_similar=80, is_test=True
    )
    assert "between 1,000,000 and 3,100,000" in model.describe_range(prediction)
    assert "72 of 80 test rows" in model.describe_record(prediction)
    few = replace(prediction, has_equal_margins=True)
    assert model.describe_record(few).startswith(model.describe_record(prediction))
    assert "same margin" in model.describe_record(few)
    unknown = RowPrediction(value=2e6)
    assert "too few" in model.describe_range(unknown)
    assert model.describe_record(unknown) == ""
    assert [format_amount(each) for each in (0.00012, 3.0, 26920.5, -1e7, 0.0)] == [
        "0.00012",
        "3",
        "26,920.5",
        "−10,000,000",
        "0",
    ]


@pytest.mark.parametrize(
    ("value", "text"), [(1222.25, "1,222.25"), (1222.0, "1,222"), (12.5, "12.50"), (0.125, "0.125")]
)
def test_column_amount_is_formatted_consistently(value: float, text: str) -> None:
    column = RowColumn("paid", "number", 0.0, 5000.0, units=("CHF",), leading=True)
    expected = f"CHF\N{NO-BREAK SPACE}{text}"
    model = RowModel()
    model.set_form(RowForm((column,), target="paid", unit="CHF" + PREFIX_MARK))
    for amount_text in (
        _format_input(column, value),
        format_column_number(column, value),
        model.format_value(column, value),
        model.format_target(value),
        format_amount(value, "CHF" + PREFIX_MARK),
    ):
        assert amount_text == expected


def test_small_contributions_are_summed_with_error_bounds() -> None:
    model = RowModel()
    model.set_form(number_form())
    adds = np.arange(20.0)[:, None] * 1000
    reasons = RowReasons(np.array([5.0]), adds, np.full((20, 1), 3.0), 40)
    steps = model.make_steps(reasons, 0)
    assert len(steps) == MAX_STEPS + 1
    assert steps[0].label == "c19 = 5"
    assert steps[-1].name == "8 other columns"
    assert sum(each.contribution for each in steps) == adds.sum()
    assert model.format_contribution(-0.001) == model.format_contribution(0.001) == "0", (
        "zero has no sign"
    )
    assert steps[-1].standard_error == pytest.approx(3 * np.sqrt(8))


def test_edited_row_has_no_observed_value() -> None:
    model = RowModel()
    model.set_form(number_form())
    model.fill_in_row(3, TableRow(tuple([1.0] * 20), 7.5, is_seen=False))
    assert contains_facts(model.describe_truth(), "7.5", "never seen")
    model.fill_in_row(3, TableRow(tuple([1.0] * 20), 7.5, is_seen=False, name="K-9"))
    assert model.describe_truth().startswith("K-9 · ")
    model.set_value(0, 2.0)
    assert model.describe_truth() == ""
    new_row = TableRow(tuple([1.0] * 20), None, is_seen=False, name="K-7", unknown=("", "Chur"))
    model.fill_in_new_row(2, "new.csv", new_row)
    assert model.location.startswith("K-7 · ")
    assert contains_facts(model.location, "3", "new.csv")
    assert model.row == 0
    model.set_value(0, 2.0)
    assert model.location == "" and model.unknown_labels == new_row.unknown
    model.fill_in_new_row(2, "new.csv", new_row)
    model.clear()
    model.set_form(number_form())
    assert model.location == "" and model.values != [1.0] * 20, "of another document"


def test_counterfactuals_are_described_with_result() -> None:
    model = RowModel()
    model.set_form(number_form())
    what, then = model.describe_change(NearestChange(1, 12.5, -1, 99_999.0))
    assert what == "c1: 12.5 instead of 5"
    assert "99,999" in then
    nothing = RowReasons(n_searched_fields=20, is_complete=True)
    assert "by 1,200" in model.explain_missing_change(nothing)
    assert "3 of 20" in model.explain_missing_change(RowReasons(n_searched_fields=3))


def test_vote_shares_are_not_labelled_as_probabilities() -> None:
    model = RowModel()
    model.set_form(RowForm((), classes=("bad", "good"), target="label", has_vote_shares=True))
    prediction = RowPrediction(
        np.array([0.0, 1.0]), class_code=1, n_covered=40, n_similar=50, probability_range=(1.0, 1.0)
    )
    assert contains_facts(
        model.format_headline(prediction), "good", "100\N{NO-BREAK SPACE}%", "votes"
    )
    assert "not a probability" in model.describe_record(prediction)


def test_probability_note_precedes_record() -> None:
    form = RowForm((), classes=("bad", "good"), target="label")
    prediction = RowPrediction(np.array([0.3, 0.7]), class_code=1, n_covered=40, n_similar=50)
    model = RowModel()
    model.set_form(form)
    record = model.describe_record(prediction)
    model.set_form(replace(form, probability_note=CLASSES_WEIGHTED))
    assert model.describe_record(prediction) == f"{CLASSES_WEIGHTED} {record}"


def test_probability_has_calibration_record() -> None:
    model = RowModel()
    model.set_form(RowForm((), classes=("No", "Yes"), target="fraud"))
    prediction = RowPrediction(
        np.array([0.47, 0.53]),
        1,
        n_covered=14,
        n_similar=22,
        probability_range=(0.44, 0.62),
        is_test=True,
    )
    text = model.describe_record(prediction).replace("\N{NO-BREAK SPACE}", " ")
    assert contains_facts(text, "“Yes”", "14 of 22 test rows", "44 %", "62 %", "share: 64 %")
    # The interval of scipy.stats.binomtest(14, 22).proportion_ci(method="wilson"):
    assert prediction.observed_interval == pytest.approx((0.42952, 0.80268), abs=1e-5)
    few = replace(prediction, n_covered=9, n_similar=14)
    text = model.describe_record(few).replace("\N{NO-BREAK SPACE}", " ")
    # The interval of scipy.stats.binomtest(9, 14).proportion_ci(method="wilson"):
    assert few.observed_interval == pytest.approx((0.38764, 0.83656), abs=1e-5)
    assert contains_facts(text, "“Yes”", "9 of 14 test rows", "44 %", "62 %", "64 %", "few")
    assert contains_facts(text, "few", "39 %", "84 %")
    fewer = model.describe_record(replace(prediction, n_covered=1, n_similar=4))
    assert contains_facts(fewer, "“Yes”", "1 of 4 test rows", "too few")
    assert "95" not in fewer, "an interval from 5 to 70 % says nothing"
    single = model.describe_record(replace(prediction, n_covered=1, n_similar=1))
    assert contains_facts(single, "unknown", "one", "“Yes”")
    alone = RowPrediction(np.array([0.47, 0.53]), 1, is_test=True)
    assert contains_facts(model.describe_record(alone), "none of the", "“Yes”")


def test_only_changeable_columns_are_proposed() -> None:
    columns = (
        RowColumn("since", "date", labels=("2020-01-01", "2024-01-01")),
        RowColumn("post code", "category", labels=("01067", "80331")),
        RowColumn("plan", "category", labels=("Basic", "Plus")),
        RowColumn("rating", "category", labels=("1", "2")),
        RowColumn("discount", "number", 0.0, 1.0),
    )
    model = RowModel()
    model.set_form(RowForm(columns, rows=10, target="churn", classes=("no", "yes")))
    changes = tuple(NearestChange(index, "x", 1, 0.6) for index in range(len(columns)))
    reasons = RowReasons(changes=changes, n_searched_fields=len(columns))
    assert [each.column for each in model.find_changes(reasons)] == [2, 3, 4]
    model.changeable_columns |= {"plan": False, "since": True}
    assert [each.column for each in model.find_changes(reasons)] == [0, 3, 4]
    assert model.explain_missing_change(reasons) == ""
    model.changeable_columns |= dict.fromkeys((each.name for each in columns), False)
    assert "these columns" in model.explain_missing_change(reasons)


def test_label_by_decision_is_explained_with_threshold() -> None:
    model = RowModel()
    columns = number_form().columns
    form = RowForm(columns, rows=10, target="y", classes=("ja", "nein"), positive_code=0)
    model.set_form(form)
    prediction = RowPrediction(probabilities=np.array([0.33, 0.67]), class_code=0)
    assert "limit" not in model.format_headline(prediction)
    model.set_form(replace(form, threshold=0.0547))
    assert contains_facts(
        model.format_headline(prediction), "ja:", "33", "above your limit", "5.47"
    )
    prediction = RowPrediction(probabilities=np.array([0.03, 0.97]), class_code=1)
    assert contains_facts(
        model.format_headline(prediction), "nein:", "“ja”", "3", "below your limit", "5.47"
    )


def test_codes_dates_and_texts_are_not_changeable() -> None:
    model = RowModel()
    labels = {
        "plan": ("basic", "Some college, no degree"),
        "postcode": ("01067", "10115"),
        "complaint": ("Premium too expensive, I compared", "Claim handled slowly, no answer"),
    }
    columns = [RowColumn(name, "category", labels=each) for name, each in labels.items()]
    columns += [RowColumn("since", "date"), RowColumn("note", "text"), RowColumn("age", "number")]
    model.set_form(RowForm(tuple(columns), 9, "t"))
    changeable = [each.name for i, each in enumerate(columns) if model.can_change(i)]
    assert changeable == ["plan", "age"]

"""The data model of the results page."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from studio.analysis.answers.ensemble import Contributions
from studio.analysis.loss_difference import (
    ENSEMBLE_IS_BETTER,
    EQUALLY_GOOD,
    MAY_BE_CHANCE,
    SAME_MODEL,
    SINGLE_IS_BETTER,
    TOO_FEW_TEST_ROWS,
    describe_loss_difference,
)
from studio.document.results import BestSingleModel, LossInterval, Result
from studio.document.trials import Iteration
from studio.gui.base.inks import get_colour
from studio.gui.pages.results.views.answer import (
    MemberLine,
    describe_chart_note,
    explain_omitted_members,
    explain_weak_members,
    make_member_columns,
)
from studio.gui.pages.results.views.answer import explain_test_models as models_note
from studio.gui.pages.results.views.model import (
    DisplayedResult,
    add_contributions,
    describe_hyperparameters,
    make_displayed_result,
)
from studio.gui.session.learner_names import get_learner_inks
from studio.gui.session.run_view import RunView
from studio.measure import UNKNOWN_TEXT, format_loss_increase
from studio.numerals import NumeralFormat
from studio.space.library import load
from studio.trial import Trial
from tests.facts import contains_facts
from tests.results import make_result

Maker = Callable[..., RunView]
RESULT = make_result(
    (1, 0.25),
    (2, 0.75),
    single=BestSingleModel(2),
    test_rows=114,
    test_error_single=0.06,
    test_error_ensemble=0.04,
    test_interval=(0.01, 0.07),
    single_interval=(0.02, 0.1),
    kept_bytes=2_500_000,
    notes=("Trial 9 could not be trained again.",),
)


def add_trials_to_view(view: RunView) -> RunView:
    view.trials = [
        Trial(1, {"algorithm": "knn", "knn.n_neighbors": 5}, 0, 0.2),
        Trial(2, {"algorithm": "rbf-svm", "rbf-svm.C": 1234.5678}, 0, 0.1),
    ]
    view.iterations = [
        Iteration(1, 1, 0.2, 0.25, 0.2, 0.25, ((1, 1.0),)),
        Iteration(2, 2, 0.1, 0.15, 0.09, 0.14, ((1, 0.5), (2, 0.5))),
    ]
    return view


def display(make_view: Maker, result: Result = RESULT, state: str = "finished") -> DisplayedResult:
    displayed_result = make_displayed_result(
        add_trials_to_view(make_view(state=state, result=result))
    )
    assert displayed_result is not None
    return displayed_result


def test_finished_run_shows_test_errors(make_view: Maker) -> None:
    displayed_result = display(make_view)
    assert displayed_result.is_final
    assert displayed_result.rows == "test"
    assert displayed_result.ensemble.value == 0.04
    assert displayed_result.ensemble.interval == (0.01, 0.07)
    assert displayed_result.single.value == 0.06
    assert [(member.trial, member.weight) for member in displayed_result.members] == [
        (2, 0.75),
        (1, 0.25),
    ]
    assert displayed_result.notes == RESULT.notes
    unfair = replace(RESULT, notes=("Known groups.", *RESULT.notes), test_notes=("Known groups.",))
    displayed_result = display(make_view, unfair)
    assert displayed_result.notes == RESULT.notes, "the other one is beside the headline"


def test_result_without_test_rows_uses_validation_losses(make_view: Maker) -> None:
    bare = replace(RESULT, test_error_single=None, test_error_ensemble=None, test_interval=None)
    displayed_result = display(make_view, bare)
    assert displayed_result.rows == "validation"
    assert (displayed_result.ensemble.value, displayed_result.single.value) == (0.09, 0.1)


def test_unrefitted_single_model_uses_search_loss(make_view: Maker) -> None:
    run_result = replace(RESULT, test_error_single=None, single_interval=None)
    displayed_result = display(make_view, run_result)
    assert (displayed_result.rows, displayed_result.ensemble.value) == ("test", 0.04)
    assert (displayed_result.single.value, displayed_result.single.interval) == (0.15, None)
    assert "before the refit" in displayed_result.single.title


def test_running_run_shows_interim_result(make_view: Maker) -> None:
    displayed_result = display(make_view, state="running")
    assert not displayed_result.is_final
    assert displayed_result.ensemble.value == 0.09
    assert len(displayed_result.members) == 2


def test_result_without_model_is_none(make_view: Maker) -> None:
    view = make_view()
    assert make_displayed_result(view) is None
    view.iterations = [Iteration(1)]
    assert make_displayed_result(view) is None


def test_hyperparameters_are_abbreviated() -> None:
    values = {"algorithm": "rbf-svm", "rbf-svm.C": 1234.5678, "shrink": True, "rescaler": "empty"}
    setting_texts = describe_hyperparameters(Trial(1, values, 0, 0.1)).split(", ")
    assert setting_texts == ["C 1235", "shrink yes", "rescaler none"]


def test_displayed_members_have_contributions(make_view: Maker) -> None:
    displayed_result = display(make_view)
    answer = Contributions(
        members=np.array([2, 7]),
        member_test_losses=np.array([0.06, 0.5]),
        without_validation=np.array([0.2, 0.5]),
        without_test=np.array([np.nan, 0.5]),
        validation=0.1,
        test=0.04,
        difference=(-0.04, -0.01),
        constant_loss=0.4,
    )
    result_with_contributions = add_contributions(displayed_result, answer)
    first, second = result_with_contributions.members
    assert (first.trial, first.test_loss, first.contribution) == (2, 0.06, pytest.approx(0.1))
    assert first.test_contribution is None, "not known without it"
    assert (second.trial, second.test_loss, second.contribution) == (1, None, None)
    assert result_with_contributions.difference_note == ENSEMBLE_IS_BETTER
    assert result_with_contributions.constant_loss == 0.4
    assert add_contributions(displayed_result, Contributions(reason="nobody")) == displayed_result


def test_stored_interval_has_priority_over_computed_interval(make_view: Maker) -> None:
    run_result = replace(RESULT, difference_interval=(-0.04, 0.01))
    displayed_result = display(make_view, run_result)
    assert displayed_result.difference_note == MAY_BE_CHANCE
    assert replace(displayed_result, rows="validation").difference_note == ""
    assert replace(displayed_result, difference=None).difference_note == "", "not known yet"
    assert replace(displayed_result, is_single_model=True).difference_note == SAME_MODEL


@pytest.mark.parametrize(
    ("difference", "expected"),
    [
        ((-0.2, -0.1), ENSEMBLE_IS_BETTER),
        ((-0.2, 0.0), MAY_BE_CHANCE),
        ((0.0, 0.0), EQUALLY_GOOD),
        ((0.0, 0.2), MAY_BE_CHANCE),
        ((0.1, 0.2), SINGLE_IS_BETTER),
        (None, TOO_FEW_TEST_ROWS),
    ],
)
def test_difference_note_follows_significance(
    difference: tuple[float, float] | None, expected: str
) -> None:
    assert describe_loss_difference(difference, is_same_model=False) == expected


def test_difference_note_on_different_rows_follows_interval(make_view: Maker) -> None:
    assert (
        describe_loss_difference((-0.05, 0.04), is_same_model=False, are_equal=True) == EQUALLY_GOOD
    )
    assert (
        describe_loss_difference((0.01, 0.04), is_same_model=False, are_equal=True)
        == SINGLE_IS_BETTER
    ), "the interval is decisive"
    level = replace(RESULT, difference_interval=(-0.04, 0.01), test_error_ensemble=0.06)
    displayed_result = display(make_view, level)
    assert displayed_result.difference_note == EQUALLY_GOOD


@pytest.mark.parametrize(
    ("difference", "single", "is_reported"),
    [
        ((-0.04, -0.01), (0.02, 0.1), True),
        ((-0.04, 0.01), (0.02, 0.1), False),
        ((-0.04, -0.01), (0.08, 0.1), False),
        ((-0.04, -0.01), None, False),
        (None, (0.02, 0.1), False),
    ],
)
def test_overlapping_significant_intervals_are_explained(
    make_view: Maker,
    difference: LossInterval | None,
    single: LossInterval | None,
    is_reported: bool,
) -> None:
    run_result = replace(RESULT, difference_interval=difference, single_interval=single)
    displayed_result = display(make_view, run_result)
    assert displayed_result.is_significant_despite_overlap == is_reported


def test_loss_changes_have_signs() -> None:
    assert [format_loss_increase(value, "%") for value in (0.0123, -0.0065, 0.00001, None)] == [
        "+1.23",
        "−0.65",
        "0",
        UNKNOWN_TEXT,
    ]
    assert format_loss_increase(0.12345, "") == "+0.123"


def test_weak_members_are_explained(make_view: Maker) -> None:
    displayed_result = display(make_view)
    first, *others = displayed_result.members
    light = replace(first, weight=0.3)
    rest = [replace(each, test_loss=0.05, weight=0.7 / len(others)) for each in others]
    ensemble = replace(displayed_result.ensemble, value=0.05)
    weak = replace(
        displayed_result,
        rows="test",
        constant_loss=0.9,
        ensemble=ensemble,
        members=(replace(light, test_loss=0.89), *rest),
    )
    assert str(first.trial) in explain_weak_members(weak)
    assert explain_weak_members(replace(weak, constant_loss=None)) == ""
    assert (
        explain_weak_members(replace(weak, members=(replace(light, test_loss=0.05), *rest))) == ""
    )
    heavy = replace(light, test_loss=0.89, weight=0.6)
    assert explain_weak_members(replace(weak, members=(heavy, *rest))) == "", (
        "no member outvotes it"
    )
    # If the ensemble gains little, a member near it is not weak.
    near = replace(weak, ensemble=replace(ensemble, value=0.88))
    assert explain_weak_members(near) == ""
    bad = tuple(replace(each, test_loss=0.89) for each in displayed_result.members)
    assert explain_weak_members(replace(weak, members=bad)) == "", "no others outvote them"


def test_unrefitted_members_are_listed(make_view: Maker) -> None:
    few = replace(RESULT, members=RESULT.members[1:], refitted=True)
    for result, left_out in ((few, (1,)), (replace(few, refitted=False), ())):
        displayed_result = display(make_view, result)
        assert displayed_result.omitted_members == left_out
        text = explain_omitted_members(displayed_result)
        assert contains_facts(text, "1", "not be refitted") == bool(left_out)


def test_error_before_refit_is_shown_if_different(make_view: Maker) -> None:
    def describe(**known: Any) -> str:
        result = replace(RESULT, trials=2, **known)
        displayed_result = display(make_view, result)
        return describe_chart_note(displayed_result, "%")

    assert contains_facts(describe(), "before the refit: 14.0 %", "after it: 4.0 %")
    assert contains_facts(describe(), "chosen on validation")
    assert "before" not in describe(test_error_ensemble=0.14)
    assert "before" not in describe(refitted=False)
    assert "before" not in describe(correction=0.5), "the layer was fitted after the search"


@pytest.mark.parametrize("final", [False, True])
@pytest.mark.parametrize("stored", [False, True])
def test_member_test_errors_distinguish_refitted_and_search_models(
    make_view: Maker, final: bool, stored: bool
) -> None:
    displayed_result = display(make_view)
    both = np.array([0.1, 0.2])
    answer = Contributions(
        members=np.array([1, 2]), weights=both, member_test_losses=both,
        member_validation_losses=both, without_validation=both, without_test=both,
        is_refitted=stored,
    )  # fmt: skip
    models = add_contributions(displayed_result, answer, refitted=final)
    assert models.test_models == (("refitted" if stored else "searched") if final else "")
    assert bool(models_note(models)) is final
    untested = replace(answer, member_test_losses=np.full(2, np.nan))
    assert add_contributions(displayed_result, untested, refitted=final).test_models == ""


def test_members_have_the_colours_of_the_plots(make_view: Maker) -> None:
    space = load("sklearn-cash")
    settings = {"method": "EO-sqm", "budget": 200, "metric": "error", "space": space.to_json()}
    view = add_trials_to_view(make_view(state="finished", result=RESULT, settings=settings))
    root = space.find_root_choice()
    assert root is not None
    inks = get_learner_inks([str(each) for each in root.choices])
    result = make_displayed_result(view)
    assert result is not None
    assert {each.trial: each.ink for each in result.members} == {1: inks["knn"], 2: inks["rbf-svm"]}
    plain = make_displayed_result(add_trials_to_view(make_view(state="finished", result=RESULT)))
    assert plain is not None and {each.ink for each in plain.members} == {None}
    model_column = next(each for each in make_member_columns("Error") if each.sign is not None)
    lines = [
        MemberLine(each, 1.0, "%", NumeralFormat(), NumeralFormat()) for each in result.members
    ]
    colours = [model_column.sign(each) for each in lines]
    assert colours == [get_colour(each.ink) for each in result.members]

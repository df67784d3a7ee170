"""Conclusions of a study, for outcomes small enough for manual calculation."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from studio.compare.analysis import compare
from studio.compare.conclusions import list_conclusions
from studio.compare.diagrams import draw_diagrams
from studio.compare.outcomes import CellOutcome
from studio.compare.results import render_report
from studio.compare.study import Study, describe_search_spaces
from studio.compare.study_notes import Dataset, DatasetNote, StudyMethod
from studio.compare.tables.registry import make_tables
from studio.compare.tables.table import format_error
from studio.compare.targets import describe_decisions, describe_targets
from studio.runs.settings import TableChoices
from tests.facts import facts


def study(data: int, methods: str, repetitions: int) -> Study:
    return Study(
        data=tuple(f"d{index}" for index in range(data)),
        methods=tuple(StudyMethod(name, "RS") for name in methods),
        repetitions=repetitions,
        folder=Path(),
    )


def outcomes(data, repetitions, errors, *, unit="%", noise=0.002, scale=lambda index: 1.0):
    """Return finished cells of methods with these mean errors and independent noise."""
    rng = np.random.default_rng(1)
    return [
        CellOutcome(
            run_id=1, method=name, dataset=f"d{index}", repetition=repetition, metric="error",
            unit=unit, error=(mean + noise * rng.standard_normal()) * scale(index),
            curve=(1.0,), trials=1, failed=0, seconds=1.0,
            suggest_seconds=0.1, fit_seconds=0.8,
        )
        for index in range(data)
        for repetition in range(1, repetitions + 1)
        for name, mean in errors.items()
    ]  # fmt: skip


def list_study_conclusions(asked, found, failures=()):
    names = [each.name for each in asked.methods]
    return list_conclusions(
        asked, compare(found, names, shared=0.2), dict.fromkeys(failures, "why")
    )


def is_decided(answer: str) -> bool:
    """Return whether the conclusions name only significantly worse methods."""
    return "others" in facts(answer) or "names" in facts(answer)


def compute_detectable(found: Sequence[CellOutcome]) -> float:
    (pair,) = (each for each in compare(found, "AC", shared=0.2).pairs)
    return pair.detectable


def test_conclusions_lists_better_and_undecided_methods() -> None:
    cell_outcomes = outcomes(8, 10, {"A": 0.100, "B": 0.112, "C": 0.1001}, noise=0.004)
    answer, undecided_note = list_study_conclusions(study(8, "ABC", 10), cell_outcomes)
    assert facts(undecided_note)["value"] == pytest.approx(100 * compute_detectable(cell_outcomes))
    answer_facts = facts(answer)
    assert (answer_facts["n"], answer_facts["count"], answer_facts["others"]) == ("8", 10, "B")
    assert answer_facts["value"] == pytest.approx(1.2, abs=0.1)
    assert {answer_facts["first"], answer_facts["name"]} == {"A", "C"}, (
        "noise decides which of the two"
    )


def test_conclusions_of_one_data_set_uses_test_over_repetitions() -> None:
    (answer,) = list_study_conclusions(study(1, "AB", 5), outcomes(1, 5, {"A": 0.10, "B": 0.20}))
    assert is_decided(answer)
    assert {"name": "d0", "count": 5, "first": "A", "others": "B"}.items() <= facts(answer).items()
    (answer,) = list_study_conclusions(
        study(1, "AB", 5), outcomes(1, 5, {"A": 0.100, "B": 0.1001}, noise=0.02)
    )
    assert not is_decided(answer)


def test_conclusions_of_two_repetitions_is_undecided() -> None:
    study_design = study(10, "AB", 2)
    cell_outcomes = outcomes(10, 2, {"A": 0.1, "B": 0.5})
    answer, explanation = list_study_conclusions(study_design, cell_outcomes)
    assert not is_decided(answer)
    assert (facts(answer)["first"], facts(answer)["value"]) == ("A", pytest.approx(40, abs=0.1))
    assert facts(explanation) == {"fewest": "3", "names": "d0, d1, d2", "n": "7"}
    sure = {1: {f"d{index}": np.array([[0.5, 1.0], [0.0, 0.5]]) for index in range(10)}}
    comparison = compare(cell_outcomes, ["A", "B"], sure, shared=0.2)
    assert comparison.pairs[0].wilcoxon_holm < 0.05  # the data sets alone would be decisive
    assert comparison.find_better(comparison.pairs[0]) == ""
    assert comparison.to_json()["pairs"][0]["decided_for"] is None
    tables = {each.key: each for each in make_tables(comparison, cell_outcomes)}
    cells = [cell for each in tables.values() for row in each.rows for cell in row]
    assert not any(cell.worse for cell in cells)
    assert not any(mark in cell.note for cell in cells for mark in "*†")
    assert all(cell.note == "undecided" for cell in tables["differences"].rows[0][1:])
    assert not any("critical_difference" in facts(each) for each in tables["ranks"].remarks)
    assert "critical-difference" not in {each.key for each in draw_diagrams(comparison)}
    third = compare(outcomes(10, 3, {"A": 0.1, "B": 0.5}), ["A", "B"], sure, shared=0.2)
    assert third.find_better(third.pairs[0]) == "A"
    assert third.critical_difference is not None


def test_conclusions_states_required_number_of_data_sets() -> None:
    answer, explanation = list_study_conclusions(
        study(3, "AB", 5), outcomes(3, 5, {"A": 0.1, "B": 0.5})
    )
    assert not is_decided(answer)
    assert facts(answer)["first"] == "A"
    assert (facts(explanation)["n_methods"], facts(explanation)["needed"]) == ("2", "6")
    answer, explanation = list_study_conclusions(
        study(6, "ABC", 5), outcomes(6, 5, {"A": 0.1, "B": 0.5, "C": 0.3})
    )
    assert (facts(explanation)["n_methods"], facts(explanation)["needed"]) == ("3", "7")
    (answer,) = list_study_conclusions(study(6, "AB", 5), outcomes(6, 5, {"A": 0.1, "B": 0.5}))
    assert is_decided(answer)
    assert (facts(answer)["first"], facts(answer)["value"]) == ("A", pytest.approx(40, abs=0.1))


def test_conclusions_reports_missing_and_failed_cells() -> None:
    cell_outcomes = [
        each
        for each in outcomes(4, 5, {"A": 0.1, "B": 0.2})
        if (each.dataset, each.repetition, each.method) != ("d1", 5, "B") and each.dataset != "d3"
    ]
    answer, _, missing, failed = list_study_conclusions(study(4, "ABC", 10), cell_outcomes, ["d3"])
    assert "yet" in answer
    answer_facts = facts(answer)
    assert (answer_facts["n"], answer_facts["asked"]) == ("3", ["4", "10"]), (
        "data sets, and repetitions"
    )
    assert (answer_facts["low"], answer_facts["high"]) == ("4", "5")
    assert (facts(missing), facts(failed)) == ({"names": "C"}, {"names": "d3"})


def test_unfinished_conclusion_is_marked_provisional() -> None:
    study_design, cell_outcomes = study(2, "AB", 4), outcomes(1, 3, {"A": 0.1, "B": 0.2})
    compared = compare(cell_outcomes, "AB", shared=0.2)
    (going, *_), (ended, *_) = (
        list_conclusions(study_design, compared, {"d1": "why"}, is_finished=over)
        for over in (False, True)
    )
    assert going.startswith("So far") and not ended.startswith("So far")
    for answer in (going, ended):
        answer_facts = facts(answer)
        assert (answer_facts["name"], answer_facts["count"], answer_facts["asked"]) == (
            "d0",
            3,
            ["2", "4"],
        )


@pytest.mark.parametrize("names", ["A", "AB"])
def test_conclusions_needs_common_repetitions(names: str) -> None:
    cell_outcomes = [
        each
        for each in outcomes(1, 4, dict.fromkeys(names, 0.1))
        if (each.method == "A") == (each.repetition < 3)
    ]
    answer, *more = list_study_conclusions(study(1, names, 4), cell_outcomes)
    assert (facts(answer), more) == ({}, []), "no method is better than another"
    assert "compared yet" in answer


def test_conclusions_compares_different_units_relatively() -> None:
    cell_outcomes = outcomes(
        7, 5, {"A": 0.9, "B": 1.1}, unit="", noise=0.01, scale=lambda place: 10.0**place
    )
    (answer,) = list_study_conclusions(study(7, "AB", 5), cell_outcomes)
    assert is_decided(answer)
    assert facts(answer)["value"] == pytest.approx(20, abs=0.1)
    assert " % of the error (" in answer
    (answer,) = list_study_conclusions(
        study(1, "AB", 5), outcomes(1, 5, {"A": 9.0, "B": 11.0}, unit="", scale=lambda _: 1e4)
    )
    assert is_decided(answer)
    assert facts(answer)["number"] == pytest.approx(20_000, rel=1e-3)
    assert "error" not in answer, "in the unit of the metric"


@pytest.mark.slow
def test_conclusions_shortens_long_lists_of_methods() -> None:
    study_design = study(12, "ABCDEFG", 5)
    wide = {name: 0.1 + 0.05 * index for index, name in enumerate("ABCDEFG")}
    (answer,) = list_study_conclusions(study_design, outcomes(12, 5, wide))
    answer_facts = facts(answer)
    assert (answer_facts["first"], answer_facts["names"], answer_facts["n"]) == (
        "A",
        "B, C, D",
        ["3", "12"],
    )
    assert answer_facts["value"] == pytest.approx([5, 30], abs=0.1)
    two = {"A": 0.1, "B": 0.1, "C": 0.3}
    answer_facts = facts(
        list_study_conclusions(study(9, "ABC", 5), outcomes(9, 5, two, noise=0.01))[0]
    )
    assert answer_facts["others"] == "C"
    assert {answer_facts["first"], answer_facts["name"]} == {"A", "B"}


def test_targets_are_listed_and_guesses_marked() -> None:
    def make_dataset_note(name: str, target: str, wanted: str | None) -> tuple[str, DatasetNote]:
        return name, DatasetNote("file", wanted, Dataset(name, 1, target, "binary", 9))

    sentence, how = describe_targets(
        [
            make_dataset_note("cars", "price", "price"),
            make_dataset_note("x", "last", None),
            make_dataset_note("z", "last", None),
        ]
    )
    assert facts(sentence) == {"target": ["price", "last"], "names": ["cars", "x, z"]}
    assert sentence.count("guessed") == 1 and "guessed" in sentence.partition("cars")[2]
    assert "guessed column" in how and "--target" in how
    (*_, how) = describe_targets([make_dataset_note("x", "last", None)], in_window=True)
    assert "guessed column" in how and "--target" not in how
    dataset_notes = [make_dataset_note(name, "Target", None) for name in ("x", "z")]
    (sentence,) = describe_targets(dataset_notes)
    assert facts(sentence) == {"target": "Target"}, "of every data set"
    sentence, _ = describe_targets(
        [make_dataset_note("x", "last", None), make_dataset_note("z", "last", None)]
    )
    assert facts(sentence) == {"target": "last"}, "of every data set"
    assert "guessed" in sentence
    assert (
        describe_targets([make_dataset_note("diabetes", "progression", None)])[1:] == ()
    )  # the target of a sample is known


def test_table_decisions_are_reported_per_data_set() -> None:
    about = Dataset("cars", 1, "price", "regression", 9)
    choices = TableChoices(
        roles={"vin": "ignore", "owner": "group"},
        monotone={"power": "up"},
        kinds={"colour": "category"},
        treatments={"km": "limit ..9"},
        reading={"missing": ["none"]},
        task="regression",
    )
    plain = "x", DatasetNote("file", "y", Dataset("x", 1, "y", "binary", 9))
    decided = "cars.csv", DatasetNote("file", "price", about, choices=choices)
    (text,) = describe_decisions([plain, decided])
    assert facts(text) == {
        "name": "cars",
        "names": ["vin", "power (up)", "owner", "colour (category)", "km (limit ..9)"],
        "task": "regression",
    }
    assert "reading" in text


def test_conclusions_marks_methods_with_separate_space() -> None:
    sets = [("x", DatasetNote("file", "y", Dataset("x", 1, "y", "binary", 9), None))]
    methods = tuple(StudyMethod(each, each) for each in ("RS", "best", "SMBO"))
    study_design = replace(study(1, "A", 3), methods=methods)
    sentence, how = describe_search_spaces(study_design, sets)
    assert facts(sentence) == {"methods": "RS, SMBO", "name": "best"}
    assert (
        sentence.index("RS")
        < sentence.index("“Nine classifiers”")
        < sentence.index("“Proven models”")
    )
    assert "--spaces" in how
    assert "--spaces" not in describe_search_spaces(study_design, sets, in_window=True)[1]
    assert describe_search_spaces(replace(study_design, methods=methods[::2]), sets) == ()
    (sentence,) = describe_search_spaces(replace(study_design, spaces=("sklearn-cash",)), sets)
    assert "“Nine classifiers”" in sentence and "“Proven" not in sentence


def test_report_starts_with_conclusion() -> None:
    study_design = study(1, "AB", 5)
    cell_outcomes = outcomes(1, 5, {"A": 0.10, "B": 0.20})
    conclusions = list_study_conclusions(study_design, cell_outcomes)
    page = render_report(
        study_design,
        make_tables(compare(cell_outcomes, ["A", "B"], shared=0.2), cell_outcomes),
        {},
        conclusions=conclusions,
    )
    assert page.index(conclusions[0]) < page.index("1 data set, 2 methods")


@pytest.mark.parametrize("unit", ["%", "target"])
def test_difference_equals_difference_of_displayed_errors(unit: str) -> None:
    """Errors of 57.86 and 67.74 are displayed as 57.9 and 67.7, which differ by 9.8, not 9.9."""
    scale = 1.0 if unit == "%" else 100.0
    errors = {"A": scale * 0.57857, "B": scale * 0.67743}
    found = outcomes(1, 2, errors, unit=unit, noise=0.0)
    found = [
        replace(each, error=each.error + scale * (0.02 if each.repetition == 1 else -0.02) * sign)
        for each in found
        for sign in [1.0 if each.method == "A" else -1.0]
    ]
    comparison = compare(found, "AB", shared=0.2)
    displayed = [
        format_error(mean, comparison.units["d0"], comparison.get_error_format("d0"))
        for mean in comparison.get_mean_errors("d0").values()
    ]
    answer, *_ = list_study_conclusions(study(1, "AB", 2), found)
    digits = len(displayed[0].partition(".")[2])
    difference = float(displayed[1]) - float(displayed[0])
    assert f"by {difference:.{digits}f} " in answer
    assert difference != pytest.approx(round(100 * (0.67743 - 0.57857), digits))


def test_difference_in_metric_unit_names_metric() -> None:
    cell_outcomes = [
        replace(each, metric="rmse")
        for each in outcomes(1, 2, {"A": 4.0, "B": 4.5}, unit="target", noise=0.001)
    ]
    answer, *_ = list_study_conclusions(study(1, "AB", 5), cell_outcomes)
    assert not is_decided(answer)
    assert " (RMSE)" in answer


@pytest.mark.parametrize(
    ("errors", "data", "repetitions", "expected"),
    [
        ("AB", 1, 5, "A is better than B, by 10.00 points (d0, 5 repetitions)."),
        (
            "ABC",
            9,
            5,
            "A is better than B and C, by 10.00 to 20.00 points (9 data sets, 5 repetitions on "
            "each).",
        ),
        (
            "AB",
            10,
            2,
            "No clear winner: A is ahead of B by 10.0 points, which may be chance (10 data sets, "
            "2 repetitions on each).",
        ),
        (
            "ABC",
            6,
            5,
            "No clear winner: A has the best mean rank by data set, which may be chance (6 data "
            "sets, 5 repetitions on each).",
        ),
    ],
)
def test_conclusions_of_reference_study_has_expected_text(
    errors: str, data: int, repetitions: int, expected: str
) -> None:
    """The only test of the full wording, which is the purpose of a comparison."""
    means = {name: 0.1 + 0.1 * index for index, name in enumerate(errors)}
    cell_outcomes = outcomes(data, repetitions, means, noise=1e-4)
    assert list_study_conclusions(study(data, errors, repetitions), cell_outcomes)[0] == expected


def fixed(errors: dict[str, Sequence[float]]) -> list[CellOutcome]:
    """Return three repetitions of each data set with exactly these errors by method."""
    return [
        replace(each, error=errors[each.method][int(each.dataset[1:])])
        for each in outcomes(len(next(iter(errors.values()))), 3, dict.fromkeys(errors, 0.1))
    ]


def test_headline_omits_difference_not_significant_in_ranks() -> None:
    cell_outcomes = fixed({"A": (0.10, 0.30), "B": (0.11, 0.20)})
    assert compare(cell_outcomes, "AB", shared=0.2).mean_ranks == (1.5, 1.5)
    answer, explanation, *_ = list_study_conclusions(study(2, "AB", 3), cell_outcomes)
    assert "A and B are ahead" in answer and "points" not in answer
    assert facts(explanation)["lower"] == "B" and "4.5 points" in explanation


def test_conflicting_ranks_and_means_are_explained() -> None:
    cell_outcomes = fixed({"A": (0.10, 0.10, 0.30), "B": (0.11, 0.11, 0.20)})
    answer, explanation, *_ = list_study_conclusions(study(3, "AB", 3), cell_outcomes)
    assert facts(answer)["first"] == "A" and "rank" in answer and "points" not in answer
    assert facts(explanation)["lower"] == "B"
    agreeing = fixed({"A": (0.10, 0.10, 0.19), "B": (0.11, 0.11, 0.20)})
    answer, *others = list_study_conclusions(study(3, "AB", 3), agreeing)
    assert facts(answer)["first"] == "A" and "1.0 points" in answer
    assert not any("lower" in facts(each) for each in others)


def test_difference_of_rounding_errors_is_a_tie() -> None:
    """0.1 − 0.2 and 0.3 − 0.2 do not sum to 0 in floating point."""
    cell_outcomes = fixed({"A": (0.1, 0.3), "B": (0.2, 0.2)})
    (pair,) = compare(cell_outcomes, "AB", shared=0.2).pairs
    assert 0 < abs(sum(each.interval.mean for each in pair.difference.values())) < 1e-15
    conclusions = list_study_conclusions(study(2, "AB", 3), cell_outcomes)
    assert "A and B are ahead" in conclusions[0]
    assert not any("lower" in facts(each) for each in conclusions)


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ({"A": (0.1,), "B": (0.1,)}, "A and B have the same mean error, 10.0 %"),
        (
            {"A": (0.2,), "B": (0.1,), "C": (0.1,)},
            "B and C share the lowest mean error, 10.0 % (A 20.0 %), which may be chance",
        ),
    ],
)
def test_methods_with_equal_rounded_error_are_tied(
    errors: dict[str, Sequence[float]], expected: str
) -> None:
    answer, *_ = list_study_conclusions(study(1, "".join(errors), 5), fixed(errors))
    assert expected in answer


def test_infinite_friedman_statistic_is_omitted() -> None:
    cell_outcomes = outcomes(9, 3, {"A": 0.1, "B": 0.3, "C": 0.5})
    tables = {
        each.key: each
        for each in make_tables(compare(cell_outcomes, "ABC", shared=0.2), cell_outcomes)
    }
    friedman, f, *_ = (each for each in tables["ranks"].remarks if "p < 0.001" in each)
    assert friedman.endswith("χ² = 18.00, p < 0.001.")
    assert f == "Iman–Davenport: p < 0.001."


def test_undecided_conclusion_on_one_data_set_contains_errors() -> None:
    cell_outcomes = outcomes(1, 5, {"A": 0.05, "B": 0.0505, "C": 0.051}, noise=0.01)
    mean = {
        name: 100 * float(np.mean([each.error for each in cell_outcomes if each.method == name]))
        for name in "ABC"
    }
    (first, *_) = list_study_conclusions(study(1, "ABC", 5), cell_outcomes)
    best = min(mean, key=mean.__getitem__)
    answer_facts = facts(first)
    assert answer_facts["first"] == best and first.index(best) < first.index(f"{mean[best]:.2f} %")
    assert answer_facts["value"][0] == pytest.approx(mean[best]), (
        "not a text with an English decimal point"
    )
    assert all(f"{name} {mean[name]:.2f} %" in first for name in mean if name != best)


def test_ambiguous_method_name_is_quoted() -> None:
    cell_outcomes = [
        replace(each, method={"A": "best", "B": "RS"}[each.method])
        for each in outcomes(1, 5, {"A": 0.1, "B": 0.2})
    ]
    study_design = replace(
        study(1, "AB", 5), methods=(StudyMethod("best", "best"), StudyMethod("RS", "RS"))
    )
    assert list_study_conclusions(study_design, cell_outcomes)[0].startswith(
        "“best” is better than RS, by "
    )


def test_omission_is_reported_once_for_all_repetitions() -> None:
    cell_outcomes = outcomes(1, 5, {"A": 0.1, "B": 0.2})
    names = [f"d1 · B · svm-rbf · {repetition}" for repetition in (1, 2)]
    assert (
        list_study_conclusions(study(1, "AB", 5), cell_outcomes, names)[-1] == "Left out: d1 · B."
    )

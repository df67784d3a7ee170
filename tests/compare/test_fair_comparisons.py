"""Fairness of comparisons: marks, units, spaces, repetitions, names (issue 11, C)."""

from dataclasses import replace

import numpy as np
import pytest

from studio.compare.analysis import compare
from studio.compare.cells import enumerate_cells
from studio.compare.comparison import explain_fixed_tests
from studio.compare.conclusions import explain_single_trials, list_provisional_conclusions
from studio.compare.datasets import Dataset
from studio.compare.diagrams import draw_mean_errors
from studio.compare.methods import find_duplicate_methods
from studio.compare.outcomes import CellOutcome
from studio.compare.refit import are_refitted, explain_missing_refits
from studio.compare.study import Study
from studio.compare.study_notes import StudyMethod
from studio.compare.tables.errors import make_errors_table
from studio.compare.tables.registry import make_tables
from studio.compare.tables.table import ResultTable
from studio.figures.shapes import Box, TextLabel
from studio.phrases import Phrase
from tests.facts import contains_facts, facts

METHODS = ("A", "B")


def outcome(
    dataset: str, repetition: int, method: str, error: float, space: str = ""
) -> CellOutcome:
    return CellOutcome(
        run_id=1, method=method, dataset=dataset, repetition=repetition, metric="rmse", unit="",
        error=error, curve=(error,), trials=1, failed=0, seconds=1.0,
        suggest_seconds=0.1, fit_seconds=0.8, space=space,
    )  # fmt: skip


def study(errors: np.ndarray, space: str = "") -> list[CellOutcome]:
    """Return the outcomes of errors, shape (data sets, repetitions, methods)."""
    return [
        outcome(f"d{index}", r, METHODS[m], float(error), space)
        for index, repetitions in enumerate(errors)
        for r, own in enumerate(repetitions, start=1)
        for m, error in enumerate(own)
    ]


def table(outcomes: list[CellOutcome], key: str, over_time=None, duplicate_of=None) -> ResultTable:
    comparison = compare(outcomes, METHODS, over_time, shared=0.2, duplicate_of=duplicate_of)
    return next(each for each in make_tables(comparison, outcomes) if each.key == key)


@pytest.fixture
def frequent_small_wins() -> list[CellOutcome]:
    """A wins two of three repetitions by little and loses the third by much, on 8 data sets."""
    return study(np.tile([[1.0, 1.1], [1.0, 1.1], [5.0, 1.1]], (8, 1, 1)))


def test_significance_marks_follow_favoured_method(frequent_small_wins) -> None:
    for_b = np.array([[0.5, 0.02], [0.98, 0.5]])
    surely = {1: {f"d{index}": for_b for index in range(8)}}
    wins = table(frequent_small_wins, "wins", surely)
    assert [wins.rows[0][2].plain, wins.rows[1][1].plain] == ["67 %", "33 % ***†††"]
    pair = table(frequent_small_wins, "pairs", surely).rows[0]
    assert (pair[4].note, pair[5].note) == ("*** B", "††† B")
    # If two tests favour different methods, each mark is at the winner of its test.
    for_a = {1: {f"d{index}": for_b.T for index in range(8)}}
    wins = table(frequent_small_wins, "wins", for_a)
    assert [wins.rows[0][2].plain, wins.rows[1][1].plain] == ["67 % ***", "33 % †††"]


@pytest.mark.parametrize("unit", [1e-3, 1e3, 1e9])
def test_tests_over_data_sets_do_not_depend_on_units(unit: float) -> None:
    errors = np.random.default_rng(1).uniform(1, 2, (8, 4, 2))
    other = errors.copy()
    other[:2] *= unit
    was, now = (compare(study(each), METHODS, shared=0.2) for each in (errors, other))
    assert now.pairs[0].wilcoxon == was.pairs[0].wilcoxon
    assert now.pairs[0].effect == was.pairs[0].effect
    assert now.pairs[0].sign == was.pairs[0].sign
    assert now.pairs[0].shift.mean == pytest.approx(was.pairs[0].shift.mean)
    assert now.pairs[0].detectable == pytest.approx(was.pairs[0].detectable)
    assert now.ranks == was.ranks
    assert now.friedman == was.friedman


def test_spaces_do_not_count_as_data_sets() -> None:
    errors = np.random.default_rng(2).uniform(1, 2, (5, 3, 2))
    errors[:, :, 0] -= 0.9
    one = compare(study(errors), METHODS, shared=0.2)
    outcomes = study(errors, "narrow") + study(errors + 1e-6, "wide")
    both = compare(outcomes, METHODS, shared=0.2)
    assert one.pairs[0].sign.p_two_sided == both.pairs[0].sign.p_two_sided == 0.0625
    assert both.pairs[0].wilcoxon.p == one.pairs[0].wilcoxon.p
    assert both.critical_difference == one.critical_difference
    assert list(both.complete) == ["d0", "d1", "d2", "d3", "d4"]
    assert both.complete["d0"] == pytest.approx(errors[0] + 5e-7)
    # Each space still has a row of errors.
    assert len(both.errors) == 10
    assert both.errors["d0 / wide"]["A"].mean == pytest.approx(errors[0, :, 0].mean() + 1e-6)


def test_failing_space_does_not_drop_data_set() -> None:
    errors = np.random.default_rng(6).uniform(1, 2, (4, 3, 2))
    failing = [each for each in study(errors, "wide") if each.method == "A"]
    comparison = compare(study(errors, "narrow") + failing, METHODS, shared=0.2)
    assert len(comparison.complete) == 4
    assert comparison.complete["d0"] == pytest.approx(errors[0])
    # During a study, only repetitions finished in every space count.
    later = [each for each in study(errors + 1, "wide") if each.repetition < 3]
    comparison = compare(study(errors, "narrow") + later, METHODS, shared=0.2)
    assert comparison.complete["d0"] == pytest.approx(errors[0, :2] + 0.5)


def test_methods_are_compared_on_common_repetitions() -> None:
    """A was better wherever both finished; B's later repetitions are easy."""
    errors = np.tile([[1.0, 2.0], [9.0, 10.0], [2.0, 3.1]], (1, 1, 1))
    outcomes = [*study(errors), outcome("d0", 4, "B", 0.1), outcome("d0", 5, "B", 0.1)]
    comparison = compare(outcomes, METHODS, shared=0.2)
    assert (comparison.errors["d0"]["A"].mean, comparison.errors["d0"]["B"].mean) == pytest.approx(
        (4, 15.1 / 3)
    )
    row = table(outcomes, "errors").rows[0]
    assert row[1].text == "3"
    assert (row[2].is_best, row[3].is_best) == (True, False)
    assert row[3].note.endswith("(3 of 5)")
    alone = table([outcome("d0", 1, "A", 1.0)], "errors").rows[0]
    assert not any(each.is_best for each in alone), "a single method is not compared"
    apart = [outcome("d0", 1, "A", 1.0), outcome("d0", 2, "B", 0.5)]
    row = table(apart, "errors").rows[0]
    assert [each.is_best for each in row] == [False] * 4
    assert row[2].note == "(by itself, n = 1)"


def test_data_set_without_common_repetitions_is_reported() -> None:
    outcomes = [*study(np.ones((2, 1, 2))), outcome("d2", 1, "A", 1.0), outcome("d2", 2, "B", 1.0)]
    assert "Not counted: d2" in " ".join(table(outcomes, "ranks").remarks)


@pytest.mark.parametrize("repetitions", [1, 2])
def test_two_repetitions_are_not_significant(repetitions: int) -> None:
    errors = np.array([[[0.1, 0.9], [0.11, 0.95]]])[:, :repetitions]
    outcomes = study(errors)
    differences = table(outcomes, "differences").rows[0][1]
    assert differences.note == "undecided"
    assert isinstance(differences.note, Phrase), "otherwise it stays English"
    errors_table = table(outcomes, "errors")
    assert not any(cell.worse for cell in errors_table.rows[0])
    remark_facts = facts(errors_table.remarks[0])
    assert (remark_facts["count"], remark_facts["fewest"]) == (str(repetitions), "3")


def test_error_interval_is_not_negative() -> None:
    comparison = compare(
        study(np.array([[[0.0, 1.0], [0.01, 2.0], [0.05, 1.5]]])), METHODS, shared=0.2
    )
    assert comparison.errors["d0"]["A"].low == 0
    assert comparison.pairs[0].difference["d0"].interval.low < 0


def test_default_repetitions_detect_large_difference() -> None:
    rng = np.random.default_rng(3)
    n = Study(data=("d",), methods=(StudyMethod("A", "RS"),)).repetitions
    errors = 1 + 0.1 * rng.normal(size=(1, n, 2))
    errors[..., 1] += 0.6
    outcomes = study(errors)
    assert "undecided" not in table(outcomes, "differences").rows[0][1].note
    assert table(outcomes, "errors").rows[0][3].worse
    # Among many methods the same difference is not significant: the correction is for all pairs.
    many = [*METHODS, "C", "D", "E", "F"]
    noise = 1.6 + 0.1 * rng.normal(size=(n, 4))
    more = [outcome("d0", r + 1, many[2 + m], noise[r, m]) for r in range(n) for m in range(4)]
    alone = compare(outcomes, METHODS, shared=0.2).pairs[0].difference["d0"]
    among = compare([*outcomes, *more], many, shared=0.2).pairs[0].difference["d0"]
    assert among.interval == alone.interval
    assert among.p > alone.p


@pytest.mark.parametrize("data_sets", [1, 2])
def test_ranks_of_one_or_two_data_sets_have_no_interval(data_sets: int) -> None:
    errors = np.tile([[1.0, 2.0]], (data_sets, 1, 1))
    comparison = compare(study(errors), METHODS, shared=0.2)
    assert not any(rank.has_known_spread for rank in comparison.ranks)
    assert comparison.to_json()["repetition_rank_interval"] == {"A": None, "B": None}
    if data_sets > 1:
        ranks = table(study(errors), "ranks")
        assert ranks.rows[0][4].plain == "1.00"
        assert any("too few" in each for each in ranks.remarks)


def test_consistent_winner_is_not_reported_as_certain() -> None:
    errors = np.tile([[1.0, 2.0]], (5, 1, 1))
    best, worst = compare(study(errors), METHODS, shared=0.2).ranks
    assert best.low == 1 < best.high < 2
    assert 1 < worst.low < worst.high == 2


def cells(*methods: StudyMethod, budget: int = 20):
    study_design = Study(data=("d",), methods=methods, budget=budget, repetitions=2)
    return enumerate_cells(study_design, [Dataset("d", 1, "y", "binary", 100)]), [
        m.name for m in methods
    ]


def test_duplicate_methods_are_recognised() -> None:
    methods = [StudyMethod(name, name) for name in ("BO-best", "RS", "GP-cond-ls")]
    assert find_duplicate_methods(*cells(*methods)) == {"GP-cond-ls": "BO-best"}
    duplicate = StudyMethod("again", "RS", {"ensemble": "single-best"})
    assert find_duplicate_methods(*cells(*methods, duplicate)) == {
        "GP-cond-ls": "BO-best",
        "again": "RS",
    }
    variant = StudyMethod("wide", "GP-cond-ls", {"surrogate.samples": 11})
    assert find_duplicate_methods(*cells(StudyMethod("BO-best", "BO-best"), variant)) == {}


def test_duplicate_method_counts_once() -> None:
    outcomes = study(np.random.default_rng(5).uniform(1, 2, (4, 3, 2)))
    outcomes += [
        outcome(e.dataset, e.repetition, "A2", e.error) for e in outcomes if e.method == "A"
    ]
    same = {"A2": "A"}
    comparison = compare(outcomes, ("A", "A2", "B"), shared=0.2, duplicate_of=same)
    assert comparison.methods == METHODS
    assert comparison.ranks == compare(outcomes, METHODS, shared=0.2).ranks
    remark_facts = facts(table(outcomes, "errors", duplicate_of=same).remarks[0])
    assert (remark_facts["name"], remark_facts["earlier"]) == ("A2", "A")


def same_rows(outcomes: list[CellOutcome], *datasets: str) -> list[CellOutcome]:
    """Return the outcomes with the same test rows in all repetitions of these data sets."""
    return [
        replace(
            each,
            test_rows="all" if each.dataset in datasets else f"{each.dataset} {each.repetition}",
        )
        for each in outcomes
    ]


def test_repetitions_on_same_test_rows_give_no_conclusion() -> None:
    """Models with little variation would seem certain, however few test rows there are."""
    errors = np.array([[[0.3206, 0.3117], [0.3175, 0.3117], [0.3186, 0.3117]]])
    drawn, fixed = same_rows(study(errors)), same_rows(study(errors), "d0")
    (pair,) = (comparison := compare(drawn, METHODS, shared=0.2)).pairs
    assert comparison.find_better(pair) == "B" and not comparison.fixed_tests
    comparison = compare(fixed, METHODS, shared=0.2)
    (pair,) = comparison.pairs
    assert comparison.fixed_tests == ("d0",)
    assert comparison.find_better(pair) == ""
    assert not comparison.errors["d0"]["A"].has_known_spread
    assert not any(cell.worse or "[" in cell.note for cell in table(fixed, "errors").rows[0])
    assert facts(explain_fixed_tests(comparison)[0]) == {"names": "d0"}
    assert not compare(fixed[:2], METHODS, shared=0.2).fixed_tests, "a single repetition"


@pytest.mark.parametrize("n_repetitions", [1, 2, 3])
def test_missing_interval_is_not_announced_for_same_test_rows(n_repetitions: int) -> None:
    errors = np.array([[[0.32, 0.31], [0.31, 0.30], [0.33, 0.31]]])[:, :n_repetitions]
    outcomes = same_rows(study(errors), "d0")
    comparison = compare(outcomes, METHODS, shared=0.2, divided_by_time={"d0"})
    assert comparison.fixed_tests == ("d0",)
    diagram = draw_mean_errors(comparison)
    assert diagram is not None
    assert facts(diagram.remark) == {"names": "d0"}
    texts = [each.text for each in diagram.shapes if isinstance(each, TextLabel)]
    assert not any("95 %" in each or "too few" in each for each in texts)
    (remark,) = make_errors_table(comparison, outcomes).remarks
    assert "same test rows" in remark
    asked = Study(
        data=("d0",), methods=tuple(StudyMethod(each, "RS") for each in METHODS), repetitions=3
    )
    assert list_provisional_conclusions(asked, comparison) == ()


def test_own_scale_of_each_data_set_is_mentioned() -> None:
    errors = np.array([[[0.32, 0.31], [0.31, 0.30], [0.33, 0.31]]])
    two = np.concatenate([errors, errors / 5])
    one_diagram, two_diagram = (
        draw_mean_errors(compare(study(each), METHODS, shared=0.2)) for each in (errors, two)
    )
    assert one_diagram is not None and two_diagram is not None
    assert not one_diagram.remark and "scale" in two_diagram.remark
    boxes = [each.width for each in two_diagram.shapes if isinstance(each, Box)]
    assert boxes[:2] == pytest.approx(boxes[2:]), "as they are not of one scale"


def test_runs_without_time_for_refit_are_counted() -> None:
    asked = Study(
        data=("d0",), methods=tuple(StudyMethod(each, "RS") for each in METHODS), repetitions=2
    )
    outcomes = study(np.array([[[0.32, 0.31], [0.31, 0.30]]]))
    assert explain_missing_refits(asked, outcomes) == ()
    late = [replace(each, refitted=each.repetition == 1) for each in outcomes]
    (remark,) = explain_missing_refits(asked, late)
    assert contains_facts(remark, "2 of 4 runs", "refit")
    assert explain_missing_refits(replace(asked, refit=False), late) == (), "none was requested"


def make_three_method_outcomes() -> list[CellOutcome]:
    """Return the outcomes of A, B and C, from the best to the worst, on two data sets."""
    errors = np.array([[0.06, 0.10, 0.14], [0.05, 0.09, 0.28], [0.06, 0.11, 0.11]])
    return [
        outcome(data, r, method, float(error))
        for data in ("classes", "numbers")
        for r, row in enumerate(errors, start=1)
        for method, error in zip("ABC", row, strict=True)
    ]


def test_method_unsuited_to_data_set_is_not_ranked() -> None:
    methods = ("A", "B", "C")
    outcomes = [
        each
        for each in make_three_method_outcomes()
        if (each.dataset, each.method) != ("numbers", "C")
    ]
    rejected = {"numbers · C"}
    comparison = compare(outcomes, methods, shared=0.2, rejected=rejected)
    assert comparison.ranked == METHODS and comparison.unranked == {"C": ("numbers",)}
    assert list(comparison.complete) == ["classes", "numbers"]
    assert comparison.mean_ranks == (1.0, 2.0)
    assert [(each.first, each.second) for each in comparison.pairs] == [METHODS]
    tables = {each.key: each for each in make_tables(comparison, outcomes)}
    assert {"ranks", "wins", "pairs"} <= tables.keys()
    assert {"method": "C", "names": "numbers"} in map(facts, tables["ranks"].remarks)
    differences = {row[0].text: row[1:] for row in tables["differences"].rows}
    assert list(differences) == ["A − B", "A − C", "B − C"]
    assert [cell.text for cell in differences["A − C"]][1] == "–"
    # The correction covers all pairs of a data set, including methods without a rank.
    assert comparison.differences["classes"]["A", "B"].p == pytest.approx(
        compare(outcomes, methods, shared=0.2).pairs[0].difference["classes"].p
    )
    # With a single method left, all are compared on their common data sets.
    left = [each for each in outcomes if (each.dataset, each.method) != ("numbers", "A")]
    both = compare(left, methods, shared=0.2, rejected={*rejected, "numbers · A"})
    assert both.ranked == methods and list(both.complete) == ["classes"]


def test_method_rejected_in_one_space_is_ranked_by_other_spaces() -> None:
    outcomes = study(np.array([[[0.06, 0.10], [0.05, 0.09], [0.06, 0.11]]]), space="small")
    comparison = compare(outcomes, METHODS, shared=0.2, rejected={"d0 · B"})
    assert comparison.ranked == METHODS and not comparison.unranked


def test_unranked_method_does_not_reduce_repetitions_of_others() -> None:
    methods = ("A", "B", "C")
    outcomes = [
        each
        for each in make_three_method_outcomes()
        if each.method != "C" or (each.dataset, each.repetition) == ("classes", 1)
    ]
    of_all = compare(outcomes, methods, shared=0.2, rejected={"numbers · C"}).differences
    of_ranked = compare([each for each in outcomes if each.method != "C"], METHODS, shared=0.2)
    for data in ("classes", "numbers"):
        assert of_all[data]["A", "B"] == of_ranked.differences[data]["A", "B"]
        assert of_all[data]["A", "B"].p < 1


def test_single_trial_runs_are_counted() -> None:
    single = study(np.array([[[0.06, 0.10], [0.05, 0.09]]]))
    (sentence,) = explain_single_trials([*single, replace(single[0], trials=9)])
    assert (int(facts(sentence)["runs"]), int(facts(sentence)["count"])) == (5, 4)
    assert explain_single_trials([replace(each, trials=9) for each in single]) == ()


def test_errors_are_of_refitted_models_if_any_was_refitted() -> None:
    outcomes = study(np.array([[[0.06, 0.10], [0.05, 0.09]]]))
    design = Study(data=("d0",), methods=(StudyMethod("A", "RS"),), refit=True)
    missing = [replace(each, refitted=False) for each in outcomes]
    assert not are_refitted(design, missing)
    assert are_refitted(design, [*missing[1:], replace(outcomes[0], refitted=True)])
    assert not are_refitted(replace(design, refit=False), outcomes)


def test_interval_of_undecided_pair_names_correction() -> None:
    errors = np.array([[0.067, 0.097, 0.14], [0.057, 0.087, 0.28], [0.060, 0.107, 0.11]])
    outcomes = [
        outcome("d", r, method, float(error))
        for r, row in enumerate(errors, start=1)
        for method, error in zip("ABC", row, strict=True)
    ]
    comparison = compare(outcomes, "ABC", shared=0.2)
    rows = next(t for t in make_tables(comparison, outcomes) if t.key == "differences").rows
    (interval, _, _) = (each.difference["d"].interval for each in comparison.pairs)
    assert interval.high < 0, "without a correction it would be decided"
    assert facts(rows[0][1].note)["n"] == "3"
    assert "n" not in facts(rows[1][1].note), "an interval with 0 is undecided anyway"

"""What a study comes to, in sentences, on outcomes that can be reckoned by hand."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from studio.compare.analysis import compare
from studio.compare.diagrams.registry import diagrams
from studio.compare.notes import Dataset, KeptDataset, StudyMethod
from studio.compare.outcomes import CellOutcome
from studio.compare.own_spaces import own_spaces_words
from studio.compare.report import report
from studio.compare.study import Study
from studio.compare.tables.registry import tables
from studio.compare.targets import decided_words, targets_words
from studio.compare.verdict import verdict
from studio.runs.settings import TableChoices


def study(data: int, methods: str, repetitions: int) -> Study:
    return Study(
        data=tuple(f"d{place}" for place in range(data)),
        methods=tuple(StudyMethod(name, "RS") for name in methods),
        repetitions=repetitions,
        folder=Path(),
    )


def outcomes(data, repetitions, errors, *, unit="%", noise=0.002, scale=lambda place: 1.0):
    """Return finished cells of methods with these mean errors, apart by a noise of their own."""
    rng = np.random.default_rng(1)
    return [
        CellOutcome(
            run_id=1, method=name, dataset=f"d{place}", repetition=repetition, metric="error",
            unit=unit, error=(mean + noise * rng.standard_normal()) * scale(place),
            interval=None, curve=(1.0,), trials=1, failed=0, seconds=1.0,
            suggest_seconds=0.1, fit_seconds=0.8,
        )
        for place in range(data)
        for repetition in range(1, repetitions + 1)
        for name, mean in errors.items()
    ]  # fmt: skip


def said(asked, found, failures=()):
    names = [each.name for each in asked.methods]
    return verdict(asked, compare(found, names, shared=0.2), dict.fromkeys(failures, "why"))


def undecided(found: Sequence[CellOutcome]) -> float:
    (pair,) = (each for each in compare(found, "AC", shared=0.2).pairs)
    return pair.detectable


def test_who_is_better_by_how_much_and_who_is_undecided() -> None:
    found = outcomes(8, 10, {"A": 0.100, "B": 0.112, "C": 0.1001}, noise=0.004)
    answer, seen = said(study(8, "ABC", 10), found)
    assert seen == (
        f"Where it is undecided, a difference of {100 * undecided(found):.1f} % of the error would "
        "most likely have been found."
    )
    assert answer.startswith("Over 8 data sets with 10 repetitions on each, ")
    assert "is better than B, by 1." in answer
    assert answer.endswith((" points; C is undecided.", "A is undecided."))


def test_one_data_set_goes_by_its_own_test_over_repetitions() -> None:
    (answer,) = said(study(1, "AB", 5), outcomes(1, 5, {"A": 0.10, "B": 0.20}))
    assert answer.startswith("On d0 with 5 repetitions, A is better than B, by ")
    (answer,) = said(study(1, "AB", 5), outcomes(1, 5, {"A": 0.100, "B": 0.1001}, noise=0.02))
    assert "nothing is decided" in answer and "may be chance" in answer


def test_two_repetitions_decide_nothing_anywhere() -> None:
    asked = study(10, "AB", 2)
    found = outcomes(10, 2, {"A": 0.1, "B": 0.5})
    answer, why = said(asked, found)
    assert "nothing is decided: A is ahead of B by 40" in answer
    assert why.startswith("Too few repetitions to decide (fewer than 3): d0, d1, d2")
    sure = {1: {f"d{place}": np.array([[0.5, 1.0], [0.0, 0.5]]) for place in range(10)}}
    comparison = compare(found, ["A", "B"], sure, shared=0.2)
    assert comparison.pairs[0].wilcoxon_holm < 0.05  # the data sets alone would decide
    assert comparison.better_of(comparison.pairs[0]) == ""
    assert comparison.to_json()["pairs"][0]["decided_for"] is None
    made = {each.key: each for each in tables(comparison, found)}
    written = [cell for each in made.values() for row in each.rows for cell in row]
    assert not any(cell.worse for cell in written)
    assert not any(mark in cell.note for cell in written for mark in "*†")
    assert all(cell.note == "undecided" for cell in made["differences"].rows[0][1:])
    assert not any("not significantly different" in each for each in made["ranks"].remarks)
    assert "critical-difference" not in {each.key for each in diagrams(comparison, found)}
    third = compare(outcomes(10, 3, {"A": 0.1, "B": 0.5}), ["A", "B"], sure, shared=0.2)
    assert third.better_of(third.pairs[0]) == "A"
    assert third.critical_difference is not None


def test_a_few_data_sets_cannot_decide_over_all_of_them_and_say_how_many_could() -> None:
    answer, why = said(study(3, "AB", 5), outcomes(3, 5, {"A": 0.1, "B": 0.5}))
    assert "nothing is decided: A is ahead of B by 40" in answer
    assert "With 2 methods it takes at least 6 data sets" in why
    answer, why = said(study(6, "ABC", 5), outcomes(6, 5, {"A": 0.1, "B": 0.5, "C": 0.3}))
    assert "at least 7 data sets" in why
    (answer,) = said(study(6, "AB", 5), outcomes(6, 5, {"A": 0.1, "B": 0.5}))
    assert "A is better than B, by 40" in answer


def test_what_is_missing_and_what_failed_is_told() -> None:
    found = [
        each
        for each in outcomes(4, 5, {"A": 0.1, "B": 0.2})
        if (each.dataset, each.repetition, each.method) != ("d1", 5, "B") and each.dataset != "d3"
    ]
    answer, _, missing, failed = said(study(4, "ABC", 10), found, ["d3"])
    assert answer.startswith(
        "So far, over 3 of 4 data sets with 4 to 5 repetitions of 10 on each, "
    )
    assert missing == "Not compared, as nothing has finished: C."
    assert failed == "Failed, so not counted: d3."


def test_so_far_is_said_only_while_something_may_still_run() -> None:
    asked, found = study(2, "AB", 4), outcomes(1, 3, {"A": 0.1, "B": 0.2})
    compared = compare(found, "AB", shared=0.2)
    (going, *_), (ended, *_) = (
        verdict(asked, compared, {"d1": "why"}, over=over) for over in (False, True)
    )
    assert going.startswith("So far, over 1 of 2 data sets with 3 repetitions of 4 on each, ")
    assert ended.startswith("Over 1 of 2 data sets with 3 repetitions of 4 on each, ")


@pytest.mark.parametrize("names", ["A", "AB"])
def test_nothing_in_common_is_no_comparison(names: str) -> None:
    found = [
        each
        for each in outcomes(1, 4, dict.fromkeys(names, 0.1))
        if (each.method == "A") == (each.repetition < 3)
    ]
    assert said(study(1, names, 4), found)[0].startswith("Nothing can be compared yet")


def test_errors_of_different_units_are_told_as_shares() -> None:
    found = outcomes(
        7, 5, {"A": 0.9, "B": 1.1}, unit="", noise=0.01, scale=lambda place: 10.0**place
    )
    (answer,) = said(study(7, "AB", 5), found)
    assert "A is better than B, by 20" in answer or "A is better than B, by 19" in answer
    assert answer.endswith(" % of the error.")
    (answer,) = said(
        study(1, "AB", 5), outcomes(1, 5, {"A": 9.0, "B": 11.0}, unit="", scale=lambda _: 1e4)
    )
    assert "A is better than B, by 20,00" in answer or "by 19,99" in answer


def test_many_methods_are_named_shortly_and_none_is_lost_below_an_unsure_leader() -> None:
    asked = study(12, "ABCDEFG", 5)
    wide = {name: 0.1 + 0.05 * place for place, name in enumerate("ABCDEFG")}
    (answer,) = said(asked, outcomes(12, 5, wide))
    assert "A is better than B, C, D and 3 more, by 5" in answer
    two = {"A": 0.1, "B": 0.1, "C": 0.3}
    answer = said(study(9, "ABC", 5), outcomes(9, 5, two, noise=0.01))[0]
    assert "is better than C" in answer and "undecided" in answer


def test_targets_are_named_and_guesses_marked() -> None:
    def kept(name: str, target: str, wanted: str | None) -> tuple[str, KeptDataset]:
        return name, KeptDataset("file", wanted, Dataset(name, 1, target, "binary", 9))

    told, how = targets_words(
        [kept("cars", "price", "price"), kept("x", "last", None), kept("z", "last", None)]
    )
    assert told == "Predicted: price of cars; last (guessed) of x, z."
    assert "guessed column" in how and "--target" in how
    (*_, how) = targets_words([kept("x", "last", None)], in_window=True)
    assert "guessed column" in how and "--target" not in how
    called = [kept(name, "Target", None) for name in ("x", "z")]
    assert targets_words(called) == ("Predicted: Target of every data set.",)
    told, _ = targets_words([kept("x", "last", None), kept("z", "last", None)])
    assert told == "Predicted: last (guessed) of every data set."
    assert targets_words([kept("diabetes", "progression", None)])[1:] == ()  # samples know theirs


def test_what_was_decided_about_tables_is_said_of_each() -> None:
    about = Dataset("cars", 1, "price", "regression", 9)
    choices = TableChoices(
        roles={"vin": "ignore", "owner": "group"},
        monotone={"power": "up"},
        kinds={"colour": "category"},
        treatments={"km": "limit ..9"},
        reading={"missing": ["none"]},
        task="regression",
    )
    plain = "x", KeptDataset("file", "y", Dataset("x", 1, "y", "binary", 9))
    decided = "cars.csv", KeptDataset("file", "price", about, choices=choices)
    assert decided_words([plain, decided]) == (
        "cars: left out: vin; monotonic constraints: power (up); roles: owner (group); "
        "kinds: colour (category); odd values: km (limit ..9); "
        "reading chosen; task: regression.",
    )


def test_methods_with_a_space_of_their_own_are_named() -> None:
    sets = [("x", KeptDataset("file", "y", Dataset("x", 1, "y", "binary", 9), None))]
    methods = tuple(StudyMethod(each, each) for each in ("RS", "best", "SMBO"))
    asked = replace(study(1, "A", 3), methods=methods)
    told, how = own_spaces_words(asked, sets)
    assert "RS, SMBO in “Nine classifiers”; best in “Proven learners”" in told
    assert "--spaces" in how
    assert "--spaces" not in own_spaces_words(asked, sets, in_window=True)[1]
    assert own_spaces_words(replace(asked, methods=methods[::2]), sets) == ()
    (told,) = own_spaces_words(replace(asked, spaces=("sklearn-cash",)), sets)
    assert told == "Every method searched the space “Nine classifiers”."


def test_the_report_begins_with_the_answer() -> None:
    asked = study(1, "AB", 5)
    found = outcomes(1, 5, {"A": 0.10, "B": 0.20})
    told = said(asked, found)
    page = report(asked, tables(compare(found, ["A", "B"], shared=0.2), found), {}, verdict=told)
    assert page.index("A is better than B, by ") < page.index(
        "1 data set, 2 methods, 5 repetitions of"
    )


def test_a_difference_in_the_unit_of_the_metric_names_the_metric() -> None:
    found = [
        replace(each, metric="rmse")
        for each in outcomes(1, 2, {"A": 4.0, "B": 4.5}, unit="target", noise=0.001)
    ]
    answer, *_ = said(study(1, "AB", 5), found)
    assert "nothing is decided: A is ahead of B by 0.5 (RMSE), which may be chance." in answer


def test_an_infinite_f_is_left_out() -> None:
    found = outcomes(9, 3, {"A": 0.1, "B": 0.3, "C": 0.5})
    made = {each.key: each for each in tables(compare(found, "ABC", shared=0.2), found)}
    (words,) = (each for each in made["ranks"].remarks if "Friedman" in each)
    assert words.endswith("χ² = 18.00, p < 0.001; Iman–Davenport: p < 0.001.")

"""Conclusions of a study, for outcomes small enough for manual calculation."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from studio.compare.analysis import compare
from studio.compare.diagrams import draw_diagrams
from studio.compare.notes import Dataset, DatasetNote, StudyMethod
from studio.compare.outcomes import CellOutcome
from studio.compare.results import report
from studio.compare.study import Study, describe_search_spaces
from studio.compare.tables.registry import make_tables
from studio.compare.targets import describe_decisions, describe_targets
from studio.compare.verdict import write_verdict
from studio.runs.settings import TableChoices
from tests.facts import facts


def study(data: int, methods: str, repetitions: int) -> Study:
    return Study(
        data=tuple(f"d{place}" for place in range(data)),
        methods=tuple(StudyMethod(name, "RS") for name in methods),
        repetitions=repetitions,
        folder=Path(),
    )


def outcomes(data, repetitions, errors, *, unit="%", noise=0.002, scale=lambda place: 1.0):
    """Return finished cells of methods with these mean errors and independent noise."""
    rng = np.random.default_rng(1)
    return [
        CellOutcome(
            run_id=1, method=name, dataset=f"d{place}", repetition=repetition, metric="error",
            unit=unit, error=(mean + noise * rng.standard_normal()) * scale(place),
            curve=(1.0,), trials=1, failed=0, seconds=1.0,
            suggest_seconds=0.1, fit_seconds=0.8,
        )
        for place in range(data)
        for repetition in range(1, repetitions + 1)
        for name, mean in errors.items()
    ]  # fmt: skip


def after_message(asked, found, failures=()):
    names = [each.name for each in asked.methods]
    return write_verdict(asked, compare(found, names, shared=0.2), dict.fromkeys(failures, "why"))


def is_decided(answer: str) -> bool:
    """Return whether a verdict names only significantly worse methods."""
    return "others" in facts(answer) or "names" in facts(answer)


def undecided(found: Sequence[CellOutcome]) -> float:
    (pair,) = (each for each in compare(found, "AC", shared=0.2).pairs)
    return pair.detectable


def test_verdict_names_better_and_undecided_methods() -> None:
    found = outcomes(8, 10, {"A": 0.100, "B": 0.112, "C": 0.1001}, noise=0.004)
    answer, seen = after_message(study(8, "ABC", 10), found)
    assert facts(seen)["value"] == pytest.approx(100 * undecided(found))
    told = facts(answer)
    assert (told["n"], told["count"], told["others"]) == ("8", 10, "B")
    assert told["value"] == pytest.approx(1.2, abs=0.1)
    assert {told["first"], told["name"]} == {"A", "C"}, "which of the two is left to the noise"


def test_verdict_of_one_data_set_tests_repetitions() -> None:
    (answer,) = after_message(study(1, "AB", 5), outcomes(1, 5, {"A": 0.10, "B": 0.20}))
    assert is_decided(answer)
    assert {"name": "d0", "count": 5, "first": "A", "others": "B"}.items() <= facts(answer).items()
    (answer,) = after_message(
        study(1, "AB", 5), outcomes(1, 5, {"A": 0.100, "B": 0.1001}, noise=0.02)
    )
    assert not is_decided(answer)


def test_verdict_of_two_repetitions_is_undecided() -> None:
    asked = study(10, "AB", 2)
    found = outcomes(10, 2, {"A": 0.1, "B": 0.5})
    answer, why = after_message(asked, found)
    assert not is_decided(answer)
    assert (facts(answer)["first"], facts(answer)["value"]) == ("A", pytest.approx(40, abs=0.1))
    assert facts(why) == {"fewest": "3", "names": "d0, d1, d2", "n": "7"}
    sure = {1: {f"d{place}": np.array([[0.5, 1.0], [0.0, 0.5]]) for place in range(10)}}
    comparison = compare(found, ["A", "B"], sure, shared=0.2)
    assert comparison.pairs[0].wilcoxon_holm < 0.05  # the data sets alone would decide
    assert comparison.find_better(comparison.pairs[0]) == ""
    assert comparison.to_json()["pairs"][0]["decided_for"] is None
    made = {each.key: each for each in make_tables(comparison, found)}
    written = [cell for each in made.values() for row in each.rows for cell in row]
    assert not any(cell.worse for cell in written)
    assert not any(mark in cell.note for cell in written for mark in "*†")
    assert all(cell.note == "undecided" for cell in made["differences"].rows[0][1:])
    assert not any("critical_difference" in facts(each) for each in made["ranks"].remarks)
    assert "critical-difference" not in {each.key for each in draw_diagrams(comparison, found)}
    third = compare(outcomes(10, 3, {"A": 0.1, "B": 0.5}), ["A", "B"], sure, shared=0.2)
    assert third.find_better(third.pairs[0]) == "A"
    assert third.critical_difference is not None


def test_verdict_states_required_number_of_data_sets() -> None:
    answer, why = after_message(study(3, "AB", 5), outcomes(3, 5, {"A": 0.1, "B": 0.5}))
    assert not is_decided(answer)
    assert facts(answer)["first"] == "A"
    assert (facts(why)["n_methods"], facts(why)["needed"]) == ("2", "6")
    answer, why = after_message(study(6, "ABC", 5), outcomes(6, 5, {"A": 0.1, "B": 0.5, "C": 0.3}))
    assert (facts(why)["n_methods"], facts(why)["needed"]) == ("3", "7")
    (answer,) = after_message(study(6, "AB", 5), outcomes(6, 5, {"A": 0.1, "B": 0.5}))
    assert is_decided(answer)
    assert (facts(answer)["first"], facts(answer)["value"]) == ("A", pytest.approx(40, abs=0.1))


def test_verdict_reports_missing_and_failed_cells() -> None:
    found = [
        each
        for each in outcomes(4, 5, {"A": 0.1, "B": 0.2})
        if (each.dataset, each.repetition, each.method) != ("d1", 5, "B") and each.dataset != "d3"
    ]
    answer, _, missing, failed = after_message(study(4, "ABC", 10), found, ["d3"])
    assert "yet" in answer
    told = facts(answer)
    assert (told["n"], told["asked"]) == ("3", ["4", "10"]), "data sets, and repetitions"
    assert (told["low"], told["high"]) == ("4", "5")
    assert (facts(missing), facts(failed)) == ({"names": "C"}, {"names": "d3"})


def test_verdict_says_so_far_only_before_end() -> None:
    asked, found = study(2, "AB", 4), outcomes(1, 3, {"A": 0.1, "B": 0.2})
    compared = compare(found, "AB", shared=0.2)
    (going, *_), (ended, *_) = (
        write_verdict(asked, compared, {"d1": "why"}, is_finished=over) for over in (False, True)
    )
    assert going.startswith("So far") and not ended.startswith("So far")
    for answer in (going, ended):
        told = facts(answer)
        assert (told["name"], told["count"], told["asked"]) == ("d0", 3, ["2", "4"])


@pytest.mark.parametrize("names", ["A", "AB"])
def test_verdict_needs_common_repetitions(names: str) -> None:
    found = [
        each
        for each in outcomes(1, 4, dict.fromkeys(names, 0.1))
        if (each.method == "A") == (each.repetition < 3)
    ]
    answer, *more = after_message(study(1, names, 4), found)
    assert (facts(answer), more) == ({}, []), "nobody is ahead of anybody"
    assert "compared yet" in answer


def test_verdict_compares_different_units_relatively() -> None:
    found = outcomes(
        7, 5, {"A": 0.9, "B": 1.1}, unit="", noise=0.01, scale=lambda place: 10.0**place
    )
    (answer,) = after_message(study(7, "AB", 5), found)
    assert is_decided(answer)
    assert facts(answer)["value"] == pytest.approx(20, abs=0.1)
    assert " % of the error (" in answer
    (answer,) = after_message(
        study(1, "AB", 5), outcomes(1, 5, {"A": 9.0, "B": 11.0}, unit="", scale=lambda _: 1e4)
    )
    assert is_decided(answer)
    assert facts(answer)["number"] == pytest.approx(20_000, rel=1e-3)
    assert "error" not in answer, "in the unit of the metric"


def test_verdict_shortens_long_lists_of_methods() -> None:
    asked = study(12, "ABCDEFG", 5)
    wide = {name: 0.1 + 0.05 * place for place, name in enumerate("ABCDEFG")}
    (answer,) = after_message(asked, outcomes(12, 5, wide))
    told = facts(answer)
    assert (told["first"], told["names"], told["n"]) == ("A", "B, C, D", ["3", "12"])
    assert told["value"] == pytest.approx([5, 30], abs=0.1)
    two = {"A": 0.1, "B": 0.1, "C": 0.3}
    told = facts(after_message(study(9, "ABC", 5), outcomes(9, 5, two, noise=0.01))[0])
    assert told["others"] == "C"
    assert {told["first"], told["name"]} == {"A", "B"}


def test_targets_are_named_and_guesses_marked() -> None:
    def kept(name: str, target: str, wanted: str | None) -> tuple[str, DatasetNote]:
        return name, DatasetNote("file", wanted, Dataset(name, 1, target, "binary", 9))

    told, how = describe_targets(
        [kept("cars", "price", "price"), kept("x", "last", None), kept("z", "last", None)]
    )
    assert facts(told) == {"target": ["price", "last"], "names": ["cars", "x, z"]}
    assert told.count("guessed") == 1 and "guessed" in told.partition("cars")[2]
    assert "guessed column" in how and "--target" in how
    (*_, how) = describe_targets([kept("x", "last", None)], in_window=True)
    assert "guessed column" in how and "--target" not in how
    called = [kept(name, "Target", None) for name in ("x", "z")]
    (told,) = describe_targets(called)
    assert facts(told) == {"target": "Target"}, "of every data set"
    told, _ = describe_targets([kept("x", "last", None), kept("z", "last", None)])
    assert facts(told) == {"target": "last"}, "of every data set"
    assert "guessed" in told
    assert (
        describe_targets([kept("diabetes", "progression", None)])[1:] == ()
    )  # samples know theirs


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
    (words,) = describe_decisions([plain, decided])
    assert facts(words) == {
        "name": "cars",
        "names": ["vin", "power (up)", "owner (group)", "colour (category)", "km (limit ..9)"],
        "task": "regression",
    }
    assert "reading" in words


def test_verdict_names_methods_with_own_space() -> None:
    sets = [("x", DatasetNote("file", "y", Dataset("x", 1, "y", "binary", 9), None))]
    methods = tuple(StudyMethod(each, each) for each in ("RS", "best", "SMBO"))
    asked = replace(study(1, "A", 3), methods=methods)
    told, how = describe_search_spaces(asked, sets)
    assert facts(told) == {"methods": "RS, SMBO", "name": "best"}
    assert told.index("RS") < told.index("“Nine classifiers”") < told.index("“Proven models”")
    assert "--spaces" in how
    assert "--spaces" not in describe_search_spaces(asked, sets, in_window=True)[1]
    assert describe_search_spaces(replace(asked, methods=methods[::2]), sets) == ()
    (told,) = describe_search_spaces(replace(asked, spaces=("sklearn-cash",)), sets)
    assert "“Nine classifiers”" in told and "“Proven" not in told


def test_report_starts_with_verdict() -> None:
    asked = study(1, "AB", 5)
    found = outcomes(1, 5, {"A": 0.10, "B": 0.20})
    told = after_message(asked, found)
    page = report(
        asked, make_tables(compare(found, ["A", "B"], shared=0.2), found), {}, verdict=told
    )
    assert page.index(told[0]) < page.index("1 data set, 2 methods")


def test_difference_in_metric_unit_names_metric() -> None:
    found = [
        replace(each, metric="rmse")
        for each in outcomes(1, 2, {"A": 4.0, "B": 4.5}, unit="target", noise=0.001)
    ]
    answer, *_ = after_message(study(1, "AB", 5), found)
    assert not is_decided(answer)
    assert " (RMSE)" in answer


@pytest.mark.parametrize(
    ("errors", "data", "repetitions", "words"),
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
            "No clear winner: A is ahead of B by 10.00 points, which may be chance (10 data sets, "
            "2 repetitions on each).",
        ),
        (
            "ABC",
            6,
            5,
            "No clear winner: A has the best mean rank, which may be chance (6 data sets, 5 "
            "repetitions on each).",
        ),
    ],
)
def test_verdict_has_expected_wording(errors: str, data: int, repetitions: int, words: str) -> None:
    """The only place where they are written out: they are what a comparison is made for."""
    means = {name: 0.1 + 0.1 * place for place, name in enumerate(errors)}
    found = outcomes(data, repetitions, means, noise=1e-4)
    assert after_message(study(data, errors, repetitions), found)[0] == words


def fixed(errors: dict[str, Sequence[float]]) -> list[CellOutcome]:
    """Return three repetitions of each data set with exactly these errors by method."""
    return [
        replace(each, error=errors[each.method][int(each.dataset[1:])])
        for each in outcomes(len(next(iter(errors.values()))), 3, dict.fromkeys(errors, 0.1))
    ]


def test_headline_omits_difference_not_shown_by_ranks() -> None:
    found = fixed({"A": (0.10, 0.30), "B": (0.11, 0.20)})
    assert compare(found, "AB", shared=0.2).mean_ranks == (1.5, 1.5)
    answer, why, *_ = after_message(study(2, "AB", 3), found)
    assert "A and B are each ahead" in answer and "points" not in answer
    assert facts(why)["lower"] == "B" and "4.50 points" in why


def test_contrary_ranks_and_means_are_explained() -> None:
    found = fixed({"A": (0.10, 0.10, 0.30), "B": (0.11, 0.11, 0.20)})
    answer, why, *_ = after_message(study(3, "AB", 3), found)
    assert facts(answer)["first"] == "A" and "rank" in answer and "points" not in answer
    assert facts(why)["lower"] == "B"
    agreeing = fixed({"A": (0.10, 0.10, 0.19), "B": (0.11, 0.11, 0.20)})
    answer, *others = after_message(study(3, "AB", 3), agreeing)
    assert facts(answer)["first"] == "A" and "1.00 points" in answer
    assert not any("lower" in facts(each) for each in others)


@pytest.mark.parametrize(
    ("errors", "words"),
    [
        ({"A": (0.1,), "B": (0.1,)}, "A and B have the same mean error, 10.00 %"),
        (
            {"A": (0.2,), "B": (0.1,), "C": (0.1,)},
            "B and C share the lowest mean error, 10.00 % (A 20.00 %), which may be chance",
        ),
    ],
)
def test_methods_equal_in_print_share_the_lowest_error(
    errors: dict[str, Sequence[float]], words: str
) -> None:
    answer, *_ = after_message(study(1, "".join(errors), 5), fixed(errors))
    assert words in answer


def test_infinite_friedman_statistic_is_omitted() -> None:
    found = outcomes(9, 3, {"A": 0.1, "B": 0.3, "C": 0.5})
    made = {each.key: each for each in make_tables(compare(found, "ABC", shared=0.2), found)}
    friedman, f, *_ = (each for each in made["ranks"].remarks if "p < 0.001" in each)
    assert friedman.endswith("χ² = 18.00, p < 0.001.")
    assert f == "Iman–Davenport: p < 0.001."


def test_undecided_answer_on_one_data_set_has_the_errors_in_their_unit() -> None:
    found = outcomes(1, 5, {"A": 0.05, "B": 0.0505, "C": 0.051}, noise=0.01)
    mean = {
        name: 100 * float(np.mean([each.error for each in found if each.method == name]))
        for name in "ABC"
    }
    (first, *_) = after_message(study(1, "ABC", 5), found)
    best = min(mean, key=mean.__getitem__)
    known = facts(first)
    assert known["first"] == best and first.index(best) < first.index(f"{mean[best]:.2f} %")
    assert known["percent"][0] == pytest.approx(mean[best]), (
        "not a text with an English decimal point"
    )
    assert all(f"{name} {mean[name]:.2f} %" in first for name in mean if name != best)


def test_name_that_reads_as_a_word_is_quoted_in_sentences() -> None:
    found = [
        replace(each, method={"A": "best", "B": "RS"}[each.method])
        for each in outcomes(1, 5, {"A": 0.1, "B": 0.2})
    ]
    asked = replace(
        study(1, "AB", 5), methods=(StudyMethod("best", "best"), StudyMethod("RS", "RS"))
    )
    assert after_message(asked, found)[0].startswith("“best” is better than RS, by ")


def test_omission_is_named_once_for_all_repetitions() -> None:
    found = outcomes(1, 5, {"A": 0.1, "B": 0.2})
    names = [f"d1 · B · svm-rbf · {repetition}" for repetition in (1, 2)]
    assert after_message(study(1, "AB", 5), found, names)[-1] == "Left out: d1 · B."

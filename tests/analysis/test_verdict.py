"""Verdicts about results: they agree with the caveats beside them."""

from dataclasses import replace
from itertools import product
from typing import get_args

import pytest

from studio.analysis.headline_text import HARMLESS_CAVEATS, describe_caveats, name_baseline
from studio.analysis.verdict import (
    CLOSER,
    CLOSER_BY_METRIC,
    FAR_OFF,
    HARDLY_CLOSER,
    MAY_LEAK,
    NOT_TESTED,
    ORDERS_AND_ESTIMATES,
    ORDERS_ONLY,
    PREDICTS,
    PREDICTS_AND_RANKS,
    PREDICTS_APPARENTLY,
    RANKS,
    UNTESTED,
    Grade,
    Verdict,
    make_verdict,
)
from studio.data.metrics.plain_score import ClassRecall, ConfusedClasses, PlainScore, RankedHits
from studio.language import translate
from studio.phrases import join_phrases, phrase
from tests.facts import contains_facts
from tests.results import make_result

TESTED = PlainScore(50, True, 0.98, None, 0.72, False, True, beyond_chance=True)
NUMBERS = PlainScore(88, False, 41.34, 30.88, 58.91, False, True, beyond_chance=True)
GOOD, USELESS = RankedHits("Yes", 50, 28, 78, True), RankedHits("Yes", 50, 7, 78, False)


def two_classes(right: float, ranked: RankedHits, *, better: bool = True) -> PlainScore:
    return PlainScore(600, True, right, None, 0.87, False, True, better, ranked)


CLOSER_BY_30 = phrase(CLOSER, percent=100 * (1 - 41.34 / 58.91), baseline=name_baseline(NUMBERS))


@pytest.mark.parametrize(
    ("score", "grade", "reason"),
    [
        (TESTED, "yes", PREDICTS),
        (two_classes(0.9, GOOD), "yes", PREDICTS_AND_RANKS),
        (two_classes(0.9, USELESS), "yes", PREDICTS),
        (two_classes(0.88, GOOD, better=False), "for ranking", ORDERS_ONLY),
        (two_classes(0.853, GOOD), "for ranking", ORDERS_ONLY),
        (two_classes(0.853, GOOD, better=False), "for ranking", ORDERS_ONLY),
        (replace(two_classes(0.853, GOOD), by_metric=True), "in part", RANKS),
        (two_classes(0.88, USELESS, better=False), "no", None),
        (replace(TESTED, beyond_chance=None), "probably", PREDICTS_APPARENTLY),
        (replace(TESTED, beyond_chance=None, by_metric=True), "yes", CLOSER_BY_METRIC),
        (replace(TESTED, average=0.7, by_metric=True), "in part", CLOSER_BY_METRIC),
        (replace(TESTED, tested=False), "probably", UNTESTED),
        (replace(two_classes(0.853, GOOD), tested=False), "perhaps", None),
        (replace(TESTED, tested=False, beyond_chance=False), "perhaps", None),
        (replace(two_classes(0.88, USELESS, better=False), tested=False), "no", None),
        (replace(TESTED, beyond_chance=False), "perhaps", None),
        (replace(TESTED, average=0.72), "no", None),
        (replace(TESTED, average=0.94, guess=0.94), "unclear", None),
        (NUMBERS, "yes", CLOSER_BY_30),
        (replace(NUMBERS, average=54.0), "slightly", None),
        (replace(NUMBERS, beyond_chance=False), "perhaps", None),
        (replace(NUMBERS, average=60.0), "no", None),
    ],
)
def test_verdict_has_grade_and_reason(score: PlainScore, grade: Grade, reason: str | None) -> None:
    verdict = make_verdict(score)
    assert verdict.grade == grade
    if reason is not None:
        assert verdict.reason == reason
    assert verdict.reason in verdict.sentence
    assert verdict.reason in verdict.answer
    # A verdict without a reservation stands above no warning.
    caveat = describe_caveats(score)
    if grade == "yes":
        assert caveat == "" or caveat in HARMLESS_CAVEATS
    if caveat == "":
        assert grade in {"yes", "slightly", "probably"} or verdict.reason == ORDERS_ONLY


def test_verdict_on_numbers_names_lead_over_best_constant() -> None:
    assert contains_facts(make_verdict(NUMBERS).sentence, "30 % closer", "the mean")
    tiny = make_verdict(replace(NUMBERS, average=58.5))
    assert tiny.grade == "slightly"
    assert tiny.reason == phrase(HARDLY_CLOSER, baseline=name_baseline(NUMBERS))
    quantile = replace(NUMBERS, metric="Pinball loss", constant="value")
    assert make_verdict(quantile).grade == "yes"
    assert "%" not in make_verdict(quantile).reason


def test_verdict_heeds_warnings_of_result() -> None:
    worse = make_result(metric="rmse", test_error_ensemble=645.0, test_error_guess=385.0)
    assert make_verdict(NUMBERS, result=worse).reason == FAR_OFF
    leak = make_result(overruled=("A column is a leak.",))
    assert make_verdict(NUMBERS, result=leak).reason == MAY_LEAK
    doubtful = replace(NUMBERS, average=60.0)
    assert make_verdict(doubtful, result=leak) == make_verdict(doubtful)
    biased = make_result(test_notes=("The test is biased.",))
    assert make_verdict(NUMBERS, result=biased).grade == "these rows"
    assert make_verdict(NUMBERS, result=make_result()) == make_verdict(NUMBERS)


def test_verdict_depends_on_dominant_columns() -> None:
    dominated = make_verdict(TESTED, dominant_columns=("paid", "closed"))
    assert (dominated.grade, dominated.reason) == ("if known", make_verdict(TESTED).reason)
    assert contains_facts(dominated.sentence, "paid, closed")
    assert contains_facts(dominated.answer, "paid, closed")
    missed = replace(TESTED, missed=(("c", 4),), confused=ConfusedClasses("c", "b", 4, 4, 9))
    assert make_verdict(missed, dominant_columns=("paid",)).grade == "if known"
    leak = make_result(overruled=("A column is a leak.",))
    for result, score in ((leak, TESTED), (None, replace(TESTED, average=0.72))):
        # Other reservations are at least as strong.
        verdict = make_verdict(score, result=result)
        assert make_verdict(score, result=result, dominant_columns=("paid",)) == verdict


def test_verdict_excepts_classes_never_found() -> None:
    confused = ConfusedClasses("c", "b", 4, 4, 9)
    missed = replace(TESTED, missed=(("c", 4),), confused=confused)
    assert make_verdict(missed).grade == "some classes"
    assert make_verdict(replace(missed, missed=())).grade == "yes"


def test_every_grade_is_a_different_sentence() -> None:
    verdicts = [replace(make_verdict(TESTED), grade=grade) for grade in get_args(Grade)]
    assert len({each.sentence for each in verdicts}) == len(verdicts)
    assert len({each.answer for each in verdicts}) == len(verdicts)


def test_class_never_found_limits_verdict_by_metric_of_equal_classes() -> None:
    weakest = (ClassRecall("c", 0, 30), ClassRecall("b", 20, 40))
    score = replace(TESTED, per_class=True, weakest=weakest)
    assert make_verdict(score).grade == "yes"
    assert make_verdict(replace(score, missed=(("c", 30),))).grade == "some classes"


def test_verdict_on_rows_with_a_decision_is_about_ranking() -> None:
    assert make_verdict(two_classes(0.9, GOOD), has_decision=True).reason == RANKS
    assert make_verdict(two_classes(0.9, USELESS), has_decision=True).reason == PREDICTS
    # Its labels are others than those that are no better than guesses.
    for score in (two_classes(0.853, GOOD), two_classes(0.88, GOOD, better=False)):
        verdict = make_verdict(score, has_decision=True)
        assert (verdict.grade, verdict.reason) == ("yes", RANKS)
        assert describe_caveats(score, has_decision=True) in {"", *HARMLESS_CAVEATS}


@pytest.mark.parametrize("average", [0.853, 0.88])
def test_ranking_alone_is_called_useful_for_the_order_only(average: float) -> None:
    score = replace(two_classes(average, GOOD, better=False), by_metric=True)
    area = make_result(metric="auc", test_error_ensemble=0.2, test_error_guess=0.5)
    verdict = make_verdict(score, result=area)
    assert (verdict.grade, verdict.reason) == ("for ranking", ORDERS_ONLY)
    verdict = make_verdict(replace(score, by_probabilities=True))
    assert (verdict.grade, verdict.reason) == ("for ranking", ORDERS_AND_ESTIMATES)
    untested = make_verdict(replace(score, tested=False, by_probabilities=True))
    assert untested == Verdict("perhaps", join_phrases((RANKS, NOT_TESTED)))
    # A metric of predicted classes says that these are better than guesses.
    labels = replace(area, metric="balanced-error")
    assert make_verdict(score, result=labels).reason == RANKS


SURENESS: tuple[Grade, ...] = (
    "no",
    "unreliable",
    "unclear",
    "perhaps",
    "in part",
    "for ranking",
    "slightly",
    "some classes",
    "these rows",
    "if known",
    "yes",
)


@pytest.mark.parametrize("has_decision", [False, True])
@pytest.mark.parametrize("columns", [(), ("paid",)])
@pytest.mark.parametrize(
    ("metric", "loss"), [("error", 0.4), ("auc", 0.4), ("auc", 0.6), ("log-loss", 0.6)]
)
def test_result_without_test_rows_never_sounds_surer(
    metric: str, loss: float, columns: tuple[str, ...], *, has_decision: bool
) -> None:
    flags = (False, True, None)
    grouped = replace(USELESS, beyond_row_chance=True)
    missed = {"missed": (("c", 4),), "confused": ConfusedClasses("c", "b", 4, 4, 9)}
    tested_result = make_result(metric=metric, test_error_ensemble=loss, test_error_guess=0.5)
    result = replace(tested_result, test_error_ensemble=None, test_error_guess=None)
    n_lowered = 0
    for average, better, by_metric, ranked, more, in_classes in product(
        (0.8, 0.87, 0.88, 0.98), flags, flags, (None, GOOD, USELESS, grouped), ({}, missed),
        (True, False)
    ):  # fmt: skip
        if (by_metric is not False and loss > 0.5) or (metric == "error" and by_metric != better):
            continue  # impossible
        score = two_classes(average, ranked, better=bool(better))
        score = replace(score, beyond_chance=better, by_metric=by_metric, **more)
        if not in_classes:
            score = replace(NUMBERS, average=60 * (1.85 - average), beyond_chance=better,
                            by_metric=by_metric)  # fmt: skip
        before = make_verdict(score, None, tested_result, columns, has_decision=has_decision)
        after = make_verdict(
            replace(score, tested=False), None, result, columns, has_decision=has_decision
        )
        if after.grade == "probably":
            assert before.grade == "yes", (score, before)
            n_lowered += 1
        elif before.grade == "probably":
            assert SURENESS.index(after.grade) <= SURENESS.index("perhaps"), (score, after)
        else:
            assert SURENESS.index(after.grade) <= SURENESS.index(before.grade), (score, before)
    assert n_lowered or columns or loss > 0.5


@pytest.mark.parametrize("reason", [ORDERS_ONLY, ORDERS_AND_ESTIMATES])
def test_verdict_on_ranking_is_no_longer_than_two_lines_of_heading(reason: str) -> None:
    assert len(translate(Verdict("for ranking", reason).sentence)) <= 2 * 55

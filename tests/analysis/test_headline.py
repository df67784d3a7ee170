"""Headline of a run in plain words, compared with manual counts."""

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, hypergeom, mannwhitneyu

from studio.analysis.headline import load_headline
from studio.analysis.headline_text import (
    BETTER_BY_METRIC,
    DEPENDENT_ROWS_CAVEATS,
    FEW_COMPARED,
    GUESSING_MAY_BE_BETTER,
    HARMLESS_CAVEATS,
    NO_BETTER,
    NO_BETTER_ON_IMBALANCED,
    NO_SIGNAL,
    ONLY_RANKING_BETTER,
    ONLY_RANKING_BETTER_OVERALL,
    PROBABILITIES_BETTER,
    VALIDATION_IS_OPTIMISTIC,
    describe_caveats,
    describe_failed_trials,
    format_cautious_headline,
    format_headline,
    make_brief_headlines,
    make_headline_parts,
    make_recommendation,
    name_metric_baseline,
)
from studio.analysis.verdict import CLOSER_BY_PROBABILITIES, make_verdict
from studio.data.metrics.absolute_errors import Mae
from studio.data.metrics.plain_score import (
    ClassRecall,
    ConfusedClasses,
    PlainScore,
    RankedHits,
    exceeds_chance,
    score_classes,
    score_values,
)
from studio.data.metrics.registry import get_metric
from studio.data.metrics.squared_errors import Rmse
from studio.data.splits import SplitPlan
from studio.document.store import Document
from studio.errors import RunError
from studio.runs.headline import (
    compares_probabilities,
    compute_rank_sum_p,
    find_most_frequent_confusion,
    find_rarest_class,
    rank_rows,
)
from studio.runs.headline import make_test_headline as beside_guessing
from studio.runs.load import load_test_predictions as predicted_test_rows
from studio.runs.prepare import prepare
from studio.runs.settings import TableSource
from tests.facts import contains_facts, facts
from tests.results import make_result

Make = Callable[..., tuple[Path, int]]


def classes(right: float, guess: float, rows: int = 1359, **more: bool) -> PlainScore:
    return PlainScore(rows, True, right, None, guess, more.get("weighted", False), True)


def values(average: float, middle: float, guess: float, wide: float | None) -> PlainScore:
    return PlainScore(500, False, average, middle, guess, False, True, guess_middle=wide)


def test_plain_scores_equal_manual_computation() -> None:
    truth = np.array([0, 0, 1, 1])
    probabilities = np.array([[0.9, 0.1], [0.2, 0.8], [0.1, 0.9], [0.5, 0.5]])
    score = score_classes(truth, probabilities, np.zeros(4), None)
    assert (score.average, score.guess) == (0.5, 0.5), "a tie goes to the first class"
    score = score_classes(truth, probabilities, np.zeros(4), np.array([3.0, 1.0, 0.0, 0.0]))
    assert (score.average, score.guess, score.weighted) == (0.75, 1.0, True)
    score = score_values(
        np.array([1.0, 2.0, 6.0]), np.array([1.0, 3.0, 2.0]), np.full(3, 3.0), None, Rmse()
    )
    assert (score.average, score.middle, score.guess) == (pytest.approx(5 / 3), 1.0, 2.0)
    assert score.guess_middle == 2.0, "the middle one of 2, 1 and 3"


def test_headline_uses_metric_if_not_median() -> None:
    truth, ones = np.array([1.0, 2.0, 6.0]), np.ones(3)
    score = score_values(truth, truth + 1, ones, None, get_metric("pinball-0.9", "regression"))
    text = format_headline(score)
    assert facts(text) == {"share": 90.0, "number": pytest.approx([0.1, 1.8])}
    assert text.startswith("Pinball loss")
    score = score_values(truth, truth + 1, ones, None, get_metric("mape", "regression"))
    text = format_headline(score)
    assert facts(text) == {"percent": pytest.approx([55.6, 44.4], abs=0.05)}
    assert text.startswith(get_metric("mape", "regression").title)
    score = score_values(truth, truth + 1, ones, None, Mae())
    headline_facts = facts(format_headline(score))
    assert headline_facts["number"] == [1.0, 1.0, 1.0, 2.0]
    assert "the median: 2." in format_headline(score)


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (classes(699 / 719, 0.1, 719), "Right for 699 of 719 rows it had never seen; guessing the "
         "most common class: 72."),
        (classes(0.714, 0.711, 5000), "Right for 3,570 of 5,000 rows it had never seen; "
         "guessing the most common class: 3,555."),
        (classes(0.68, 0.29, weighted=True), "Right for 68.0 % of the weight of rows it had "
         "never seen; guessing the most common class: 29.0 %."),
        (values(11412.3, 7902.2, 56031, 44010.0), "Half of all rows lie within ± 7,902 of the "
         "prediction; always predicting the mean: ± 44,010. On average it is off by 11,412; "
         "always predicting the mean: 56,031."),
        (replace(values(11412.3, 7902.2, 56031, 44010.0), target_unit="€"), "Half of all rows lie "
         "within ± 7,902 € of the prediction; always predicting the mean: ± 44,010 €. On average "
         "it is off by 11,412 €; always predicting the mean: 56,031 €."),
        (replace(values(1.897, 0.0151, 0.0, 0.2), constant="median"), "Half of all rows lie within "
         "± 0.0151 of the prediction; always predicting the median: ± 0.2. On average it is off "
         "by 1.9; always predicting the median: 0."),
        (replace(values(1.9, 1.2, 3.0, 2.5), weighted=True), "Half of the rows' weight lies "
         "within ± 1.2 of the prediction; always predicting the mean: ± 2.5. The weighted mean "
         "error is 1.9; always predicting the mean: 3."),
        (classes(1.0, 0.0, 1), "Right for 1 of 1 row; guessing the most common class: 0."),
        (replace(values(1.9, 1.9, 3.0, 3.0), rows=1), "For the only row it is off by 1.9; always "
         "predicting the mean: 3."),
        (values(70.72, 49.75, 112.06, None), "Half of all rows lie within ± 49.8 of the "
         "prediction. On average it is off by 70.7; always predicting the mean: 112."),
        (values(1.9, 1.2, 3.0, None), "Half of all rows lie within ± 1.2 of the prediction. On "
         "average it is off by 1.9; always predicting the mean: 3."),
    ],
)  # fmt: skip
def test_headline_text_matches_score(score: PlainScore, expected: str) -> None:
    assert format_headline(score).replace("\N{NO-BREAK SPACE}", " ") == expected


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (
            PlainScore(50, True, 0.78, None, 0.72, False, True, beyond_chance=False),
            GUESSING_MAY_BE_BETTER,
        ),
        (PlainScore(50, True, 0.98, None, 0.72, False, True, beyond_chance=True), ""),
        (PlainScore(50, True, 0.78, None, 0.72, False, True), ""),
        (PlainScore(50, True, 0.72, None, 0.72, False, True, beyond_chance=False), NO_BETTER),
        (
            PlainScore(50, True, 0.94, None, 0.94, False, True, beyond_chance=False),
            NO_BETTER_ON_IMBALANCED,
        ),
        (PlainScore(50, False, 10.1, 7.0, 10.0, False, True, beyond_chance=False), NO_BETTER),
        (
            PlainScore(50, False, 9.0, 7.0, 10.0, False, True, beyond_chance=False),
            GUESSING_MAY_BE_BETTER,
        ),
        (PlainScore(50, True, 0.98, None, 0.72, False), VALIDATION_IS_OPTIMISTIC),
        (PlainScore(50, True, 0.70, None, 0.72, False), NO_BETTER),
    ],
)
def test_headline_has_caveats(score: PlainScore, expected: str) -> None:
    assert describe_caveats(score) == expected
    assert format_cautious_headline(score) == format_headline(score) + (
        f" {expected}" if expected else ""
    )


def test_absolute_errors_of_skewed_target_are_compared_with_median(
    tmp_path: Path, new_run: Make
) -> None:
    amounts = np.exp(np.random.default_rng(0).normal(6.0, 1.5, size=100))
    table = tmp_path / "amounts.csv"
    table.write_text(
        "a,amount\n" + "".join(f"{i % 7},{each:.2f}\n" for i, each in enumerate(amounts))
    )
    source = TableSource(path=str(table), target="amount", task="regression")
    path, run_id = new_run(source=source, method="RS-post", metric="rmse")
    with Document.open(path) as document:
        prepared_run = prepare(document, run_id, starts_run=True)
    y, split = prepared_run.problem.y, prepared_run.split
    score = beside_guessing(prepared_run, y[split.test] + 1)
    errors = np.abs(y[split.test] - np.median(y[split.development]))
    assert score.guess == pytest.approx(errors.mean())
    assert score.guess_middle == pytest.approx(np.median(errors))
    assert contains_facts(format_headline(score), "median")
    assert contains_facts(name_metric_baseline("rmse"), "mean")


@pytest.mark.slow
def test_headline_tests_difference_by_exact_mcnemar(finished_run: Make) -> None:
    path, run_id = finished_run(method="RS-best", budget=3, refit=False, keep=False)
    with Document.open(path, writable=False) as document:
        prepared_run = prepare(document, run_id)
    y, split = prepared_run.problem.y.astype(int), prepared_run.split
    common = np.bincount(y[split.development]).argmax()
    truth = y[split.test]
    others = np.flatnonzero(truth != common)
    for n_right, beyond in ((5, False), (6, True)):
        predicted_classes = np.full(len(truth), common)
        predicted_classes[others[:n_right]] = truth[others[:n_right]]
        score = beside_guessing(
            prepared_run, np.eye(len(prepared_run.problem.classes))[predicted_classes]
        )
        # With k discordant rows, all in favour of one side: p = 2 · 2⁻ᵏ.
        assert (binomtest(n_right, n_right).pvalue < 0.05) == beyond
        assert score.is_better_than_guessing
        assert score.beyond_chance is beyond


@pytest.mark.slow
def test_headline_of_final_ensemble_is_stored(finished_run: Make) -> None:
    path, run_id = finished_run(method="RS-best", budget=3, refit=False, keep=False)
    headline = load_headline(path, run_id)
    with Document.open(path) as document:
        prepared_run, row = prepare(document, run_id), document.runs.get(run_id)
        only = row.result.members[0].trial
        test_probabilities = predicted_test_rows(document, run_id, only, prepared_run)
        test, rest = prepared_run.split.test, prepared_run.split.development
        y = prepared_run.problem.y
        common, rare = np.bincount(y[rest]).argmax(), int(np.bincount(y).argmin())
        names = [str(each) for each in prepared_run.problem.classes]
        assert headline == PlainScore(
            len(test),
            True,
            pytest.approx(np.mean(test_probabilities.argmax(axis=1) == y[test])),
            None,
            pytest.approx(np.mean(y[test] == common)),
            False,
            True,
            beyond_chance=headline.beyond_chance,
            by_metric=headline.beyond_chance,
            ranked=rank_rows(y[test] == rare, test_probabilities[:, rare], names[rare]),
            ranked_other=rank_rows(
                y[test] != rare, test_probabilities[:, 1 - rare], names[1 - rare]
            ),
        )
        assert headline.beyond_chance is not None
        assert 1 - headline.average == pytest.approx(row.result.test_error_ensemble)
        # As in a result of an older version: derived from the trials' predictions.
        document.runs.set_result(run_id, replace(row.result, headline=None))
    assert load_headline(path, run_id) == headline


@pytest.mark.slow
def test_headline_without_test_rows_warns_of_optimism(finished_run: Make) -> None:
    plan = SplitPlan(0.6, 0.4, 0.0, folds=3)
    path, run_id = finished_run(method="RS-best", budget=3, plan=plan, keep=False)
    headline = load_headline(path, run_id)
    assert (headline.rows, headline.tested) == (90, False)
    assert format_cautious_headline(headline).endswith(VALIDATION_IS_OPTIMISTIC)
    with Document.open(path) as document:
        error = document.trials.list_iterations(run_id)[-1].ensemble_validation
    assert 1 - headline.average == pytest.approx(error)


@pytest.mark.parametrize(
    "score",
    [
        classes(699 / 719, 0.1, 719),
        classes(1.0, 0.0, 1),
        classes(0.68, 0.29, weighted=True),
        values(11412.3, 7902.2, 56031, 44010.0),
        values(1.9, 1.2, 3.0, None),
        PlainScore(
            600, True, 0.9, None, 0.8, False, True, ranked=RankedHits("yes", 50, 17, 90, True, ())
        ),
    ],
)
def test_shorter_headlines_have_same_numbers(score: PlainScore) -> None:
    headline = make_headline_parts(score)[0]
    brief, *shorter = make_brief_headlines(score)
    assert {*re.findall(r"\d+", brief)} == {*re.findall(r"\d+", headline)}
    for longer, each in pairwise((headline, brief, *shorter)):
        assert len(each) < len(longer)
        assert {*re.findall(r"\d+", each)} <= {*re.findall(r"\d+", longer)}


def test_run_without_model_has_no_headline(new_run: Make) -> None:
    with pytest.raises(RunError):
        load_headline(*new_run())


def make_binary_score(
    right: float, ranked: RankedHits | None, guess: float = 0.87, *, better: bool = True
) -> PlainScore:
    return PlainScore(600, True, right, None, guess, False, True, better, ranked)


def test_hits_with_tied_scores_count_proportionally() -> None:
    positive = np.array([True] * 6 + [False] * 14)
    ranking = rank_rows(positive, np.linspace(1, 0, 20), "yes")
    assert ranking is not None
    assert (ranking.label, ranking.top, ranking.hits, ranking.positives) == ("yes", 5, 5, 6)
    assert ranking.beyond_chance
    # Each of the first six rows is a sixth of the class; then all of it is found.
    assert ranking.gains[:7] == tuple(
        (pytest.approx(k / 20), pytest.approx(k / 6, abs=1e-4)) for k in range(7)
    )
    assert ranking.gains[-1] == (1.0, 1.0)
    tied = rank_rows(positive, np.array([0.9] * 2 + [0.5] * 18), "yes")
    assert tied is not None
    assert tied.hits == 2, "two, and three of the eighteen others, of which four are positive"
    assert tied.gains == ((0.0, 0.0), (0.1, 0.3333), (1.0, 1.0))
    assert rank_rows(positive[2:], np.linspace(1, 0, 18), "yes") is None, "too few of the class"


@pytest.mark.parametrize(("hits", "top", "positives", "rows"), [(3, 20, 27, 492), (4, 20, 27, 492),
    (0, 5, 6, 20), (5, 5, 6, 20), (40, 200, 300, 3000), (12, 12, 12, 13)])  # fmt: skip
def test_hit_test_equals_hypergeometric_distribution(
    hits: int, top: int, positives: int, rows: int
) -> None:
    assert exceeds_chance(hits, top, positives, rows) is bool(
        hypergeom.sf(hits - 1, rows, positives, top) <= 0.025
    )


def test_number_of_top_rows_does_not_depend_on_hits() -> None:
    """With 27 rare rows, for example: one is among the first 20, most are among the first 100."""
    positive = np.zeros(492, dtype=bool)
    positive[[7, *range(30, 42), *range(60, 72), 300, 450]] = True
    ranking = rank_rows(positive, np.linspace(1, 0, 492), "yes")
    assert ranking is not None
    assert (ranking.beyond_chance, ranking.top, ranking.hits) == (True, 20, 1)
    assert not ranking.is_beyond_chance(492)
    score = PlainScore(492, True, 0.94, None, 0.94, False, True, False, ranking)
    assert describe_caveats(score) == ONLY_RANKING_BETTER_OVERALL
    assert "1 is “yes”" in format_headline(score)
    half = facts(make_recommendation(score, "t"))
    assert half["share"] == 50
    assert half["found"] == pytest.approx(100 * 25 / 27, abs=1)
    for order in (np.arange(492), np.arange(492)[::-1], np.random.default_rng(0).permutation(492)):
        other = rank_rows(positive, order.astype(float), "yes")
        assert other is not None and other.top == 20


@pytest.mark.slow
def test_useless_ranking_is_rarely_significant() -> None:
    rng = np.random.default_rng(0)
    positive = rng.random(600) < 0.13
    rankings = [rank_rows(positive, rng.random(600), "yes") for _ in range(2000)]
    assert 0.01 < np.mean([each is not None and each.beyond_chance for each in rankings]) <= 0.035


def test_ranking_test_counts_groups_not_rows() -> None:
    groups = np.repeat(np.arange(8), 30)
    positive = groups % 2 == 0
    scores = 0.3 * positive + np.repeat(np.linspace(0, 1, 8), 30)
    alone, together = (rank_rows(positive, scores, "yes", units) for units in (None, groups))
    assert alone is not None
    assert together is not None
    assert (alone.beyond_chance, together.beyond_chance) == (True, False)
    assert alone.beyond_row_chance and together.beyond_row_chance


def test_headline_of_two_classes_starts_with_ranking() -> None:
    good, useless = RankedHits("Yes", 50, 28, 78, True), RankedHits("Yes", 50, 7, 78, False)
    ranks = make_headline_parts(make_binary_score(0.853, good))[0]
    assert facts(ranks) == {"top": 50, "rows": 600, "hits": 28, "label": "Yes", "number": 6.5}
    text = format_headline(make_binary_score(0.9, good, 0.55))
    assert text.startswith(f"{ranks} ")
    assert (facts(text)["right"], facts(text)["rows"]) == (540, [600, 600])
    for score in (
        make_binary_score(0.853, good, better=False),
        make_binary_score(0.5, good, 0.52, better=False),
    ):
        assert describe_caveats(score) == ONLY_RANKING_BETTER
        assert "guesses" not in describe_caveats(score, has_decision=True), (
            "they are other rows, already counted"
        )
        assert "better than chance" in describe_caveats(score, has_decision=True)
    assert (
        describe_caveats(replace(make_binary_score(0.853, good), tested=False))
        == f"{ONLY_RANKING_BETTER} {VALIDATION_IS_OPTIMISTIC}"
    )
    assert describe_caveats(make_binary_score(0.88, good, better=False)) == ""
    assert describe_caveats(make_binary_score(0.88, useless, better=False)) == NO_SIGNAL
    assert describe_caveats(make_binary_score(0.86, useless, better=False)) == NO_SIGNAL
    assert describe_caveats(make_binary_score(0.93, useless)) == ""
    together = replace(useless, beyond_row_chance=True)
    for kind, text in DEPENDENT_ROWS_CAVEATS.items():
        grouped = replace(make_binary_score(0.86, together, better=False), together=kind)
        assert describe_caveats(grouped) == text
        assert ("group" in text) == (kind in {"", "groups"}), "no groups where there are none"
        assert make_verdict(grouped).grade == "perhaps"
    few = RankedHits("Yes", 5, 4, 6, True)
    assert "fewer than one" in format_headline(make_binary_score(0.99, few))


def test_better_probabilities_are_named_beside_labels_no_better_than_guesses() -> None:
    ranked = RankedHits("Yes", 50, 28, 78, True)
    plain = PlainScore(491, True, 0.45, None, 0.50, False, True, False, ranked, by_metric=True)
    score = replace(plain, by_probabilities=True)
    assert describe_caveats(score) == f"{ONLY_RANKING_BETTER} {PROBABILITIES_BETTER}"
    assert BETTER_BY_METRIC in describe_caveats(plain), "a metric of labels, or an older version"
    unranked = replace(score, ranked=replace(ranked, hits=7, beyond_chance=False))
    assert describe_caveats(unranked) == PROBABILITIES_BETTER
    assert make_verdict(score).grade == "for ranking"
    assert make_verdict(unranked).grade == "in part"
    assert make_verdict(unranked).reason == CLOSER_BY_PROBABILITIES
    decided = describe_caveats(score, has_decision=True)
    assert decided in HARMLESS_CAVEATS and PROBABILITIES_BETTER in decided
    assert "" not in HARMLESS_CAVEATS


@pytest.mark.parametrize(("metric", "compares"), [("log-loss", True), ("brier", True),
    ("auc", False), ("error", False), ("balanced-error", False)])  # fmt: skip
def test_headline_knows_metric_of_probabilities(metric: str, compares: bool) -> None:
    truth, predictions = np.array([0, 1, 1]), np.array([[0.7, 0.3], [0.4, 0.6], [0.8, 0.2]])
    found = compares_probabilities(get_metric(metric, "binary"), truth, predictions)
    assert found is compares


@pytest.mark.parametrize("better", [False, None])
def test_run_better_by_its_metric_gets_no_warning(better: bool | None) -> None:
    useless = RankedHits("Yes", 50, 7, 78, False)
    for average in (0.45, 0.50, 0.51):
        for ranked in (None, useless, replace(useless, hits=28, beyond_chance=True)):
            plain = PlainScore(491, True, average, None, 0.50, False, True, better, ranked)
            score = replace(plain, by_metric=True)
            assert score.doubtful is False
            doubt = describe_caveats(score)
            assert doubt in {"", BETTER_BY_METRIC, f"{ONLY_RANKING_BETTER} {BETTER_BY_METRIC}"}
            assert make_verdict(score).grade in {"yes", "in part"}
            assert "Use the" in make_recommendation(score, "t") or ranked
            if average < 0.5:
                assert BETTER_BY_METRIC in doubt
    untested = PlainScore(491, True, 0.45, None, 0.50, False, by_metric=True)
    assert describe_caveats(untested) == f"{BETTER_BY_METRIC} {VALIDATION_IS_OPTIMISTIC}"


@pytest.mark.slow
def test_run_metric_is_compared_with_best_constant(finished_run: Make) -> None:
    path, run_id = finished_run(method="RS-best", budget=3, metric="log-loss", keep=False)
    with Document.open(path) as document:
        prepared_run, row = prepare(document, run_id), document.runs.get(run_id)
    y, split = prepared_run.problem.y.astype(int), prepared_run.split
    truth = y[split.test]
    common = int(np.bincount(y[split.development]).argmax())
    # It always predicts the common class, with the highest probability where that is right.
    shares = np.where(truth == common, 0.999, 0.51)[:, None]
    probabilities = np.where(np.arange(2) == common, shares, 1 - shares)
    score = beside_guessing(prepared_run, probabilities)
    assert (score.is_better_than_guessing, score.beyond_chance, score.by_metric) == (
        False,
        False,
        True,
    )
    same = np.full_like(probabilities, 0.5)
    assert beside_guessing(prepared_run, same).by_metric is False
    for upper, by_metric in ((0.4, True), (0.8, False)):  # as stored by an older version
        old = replace(score, by_metric=None)
        result = replace(
            row.result, headline=old, test_interval=(0.3, upper), test_error_guess=0.69
        )
        assert result.headline == replace(score, by_metric=by_metric)


def test_headline_uses_positive_class_of_decision() -> None:
    score = replace(
        make_binary_score(0.853, RankedHits("Yes", 50, 28, 78, True)),
        ranked_other=RankedHits("No", 200, 198, 522, True),
    )
    for looked_for, top in ((None, 50), ("Yes", 50), ("No", 200)):
        assert format_headline(score, looked_for).startswith(f"Of the {top} rows ")


def test_headline_names_most_frequent_confusion() -> None:
    counts = np.array([[3, 2, 1], [2, 2, 0], [0, 2, 0]])
    confusion = find_most_frequent_confusion(counts, ("a", "b", "c"))
    assert confusion == ConfusedClasses("c", "b", 2, 2, 6), (
        "of three pairs with two rows the smallest class"
    )
    score = replace(classes(0.6, 0.5), confused=confusion)
    sentence = " Most often confused: 2 of 2 “c” predicted as “b”."
    assert format_headline(score) == format_headline(classes(0.6, 0.5)) + sentence
    assert find_most_frequent_confusion(np.diag([6, 4, 2]), ("a", "b", "c")) is None


@pytest.mark.parametrize(
    ("loss", "guess", "warned"),
    [(645.0, 385.0, True), (385.0, 385.0, True), (281.0, 385.0, False), (645.0, None, False),
     (None, 385.0, False)],
)  # fmt: skip
def test_headline_names_equally_good_constant(
    loss: float | None, guess: float | None, warned: bool
) -> None:
    result = make_result(metric="rmse", test_error_ensemble=loss, test_error_guess=guess)
    score = values(1.0, 0.5, 2.0, 1.0)
    caveats = describe_caveats(score, None, result)
    assert ("RMSE" in caveats) is bool(caveats) is warned
    assert (
        format_cautious_headline(score, None, result)
        == f"{format_headline(score)} {caveats}".strip()
    )
    chance = replace(classes(0.6, 0.5), beyond_chance=False)
    doubts = describe_caveats(chance, None, result)
    assert doubts.endswith(GUESSING_MAY_BE_BETTER) and ("RMSE" in doubts) is warned
    if warned:
        assert "mean" in caveats and "guessing" in doubts


@pytest.mark.slow
@given(
    above=st.lists(st.integers(-20, 20), min_size=1, max_size=30),
    below=st.lists(st.integers(-20, 20), min_size=1, max_size=30),
    tied=st.booleans(),
)
def test_rank_sum_p_value_agrees_with_scipy(above: list[int], below: list[int], tied: bool) -> None:
    values = np.array(above + below, dtype=float)
    if not tied:
        values += np.arange(len(values)) / 100
    ours = compute_rank_sum_p(values[: len(above)], values[len(above) :])
    theirs = mannwhitneyu(values[: len(above)], values[len(above) :], alternative="greater")
    assert ours == pytest.approx(theirs.pvalue, abs=1e-12)


def test_headline_warns_if_most_trials_failed() -> None:
    score = classes(0.9, 0.5)
    for failed, has_warning in ((11, True), (7, True), (6, False), (0, False)):
        result = make_result(trials=12, failed=failed)
        failure_facts = (
            facts(describe_failed_trials(result)) if describe_failed_trials(result) else {}
        )
        assert failure_facts == ({"failed": failed, "trials": 12} if has_warning else {})
        assert (FEW_COMPARED in describe_caveats(score, result=result)) is has_warning
    assert "failed" not in make_result(trials=12).to_json(), "as in older versions"


@pytest.mark.parametrize(
    ("rows", "always", "expected"),
    [
        ([60, 34, 6], False, ("c", 3, 6)),
        ([50, 30, 20], False, None),
        ([50, 30, 20], True, ("c", 10, 20)),
        ([9, 10, 9, *[10] * 8], False, None),
        ([60, 0, 6], False, ("c", 3, 6)),
        ([60, 4, 4], False, None),
        ([10, 10, 10], True, None),
    ],
)
def test_rarest_class_is_named_if_relevant(
    rows: list[int], always: bool, expected: tuple[str, int, int] | None
) -> None:
    counts = np.diag([n // 2 for n in rows])
    counts[:, 0] += [n - n // 2 for n in rows]
    rarest = find_rarest_class(counts, "abcdefghijklm"[: len(rows)], always=always)
    assert rarest == (None if expected is None else ClassRecall(*expected))
    sentence = format_headline(replace(classes(0.6, 0.5), rarest=rarest))
    if expected is None:
        assert sentence == format_headline(classes(0.6, 0.5))
    else:
        assert contains_facts(sentence, f"{expected[1]} of {expected[2]}", expected[0])
    missed = replace(classes(0.6, 0.5), rarest=ClassRecall("c", 0, 6))
    assert format_headline(missed) == format_headline(classes(0.6, 0.5)), "advice names it"

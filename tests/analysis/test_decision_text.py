"""Sentences on decisions, and their confusion matrix."""

import re
from dataclasses import replace

import pytest

from studio.analysis.answers.predictions import ConfusionCounts, DecisionFigures
from studio.analysis.decision_text import (
    describe_advice,
    describe_labels,
    get_confusion_matrix,
    make_decided_parts,
    make_decided_recommendation,
)
from studio.data.metrics.plain_score import PlainScore, RankedHits
from studio.document.decision import Decision
from tests.facts import contains_facts


def test_decision_matrix_keeps_class_order() -> None:
    cells = ConfusionCounts(
        true_positives=1, false_negatives=2, false_positives=3, true_negatives=4
    )
    figures = DecisionFigures(classes=("a", "b"), positive_class="a", threshold_confusion=cells)
    assert get_confusion_matrix(figures).tolist() == [[1, 2], [3, 4]]
    assert get_confusion_matrix(replace(figures, positive_class="b")).tolist() == [[4, 3], [2, 1]]


def test_report_explains_decision_increasing_errors() -> None:
    usual = ConfusionCounts(
        true_positives=0, false_negatives=36, false_positives=0, true_negatives=372
    )
    decided = ConfusionCounts(
        true_positives=14, false_negatives=22, false_positives=40, true_negatives=332
    )
    figures = DecisionFigures(
        classes=("No", "Yes"),
        positive_class="Yes",
        count=408,
        method_confusion=usual,
        threshold_confusion=decided,
    )
    score = PlainScore(408, True, 0.91, None, 0.91, False, True)
    assert contains_facts(
        describe_labels(figures, score), "346", "372", "finds 14 of 36", "“Yes”", "instead of 0"
    )
    swapped = replace(figures, method_confusion=decided, threshold_confusion=usual)
    assert "In return" not in describe_labels(swapped, score)
    _, explanation = make_decided_parts(replace(score, ranked=None), "Yes", figures)
    assert "costs" not in explanation
    costly = replace(figures, costs=(300.0, 20.0), currency="€")
    texts = (
        "".join(make_decided_parts(score, "Yes", costly)),
        describe_advice(Decision("Yes", 0.4), costly),
    )
    for text in texts:
        assert contains_facts(text, "1,814", "2,647", "“Yes”: ", "1,824")


@pytest.mark.parametrize(("miss", "label"), [(11.0, "yes"), (9.0, "no"), (10.0, "no")])
def test_decision_is_compared_with_cheapest_label(miss: float, label: str) -> None:
    # 4 of 44 rows are "yes": all "no" costs 4 misses, all "yes" 40 false alarms of 1.
    usual = ConfusionCounts(
        true_positives=1, false_negatives=3, false_positives=0, true_negatives=40
    )
    decided = ConfusionCounts(
        true_positives=3, false_negatives=1, false_positives=9, true_negatives=31
    )
    figures = DecisionFigures(
        classes=("no", "yes"),
        positive_class="yes",
        count=44,
        method_confusion=usual,
        threshold_confusion=decided,
        costs=(miss, 1.0),
    )
    ranked_labels = figures.rank_constant_labels(miss, 1.0)
    constants = {name: counts.compute_cost(miss, 1.0) for name, counts in ranked_labels}
    assert constants == {"no": 4 * miss / 44, "yes": 40 / 44}
    assert next(iter(constants)) == label
    score = PlainScore(44, True, 0.9, None, 0.9, False, True)
    for text in (
        "".join(make_decided_parts(score, "yes", figures)),
        describe_advice(Decision("yes", 0.2), figures),
    ):
        assert re.findall("“(yes|no)”", text[text.index("100 rows") :])[0] == label


def test_recommendation_follows_labels_of_decision() -> None:
    figures = DecisionFigures(
        classes=("no", "yes"),
        positive_class="yes",
        count=371,
        method_confusion=ConfusionCounts(
            true_positives=0, false_negatives=41, false_positives=0, true_negatives=330
        ),
        threshold_confusion=ConfusionCounts(
            true_positives=8, false_negatives=33, false_positives=12, true_negatives=318
        ),
    )
    dependent = PlainScore(
        371, True, 330 / 371, None, 330 / 371, False, True, False,
        RankedHits("yes", 20, 8, 41, False, beyond_row_chance=True), missed=(("yes", 41),),
    )  # fmt: skip
    decision = Decision("yes", 0.16)

    def recommend(score: PlainScore, outcome: DecisionFigures | None = figures) -> str:
        return make_decided_recommendation(score, "no_show", None, decision, outcome)

    text = recommend(dependent)
    assert "41 rows" not in text and contains_facts(text, "“yes”", "20")
    assert "count the hits" in text.lower(), "the rows are as dependent as without a decision"
    assert "41 rows" in recommend(dependent, None)
    certain = replace(dependent, ranked=replace(dependent.ranked, beyond_chance=True))
    assert recommend(certain) == describe_advice(decision, figures)
    assert recommend(replace(dependent, ranked=None)).startswith("Do not base")

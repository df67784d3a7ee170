"""Recommendations for artificial scores."""

from dataclasses import replace

import numpy as np
import pytest

from studio.analysis.headline_text import make_recommendation
from studio.data.metrics.plain_score import ClassPrecision, ConfusedClasses, PlainScore, RankedHits
from studio.runs.headline import (
    find_least_precise_class,
    find_missed_classes,
    find_most_frequent_confusion,
)

TWO = PlainScore(
    600, True, 0.87, None, 0.85, False, True, True, RankedHits("Yes", 50, 28, 92, True)
)
SEVERAL = PlainScore(600, True, 0.87, None, 0.3, False, True, True)
VALUES = PlainScore(500, False, 11412.3, 7902.2, 56031, False, True, True)


@pytest.mark.parametrize(
    ("score", "begins"),
    [
        (TWO, "Handle rows in descending order of their probability of “Yes”: the "
         "first 8 % of the rows contained 30 % of all “Yes” rows."),
        (replace(TWO, average=0.8), "Handle rows in descending"),
        (replace(TWO, average=0.8, ranked=replace(TWO.ranked, beyond_chance=False)), "Do not"),
        (replace(TWO, average=0.8, ranked=replace(TWO.ranked, beyond_chance=False,
         beyond_row_chance=True)),
         "Handle rows in descending order of their probability of “Yes”, and"),
        (replace(TWO, ranked=replace(TWO.ranked, beyond_chance=False, beyond_row_chance=True)),
         "Handle rows in descending order of their probability of “Yes”, and"),
        (SEVERAL, "Use the predicted classes."),
        (replace(SEVERAL, missed=(("c", 4),)), "Use the predicted classes, except"),
        (replace(SEVERAL, confused=ConfusedClasses("a", "b", 14, 60)),
         "Use the predicted classes, but "
         "check rows predicted as “b”: some are “a”."),
        (replace(SEVERAL, confused=ConfusedClasses("a", "b", 98, 244, 239)),
         "Use the predicted classes, "
         "but check rows predicted as “b”: 98 of 239 (41 %) are “a”."),
        (replace(SEVERAL, confused=ConfusedClasses("a", "b", 98, 244, 239),
                 least_precise=ClassPrecision("c", 5, 14)),
         "Use the predicted classes, but check rows predicted as “c”: 5 of 14 (36 %)"),
        (replace(SEVERAL, beyond_chance=False), "Do not base decisions"),
        (VALUES, "Use the predictions where an error of 7,902 is acceptable"),
        (replace(VALUES, average=60000), "Do not base decisions"),
    ],
)  # fmt: skip
def test_recommendation_follows_from_facts(score: PlainScore, begins: str) -> None:
    assert make_recommendation(score, "churn").startswith(begins)


def test_recommendation_lists_classes_without_hits() -> None:
    counts = np.array([[6, 0, 0], [4, 0, 0], [1, 1, 0]])
    missed = find_missed_classes(counts, ("a", "b", "c"))
    assert missed == (("b", 4), ("c", 2))
    text = make_recommendation(replace(SEVERAL, missed=missed), "t")
    assert all(f"“{name}”" in text for name in "bc")
    assert "“a”" not in text
    rare = make_recommendation(replace(TWO, average=0.85, missed=(("Yes", 92),)), "t")
    assert "92 rows of “Yes”" in rare
    assert "92 rows" not in make_recommendation(TWO, "t")
    assert "only row of “c”" in make_recommendation(replace(SEVERAL, missed=(("c", 1),)), "t")
    assert not find_missed_classes(np.diag([6, 4, 2]), ("a", "b", "c"))
    assert find_most_frequent_confusion(counts, ("a", "b", "c")) == ConfusedClasses(
        "b", "a", 4, 4, 11
    )


def test_least_precise_class_has_highest_certain_share_of_wrong_rows() -> None:
    labels = ("Account", "Billing", "Complaint", "Technical")

    def find(counts: list[list[int]]) -> ClassPrecision | None:
        return find_least_precise_class(np.array(counts), labels)

    # The most frequent confusion, of 63 rows of a large class, is not the doubtful one.
    counts = [[9, 4, 0, 5], [3, 60, 1, 5], [0, 4, 9, 0], [2, 4, 0, 53]]
    assert find(counts) == ClassPrecision("Account", 5, 14)
    # Neither 2 wrong of 2 rows, nor 4 of 10, which may be chance, outweigh 45 of 120.
    counts = [[6, 30, 0, 0], [4, 75, 2, 0], [0, 15, 0, 0], [0, 0, 0, 90]]
    assert find(counts) == ClassPrecision("Billing", 45, 120)
    assert find(np.diag([20, 20, 20, 20]).tolist()) is None
    counts = np.diag([20, 20, 20, 20]).tolist()
    counts[0][1] = 1
    assert find(counts) is None, "one row is no evidence"
    assert find([[1, 8, 0, 0], [8, 1, 0, 0], [0, 0, 20, 0], [0, 0, 0, 20]]) is None, "few rows"


def test_recommendation_needs_test_rows() -> None:
    text = make_recommendation(replace(VALUES, tested=False, beyond_chance=None), "price")
    assert text.endswith("never seen.")

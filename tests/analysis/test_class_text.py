"""Sentences about single classes: under a mean over classes the weakest decide."""

from dataclasses import replace

import numpy as np
import pytest

from studio.analysis.class_text import CHOOSE_AVERAGE, FEW_ROWS
from studio.analysis.headline_text import (
    HARMLESS_CAVEATS,
    describe_caveats,
    format_headline,
    make_recommendation,
)
from studio.data.metrics.curves import find_most_confused, find_weakest_classes
from studio.data.metrics.plain_score import ClassRecall, ConfusedClasses, PlainScore
from studio.data.metrics.predicted_classes import BalancedError
from studio.phrases import Phrase, phrase
from studio.runs.headline import (
    find_most_frequent_confusion,
    find_rarest_class,
    find_weakest_recalls,
)
from tests.facts import contains_facts

LABELS = ("OK", "Wear", "Bearing", "Leak")
PUMPS = np.array([[131, 2, 0, 7], [2, 22, 0, 0], [3, 1, 20, 0], [4, 0, 0, 8]])
"""The confusion matrix of a test; the least important cell has the most rows."""

PER_CLASS = PlainScore(200, True, 0.87, None, 0.25, False, True, True, per_class=True)


def test_headline_names_classes_with_lowest_recall() -> None:
    weakest = find_weakest_recalls(PUMPS, LABELS)
    assert weakest == (ClassRecall("Leak", 8, 12), ClassRecall("Bearing", 20, 24))
    confusion = find_most_frequent_confusion(PUMPS, LABELS, by_share=True)
    assert confusion is not None
    assert (confusion.truth, confusion.answer, confusion.rows) == ("Leak", "OK", 4)
    rarest = find_rarest_class(PUMPS, LABELS, always=True)
    score = replace(PER_CLASS, weakest=weakest, confused=confusion, rarest=rarest)
    text = format_headline(score)
    assert contains_facts(text, "“Leak” 8 of 12", "“Bearing” 20 of 24", "4 of 12")
    assert text.count("8 of 12") == 1, "the rarest class is named once"
    assert "7 of 140" not in text
    assert contains_facts(make_recommendation(score, "state"), "“Leak”", "8 of 12")


def test_rows_decide_without_mean_over_classes() -> None:
    assert find_most_confused(PUMPS) == (0, 3)
    confusion = find_most_frequent_confusion(PUMPS, LABELS)
    assert confusion is not None
    assert (confusion.rows, confusion.of) == (7, 140)


def test_single_row_is_no_frequent_confusion() -> None:
    counts = np.array([[96, 4, 0], [6, 94, 0], [0, 1, 1]])
    assert find_most_confused(counts, by_share=True) == (1, 0)
    assert find_most_confused(np.array([[9, 1], [0, 2]]), by_share=True) == (0, 1)
    assert find_most_confused(np.diag([3, 4]), by_share=True) is None


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        (np.diag([5, 6, 7]), []),
        (np.array([[1, 1, 0], [0, 2, 2], [4, 0, 4]]), []),  # all alike
        (np.array([[9, 1, 0], [0, 0, 0], [3, 0, 3]]), [2]),  # one does not occur
        (np.array([[0, 2, 0], [3, 0, 0], [0, 0, 9]]), [1, 0]),  # the larger one first
    ],
)
def test_weakest_classes_are_below_mean(counts: np.ndarray, expected: list[int]) -> None:
    assert find_weakest_classes(counts) == expected


@pytest.mark.parametrize("rows", [FEW_ROWS - 1, FEW_ROWS])
def test_few_rows_are_remarked(rows: int) -> None:
    recall = ClassRecall("Leak", rows, rows)
    few = rows < FEW_ROWS
    assert ("few rows" in format_headline(replace(PER_CLASS, rarest=recall))) is few
    weak = replace(recall, found=1)
    assert ("few rows" in format_headline(replace(PER_CLASS, weakest=(weak,)))) is few


def test_answer_warns_of_classes_that_are_never_right() -> None:
    remedy = Phrase(CHOOSE_AVERAGE, {"metric": phrase(BalancedError.title)})
    score = PlainScore(200, True, 0.87, None, 0.25, False, True, True)
    score = replace(score, confused=ConfusedClasses("Leak", "OK", 9, 12, 60))
    assert describe_caveats(score) == ""
    missed = replace(score, missed=(("Leak", 12), ("Bearing", 3)))
    caveats = describe_caveats(missed)
    assert contains_facts(caveats, "“Leak”", "“Bearing”") and remedy in caveats
    assert caveats not in HARMLESS_CAVEATS
    single = describe_caveats(replace(score, missed=(("Leak", 1),)))
    assert "“Leak”" in single and remedy not in single, "one row is no evidence"
    # The report, which repeats the caveats, has each sentence once.
    assert "“Bearing”" not in make_recommendation(missed, "state")
    # By a mean over the classes the details name them already.
    averaged = replace(missed, per_class=True, weakest=(ClassRecall("Leak", 0, 12),))
    assert describe_caveats(averaged) == "" and "Leak" in format_headline(averaged)
    # Of two classes, the ranking is what counts.
    assert describe_caveats(replace(missed, confused=None)) == ""

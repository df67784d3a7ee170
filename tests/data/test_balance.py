import re

import numpy as np
import pytest

from studio.data.balance import imbalance_note


@pytest.mark.parametrize(
    ("counts", "metric", "words"),
    [
        ([50, 50], None, ""),
        ([80, 20], None, ""),
        ([81, 19], "balanced-error", "81 % of the rows are of class 'c0'.*wrong in only 19 %"),
        ([4, 96], "auc", "96 % of the rows are of class 'c1'.*wrong in only 4 %"),
        ([96, 2, 2], "balanced-error", "96 %"),
        ([90, 90, 10], None, ""),
        ([100, 90, 10], "balanced-error", "'c0' has 10 times the rows of 'c2'"),
        ([100, 0], None, ""),
    ],
)
def test_another_metric_is_proposed_where_the_error_would_flatter(counts, metric, words):
    y = np.repeat(np.arange(len(counts)), counts)
    classes = [f"c{i}" for i in range(len(counts))]
    note = imbalance_note(y, classes, "error")
    if metric is None:
        assert note is None
        return
    assert note.metric == metric
    assert f"({metric})" in note.sentence
    assert re.search(words, note.sentence)
    assert imbalance_note(y, classes, None) == note
    assert imbalance_note(y, classes, "log-loss") is None


def test_regression_has_no_classes():
    assert imbalance_note(np.arange(5), (), None) is None

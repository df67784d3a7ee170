"""Headline of a run whose metric is the mean over several classes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score

from studio.analysis.headline_text import describe_caveats, format_headline, make_brief_headlines
from studio.data.metrics.plain_score import PlainScore
from studio.document.store import Document
from studio.runs.headline import make_test_headline
from studio.runs.prepare import prepare
from studio.runs.settings import TableSource
from tests.facts import facts

NAMES, COUNTS = ("crack", "leak", "ok"), (30, 60, 510)


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "is_mean"), [("balanced-error", True), ("error", False)])
def test_headline_is_mean_over_classes_like_metric(
    tmp_path: Path,
    new_run: Callable[..., Any],
    run_inline: Callable[..., str],
    metric: str,
    is_mean: bool,
) -> None:
    codes = np.random.default_rng(4).permutation(np.repeat(np.arange(3), COUNTS))
    table = tmp_path / "parts.csv"
    table.write_text("\n".join(["x,state", *(f"{i % 7},{NAMES[k]}" for i, k in enumerate(codes))]))
    source = TableSource(path=str(table), target="state", task="multiclass")
    path, run_id = new_run(source=source, method="RS-best", budget=1, metric=metric)
    assert run_inline(path, run_id) == "finished"
    with Document.open(path, writable=False) as document:
        prepared = prepare(document, run_id)
    truth = prepared.problem.y[prepared.split.test].astype(np.int64)
    # Two thirds of the frequent class are right, and nearly all rows of the other classes.
    labels = np.where((truth == 2) & (np.arange(len(truth)) % 3 == 0), 1, truth)
    score = make_test_headline(prepared, np.eye(3)[labels])
    assert score.per_class is is_mean
    assert not score.weighted
    if is_mean:
        assert score.average == pytest.approx(balanced_accuracy_score(truth, labels))
        assert score.guess == pytest.approx(1 / 3)
        assert score.beyond_chance and score.by_metric
        assert describe_caveats(score) == ""
    else:
        assert score.average == pytest.approx(np.mean(labels == truth))
        assert score.guess == pytest.approx(np.mean(truth == 2))
        assert not score.is_better_than_guessing
    constant = make_test_headline(prepared, np.eye(3)[np.full(len(truth), 2)])
    assert not constant.is_better_than_guessing


def test_texts_name_mean_over_classes() -> None:
    score = PlainScore(180, True, 0.6204, None, 0.25, weighted=False, tested=True, per_class=True)
    for text in (format_headline(score), make_brief_headlines(score)[0]):
        assert facts(text) == {"number": [62.0, 25.0]}
    assert len({format_headline(score), make_brief_headlines(score)[0]}) == 2

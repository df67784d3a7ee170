"""Metrics by which no column can be worth anything, since the ensemble gives one answer."""

from pathlib import Path

import numpy as np
import pytest

from studio.analysis.blind_metric import blind_words
from studio.analysis.column_effects import column_effects
from studio.data.metrics.balanced_error import BalancedError
from studio.data.metrics.error import Error
from studio.data.metrics.log_loss import LogLoss
from studio.document.store import Document
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, Source

NOTHING = np.zeros(3)


def counts(*given):
    return "good", np.array(given)


def test_an_ensemble_of_one_answer_is_told_with_other_metrics():
    words = blind_words(Error(), "binary", counts(3, 97), NOTHING, NOTHING)
    assert "“good” for 97 of 100 rows" in words
    for title in ("Balanced error rate", "Log loss", "Brier score"):
        assert title in words
    assert "Balanced error rate, " not in blind_words(
        BalancedError(), "binary", counts(0, 9), NOTHING, NOTHING
    )


@pytest.mark.parametrize(
    ("metric", "answers", "worth", "low"),
    [
        (Error(), counts(4, 96), np.array([0.0, 0.01]), np.array([0.0, -0.01])),
        (Error(), counts(1, 99), np.array([0.0, 0.01]), np.array([0.0, 0.001])),
        (LogLoss(), counts(0, 100), NOTHING, NOTHING),
        (Error(), counts(0, 100), np.full(3, np.nan), np.full(3, np.nan)),
    ],
    ids=["several answers", "a column that matters", "probabilities", "nothing known"],
)
def test_elsewhere_nothing_is_said(metric, answers, worth, low):
    assert not blind_words(metric, "binary", answers, worth, low)


def test_worths_of_exactly_nothing_are_told_whatever_the_answers():
    assert "exactly the same" in blind_words(Error(), "binary", counts(9, 11), NOTHING, NOTHING)


@pytest.mark.slow
def test_a_run_on_classes_of_very_different_size_says_so(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rare = rng.random(400) < 0.1
    table = tmp_path / "rare.csv"
    rows = [
        f"{x:.3f},{'bad' if r else 'good'}" for x, r in zip(rng.normal(size=400), rare, strict=True)
    ]
    table.write_text("x,label\n" + "\n".join(rows) + "\n")
    settings = RunSettings(
        method="RS-ES", budget=6, workers=1, source=Source(path=str(table)), metric="error"
    )
    path = tmp_path / "work.studio"
    with Document.create(path) as document:
        run_id = document.add_run("run", settings.to_json())
        Engine(document, run_id, lambda _: None, InlinePool).work()
    while not (found := column_effects(path, run_id, 10**9, "")).done:
        assert not found.blind
    assert "“good”" in found.blind

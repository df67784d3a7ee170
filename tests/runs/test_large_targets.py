"""Targets with a large offset and small spread are learned like others."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.document.store import Document
from studio.learners.choice import LearnerConfiguration
from studio.learners.registry import REGISTRY
from studio.runs.checked_predictions import predict
from studio.runs.evaluate import fit
from studio.runs.settings import TableSource
from studio.runs.staging import TrialData

pytestmark = pytest.mark.slow

OFFSET = 1.7e9
"""Seconds since 1970, say."""

REGRESSORS = [
    learner()
    for learner in REGISTRY
    if "regression" in learner.tasks and not learner.get_missing_dependency()
]


def make_rows_around(offset: float) -> TrialData:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(260, 3))
    y = offset + 2.0 * X[:, 0] + X[:, 1] ** 2 + rng.normal(0, 0.3, 260)
    rows = np.arange(260)
    return TrialData(
        X=X,
        y=y,
        task="regression",
        n_classes=0,
        categorical=np.zeros(3, dtype=np.bool_),
        folds=((rows[:200], rows[200:]),),
        validation=rows[200:],
        test=rows[:0],
    )


def compute_unexplained_share(data: TrialData, learner: Any) -> float:
    ((training, held_out),) = data.folds
    model = fit(
        data, learner, LearnerConfiguration(learner.key, {}), 0, training, held_out=held_out
    )
    predictions = predict(model.pipeline, learner, data.X[held_out], 0).astype(data.stored_type)
    truth = data.y[held_out]
    return float(np.mean((predictions.astype(np.float64) - truth) ** 2) / truth.var())


@pytest.mark.parametrize("learner", REGRESSORS, ids=lambda learner: learner.key)
def test_target_offset_does_not_change_learners(learner: Any) -> None:
    near, far = make_rows_around(0.0), make_rows_around(OFFSET)
    assert (near.stored_type, far.stored_type) == (np.float32, np.float64)
    assert near.centre == 0.0, "the data of most runs are unchanged"
    assert compute_unexplained_share(far, learner) == pytest.approx(
        compute_unexplained_share(near, learner), abs=0.05
    )


def test_run_with_large_targets_predicts_them(
    tmp_path: Path, new_run: Callable[..., Any], run_inline: Callable[..., str]
) -> None:
    data = make_rows_around(OFFSET)
    table = tmp_path / "times.csv"
    lines = [f"{a},{b},{c},{y:.4f}" for (a, b, c), y in zip(data.X, data.y, strict=True)]
    table.write_text("\n".join(["a,b,c,when", *lines]))
    source = TableSource(path=str(table), target="when", task="regression")
    path, run_id = new_run(source=source, method="RS-post", budget=6, metric="r2")
    assert run_inline(path, run_id) == "finished"
    with Document.open(path, writable=False) as document:
        result = document.runs.get(run_id).result
        predictions = document.trials.read_predictions(run_id, 1, "validation")
    assert predictions is not None
    assert predictions.dtype == np.float64
    assert result is not None
    assert result.test_error_ensemble < 0.5
    assert not result.kept_reason, "the trained model is kept with its centre"

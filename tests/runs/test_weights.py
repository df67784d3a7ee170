"""Weighted rows in training and losses."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from studio.data.intervals.loss import compute_loss_interval
from studio.data.metrics.registry import REGISTRY as METRICS
from studio.data.splits import SplitPlan
from studio.document.store import Document
from studio.errors import UsageError
from studio.learners.choice import LearnerConfiguration
from studio.learners.forests import Tree
from studio.learners.registry import REGISTRY
from studio.parts import find_part
from studio.runs.compatible import check_settings
from studio.runs.evaluate import evaluate, fit
from studio.runs.prepare import CLASSES_WEIGHTED
from studio.runs.settings import RunSettings, TableSource
from studio.runs.staging import TrialData

Make = Callable[..., tuple[Path, int]]


def trained(data: TrialData, learner: str, **values: Any) -> Any:
    part = find_part(REGISTRY, learner, "learner")()
    return fit(data, part, LearnerConfiguration(learner, values), 3, data.folds[0][0])


def plain_fit(data: TrialData, fitted: Any, estimator: Any, **given: Any) -> Any:
    """Train a scikit-learn estimator behind the same preparation."""
    rows = data.folds[0][0]
    first = fitted.pipeline.named_steps["preparation"]
    return Pipeline([("preparation", first), ("learner", estimator)]).fit(
        data.X[rows], data.y[rows], **given
    )


def test_balanced_fit_equals_sklearn(table: TrialData) -> None:
    balanced = replace(table, balanced=True)
    fitted = trained(balanced, "rbf-svm", C=2.0, gamma=0.5)
    own = plain_fit(balanced, fitted, SVC(C=2.0, gamma=0.5, class_weight="balanced"))
    assert fitted.pipeline.decision_function(table.X) == pytest.approx(
        own.decision_function(table.X)
    )
    plain = trained(table, "rbf-svm", C=2.0, gamma=0.5)
    assert not np.allclose(
        plain.pipeline.decision_function(table.X), own.decision_function(table.X)
    )


def test_row_weights_are_passed_to_fit(table: TrialData) -> None:
    weights = np.random.default_rng(5).integers(1, 9, len(table.y)).astype(float)
    weighted = replace(table, weights=weights)
    fitted = trained(weighted, "tree", max_depth=2)
    own = plain_fit(
        weighted,
        fitted,
        DecisionTreeClassifier(max_depth=2, random_state=3),
        learner__sample_weight=weights[table.folds[0][0]],
    )
    assert np.array_equal(fitted.pipeline.predict_proba(table.X), own.predict_proba(table.X))


def test_operator_can_request_balanced_classes(
    table: TrialData, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = Tree.build
    monkeypatch.setattr(Tree, "build", lambda *given: replace(build(*given), is_balanced=True))
    balanced_probabilities = trained(table, "tree", max_depth=2).pipeline.predict_proba(table.X)
    monkeypatch.undo()
    set_for_all = trained(replace(table, balanced=True), "tree", max_depth=2)
    assert np.array_equal(balanced_probabilities, set_for_all.pipeline.predict_proba(table.X))


def test_learner_without_weight_support_adds_note(table: TrialData) -> None:
    choice = LearnerConfiguration("knn", {})
    learner = find_part(REGISTRY, "knn", "learner")()
    plain = evaluate(table, learner, choice, 1)
    weighted = evaluate(replace(table, balanced=True), learner, choice, 1)
    assert np.array_equal(plain.validation, weighted.validation)
    assert plain.note == ""
    assert "cannot weight rows" in weighted.note


@pytest.mark.slow
def test_run_lists_learners_ignoring_weights_once(
    new_run: Make, run_inline: Callable[..., str]
) -> None:
    path, run_id = new_run(method="RS", budget=7, class_weights="balanced")
    assert run_inline(path, run_id) == "finished"
    with Document.open(path, writable=False) as document:
        texts = [each.text for each in document.journal.list_messages(run_id)]
        messages = [each for each in texts if "weigh" in each and each != CLASSES_WEIGHTED]
        learner_keys = [
            trial.configuration["algorithm"] for trial in document.trials.list_all(run_id)
        ]
    unweighted = {
        name
        for name in learner_keys
        if not find_part(REGISTRY, str(name), "learner").supports_sample_weight
    }
    assert len(messages) == len(set(messages)) == len(unweighted) > 0


def test_interval_of_weighted_rows_contains_weighted_loss() -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 200)
    probabilities = np.eye(2)[np.where(rng.random(200) < 0.3, 1 - truth, truth)]
    weights = np.where(probabilities.argmax(axis=1) == truth, 1.0, 3.0)
    metric = METRICS[0]()
    interval = compute_loss_interval(metric, truth, probabilities, weights)
    assert interval is not None
    assert interval[0] < metric.compute_loss(truth, probabilities, weights) < interval[1]
    assert interval[0] > metric.compute_loss(truth, probabilities)


def test_class_weights_require_classification(small_table: Path) -> None:
    source = TableSource(path=str(small_table), task="regression")
    with pytest.raises(UsageError, match="no classes"):
        check_settings(RunSettings(class_weights="balanced", source=source))
    invalid: Any = "heavy"
    assert RunSettings(class_weights=invalid).list_problems()
    assert not RunSettings(class_weights="balanced", plan=SplitPlan(folds=3)).list_problems()


def test_weights_round_trip_through_staged_data(table: TrialData, tmp_path: Path) -> None:
    weights = np.linspace(0, 1, len(table.y))
    replace(table, weights=weights, balanced=True, selection=table.test[:3]).save(tmp_path)
    loaded = TrialData.load(tmp_path)
    assert loaded.weights is not None
    assert np.array_equal(loaded.weights, weights)
    assert loaded.balanced
    assert np.array_equal(loaded.selection, table.test[:3])

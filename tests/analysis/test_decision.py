"""Outcomes of thresholds, compared with scikit-learn on the final models' predictions."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, f1_score, precision_recall_curve

from studio.analysis.answers.predictions import ConfusionCounts, DecisionFigures
from studio.analysis.decision import (
    CHOOSE_AVERAGE,
    HAS_AVERAGE,
    NOT_BINARY,
    SEE_CONFUSION,
    compute_decision_figures,
    find_f1_threshold,
    find_threshold_within,
)
from studio.analysis.final_test import load_final_test
from studio.cli.entry import main
from studio.data.metrics.registry import get_metric
from studio.document.decision import Decision
from studio.document.store import Document
from studio.ensembles.base import combine, compute_probabilities
from studio.errors import UsageError
from studio.helper.answers import decode, encode
from studio.phrases import Phrase, phrase
from studio.runs import load
from studio.runs.load import get_final_ensemble
from studio.runs.prepare import prepare
from studio.runs.settings import TableSource

pytestmark = pytest.mark.slow

Finished = Callable[..., tuple[Path, int]]


def _compute_cells(
    path: Path, run_id: int, code: int, threshold: float
) -> tuple[ConfusionCounts, ConfusionCounts]:
    """Return the cells of the test rows by the method's labels, and by a threshold."""
    with Document.open(path, writable=False) as document:
        prepared_run = prepare(document, run_id)
        history = load.load_history(document, run_id, prepared_run)
        ensemble = get_final_ensemble(document.runs.get(run_id), prepared_run, history)
        final = load_final_test(document, document.runs.get(run_id), prepared_run, history)
    test = prepared_run.split.test
    truth = prepared_run.problem.y[test] == code
    usual = combine(final.get_predictions, ensemble).argmax(axis=1) == code
    sure = compute_probabilities(final.get_predictions, ensemble)
    flagged = sure[:, code] / sure.sum(axis=1) >= threshold
    confusion_counts = []
    for labels in (usual, flagged):
        matrix = confusion_matrix(truth, labels, sample_weight=prepared_run.get_weights(test))
        (passed, alarms), (missed, right) = matrix
        confusion_counts.append(ConfusionCounts(right, missed, alarms, passed))
    return confusion_counts[0], confusion_counts[1]


@pytest.mark.parametrize("method", ["EO-sqm", "best"])
def test_decision_metrics_use_test_rows(finished_run: Finished, method: str) -> None:
    path, run_id = finished_run(method=method)
    figures = compute_decision_figures(path, run_id, positive_class="yes", threshold=0.35)
    assert (figures.method_confusion, figures.threshold_confusion) == _compute_cells(
        path, run_id, 1, 0.35
    )
    assert figures.evaluation_split == "test" and figures.is_vote == (method == "EO-sqm")
    with Document.open(path, writable=False) as document:
        result = document.runs.get(run_id).result
    assert result is not None and not figures.is_refitted, "its test error is of the same models"
    restored = decode(DecisionFigures, *encode(figures))
    assert restored.threshold_confusion == figures.threshold_confusion and np.array_equal(
        restored.roc.x, figures.roc.x
    )


def test_decision_metrics_use_row_weights(finished_run: Finished, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    table = tmp_path / "weighted.csv"
    lines = ["a,w,target"]
    for _ in range(120):
        a = rng.normal()
        lines.append(f"{a:.3f},{rng.integers(1, 9)},{'yes' if a + rng.normal() > 1 else 'no'}")
    table.write_text("\n".join(lines) + "\n")
    source = TableSource(path=str(table), roles={"w": "weight"})
    path, run_id = finished_run(method="EO-sqm", source=source)
    figures = compute_decision_figures(path, run_id, positive_class="yes", threshold=0.3)
    assert (figures.method_confusion, figures.threshold_confusion) == _compute_cells(
        path, run_id, 1, 0.3
    )
    assert figures.is_weighted and figures.threshold_confusion.total != figures.count


def test_threshold_is_chosen_on_validation_rows(finished_run: Finished) -> None:
    path, run_id = finished_run()
    figures = compute_decision_figures(
        path, run_id, positive_class="yes", miss_cost=3.0, alarm_cost=1.0
    )
    near = int(np.abs(figures.cost_thresholds - figures.threshold).argmin())
    assert figures.cost_chosen[near] <= figures.cost_chosen.min() + 1e-12
    assert figures.cost_evaluated[near] == pytest.approx(
        figures.threshold_confusion.compute_cost(3, 1), abs=0.2
    )


def test_positive_class_defaults_to_rarer_class(finished_run: Finished) -> None:
    path, run_id = finished_run()
    with Document.open(path) as document:
        problem = prepare(document, run_id).problem
        rarer = str(problem.classes[int(np.bincount(problem.y).argmin())])
        other = next(str(each) for each in problem.classes if str(each) != rarer)
        assert compute_decision_figures(path, run_id).positive_class == rarer
        document.runs.decide(run_id, Decision(other, 0.7))
        figures = compute_decision_figures(path, run_id)
        assert (figures.positive_class, figures.threshold, figures.costs) == (other, 0.7, None)
        document.runs.decide(run_id, Decision(other, 0.7, miss_cost=3.0, alarm_cost=1.0))
        assert compute_decision_figures(path, run_id).costs == (3.0, 1.0)
        # A threshold on one class does not determine the other.
        assert compute_decision_figures(path, run_id, positive_class=rarer).threshold == 0.5


@pytest.mark.parametrize(
    "options",
    [{"positive_class": "maybe"}, {"miss_cost": 1.0}, {"miss_cost": 0.0, "alarm_cost": 1.0}],
)
def test_invalid_decision_is_rejected(finished_run: Finished, options: dict[str, object]) -> None:
    path, run_id = finished_run()
    with pytest.raises(UsageError):
        compute_decision_figures(path, run_id, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weighted", [False, True])
def test_f1_threshold_maximises_f1(seed: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.beta(1, 9, size=60).round(2)  # so only hundredths are distinct thresholds
    positive = rng.random(60) < scores
    weights = rng.integers(1, 4, size=60).astype(float) if weighted else None
    f1_threshold = find_f1_threshold(positive, scores, weights)
    assert f1_threshold is not None

    def score(threshold: float) -> float:
        f1 = f1_score(positive, scores >= threshold, sample_weight=weights, zero_division=0.0)
        return float(f1)

    precision, recall, _ = precision_recall_curve(positive, scores, sample_weight=weights)
    best = np.max(2 * precision * recall / np.maximum(precision + recall, 1e-9))
    assert score(f1_threshold) == pytest.approx(best)
    assert find_f1_threshold(np.zeros(60, dtype=bool), scores) is None


def test_f1_threshold_is_rounded_at_negligible_cost() -> None:
    rng = np.random.default_rng(3)
    scores = rng.beta(2, 9, size=2000)
    positive = rng.random(2000) < scores
    f1_threshold = find_f1_threshold(positive, scores)
    assert f1_threshold is not None and f1_threshold == round(f1_threshold, 2)
    precision, recall, _ = precision_recall_curve(positive, scores)
    best = np.max(2 * precision * recall / np.maximum(precision + recall, 1e-9))
    assert f1_score(positive, scores >= f1_threshold) >= 0.99 * best
    rare = rng.beta(1, 9000, size=2000)
    rarely = find_f1_threshold(rng.random(2000) < 500 * rare, rare)
    assert rarely is not None and 0 < rarely < 0.01, "a whole per cent would find none of them"
    gap = np.array([0.1372, 0.1437, 0.9])
    assert find_threshold_within(2 / 3, gap) == 0.14, "the shortest decimal in a gap"
    assert find_threshold_within(2 / 3, np.array([0.1411, 0.1437, 0.9])) == 0.142


def test_default_threshold_is_balanced_on_validation_rows(finished_run: Finished) -> None:
    path, run_id = finished_run(method="EO-sqm")
    f1_figures, half = (
        compute_decision_figures(path, run_id, f1_optimal=True),
        compute_decision_figures(path, run_id),
    )
    assert f1_figures.is_f1_optimal and not half.is_f1_optimal
    assert half.threshold == 0.5
    with Document.open(path, writable=False) as document:
        prepared, history = load.follow(document, run_id)
        ensemble = get_final_ensemble(document.runs.get(run_id), prepared, history)
    code = f1_figures.classes.index(f1_figures.positive_class)
    shares = compute_probabilities(history.get_predictions, ensemble)
    expected = find_f1_threshold(history.truth == code, shares[:, code] / shares.sum(axis=1))
    assert f1_figures.threshold == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("target", "metric", "template"),
    [
        ("colour", "error", CHOOSE_AVERAGE),
        ("colour", "balanced-error", HAS_AVERAGE),
        ("a", "mae", ""),
    ],
)
def test_no_decision_but_for_two_classes(
    finished_run: Finished,
    small_table: Path,
    capsys: pytest.CaptureFixture[str],
    target: str,
    metric: str,
    template: str,
) -> None:
    source = TableSource(path=str(small_table), target=target)
    path, run_id = finished_run(budget=2, metric=metric, source=source)
    reason = compute_decision_figures(path, run_id).reason
    if not template:
        assert reason == NOT_BINARY
        return
    title = get_metric("balanced-error", "multiclass").title
    assert Phrase(template, {"metric": phrase(title)}) in reason
    assert "3 classes" in reason and SEE_CONFUSION in reason
    assert main(["decide", str(path), "--threshold", "0.3"]) == 2
    assert SEE_CONFUSION in " ".join(capsys.readouterr().err.split()), "as in the window"

"""The curves compared with scikit-learn's, including ties and empty classes."""

import numpy as np
import pytest
from sklearn import metrics
from sklearn.calibration import calibration_curve

from studio.data.metrics.curves import (
    Curve,
    average_curves,
    compute_confusion,
    compute_precision_recall,
    compute_reliability,
    compute_roc,
    thin_curve,
    to_step_curve,
)

CASES = {"continuous": (200, None), "tied shares of votes": (200, 5), "two scores": (50, 1)}


@pytest.fixture(params=CASES.values(), ids=CASES.keys())
def scored(request: pytest.FixtureRequest) -> tuple[np.ndarray, np.ndarray]:
    count, levels = request.param
    rng = np.random.default_rng(5)
    positive = rng.random(count) < 0.3
    scores = np.clip(0.3 * positive + 0.7 * rng.random(count), 0, 1)
    return positive, scores if levels is None else np.round(scores * levels) / levels


def test_roc_agrees_with_scikit_learn(scored: tuple[np.ndarray, np.ndarray]) -> None:
    positive, scores = scored
    ours = compute_roc(positive, scores)
    x, y, _ = metrics.roc_curve(positive, scores, drop_intermediate=False)
    np.testing.assert_allclose(ours.x, x)
    np.testing.assert_allclose(ours.y, y)
    assert ours.area == pytest.approx(metrics.roc_auc_score(positive, scores))


def test_precision_recall_agrees_with_scikit_learn(scored: tuple[np.ndarray, np.ndarray]) -> None:
    positive, scores = scored
    ours = compute_precision_recall(positive, scores)
    precision, recall, _ = metrics.precision_recall_curve(positive, scores)
    np.testing.assert_allclose(ours.x, recall[::-1])
    np.testing.assert_allclose(ours.y, precision[::-1])
    assert ours.area == pytest.approx(metrics.average_precision_score(positive, scores))


def test_reliability_agrees_with_scikit_learn(scored: tuple[np.ndarray, np.ndarray]) -> None:
    positive, scores = scored
    ours = compute_reliability(positive, scores)
    observed, mean_predictions = calibration_curve(positive, scores, n_bins=10)
    filled = ours.counts > 0
    np.testing.assert_allclose(ours.observed[filled], observed)
    np.testing.assert_allclose(ours.predicted[filled], mean_predictions)
    assert ours.counts.sum() == len(scores)
    expected = np.sum(ours.counts[filled] * np.abs(observed - mean_predictions)) / len(scores)
    assert ours.error == pytest.approx(expected)


def test_confusion_agrees_with_scikit_learn() -> None:
    rng = np.random.default_rng(2)
    truth, answers = rng.integers(0, 4, 60), rng.integers(0, 3, 60)
    expected = metrics.confusion_matrix(truth, answers, labels=range(4))
    np.testing.assert_array_equal(compute_confusion(truth, answers, 4), expected)


def test_boundary_probability_belongs_to_lower_bin() -> None:
    reliability = compute_reliability(
        np.array([True, False, True]), np.array([0.1 + 0.2, 0.3, 1.0])
    )
    assert reliability.counts.tolist() == [0, 0, 2, 0, 0, 0, 0, 0, 0, 1]
    # Two rows of 0.3, one of which observed: |0.5 - 0.3| of 2/3 of the rows.
    assert reliability.error == pytest.approx(0.2 * 2 / 3)


@pytest.mark.parametrize("value", [True, False])
def test_roc_needs_both_classes(value: bool) -> None:
    curve = compute_roc(np.full(3, value), np.array([0.1, 0.5, 0.9]))
    assert np.isnan(curve.area)
    assert not len(curve.x)


def test_precision_recall_needs_positive_rows() -> None:
    assert np.isnan(compute_precision_recall(np.zeros(3, dtype=bool), np.arange(3.0)).area)
    assert compute_precision_recall(np.ones(3, dtype=bool), np.arange(3.0)).area == 1.0


def test_macro_average_skips_undefined_classes() -> None:
    perfect = compute_roc(np.array([True, False]), np.array([1.0, 0.0]))
    chance = compute_roc(np.array([True, False]), np.array([0.5, 0.5]))
    none = compute_roc(np.array([True, True]), np.array([0.5, 0.5]))
    mean = average_curves([perfect, chance, none], 5, is_step_function=False)
    assert mean.area == 0.75
    np.testing.assert_allclose(mean.x, [0, 0, 0.25, 0.5, 0.75, 1])
    np.testing.assert_allclose(mean.y, [0, 0.5, 0.625, 0.75, 0.875, 1])
    assert np.isnan(average_curves([none], 5, is_step_function=False).area)


def test_macro_average_of_precision_interpolates_to_next_point() -> None:
    curve = Curve(np.array([0.0, 0.5, 1.0]), np.array([1.0, 0.8, 0.4]), 0.6)
    mean = average_curves([curve], 5, is_step_function=True)
    np.testing.assert_allclose(mean.y, [0.8, 0.8, 0.8, 0.4, 0.4])


def test_thinned_curve_keeps_ends_and_area() -> None:
    curve = Curve(np.linspace(0, 1, 1000), np.linspace(0, 1, 1000) ** 2, 0.3)
    small = thin_curve(curve, 50)
    assert len(small.x) == 50
    assert (small.x[0], small.x[-1], small.area) == (0.0, 1.0, 0.3)
    assert thin_curve(small, 50) is small


def test_step_curve_has_corner_points() -> None:
    steps = to_step_curve(Curve(np.array([0.0, 0.5, 1.0]), np.array([1.0, 0.8, 0.4]), 0.6))
    assert list(zip(steps.x.tolist(), steps.y.tolist(), strict=True)) == [
        (0.0, 1.0), (0.0, 0.8), (0.5, 0.8), (0.5, 0.4), (1.0, 0.4),
    ]  # fmt: skip

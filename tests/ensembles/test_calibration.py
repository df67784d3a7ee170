"""The temperature of mean probabilities: closed forms, brute force, and invariants."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.data.metrics.base import WeightedMetric
from studio.data.metrics.predicted_classes import ErrorRate
from studio.data.metrics.probabilities import LogLoss
from studio.ensembles.base import Ensemble, combine, prepare_for_scoring
from studio.ensembles.calibration import (
    EPSILON,
    MAX_TEMPERATURE,
    apply_temperature,
    describe_temperature,
    find_best_temperature,
    fit_temperature,
)
from studio.ensembles.greedy import GreedySelection
from studio.proposers.presets import get_preset
from tests.facts import facts


def make_underconfident(rows=400, classes=3, seed=0):
    """Return underconfident probabilities, and the truth."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(classes), rows)
    sharp = shares**2 / (shares**2).sum(axis=1, keepdims=True)
    return shares, np.array([rng.choice(classes, p=row) for row in sharp])


def test_temperature_calibrates_constant_probability():
    shares = np.tile([0.6, 0.4], (50, 1))
    truth = np.repeat([0, 1], [40, 10])
    expected = np.log((0.6 + EPSILON) / (0.4 + EPSILON)) / np.log(4)
    temperature = find_best_temperature(shares, truth)
    assert temperature == pytest.approx(expected, rel=1e-4)
    np.testing.assert_allclose(apply_temperature(shares, temperature)[:, 0], 0.8, atol=1e-4)
    assert fit_temperature(shares, truth) == pytest.approx(temperature ** (50 / 350))


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_temperature_equals_minimum_of_grid_search(weighted):
    shares, truth = make_underconfident()
    weights = np.linspace(0.0, 3.0, len(truth)) if weighted else None
    grid = np.exp(np.linspace(-np.log(MAX_TEMPERATURE), np.log(MAX_TEMPERATURE), 3001))
    losses = [LogLoss().compute_loss(truth, apply_temperature(shares, T), weights) for T in grid]
    assert find_best_temperature(shares, truth, weights) == pytest.approx(
        grid[int(np.argmin(losses))], rel=2e-3
    )


def test_temperature_with_weight_two_equals_repeated_rows():
    shares, truth = make_underconfident(60)
    twice = np.repeat(np.arange(60), np.where(np.arange(60) < 20, 2, 1))
    weights = np.where(np.arange(60) < 20, 2.0, 1.0)
    assert find_best_temperature(shares, truth, weights) == pytest.approx(
        find_best_temperature(shares[twice], truth[twice]), rel=1e-5
    )


def test_temperature_does_not_depend_on_weight_scale():
    shares, truth = make_underconfident(60)
    plain = fit_temperature(shares[:40], truth[:40])
    weights = np.where(np.arange(60) < 40, 0.7, 0.0)
    assert fit_temperature(shares, truth, weights) == pytest.approx(plain, rel=1e-5)
    assert abs(np.log(plain)) < abs(np.log(find_best_temperature(shares[:40], truth[:40])))


def test_temperature_calibrates_votes():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 1000)
    labels = np.where(rng.random(1000) < 0.95, truth, 1 - truth)
    sure = np.eye(2)[labels]
    temperature = find_best_temperature(sure, truth)
    right = np.mean(labels == truth)
    np.testing.assert_allclose(apply_temperature(sure, temperature).max(axis=1), right, atol=1e-3)
    assert find_best_temperature(np.eye(2)[truth], truth) < 0.3
    assert find_best_temperature(np.eye(2)[1 - truth], truth) > 4.0


votes = st.lists(st.integers(0, 24), min_size=3, max_size=3).filter(any)


@pytest.mark.slow
@settings(max_examples=200)
@given(
    counts=st.lists(votes, min_size=1, max_size=40),
    nudge=st.integers(0, 3),
    temperature=st.floats(1 / MAX_TEMPERATURE, MAX_TEMPERATURE),
)
def test_temperature_does_not_change_classes_and_ranking(counts, nudge, temperature):
    """Ties, and tiny differences due to rounding, are unchanged."""
    plain = np.array(counts, dtype=float)
    plain /= plain.sum(axis=1, keepdims=True)
    plain[:, 1] += nudge * 1e-12
    before, after = prepare_for_scoring(plain, 1.0), prepare_for_scoring(plain, temperature)
    assert before.argmax(axis=1).tolist() == after.argmax(axis=1).tolist()
    for a, b in ((0, 1), (1, 2), (0, 2)):
        order = np.sign(before[:, a] - before[:, b])
        np.testing.assert_array_equal(order, np.sign(after[:, a] - after[:, b]))
    np.testing.assert_allclose(after.sum(axis=1), 1.0, atol=1e-12)


def test_greedy_selection_fits_temperature(make_history, over_rows):
    history = make_history(8, 3, rows=200)
    plain = GreedySelection(loss="guided").build(history, ErrorRate(), 0)
    calibrated_ensemble = GreedySelection(loss="guided", calibrate=True).build(
        history, ErrorRate(), 0
    )
    assert plain.temperature == 1.0, "methods from papers are unchanged"
    assert len(calibrated_ensemble.members) > 1
    shares = combine(history.get_predictions, plain)
    assert calibrated_ensemble == replace(plain, temperature=fit_temperature(shares, history.truth))
    np.testing.assert_array_equal(
        combine(history.get_predictions, calibrated_ensemble),
        apply_temperature(shares, calibrated_ensemble.temperature),
    )
    weights = np.linspace(0.1, 2.0, 200)
    judge = WeightedMetric(ErrorRate(), history.truth, weights)
    weighed = GreedySelection(loss="guided", calibrate=True).fit_temperature(
        plain, over_rows(history, np.arange(200), weights), judge
    )
    assert weighed.temperature == fit_temperature(shares, history.truth, weights)


def test_temperature_is_fitted_only_for_averaged_probabilities(make_history):
    builder = GreedySelection(calibrate=True)
    classes, values = make_history(6, 3), make_history(6, 0)
    for history, ensemble in (
        (classes, Ensemble.from_single_trial(2)),
        (classes, Ensemble.from_choices([1, 2], "vote")),
        (values, Ensemble.from_choices([1, 2], "mean")),
    ):
        assert builder.fit_temperature(ensemble, history, ErrorRate()) is ensemble
    several = Ensemble.from_choices([1, 2], "mean")
    assert builder.fit_temperature(several, classes, ErrorRate()).temperature != 1.0
    shares = combine(classes.get_predictions, Ensemble.from_single_trial(2))
    np.testing.assert_array_equal(shares, classes.get_predictions(2).astype(float).round(12))


def test_temperature_is_shrunk_after_log_loss_selection(make_history):
    history = make_history(6, 3)
    several = Ensemble.from_choices([1, 2], "mean")
    shares = combine(history.get_predictions, several)
    best, rows = find_best_temperature(shares, history.truth), len(history.truth)
    weighed = WeightedMetric(LogLoss(), history.truth, np.ones(rows))
    for metric in (LogLoss(), weighed):
        calibrated_ensemble = GreedySelection(calibrate=True).fit_temperature(
            several, history, metric
        )
        assert calibrated_ensemble.temperature == pytest.approx(best ** (rows / (rows + 1000)))


def test_ensemble_reduced_to_one_member_has_no_temperature():
    several = Ensemble((1, 2, 3), (0.5, 0.25, 0.25), "mean", temperature=0.7)
    assert several.select_members((1, 3)).temperature == 0.7
    assert several.select_members((3,)) == Ensemble.from_single_trial(3)


def test_temperature_is_enabled_only_in_default_method():
    assert get_preset("best").options["ensemble.calibrate"] is True
    assert GreedySelection().calibrate is False


def test_temperature_description_states_direction_and_value():
    assert describe_temperature(1.0) == ""
    assert describe_temperature(0.997) == describe_temperature(1.015) == "", "a negligible effect"
    assert facts(describe_temperature(0.978)) == {"temperature": 0.98}
    sharper, softer = describe_temperature(0.734), describe_temperature(1.2)
    assert "sharpened" in sharper and facts(sharper) == {"temperature": 0.73}
    assert "softened" in softer and facts(softer) == {"temperature": 1.2}

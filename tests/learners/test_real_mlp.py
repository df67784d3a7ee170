"""The RealMLP network: gradient, exported steps, and end of training."""

import numpy as np
import pytest

from studio.ensembles.calibration import MAX_TEMPERATURE
from studio.learners import real_mlp
from studio.learners.real_mlp import (
    Adam,
    NetworkConfig,
    RealMlpTraining,
    compute_learning_rate_factor,
    decay_factor,
)
from studio.learners.real_mlp_network import Network, apply_softmax
from studio.learners.real_mlp_steps import InputScaler, TargetScaler
from studio.learners.self_replacing_steps import ValidationData

RNG = np.random.default_rng(5)
X = RNG.normal(size=(300, 4))
X[:, 3] = X[:, 3] > 0
CODES = (X[:, 0] * X[:, 1] > 0) * 1 + (X[:, 2] > 1)
VALUES = 50.0 + 7.0 * np.sin(2 * X[:, 0]) * X[:, 1]


def compute_loss(network, X, Y, shares):
    outputs = network.compute_outputs(X)
    if network.is_classification:
        return float((shares[:, 0] * -(np.log(apply_softmax(outputs)) * Y).sum(axis=1)).sum())
    return 0.5 * float((shares * np.square(outputs - Y)).sum())


def in_double_precision(network):
    """Convert a network to double precision for finite differences."""
    network.flat = network.flat.astype(np.float64)
    network.gradient = np.zeros_like(network.flat)
    network.weights, network.biases, network.scales = network._make_views(network.flat)
    views = network._make_views(network.gradient)
    network._weight_gradients, network._bias_gradients, network._scale_gradients = views
    network._scaled_weights = network._scaled_weights.astype(np.float64)
    for name in ("_values", "_activation_derivatives", "_deltas"):
        setattr(network, name, [np.zeros(each.shape) for each in getattr(network, name)])


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize("activation", ["elu", "relu"])
def test_gradient_agrees_with_finite_differences(activation, classes):
    rng = np.random.default_rng(1)
    network = Network((4, 6, 5, 3), activation=activation, batch=40, is_classification=classes)
    network.initialise_weights(X[:40].astype(np.float32), rng)
    network.scales[:] = rng.uniform(0.5, 2.0, 4)
    in_double_precision(network)
    Y = np.eye(3)[CODES[:40]] if classes else rng.normal(size=(40, 3))
    shares = rng.uniform(0.0, 2.0, (40, 1)) / 40
    network.backpropagate(X[:40], Y, shares)
    gradient, step = network.gradient.copy(), 1e-6
    for index in range(network.flat.size):
        sides = []
        for sign in (1, -1):
            network.flat[index] += sign * step
            sides.append(compute_loss(network, X[:40], Y, shares))
            network.flat[index] -= sign * step
        assert np.isclose((sides[0] - sides[1]) / (2 * step), gradient[index], rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("codes", ["none", "beside-numbers", "alone"])
@pytest.mark.parametrize("waves", [0, 3])
@pytest.mark.parametrize("activation", ["elu", "relu"])
@pytest.mark.parametrize("classes", [True, False])
def test_exported_steps_predict_like_network(classes, activation, waves, codes, monkeypatch):
    network_parts = {}

    def record_network(network, inputs, target):
        network_parts.update(network=network, inputs=inputs, target=target)
        return plain(network, inputs, target)

    plain = real_mlp.build_plain_network
    monkeypatch.setattr(real_mlp, "build_plain_network", record_network)
    rows = np.hstack([X, np.full((len(X), 1), 7.0)])
    levels = RNG.integers(-1, [3, 40], (len(X), 2)).astype(float)
    if codes != "none":
        rows = np.hstack([rows, levels]) if codes == "beside-numbers" else levels
    recipe = NetworkConfig(
        width=24, epochs=8, activation=activation, waves=waves, learning_rate=0.1
    )
    y = CODES if classes else VALUES
    training = RealMlpTraining(
        recipe, is_classification=classes, seed=2, n_codes=0 if codes == "none" else 2
    )
    model = training.fit(rows, y).to_sklearn()
    outputs = (
        network_parts["network"].compute_outputs(network_parts["inputs"](rows)).astype(np.float64)
    )
    if classes:
        assert np.allclose(model.predict_proba(rows), apply_softmax(outputs), atol=1e-5)
        assert np.array_equal(model.classes_, [0, 1, 2])
        return
    target = network_parts["target"]
    expected = np.clip(outputs[:, 0], target.low, target.high) * target.spread + target.middle
    assert np.allclose(model.predict(rows), expected, atol=1e-5 * target.spread)
    if codes != "none":
        return
    far = model.predict(np.full((1, 5), 1e300))
    assert VALUES.min() - 1e-6 <= far[0] <= VALUES.max() + 1e-6


def test_temperature_has_lowest_cross_entropy():
    from scipy.optimize import minimize_scalar

    rng = np.random.default_rng(3)
    target = TargetScaler.from_targets(np.arange(4), np.ones(4), is_classification=True)
    for scale in (0.3, 1.5, 3.0):
        outputs = rng.normal(size=(500, 4)).astype(np.float32)
        truth = np.array([rng.choice(4, p=row) for row in apply_softmax(scale * outputs)])
        encoded_truth, weights = target.encode(truth, 0.0), rng.gamma(1.0, size=500)
        best = minimize_scalar(
            lambda t, o=outputs, w=encoded_truth, s=weights: target.compute_loss(
                o / np.float32(t), w, s
            ),
            bounds=(1 / MAX_TEMPERATURE, 1.0),
            method="bounded",
        )
        assert np.isclose(
            target.fit_temperature(outputs, encoded_truth, weights), best.x, rtol=0.01
        )
        assert scale > 1.0 or best.x > 0.99
    right = 2.0 * target.encode(truth, 0.0)
    assert np.isclose(target.fit_temperature(right, encoded_truth, weights), 1 / MAX_TEMPERATURE)
    assert target.fit_temperature(-right, encoded_truth, weights) == 1.0


@pytest.mark.slow
def test_label_smoothing_does_not_increase_log_loss():
    from sklearn.metrics import log_loss

    losses = {}
    for smoothing in (0.0, 0.3):
        training = RealMlpTraining(
            NetworkConfig(epochs=20, smoothing=smoothing), is_classification=True, seed=1
        )
        rng = np.random.default_rng(0)
        rows = rng.normal(size=(1200, 3))
        y = (rows[:, 0] > 0).astype(int)
        training.validation_data = ValidationData(rows[600:900], y[600:900], None, None)
        model = training.fit(rows[:600], y[:600]).to_sklearn()
        losses[smoothing] = log_loss(y[900:], model.predict_proba(rows[900:]))
        repeated = RealMlpTraining(
            NetworkConfig(epochs=20, smoothing=smoothing, temperature=0.5),
            is_classification=True,
            seed=1,
        )
        shares = repeated.fit(rows[:600], y[:600]).to_sklearn().predict_proba(rows[900:])
        once = RealMlpTraining(
            NetworkConfig(epochs=20, smoothing=smoothing), is_classification=True, seed=1
        )
        plain = once.fit(rows[:600], y[:600]).to_sklearn().predict_proba(rows[900:])
        expected = plain**2 / (plain**2).sum(axis=1, keepdims=True)
        assert np.allclose(shares, expected, atol=1e-4)
    # Without a temperature, label smoothing of 30 % costs -ln 0.85 = 0.16 per row.
    assert losses[0.3] < 0.14 > losses[0.0]


def test_extreme_values_and_constant_columns_are_accepted():
    rows = X.copy()
    rows[0, 0], rows[1, 0], rows[:, 2] = 1e308, -1e308, 5.0
    scaler = InputScaler.from_rows(rows, 2, 0.1, np.random.default_rng(0))
    assert np.isfinite(scaler(rows)).all()
    assert np.abs(scaler(rows)).max() <= 3.0
    assert 2 not in scaler.varying_columns
    # A column of two values has no periodic features: 0 and 1 are sufficient.
    assert sorted(set(scaler.periodic_columns)) == [0, 1]


@pytest.mark.slow
def test_real_mlp_learns_non_linear_target():
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    rows = rng.normal(size=(600, 2))
    y = (rows[:, 0] * rows[:, 1] > 0).astype(int)
    new = rng.normal(size=(600, 2))
    truth = (new[:, 0] * new[:, 1] > 0).astype(int)
    model = (
        RealMlpTraining(NetworkConfig(epochs=30), is_classification=True, seed=0)
        .fit(rows, y)
        .to_sklearn()
    )
    straight = LogisticRegression().fit(rows, y).score(new, truth)
    assert model.score(new, truth) > 0.93 > 0.7 > straight


def train_with_time_limit(seconds=None, epochs=30, seed=4, rows=200):
    training = RealMlpTraining(
        NetworkConfig(width=16, epochs=epochs), is_classification=True, seed=seed
    )
    training.validation_data = ValidationData(X[rows:], CODES[rows:], None, seconds)
    return training, training.fit(X[:rows], CODES[:rows]).to_sklearn()


def test_unreached_time_limit_has_no_effect():
    free, limited = train_with_time_limit()[1], train_with_time_limit(seconds=1e6)[1]
    assert free.predict_proba(X).tobytes() == limited.predict_proba(X).tobytes()


def test_real_mlp_adapts_steps_to_time(monkeypatch):
    # Every reading of the clock is a second later; each of the 1,000 requested steps reads it once.
    now = iter(range(10**6))
    monkeypatch.setattr(real_mlp, "read_awake_seconds", lambda: next(now))
    rates = []
    monkeypatch.setattr(
        real_mlp, "compute_learning_rate_factor", lambda progress: rates.append(progress) or 1.0
    )
    training, _ = train_with_time_limit(seconds=100.0, epochs=333)
    assert 60 <= len(rates) <= 100
    # The schedule was fixed early and completed.
    assert rates[-1] > 0.95
    assert rates[5:] == sorted(rates[5:])
    assert training.self_tuned_values["epochs"] <= len(rates) / 3 + 1


def test_best_weights_and_epoch_are_returned(monkeypatch):
    scores = iter([3.0, 1.0, 1.0, 2.0, 5.0])
    snapshots = []

    def scored(self, network, inputs, target):
        def score():
            snapshots.append(network.flat.copy())
            return next(scores)

        return score

    monkeypatch.setattr(RealMlpTraining, "_score", scored)
    networks = []
    monkeypatch.setattr(
        real_mlp, "build_plain_network", lambda network, *rest: networks.append(network)
    )
    training, _ = train_with_time_limit(epochs=5)
    assert training.self_tuned_values["epochs"] == 3
    assert np.array_equal(networks[0].flat, snapshots[2])


def test_validation_rows_of_unseen_class_are_not_scored():
    training = RealMlpTraining(NetworkConfig(width=8, epochs=3), is_classification=True, seed=0)
    has_known_class = CODES < 2
    training.validation_data = ValidationData(X[~has_known_class], CODES[~has_known_class])
    model = training.fit(X[has_known_class], CODES[has_known_class]).to_sklearn()
    assert list(model.classes_) == [0, 1]
    assert training.self_tuned_values["epochs"] == 3


def test_training_without_improvement_stops_early(monkeypatch):
    scores = iter([1.0, *[2.0] * 200])
    monkeypatch.setattr(RealMlpTraining, "_score", lambda *_: lambda: next(scores))
    training, _ = train_with_time_limit(epochs=150)
    assert training.self_tuned_values["epochs"] == 1
    # Only the first epoch and the patience (3 · 1 + 40) were trained.
    assert len(list(scores)) == 201 - 44


def test_learning_rate_has_four_cycles_from_zero_to_zero():
    assert [
        compute_learning_rate_factor(t) for t in (0.0, 1 / 15, 3 / 15, 7 / 15, 1.0)
    ] == pytest.approx([0.0] * 5)
    assert compute_learning_rate_factor((2**3.5 - 1) / 15) == pytest.approx(1.0)
    assert (decay_factor(0.0), decay_factor(0.49), decay_factor(1.0)) == (1.0, 1.0, 0.0)


def test_optimiser_is_adam_with_rate_per_parameter_kind():
    network = Network((4, 9, 2), activation="elu", batch=10, is_classification=True)
    rng = np.random.default_rng(0)
    network.initialise_weights(X[:50].astype(np.float32), rng)
    expected = network.flat.astype(np.float64)
    n_weights = 4 * 9 + 9 * 2
    rates = np.concatenate(
        [np.full(36, 0.5), np.full(18, 1 / 3), np.full(11, 0.1), np.full(4, 6.0)]
    )
    mean, square = np.zeros(expected.size), np.zeros(expected.size)
    adam = Adam(network)
    for step in range(1, 6):
        slope = rng.normal(size=expected.size).astype(np.float32)
        network.gradient[:] = slope
        adam.move(0.01, 0.3)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.95 * square + 0.05 * np.square(slope.astype(np.float64))
        expected[:n_weights] *= 1 - 0.01 * 0.3
        direction = mean / (1 - 0.9**step) / np.sqrt(square / (1 - 0.95**step))
        expected -= 0.01 * rates * direction
    assert np.allclose(network.flat, expected, atol=1e-5)

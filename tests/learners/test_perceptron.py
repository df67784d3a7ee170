"""The perceptron's own training, compared with finite differences and scikit-learn."""

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier, MLPRegressor

from studio.learners import perceptron
from studio.learners.perceptron import (
    Perceptron,
    PerceptronRegressor,
    PerceptronTraining,
    compute_loss_and_gradient,
)
from studio.learners.self_replacing_steps import extract_trained

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 4))
CODES = np.arange(60) % 3
VALUES = 50.0 + 7.0 * np.sin(X[:, 0]) + X[:, 1]
WEIGHTS = RNG.uniform(0.0, 3.0, size=60)


@pytest.mark.parametrize("output", ["softmax", "identity"])
def test_gradient_agrees_with_finite_differences(output):
    sizes = (4, 5, 3, 3)
    flat = RNG.normal(size=4 * 5 + 5 + 5 * 3 + 3 + 3 * 3 + 3)
    Y = np.eye(3)[CODES] if output == "softmax" else RNG.normal(size=(60, 3))
    rest = (sizes, X, Y, WEIGHTS / WEIGHTS.sum(), (0.3, 0.02, 1.1), output)
    _, gradient = compute_loss_and_gradient(flat, *rest)
    step = 1e-6
    for index in range(flat.size):
        move = np.zeros_like(flat)
        move[index] = step
        above, below = (compute_loss_and_gradient(flat + sign * move, *rest)[0] for sign in (1, -1))
        assert np.isclose((above - below) / (2 * step), gradient[index], rtol=1e-5, atol=1e-8)


def test_loss_is_log_likelihood_plus_layer_penalties():
    sizes = (1, 1, 1, 2)
    flat = np.array([0.5, 0.0, 2.0, 0.0, 1.0, -1.0, 0.0, 0.0])
    rows, truth = np.array([[1.0], [-2.0]]), np.eye(2)
    hidden = np.tanh(2.0 * np.tanh(0.5 * rows[:, 0]))
    likelihood = 1.0 / (1.0 + np.exp(-2.0 * hidden * [1, -1]))
    penalty = 0.5 * (0.1 * 0.25 + 0.2 * 4.0 + 0.3 * 2.0)
    loss, _ = compute_loss_and_gradient(
        flat, sizes, rows, truth, np.full(2, 0.5), (0.1, 0.2, 0.3), "softmax"
    )
    assert np.isclose(loss, -np.log(likelihood).mean() + penalty)


@pytest.fixture
def fifteen_steps(monkeypatch):
    """Limit training to fifteen steps, as later ones depend on rounding."""
    monkeypatch.setattr(perceptron, "ITERATIONS", 15)


def fit_scikit_learn(kind, penalty):
    """Return scikit-learn's perceptron with our initial parameters."""
    return kind(
        hidden_layer_sizes=(6, 5),
        activation="tanh",
        solver="lbfgs",
        alpha=penalty,
        max_iter=15,
        random_state=np.random.RandomState(np.random.PCG64(9)),
    )


@pytest.mark.usefixtures("fifteen_steps")
@pytest.mark.filterwarnings("ignore:lbfgs failed to converge")
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
def test_perceptron_with_equal_penalties_equals_scikit_learn(weights):
    ours = PerceptronTraining((6, 5), (0.4, 0.4, 0.4), is_classification=True, seed=9)
    model = ours.fit(X, CODES, sample_weight=weights).to_sklearn()
    expected = fit_scikit_learn(MLPClassifier, 0.4).fit(X, CODES, sample_weight=weights)
    assert model.n_iter_ == expected.n_iter_ == 15
    assert np.allclose(model.predict_proba(X), expected.predict_proba(X), atol=1e-7)
    assert np.array_equal(model.predict(X), expected.predict(X))


@pytest.mark.usefixtures("fifteen_steps")
@pytest.mark.filterwarnings("ignore:lbfgs failed to converge")
def test_perceptron_regression_equals_sklearn_with_standardised_target():
    ours = PerceptronTraining((6, 5), (0.4, 0.4, 0.4), is_classification=False, seed=9)
    predictions = ours.fit(X, VALUES).to_sklearn().predict(X)
    scaled = (VALUES - VALUES.mean()) / VALUES.std()
    expected = fit_scikit_learn(MLPRegressor, 0.4).fit(X, scaled).predict(X)
    assert np.allclose((predictions - VALUES.mean()) / VALUES.std(), expected, atol=1e-7)


def test_perceptron_weights_equal_repeated_rows():
    counts = np.arange(60) % 3
    ours = [
        PerceptronTraining((3, 3), (0.5, 0.5, 0.5), is_classification=False, seed=2)
        .fit(*data)
        .to_sklearn()
        for data in (
            (X, VALUES, counts.astype(float)),
            (np.repeat(X, counts, axis=0), np.repeat(VALUES, counts)),
        )
    ]
    assert np.allclose(ours[0].predict(X), ours[1].predict(X), atol=1e-2 * VALUES.std())


@pytest.mark.slow
@pytest.mark.parametrize("layer", [1, 2, 3])
def test_every_layer_has_separate_penalty(layer, table_of, trained):
    rows, y, categorical = table_of("multiclass", "plain")
    lax = dict.fromkeys(("decay_1", "decay_2", "decay_3"), 1e-3)

    def sizes(**changes):
        pipeline = trained(Perceptron(), "multiclass", rows, y, categorical, **(lax | changes))
        return [np.abs(w).mean() for w in pipeline.estimator.named_steps["learner"].coefs_]

    free, penalised_sizes = sizes(), sizes(**{f"decay_{layer}": 100.0})
    assert penalised_sizes[layer - 1] < 0.2 * free[layer - 1]


@pytest.mark.slow
def test_perceptron_with_categories_predicts_two_classes(table_of, trained):
    rows, y, categorical = table_of("binary", "categories")
    pipeline = trained(Perceptron(), "binary", rows, y, categorical)
    network = pipeline.estimator.named_steps["learner"]
    assert isinstance(network, MLPClassifier)
    assert network.out_activation_ == "softmax"
    shares = pipeline.estimator.predict_proba(rows)
    assert np.allclose(shares.sum(axis=1), 1.0)
    assert np.array_equal(pipeline.estimator.predict(rows), shares.argmax(axis=1))


def test_perceptron_learns_constant_target(table_of, trained):
    rows, y, categorical = table_of("regression", "plain")
    pipeline = trained(PerceptronRegressor(), "regression", rows, np.full_like(y, 7.0), categorical)
    assert np.allclose(pipeline.estimator.predict(rows), 7.0, atol=1e-2)
    assert extract_trained(pipeline.estimator) is pipeline.estimator

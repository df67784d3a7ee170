"""Embeddings of categories: gradients, optimiser steps, and training."""

import numpy as np
import pytest

from studio.learners.facts import TableFacts
from studio.learners.operators.base import ChosenOperator
from studio.learners.operators.encoders import NO_CATEGORY, NativeEncoding, OneHotEncoding
from studio.learners.real_mlp import RealMlpRegressor
from studio.learners.real_mlp_embedding import DIMENSION, Embedding, Levels
from studio.learners.real_mlp_network import Network
from studio.learners.self_replacing_steps import (
    ValidationData,
    extract_trained,
    fit_with_early_stopping,
)
from tests.learners.test_real_mlp import compute_loss, in_double_precision

COUNTS = 4, 7


def make_coded_columns(rng: np.random.Generator, n_rows: int = 40) -> np.ndarray:
    """Return two numeric columns, and two of category codes."""
    codes = rng.integers(NO_CATEGORY, np.array(COUNTS) + NO_CATEGORY, (n_rows, 2)).astype(float)
    codes[0] = np.array(COUNTS) + NO_CATEGORY - 1
    levels = Levels.from_codes(codes)
    assert tuple(levels.counts) == COUNTS
    return np.hstack([rng.normal(size=(n_rows, 2)), levels.to_numbers(codes)])


def make_network(rng: np.random.Generator, unknown_share: float = 0.0) -> Network:
    embedding = Embedding(Levels(np.array(COUNTS)), rng, unknown_share)
    sizes = 2 + 2 * DIMENSION, 6, 5, 3
    return Network(sizes, activation="elu", batch=40, is_classification=False, embedding=embedding)


def test_embedding_gradient_agrees_with_finite_differences():
    rng = np.random.default_rng(1)
    X, Y = make_coded_columns(rng), rng.normal(size=(40, 3))
    network = make_network(rng)
    network.initialise_weights(X.astype(np.float32), rng)
    in_double_precision(network)
    embedding = network.embedding
    embedding.vectors = embedding.vectors.astype(float)
    shares = rng.uniform(0.0, 2.0, (40, 1)) / 40
    network.backpropagate(X, Y, shares)
    gradient = np.zeros(embedding.vectors.shape)
    gradient[embedding._updated_rows] = embedding._gradient
    step = 1e-6
    for index in np.ndindex(gradient.shape):
        sides = []
        for sign in (1, -1):
            embedding.vectors[index] += sign * step
            sides.append(compute_loss(network, X, Y, shares))
            embedding.vectors[index] -= sign * step
        assert np.isclose((sides[0] - sides[1]) / (2 * step), gradient[index], rtol=1e-4, atol=1e-7)


def test_adam_step_updates_categories_in_batch_only():
    rng = np.random.default_rng(2)
    embedding = Embedding(Levels(np.array(COUNTS)), rng, 0.0)
    start = embedding.vectors.copy()
    mean = square = np.zeros(DIMENSION)
    expected = start[2].astype(float)
    for _ in range(4):
        rows = np.array([[0.0, 2.0, 5.0], [1.0, 2.0, 6.0]], dtype=np.float32)
        embedding.insert_vectors(rows, training=True)
        slopes = rng.normal(size=(2, 2 * DIMENSION)).astype(np.float32)
        embedding.set_gradient(slopes)
        embedding.move(0.1, (0.9, 0.95), 1e-8, 0.02)
        slope = slopes[:, :DIMENSION].sum(axis=0)
        mean = 0.9 * mean + slope
        square = 0.95 * square + slope**2
        expected = expected * (1 - 0.02) - 0.1 * mean / np.sqrt(square)
    assert np.allclose(embedding.vectors[2], expected, atol=1e-5)
    is_moved = (embedding.vectors != start).any(axis=1)
    assert set(np.flatnonzero(is_moved)) == {2, 5, 6}


def test_category_dropout_applies_in_training_only():
    rng = np.random.default_rng(3)
    embedding = Embedding(Levels(np.array([50])), rng, 0.2)
    rows = np.full((5000, 1), 9.0, dtype=np.float32)
    vectors = embedding.insert_vectors(rows, training=True)
    unknown = (vectors == embedding.vectors[0]).all(axis=1)
    assert 0.16 < unknown.mean() < 0.24
    assert (vectors[~unknown] == embedding.vectors[9]).all()
    assert (embedding.insert_vectors(rows) == embedding.vectors[9]).all()


@pytest.fixture(scope="module")
def sales() -> tuple[np.ndarray, np.ndarray]:
    """Return rows of a number and one of 200 shops, and targets determined by both."""
    rng = np.random.default_rng(4)
    shop, number = rng.integers(0, 200, 4000), rng.normal(size=4000)
    effect = rng.normal(size=200) * 3.0
    return np.column_stack([number, shop]), effect[shop] * (1.0 + 0.3 * number) + 40.0


@pytest.mark.slow
def test_embedding_distinguishes_more_categories_than_one_hot(sales):
    X, y = sales
    facts = TableFacts.from_rows(
        X[:3000], y[:3000], task="regression", n_classes=0, categorical=np.array([0, 1]) > 0, seed=0
    )
    errors = {}
    for encoder in (OneHotEncoding(), NativeEncoding()):
        pipeline = RealMlpRegressor().build(
            {"epochs": 20}, facts, (ChosenOperator("encoder", encoder, {}),)
        )
        fit_with_early_stopping(pipeline.estimator, X[:3000], y[:3000], None, ValidationData())
        model = extract_trained(pipeline.estimator)
        errors[encoder.key] = np.square(model.predict(X[3000:]) - y[3000:]).mean() / y.var()
        # An unseen shop: near the mean, not another shop's value.
        unseen = model.predict(np.array([[0.0, 777.0], [0.0, np.nan]]))
        assert unseen[0] == unseen[1]
        assert abs(unseen[0] - y.mean()) < y.std()
    assert errors["native"] < 0.1 < 0.4 < errors["one-hot"]

"""Boosted trees with rare classes."""

import numpy as np
import pytest
from sklearn.metrics import log_loss

from studio.learners.facts import TableFacts
from studio.learners.lightgbm import BoostedTrees
from studio.learners.self_replacing_steps import extract_trained

pytestmark = pytest.mark.slow

COMMON, RARE = 4, 8
"""Classes with many rows, and with five each."""


def make_rare_class_rows():
    rng = np.random.default_rng(0)
    common = np.repeat(np.arange(COMMON), [1300, 1300, 1300, 60])
    y = rng.permutation(np.concatenate([common, np.repeat(np.arange(COMMON, COMMON + RARE), 5)]))
    X = rng.normal(size=(len(y), 4))
    X[:, 0] += y
    return X, y


def compute_loss(values):
    """Return held-out log losses of a model of three quarters, and of the class shares."""
    X, y = make_rare_class_rows()
    learned, n_classes = np.arange(len(y)) % 4 != 0, COMMON + RARE
    facts = TableFacts.from_rows(
        X[learned], y[learned], task="multiclass", n_classes=n_classes,
        categorical=np.zeros(X.shape[1], bool), seed=0,
    )  # fmt: skip
    model = BoostedTrees().build(values, facts).estimator
    model = extract_trained(model.fit(X[learned], y[learned]))
    shares = np.bincount(y[learned], minlength=n_classes) / learned.sum()
    predicted = model.predict_proba(X[~learned])
    return (
        log_loss(y[~learned], predicted, labels=np.arange(n_classes)),
        float(-np.log(shares[y[~learned]]).mean()),
    )


QUICK = {"learning_rate": 0.15, "num_leaves": 31, "min_child_samples": 10, "rounds": 40}


def test_boosted_trees_beat_class_shares_with_rare_classes():
    loss, of_shares = compute_loss(QUICK)
    assert loss < of_shares


def test_lightgbm_maximum_leaf_output_can_be_set():
    loss, of_shares = compute_loss({**QUICK, "max_delta_step": 0.0})
    assert loss > of_shares, "without a maximum step boosting does not recover"

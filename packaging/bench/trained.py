"""Histories of trained random configurations with real predictions."""

import warnings

import numpy as np
from threadpoolctl import threadpool_limits

from studio.learners.choice import choose_learner
from studio.learners.facts import TableFacts
from studio.space.encoding import decode, sample
from studio.space.library import load
from studio.space.space import Space
from studio.trial import History, Trial

ROWS = 400
"""Rows to train on, and as many to validate."""


def trained_history(count: int) -> tuple[Space, History]:
    """Train random configurations of sklearn-cash on scikit-learn's handwritten digits.

    Args:
        count: Trials; one takes about 20 milliseconds.

    Returns:
        space: The 14-hyperparameter scikit-learn CASH space.
        history: Error and class probabilities on 400 validation rows of 10 classes.
    """
    from sklearn.datasets import load_digits

    space = load("sklearn-cash")
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))[: 2 * ROWS]
    training, validation = order[:ROWS], order[ROWS:]
    n_classes = int(y.max()) + 1
    sets = {parameter.name: parameter.sets for parameter in space.parameters}
    history = History(y[validation], n_classes)
    rng = np.random.default_rng(0)
    with threadpool_limits(limits=1), warnings.catch_warnings():
        # Warnings about poor convergence and missing classes are expected with random settings.
        warnings.simplefilter("ignore")
        for number, configuration in enumerate(decode(space, sample(space, rng, count)), start=1):
            learner, choice = choose_learner(configuration, sets)
            facts = TableFacts.from_rows(
                X[training],
                y[training],
                task="multiclass",
                n_classes=n_classes,
                categorical=np.zeros(X.shape[1], dtype=bool),
                seed=number,
            )
            model = learner.build(choice.values, facts).estimator.fit(X[training], y[training])
            if learner.prediction_type == "probabilities":
                predicted = model.predict_proba(X[validation])
            else:
                predicted = np.eye(n_classes)[model.predict(X[validation]).astype(int)]
            stored = predicted.astype(np.float16)
            loss = float(np.mean(stored.argmax(axis=1) != history.truth))
            history.append(Trial(number, configuration, number, loss), stored)
    return space, history

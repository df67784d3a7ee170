"""Train a learner's pipeline on some rows of a run's data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from studio.arrays import Integers
from studio.data.balance import fit_weights
from studio.errors import LearnerError
from studio.learners.base import Learner
from studio.learners.choice import Choice
from studio.learners.facts import TableFacts
from studio.learners.handover import Watched, fit_watching, handed_over
from studio.learners.targets import TargetScale
from studio.phrases import phrase
from studio.runs.staging import TrialData
from studio.trial import Value


@dataclass(frozen=True)
class Fitted:
    """A trained pipeline and what there is to know of it.

    Attributes
    ----------
    pipeline : Pipeline
        Of plain objects.
    used : dict
        Values that were clipped, by the space's names.
    note : str
        What the user should know; mostly empty.
    settled : Mapping
        What the training settled, by hyperparameter.
    """

    pipeline: Any
    used: dict[str, Value]
    note: str
    settled: Mapping[str, Value] = field(default_factory=dict)


def fit(
    data: TrialData,
    learner: Learner,
    choice: Choice,
    seed: int,
    rows: Integers,
    *,
    held_out: Integers | None = None,
    seconds: float | None = None,
) -> Fitted:
    """Train a pipeline on some rows, with their weights where it can take them.

    Parameters
    ----------
    rows, held_out : array of int, shape (k,)
        What to train on; and rows at which a learner that ``settles`` may look to know when to end.
    seconds : float or None
        Wall seconds that such a learner may take.
    """
    X, y = np.asarray(data.X[rows]), np.asarray(data.y[rows])
    facts = TableFacts.of(
        X,
        y,
        task=data.task,
        n_classes=data.n_classes,
        categorical=data.categorical,
        seed=seed,
        level=data.aim.level,
    )
    if data.n_classes and np.all(y == y[0]):
        raise LearnerError(
            "The training rows are all of one class, so there is nothing to learn. Use more "
            "rows, or another split."
        )
    built = learner.build(choice.values, facts, choice.operators)
    aim = data.aim
    unit = aim.unit if built.logarithm else None
    scale = TargetScale(data.centre, unit, aim.floor, aim.unbiased)
    y = scale.forward(y)
    weights = fit_weights(
        None if data.weights is None else np.asarray(data.weights[rows]),
        y,
        balanced=data.n_classes > 0 and (data.balanced or built.balanced),
    )
    note, settled = "", {}
    if built.logarithm and scale.unit is None:
        note = phrase("Values may be negative here, so it is trained on them, not on logarithms.")
    if learner.settles:
        settled = dict(
            fit_watching(built.estimator, X, y, weights, _watched(data, scale, held_out, seconds))
        )
    elif weights is None:
        built.estimator.fit(X, y)
    elif learner.weighted:
        built.estimator.fit(X, y, learner__sample_weight=weights)
    else:
        note = phrase(
            "{learner} cannot weight rows, so all count the same when it is trained.",
            learner=phrase(learner.title),
        )
        built.estimator.fit(X, y)
    pipeline = scale.around(handed_over(built.estimator), X, y, weights)
    return Fitted(pipeline, choice.named(built.used), note, settled)


def _watched(
    data: TrialData, scale: TargetScale, held_out: Integers | None, seconds: float | None
) -> Watched:
    if held_out is None:
        return Watched(seconds=seconds)
    return Watched(
        np.asarray(data.X[held_out]),
        scale.forward(np.asarray(data.y[held_out])),
        None if data.weights is None else np.asarray(data.weights[held_out]),
        seconds,
    )

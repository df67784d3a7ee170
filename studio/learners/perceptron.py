"""The multilayer perceptron of SMBEO 6.1."""

from dataclasses import dataclass
from typing import Any

from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.domains import Positive, Whole, settings
from studio.learners.facts import TableFacts
from studio.learners.perceptron_training import PerceptronTraining
from studio.learners.values import Values


@dataclass(frozen=True)
class Perceptron(Learner):
    """Two hidden tanh layers and a softmax; a weight decay for each layer of weights.

    The negative log likelihood is minimised by L-BFGS, so there is no learning rate.
    """

    key = "perceptron"
    title = "Neural network"
    noun = "a neural network"
    short = "Network"
    place = 1
    summary = (
        "Two layers of small non-linear units between the columns and the classes. Draws smooth "
        "boundaries of any form; the weight decay of each layer matters most."
    )
    reference = "SMBEO 6.1"
    tasks = CLASSIFICATION
    weighted = True
    hyperparameters = settings(
        units_1=Whole(),
        units_2=Whole(),
        decay_1=Positive(),
        decay_2=Positive(),
        decay_3=Positive(),
    )

    def estimator(self, values: Values, facts: TableFacts) -> Any:
        """Return the training of an ``MLPClassifier`` or ``MLPRegressor``."""
        return PerceptronTraining(
            (values.whole("units_1", 20), values.whole("units_2", 20)),
            [values.number(f"decay_{layer}", 1.0) for layer in (1, 2, 3)],
            classes=facts.task != "regression",
            seed=facts.seed,
        )


@dataclass(frozen=True)
class PerceptronRegressor(Perceptron):
    """Two hidden tanh layers and a straight sum; the squared error is minimised by L-BFGS."""

    key = "perceptron-regressor"
    title = "Neural network (regression)"
    summary = (
        "Two layers of small non-linear units between the columns and the number. Follows "
        "smooth curves of any form; the weight decay of each layer matters most."
    )
    reference = "the counterpart of SMBEO 6.1"
    tasks = REGRESSION
    predicts = "values"

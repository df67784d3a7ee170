"""A network for tables after RealMLP (Holzmüller, Grinsztajn & Steinwart 2024)."""

import math
from dataclasses import dataclass
from typing import Any

from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.domains import (
    Positive,
    Span,
    Whole,
    Word,
    settings,
)
from studio.learners.facts import TableFacts
from studio.learners.real_mlp_network import Bend
from studio.learners.real_mlp_training import RealMlpTraining, Recipe
from studio.learners.values import Values

REAL_MLP_REGRESSOR = settings(
    units=Whole(),
    layers=Whole(),
    bend=Word("elu", "relu"),
    learning_rate=Positive(),
    dropout=Span(0.0, 0.9),
    weight_decay=Span(0.0, 1.0),
    batch=Whole(),
    epochs=Whole(),
    waves=Whole(0),
    sigma=Positive(),
)
REAL_MLP = settings(**REAL_MLP_REGRESSOR, label_smoothing=Span(0.0, 0.9))

FEW_ROWS = 2_500
"""Up to this many rows, narrow layers and steps of few rows learn most in a second."""


@dataclass(frozen=True)
class RealMlp(Learner):
    """Three layers on clipped columns, trained by Adam in waves of the learning rate."""

    key = "real-mlp"
    title = "Network for tables"
    noun = "a network for tables"
    short = "Network"
    place = 1
    summary = (
        "Three layers of non-linear units on columns whose outliers are clipped, trained in "
        "small steps. Follows smooth boundaries that trees can only approximate in steps."
    )
    reference = "Holzmüller et al. 2024 (RealMLP)"
    tasks = CLASSIFICATION
    weighted = True
    hyperparameters = REAL_MLP
    settles = ("epochs",)
    scaled = False

    def estimator(self, values: Values, facts: TableFacts) -> Any:
        """Return the training of steps that end in an ``MLPClassifier`` or ``MLPRegressor``."""
        classes, few = facts.task != "regression", facts.n_rows <= FEW_ROWS
        # Further rows teach what further passes over few do, so that time grows more slowly.
        passes = (120 if classes else 80) * min(1.0, math.sqrt(FEW_ROWS / facts.n_rows))
        bend: Bend = "relu" if values.word("bend") == "relu" else "elu"
        smoothing = values.real("label_smoothing", 0.03 if classes else 0.0)
        recipe = Recipe(
            width=values.whole("units", 64 if few else 128),
            layers=values.whole("layers", 3),
            bend=bend,
            learning_rate=values.number("learning_rate", 0.04 if classes else 0.1),
            dropout=values.real("dropout", 0.1 if classes else 0.15),
            decay=values.real("weight_decay", 0.02),
            smoothing=smoothing,
            batch=values.whole("batch", (64 if classes else 128) if few else 256),
            epochs=values.whole("epochs", max(20, round(passes))),
            waves=values.whole("waves", 4 if few and not classes else 0),
            sigma=values.number("sigma", 0.3),
        )
        return RealMlpTraining(recipe, classes=classes, seed=facts.seed, level=facts.level)


@dataclass(frozen=True)
class RealMlpRegressor(RealMlp):
    """Three layers on clipped columns; the squared or pinball loss of the standardised number."""

    key = "real-mlp-regressor"
    title = "Network for tables (regression)"
    summary = (
        "Three layers of non-linear units on columns whose outliers are clipped, trained in "
        "small steps. Follows smooth curves that trees can only approximate in steps."
    )
    tasks = REGRESSION
    predicts = "values"
    hyperparameters = REAL_MLP_REGRESSOR

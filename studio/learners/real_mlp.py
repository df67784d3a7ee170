"""A network for tables after RealMLP (Holzmüller, Grinsztajn & Steinwart 2024)."""

from dataclasses import dataclass
from typing import Any

from studio.learners.base import CLASSIFICATION, REGRESSION, Learner
from studio.learners.facts import Facts
from studio.learners.real_mlp_course import Recipe
from studio.learners.real_mlp_training import RealMlpTraining
from studio.learners.values import Values

REAL_MLP = (
    "units", "layers", "bend", "learning_rate", "dropout", "weight_decay", "label_smoothing",
    "batch", "epochs", "waves", "sigma",
)  # fmt: skip


def _training(values: Values, facts: Facts) -> RealMlpTraining:
    classes = facts.task != "regression"
    recipe = Recipe(
        width=values.whole("units", 128),
        layers=values.whole("layers", 3),
        bend="elu" if values.word("bend", "elu", ("elu", "relu")) == "elu" else "relu",
        learning_rate=values.number("learning_rate", 0.04 if classes else 0.2),
        dropout=values.real("dropout", 0.15, low=0.0, high=0.9),
        decay=values.real("weight_decay", 0.02, low=0.0, high=1.0),
        smoothing=values.real("label_smoothing", 0.1, low=0.0, high=0.9) if classes else 0.0,
        batch=values.whole("batch", 64),
        epochs=values.whole("epochs", 100),
        waves=values.whole("waves", 0, low=0),
        sigma=values.number("sigma", 0.1),
    )
    return RealMlpTraining(recipe, classes=classes, seed=facts.seed)


@dataclass(frozen=True)
class RealMlp(Learner):
    """Three layers on clipped columns, trained by Adam in waves of the learning rate."""

    key = "real-mlp"
    title = "Network for tables"
    summary = (
        "Three layers of bent units behind columns without far values, trained in small steps. "
        "Follows smooth borders that trees can only approach in stairs."
    )
    reference = "Holzmüller et al. 2024 (RealMLP)"
    tasks = CLASSIFICATION
    weighted = True
    hyperparameters = REAL_MLP
    settles = ("epochs",)
    scaled = False

    def estimator(self, values: Values, facts: Facts) -> Any:
        """Return the training of a pipeline that ends in an ``MLPClassifier``."""
        return _training(values, facts)


@dataclass(frozen=True)
class RealMlpRegressor(Learner):
    """Three layers on clipped columns; the squared error of the standardised number."""

    key = "real-mlp-regressor"
    title = "Network for tables (regression)"
    summary = (
        "Three layers of bent units behind columns without far values, trained in small steps. "
        "Follows smooth curves that trees can only approach in stairs."
    )
    reference = "Holzmüller et al. 2024 (RealMLP)"
    tasks = REGRESSION
    weighted = True
    predicts = "values"
    hyperparameters = REAL_MLP
    settles = ("epochs",)
    scaled = False

    def estimator(self, values: Values, facts: Facts) -> Any:
        """Return the training of a pipeline that ends in an ``MLPRegressor``."""
        return _training(values, facts)

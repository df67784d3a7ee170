"""Rescaling of columns or rows."""

from dataclasses import dataclass
from typing import Any

from studio.learners.domains import LowerBoundedInteger, RealInterval, StringOptions, make_settings
from studio.learners.facts import TableFacts
from studio.learners.operators.base import Operator
from studio.learners.values import LearnerValues


@dataclass(frozen=True)
class MinMaxScaling(Operator):
    """Each column scaled to [0, 1]."""

    key = "minmax"
    title = "Columns from 0 to 1"
    summary = (
        "Stretches every column so that its smallest value is 0 and its largest 1. One outlier "
        "squeezes all others together."
    )
    reference = "DivBO A.3"
    stage = "rescaler"
    monotone = True

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.preprocessing import MinMaxScaler

        return MinMaxScaler()


@dataclass(frozen=True)
class RowNormalizer(Operator):
    """Each row scaled to Euclidean length 1."""

    key = "normalizer"
    title = "Rows of length one"
    summary = (
        "Divides every row by its length, so that only proportions between columns are left. "
        "Good for counts; it forgets how large a row was."
    )
    reference = "DivBO A.3"
    stage = "rescaler"

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.preprocessing import Normalizer

        return Normalizer()


@dataclass(frozen=True)
class StandardScaling(Operator):
    """Each column scaled to mean 0 and variance 1."""

    key = "standard"
    title = "Mean zero, variance one"
    summary = (
        "Shifts and stretches every column to mean zero and variance one. The usual choice for "
        "models based on distances."
    )
    reference = "DivBO A.3"
    stage = "rescaler"
    monotone = True

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.preprocessing import StandardScaler

        return StandardScaler()


@dataclass(frozen=True)
class QuantileScaling(Operator):
    """Each column replaced by its ranks; there are at most as many quantiles as rows."""

    key = "quantile"
    title = "Ranks"
    summary = (
        "Replaces every value by its rank in the column, spread evenly or like a bell curve. "
        "Outliers lose their influence."
    )
    reference = "DivBO A.3"
    stage = "rescaler"
    monotone = True
    hyperparameters = make_settings(
        n_quantiles=LowerBoundedInteger(), output_distribution=StringOptions("uniform", "normal")
    )

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.preprocessing import QuantileTransformer

        return QuantileTransformer(
            n_quantiles=values.get_integer("n_quantiles", 1000, high=facts.n_rows),
            output_distribution=values.get_word("output_distribution"),
            random_state=facts.seed,
        )


@dataclass(frozen=True)
class RobustScaling(Operator):
    """Each column centred at its median and scaled by a quantile range.

    ``q_min`` and ``q_max`` are shares; scikit-learn expects percent (the original code of the space
    passes shares, and therefore divides by a tiny range).
    """

    key = "robust"
    title = "Median and quantiles"
    summary = (
        "Shifts every column to median zero and divides it by the distance between two "
        "quantiles. Outliers keep their place but no longer set the scale."
    )
    reference = "DivBO A.3"
    stage = "rescaler"
    monotone = True
    hyperparameters = make_settings(q_min=RealInterval(0.0, 0.5), q_max=RealInterval(0.5, 1.0))

    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        from sklearn.preprocessing import RobustScaler

        low = values.get_number("q_min", 0.25)
        high = values.get_number("q_max", 0.75)
        return RobustScaler(quantile_range=(100.0 * low, 100.0 * high))

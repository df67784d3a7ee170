"""Interface of metrics."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data.metrics.ratios import Ratios
from studio.data.metrics.weighting import compute_mean
from studio.data.tasks import Task
from studio.parts import Part

Needs = Literal["labels", "probabilities", "values"]
Constant = Literal["mean", "median", "value"]

CLASSIFICATION: tuple[Task, ...] = ("binary", "multiclass")
REGRESSION: tuple[Task, ...] = ("regression",)


@dataclass(frozen=True)
class Metric(Part):
    """A loss of predictions against the truth.

    Attributes:
        unit: "%" for shares (0.05 is 5 %), "" for a plain number, "target" for the unit of the
            target.
        level: For values: the quantile that is the best prediction (½: median); ``None`` for the
            mean.
        constant: For values: the kind of :meth:`compute_best_constant`.
        plain: For values: whether the mean absolute residual is meaningful for its predictions.
        relative: For values: whether errors are shares of the true value.
        log_unit: For values: the unit in its logarithm; ``None`` without one.
        balanced: For labels: whether every class has the same weight, however rare.
        averages_classes: Whether it is the mean of the classes' losses, so that the best models
            are trained with equal weight of all classes.
        local: Whether only the creating process can compute it.
    """

    tasks: ClassVar[tuple[Task, ...]] = ()
    prediction_type: ClassVar[Needs] = "labels"
    unit: ClassVar[str] = ""
    level: ClassVar[float | None] = None
    constant: ClassVar[Constant] = "mean"
    plain: ClassVar[bool] = True
    relative: ClassVar[bool] = False
    log_unit: ClassVar[float | None] = None
    balanced: ClassVar[bool] = False
    averages_classes: ClassVar[bool] = False
    local: ClassVar[bool] = False

    def compute_loss(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None
    ) -> float:
        """Return the loss, lower is better; by default from :meth:`compute_row_losses`.

        Args:
            truth: Shape (n,), n > 0. Class codes 0..C-1, or values.
            predictions: Shape (n, C) or (n,). Class probabilities or votes (the predicted class is
                the first largest), or values.
            weights: Shape (n,). At least 0; ``None``: equal.

        Raises:
            DataError: If all weights are 0.
        """
        row_losses = self.compute_row_losses(truth, predictions)
        assert row_losses is not None
        return float(self.transform_mean(np.array(compute_mean(row_losses, weights))))

    @abstractmethod
    def compute_ratios(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats
    ) -> Ratios | None:
        """Return the loss as sums over rows, (n,), with positive weights; ``None`` if undefined."""

    def compute_candidate_loss(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None
    ) -> float:
        """Return a candidate ensemble's loss as :meth:`compute_loss`; infinity if not scored."""
        return self.compute_loss(truth, predictions, weights)

    def __call__(self, truth: AnyArray, predictions: AnyArray) -> float:
        """Return :meth:`compute_candidate_loss`: ensemble builders call metrics as functions."""
        return self.compute_candidate_loss(truth, predictions)

    def compute_row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats | None:
        """Return the loss of each row, shape (n,); ``None`` if the loss is not a mean over rows.

        The loss is then :meth:`transform_mean` of their mean, for resampled rows as for all.
        """
        del truth, predictions  # ranks, F1 and medians are not means over rows
        return None

    def is_defined(self, truth: AnyArray) -> bool:
        """Return whether the loss is defined for rows with these true values, shape (n,)."""
        del truth  # defined for most losses
        return True

    def find_problem(self, truth: AnyArray) -> str:
        """Return why targets, shape (n,), are unsuitable, with a remedy; "" if suitable."""
        del truth  # most losses accept any targets
        return ""

    def compute_best_constant(
        self, truth: AnyArray, weights: Floats | None, n_classes: int
    ) -> Floats:
        """Return the best constant prediction, (C,) probabilities or () for values.

        By default the class shares, whose largest is the most common label, or the mean.

        Args:
            truth: Shape (n,), n > 0. Class codes, or values.
            weights: Shape (n,). Not all 0; ``None``: equal.
            n_classes: C, 0 for values.
        """
        if not n_classes:
            return np.array(np.average(truth, weights=weights))
        counts = np.bincount(truth.astype(np.int64), weights, n_classes)
        shares: Floats = counts / counts.sum()
        return shares

    def transform_mean(self, means: Floats) -> Floats:
        """Transform mean row losses, any shape, to losses, monotonically."""
        return means


@dataclass(frozen=True, eq=False)
class WeightedMetric(Metric):
    """A metric bound to the weights of the validation rows, as used by builders of ensembles.

    Builders identify rows by their targets only, so the weights belong to one array of targets; for
    other rows (a resample) builders pass weights, or all rows have equal weight.

    Attributes:
        truth: Shape (n,). The same array as the history's.
        weights: Shape (n,).
    """

    metric: Metric
    truth: AnyArray
    weights: Floats

    def __post_init__(self) -> None:
        """Copy the metric's attributes used by builders."""
        object.__setattr__(self, "prediction_type", self.metric.prediction_type)
        object.__setattr__(self, "local", self.metric.local)

    def compute_loss(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None
    ) -> float:
        """Return the weighted loss for the validation rows, the unweighted one for others.

        Shapes are those of :meth:`Metric.compute_loss`.
        """
        return self.metric.compute_loss(truth, predictions, self._select_weights(truth, weights))

    def compute_candidate_loss(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats | None = None
    ) -> float:
        return self.metric.compute_candidate_loss(
            truth, predictions, self._select_weights(truth, weights)
        )

    def _select_weights(self, truth: AnyArray, weights: Floats | None) -> Floats | None:
        return self.weights if weights is None and truth is self.truth else weights

    def compute_row_losses(self, truth: AnyArray, predictions: AnyArray) -> Floats | None:
        return self.metric.compute_row_losses(truth, predictions)

    def is_defined(self, truth: AnyArray) -> bool:
        return self.metric.is_defined(truth)

    def compute_ratios(
        self, truth: AnyArray, predictions: AnyArray, weights: Floats
    ) -> Ratios | None:
        return self.metric.compute_ratios(truth, predictions, weights)

    def transform_mean(self, means: Floats) -> Floats:
        return self.metric.transform_mean(means)

    def compute_best_constant(
        self, truth: AnyArray, weights: Floats | None, n_classes: int
    ) -> Floats:
        return self.metric.compute_best_constant(truth, weights, n_classes)


def find_argmax_labels(probabilities: AnyArray) -> Integers:
    """Return the most probable classes, shape (n,), of probabilities (n, C); ties to the first."""
    labels: Integers = probabilities.argmax(axis=1)
    return labels


def normalise_rows(probabilities: AnyArray) -> Floats:
    """Convert probabilities (n, C) in half precision to doubles that sum to one per row."""
    exact = probabilities.astype(np.float64)
    total = exact.sum(axis=1, keepdims=True)
    return exact / np.where(total > 0, total, 1.0)


def compute_residuals(truth: AnyArray, values: AnyArray) -> Floats:
    """Return the residuals truth − predictions in double precision, shape (n,)."""
    return truth.astype(np.float64) - values.astype(np.float64)

"""Learners with a custom training that returns a plain scikit-learn object.

Some fits need more than scikit-learn offers: columns counted after the preprocessing, a penalty per
layer, one classifier per class with weighted rows. Such a step of a pipeline trains a scikit-learn
object (or sets its attributes), which replaces the step once the pipeline is fitted. So
predictions, pickles and exports do not depend on this package.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.trial import Value


@dataclass(frozen=True)
class ValidationData:
    """Held-out rows and limits for a fit that can end early.

    Attributes:
        X: Shape (m, d). Held-out rows, prepared like the training rows; ``None`` if there are none,
            as in a training on all rows.
        y: Shape (m,). Class codes or values.
        weights: Shape (m,). ``None``: equal.
        seconds: Wall-clock limit of training and of predicting all rows; ``None`` for none.
    """

    X: Floats | None = None
    y: AnyArray | None = None
    weights: Floats | None = None
    seconds: float | None = None
    to_predict: int = 0


class SelfReplacingStep(ABC):
    """A step of a pipeline that trains a scikit-learn object to replace itself.

    Attributes:
        validation_data: Rows for early stopping, for learners with
            ``self_tuned_hyperparameters`` only.
        self_tuned_values: Hyperparameters determined by the training, for a later training on all
            rows.
    """

    validation_data: ValidationData = ValidationData()
    self_tuned_values: Mapping[str, Value] = {}
    _fitted: Any = None

    def make_library_estimator(self) -> Any:
        """Return the library's unfitted estimator, for further settings; ``None`` without one."""
        return None

    def set_options(self, settings: Mapping[str, Any]) -> None:
        """Set further settings of the library's estimator."""
        self.make_library_estimator().set_params(**settings)

    @abstractmethod
    def train(self, X: Floats, y: AnyArray, sample_weight: Floats | None) -> Any:
        """Return a fitted scikit-learn estimator for X of shape (n, d) and y of shape (n,)."""

    def fit(self, X: Floats, y: AnyArray, sample_weight: Floats | None = None) -> Self:
        """Train on X (n, d), y and weights (n,), as called by scikit-learn's pipelines."""
        self._fitted = self.train(X, y, sample_weight)
        return self

    def to_sklearn(self) -> Any:
        """Return the fitted scikit-learn estimator (itself fitted by :meth:`fit`)."""
        return self._fitted


def make_library_estimator(pipeline: Any) -> Any:
    """Return the library's unfitted estimator inside a learner's pipeline, or ``None``."""
    if isinstance(pipeline, SelfReplacingStep):
        return pipeline.make_library_estimator()
    return getattr(pipeline, "regressor", pipeline)


def set_library_options(pipeline: Any, settings: Mapping[str, Any]) -> None:
    """Set further settings on the library's estimator inside a learner's pipeline."""
    if isinstance(pipeline, SelfReplacingStep):
        pipeline.set_options(settings)
    else:
        make_library_estimator(pipeline).set_params(**settings)


def fit_with_early_stopping(
    pipeline: Any,
    X: Floats,
    y: AnyArray,
    sample_weight: Floats | None,
    validation_data: ValidationData,
) -> Mapping[str, Value]:
    """Fit a pipeline whose last step may stop early, and return the self-tuned values.

    Args:
        pipeline: Unfitted; its last step is a :class:`SelfReplacingStep`.
        X, y, sample_weight: The training rows: shapes (n, d), (n,) and (n,), or ``None`` for equal
            weights.
        validation_data: Unprepared rows, which are transformed by the fitted preparation.
    """
    preceding_steps, last_step = pipeline[:-1], pipeline[-1]
    prepared = preceding_steps.fit_transform(X, y)
    held_out = None
    if validation_data.X is not None:
        held_out = extract_trained(preceding_steps).transform(validation_data.X)
    last_step.validation_data = replace(validation_data, X=held_out)
    last_step.fit(prepared, y, sample_weight)
    settled: Mapping[str, Value] = last_step.self_tuned_values
    return settled


def extract_trained(pipeline: Any) -> Any:
    """Replace a fitted pipeline's steps by the trained scikit-learn objects, and return it."""
    pipeline.steps = [
        (name, step.to_sklearn() if isinstance(step, SelfReplacingStep) else step)
        for name, step in pipeline.steps
    ]
    return pipeline


@dataclass
class DeferredEstimator(SelfReplacingStep):
    """An estimator built by ``make`` only once the number of columns is known."""

    make: Callable[[int], Any]
    _fitted: Any = field(default=None, init=False)

    def train(self, X: Floats, y: AnyArray, sample_weight: Floats | None) -> Any:
        estimator = self.make(X.shape[1])
        if isinstance(estimator, SelfReplacingStep):
            estimator.validation_data = self.validation_data
        if sample_weight is None:
            estimator.fit(X, y)
        else:
            estimator.fit(X, y, sample_weight=sample_weight)
        if isinstance(estimator, SelfReplacingStep):
            self.self_tuned_values = estimator.self_tuned_values
            return estimator.to_sklearn()
        return estimator


def make_softmax(classes: AnyArray) -> Any:
    """Return a fitted logistic regression with identity weights, the softmax of classes (C,)."""
    from sklearn.linear_model import LogisticRegression

    classes = np.asarray(classes)
    softmax = LogisticRegression()
    softmax.classes_ = classes
    if classes.size == 2:
        softmax.coef_, softmax.intercept_ = np.array([[-1.0, 1.0]]), np.zeros(1)
    else:
        softmax.coef_, softmax.intercept_ = np.eye(classes.size), np.zeros(classes.size)
    softmax.n_features_in_ = classes.size
    softmax.n_iter_ = np.zeros(1, dtype=np.int32)
    return softmax

"""Learners that fit in their own way and hand over a plain scikit-learn object.

Some fits need more than scikit-learn offers: columns that are counted only behind the
preprocessing, a penalty for each layer, one machine for each class with weighted rows. Such a step
of a pipeline trains an object of scikit-learn (or sets the attributes of one), and that object
takes its place as soon as the pipeline is fitted. So predictions, pickles and exports never hold
anything of this package.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

from studio.arrays import AnyArray, Floats


class Handover(ABC):
    """A step of a pipeline that trains the scikit-learn object which replaces it."""

    _fitted: Any = None

    @abstractmethod
    def train(self, X: Floats, y: AnyArray, sample_weight: Floats | None) -> Any:
        """Return a fitted scikit-learn estimator for X of shape (n, d) and y of shape (n,)."""

    def fit(self, X: Floats, y: AnyArray, sample_weight: Floats | None = None) -> Self:
        """Train, as scikit-learn's pipelines ask for it."""
        self._fitted = self.train(X, y, sample_weight)
        return self

    def as_sklearn(self) -> Any:
        """Return the fitted scikit-learn estimator (itself fitted by :meth:`fit`)."""
        return self._fitted


def handed_over(pipeline: Any) -> Any:
    """Put the trained scikit-learn objects into a fitted pipeline's steps, and return it."""
    pipeline.steps = [
        (name, step.as_sklearn() if isinstance(step, Handover) else step)
        for name, step in pipeline.steps
    ]
    return pipeline


@dataclass
class Deferred(Handover):
    """An estimator that can be built only once its columns are counted.

    Attributes
    ----------
    make : callable
        Given the number of columns, returns the unfitted estimator.
    """

    make: Callable[[int], Any]
    _fitted: Any = field(default=None, init=False)

    def train(self, X: Floats, y: AnyArray, sample_weight: Floats | None) -> Any:
        """Build for X of shape (n, d), fit, and return what was fitted."""
        estimator = self.make(X.shape[1])
        if sample_weight is None:
            estimator.fit(X, y)
        else:
            estimator.fit(X, y, sample_weight=sample_weight)
        return estimator.as_sklearn() if isinstance(estimator, Handover) else estimator

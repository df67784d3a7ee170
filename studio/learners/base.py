"""What a learner declares, and how it is built."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from studio.errors import LearnerError
from studio.learners.facts import Facts, Task
from studio.learners.preparation import preparation
from studio.learners.values import Values
from studio.parts import Part
from studio.trial import Value

CLASSIFICATION: tuple[Task, ...] = ("binary", "multiclass")
REGRESSION: tuple[Task, ...] = ("regression",)


@dataclass(frozen=True)
class Built:
    """An unfitted pipeline and what had to be changed to build it.

    Attributes
    ----------
    estimator : sklearn.pipeline.Pipeline
        Steps ``preparation`` and ``learner``; takes a float64 matrix of shape (n, d) and class
        codes or values of shape (n,).
    used : Mapping
        Values that were clipped for these rows, by hyperparameter name (SPACES.md).
    """

    estimator: Any
    used: Mapping[str, Value]


@dataclass(frozen=True)
class Learner(Part):
    """Base of all learners; ``key`` is the value of the space's ``algorithm``.

    Attributes
    ----------
    tasks : tuple of Task
        What it can predict.
    predicts : {"probabilities", "labels", "values"}
        What its predictions are; labels are stored one-hot.
    hyperparameters : tuple of str
        The names that a space may set as ``key.name``.
    scaled : bool
        Whether numbers are standardised in front of it.
    """

    tasks: ClassVar[tuple[Task, ...]] = ()
    predicts: ClassVar[Literal["probabilities", "labels", "values"]] = "probabilities"
    hyperparameters: ClassVar[tuple[str, ...]] = ()
    scaled: ClassVar[bool] = True

    @abstractmethod
    def estimator(self, values: Values, facts: Facts) -> Any:
        """Return the unfitted scikit-learn estimator that stands behind the preparation."""

    def build(self, values: Mapping[str, Value], facts: Facts) -> Built:
        """Build the pipeline for one set of training rows.

        Parameters
        ----------
        values : Mapping
            Values by hyperparameter name; one that is missing takes the learner's own default.
        facts : Facts
            Of the training rows.

        Raises
        ------
        LearnerError
            If the task is not one of the learner's, or a value is not one it can take.
        """
        if facts.task not in self.tasks:
            raise LearnerError(
                f"{self.title} cannot be used for {facts.task}; it is for "
                f"{' and '.join(self.tasks)}. Choose another learner in the space."
            )
        from sklearn.pipeline import Pipeline

        reader = Values(self.key, values, self.hyperparameters)
        estimator = self.estimator(reader, facts)
        prepare = preparation(facts.categorical, scaled=self.scaled)
        return Built(Pipeline([("preparation", prepare), ("learner", estimator)]), reader.used)

    @classmethod
    def declaration(cls) -> dict[str, Any]:
        """Return the declaration as plain JSON, hyperparameters and tasks included."""
        return {
            **super().declaration(),
            "tasks": list(cls.tasks),
            "predicts": cls.predicts,
            "hyperparameters": list(cls.hyperparameters),
        }

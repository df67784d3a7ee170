"""Interface of operators, and the operators that a configuration selects."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from studio.errors import LearnerError
from studio.learners.domains import ForbiddenCombination, Settings, make_settings
from studio.learners.facts import TableFacts, Task
from studio.learners.values import LearnerValues
from studio.parts import Part
from studio.phrases import phrase
from studio.trial import Value

Stage = Literal["balancer", "encoder", "preprocessor", "rescaler", "target"]

STAGES: tuple[Stage, ...] = ("balancer", "encoder", "preprocessor", "rescaler", "target")
"""Stages in the order of application: DivBO's space rescales after the preprocessor."""

EMPTY = "empty"
"""The value for no operator at a stage."""

EVERY_TASK: tuple[Task, ...] = ("binary", "multiclass", "regression")
ONLY_CLASSES: tuple[Task, ...] = ("binary", "multiclass")


@dataclass(frozen=True)
class Operator(Part):
    """Base of all operators; ``key`` is the value of the space's parameter of its stage.

    Attributes:
        stage: The stage; encoders are part of the preparation, all other operators follow it.
        monotone: Whether every numeric column keeps its position and increases with the original.
        hyperparameters: The names that a space may set as ``key.name``, with their domains.
    """

    stage: ClassVar[Stage] = "preprocessor"
    tasks: ClassVar[tuple[Task, ...]] = EVERY_TASK
    monotone: ClassVar[bool] = False
    hyperparameters: ClassVar[Settings] = make_settings()
    forbidden_combinations: ClassVar[tuple[ForbiddenCombination, ...]] = ()

    @abstractmethod
    def make_transformer(self, values: LearnerValues, facts: TableFacts) -> Any:
        """Return an unfitted transformer made of plain scikit-learn objects.

        Its input and output are dense float64 matrices. ``None`` leaves the columns unchanged.
        """


@dataclass(frozen=True)
class ChosenOperator:
    """A configuration's operator at one stage, with its values; ``None`` for "empty"."""

    stage: Stage
    operator: Operator | None
    values: Mapping[str, Value]


def make_steps(
    operators: Sequence[ChosenOperator], facts: TableFacts, used: dict[str, Value]
) -> list[tuple[str, Any]]:
    """Return the named, unfitted steps of a pipeline; raise LearnerError for invalid choices."""
    transformers = [
        (
            chosen_operator.operator.stage,
            make_transformer(chosen_operator.operator, chosen_operator.values, facts, used),
        )
        for chosen_operator in operators
        if chosen_operator.operator is not None
    ]
    return [(stage, step) for stage, step in transformers if step is not None]


def make_transformer(
    operator: Operator, values: Mapping[str, Value], facts: TableFacts, used: dict[str, Value]
) -> Any:
    """Return an operator's unfitted transformer, as of :func:`make_steps`; ``None``: unchanged."""
    if facts.task not in operator.tasks:
        raise LearnerError(
            "{operator} cannot be used for {task}; it is for {tasks}. Choose another {stage} "
            "in the space.",
            operator=phrase(operator.title),
            task=facts.task,
            tasks=" and ".join(operator.tasks),
            stage=operator.stage,
        )
    reader = LearnerValues(
        operator.key,
        values,
        operator.hyperparameters,
        operator.forbidden_combinations,
        noun="operator",
        used=used,
    )
    return operator.make_transformer(reader, facts)


def clip_at_zero(transformer: Any) -> Any:
    """Return a transformer that clips negative numbers at 0."""
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import FunctionTransformer

    clip = FunctionTransformer(np.clip, kw_args={"a_min": 0.0, "a_max": None})
    return Pipeline([("clip", clip), ("transform", transformer)])

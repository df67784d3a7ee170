"""All kinds of hyperparameter, in one place.

:class:`Float` and :class:`Integer` are ranges (linear or log), :class:`Categorical`,
:class:`Ordinal` and :class:`Boolean` are choices, :class:`Constant` passes a fixed value on.
"""

from studio.space.base import Condition, Parameter, SpaceProblem, UnitAxis
from studio.space.choices import Boolean, Categorical, Constant, Ordinal
from studio.space.ranges import Float, Integer

REGISTRY: tuple[type[Parameter], ...] = (Float, Integer, Categorical, Ordinal, Boolean, Constant)
"""All kinds; ``type`` is the name in JSON."""

__all__ = [
    "REGISTRY",
    "Boolean",
    "Categorical",
    "Condition",
    "Constant",
    "Float",
    "Integer",
    "Ordinal",
    "Parameter",
    "SpaceProblem",
    "UnitAxis",
]

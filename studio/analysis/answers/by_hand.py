"""The losses of an ensemble put together by hand, beside those of the real one."""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class ByHand:
    """The losses of an ensemble by hand and of the real one, by the run's metric.

    Attributes:
        validation, test: The loss of the ensemble by hand; ``None`` without such rows.
        real_validation, real_test: The same of the run's own ensemble at the iteration.
        combination: How members' predictions become one, in both.
        rule: The same in a sentence, and what could not be kept of it.
        weighable: Whether weights may be chosen; a stack's follow from its layer.
        own_test: The test loss of each member alone, by trial number; empty without test rows.
        reason: Why there is nothing; empty where there is.
    """

    validation: float | None = None
    test: float | None = None
    real_validation: float | None = None
    real_test: float | None = None
    combination: Literal["vote", "mean", "stack"] = "vote"
    rule: str = ""
    weighable: bool = False
    own_test: dict[int, float] = field(default_factory=dict)
    reason: str = ""

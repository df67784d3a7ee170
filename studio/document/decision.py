"""A decision about a run of two classes: the positive class and its threshold."""

from collections.abc import Sequence
from dataclasses import dataclass

from studio.document.results import Result
from studio.errors import UsageError
from studio.measure import round_threshold
from studio.phrases import phrase

OUTDATED_NOTE = phrase(
    "The decision was made for an earlier result of this run, with other probabilities. Check "
    "whether it still holds, and decide again."
)


@dataclass(frozen=True)
class Decision:
    """A positive class and the probability threshold of its label.

    Attributes:
        threshold: In [0, 1]: the lowest probability for the label.
        miss_cost, alarm_cost: Cost of missing a positive row, and of a false alarm, both above 0,
            if they determined the threshold.
        result: The key of the run's result at that time
            (:attr:`studio.document.results.Result.key`); empty without one, and in older versions.
        capacity: The share of the rows that can be handled, in [0, 1], if it determined the
            threshold.
        balanced: Whether the threshold maximises the F1 score.
    """

    looked_for: str
    threshold: float
    miss_cost: float | None = None
    alarm_cost: float | None = None
    trials: int = 0
    result: str = ""
    capacity: float | None = None
    balanced: bool = False

    def __post_init__(self) -> None:
        """Reject an invalid threshold, pair of costs or capacity."""
        if not 0 <= self.threshold <= 1:
            raise UsageError(
                "A threshold is a probability from 0 to 1, not {threshold!r}.",
                threshold=self.threshold,
            )
        check_costs(self.miss_cost, self.alarm_cost)
        check_capacity(self.capacity)

    @property
    def costs(self) -> tuple[float, float] | None:
        """The costs of a miss and of a false alarm; ``None`` without costs."""
        if self.miss_cost is None or self.alarm_cost is None:
            return None
        return self.miss_cost, self.alarm_cost

    @property
    def sentence(self) -> str:
        """The labelling rule in a sentence."""
        return phrase(
            "Labels follow the decision of this run: “{name}” wherever its probability is at "
            "least {percent:.4g} %. Probabilities are unchanged.",
            name=self.looked_for,
            percent=round_threshold(self.threshold),
        )

    def describe_outdated(self, result: Result | None) -> str:
        """Return a note if it was made for an earlier result of the run; otherwise empty."""
        if result is None:
            return ""
        is_current = self.result == result.key if self.result else self.trials in {0, result.trials}
        return "" if is_current else OUTDATED_NOTE

    def get_class_code(self, classes: Sequence[str | int]) -> int:
        """Return the code of the positive class among a run's classes.

        Raises:
            UsageError: If there are not two classes, or the positive class is not one of them.
        """
        return get_class_code(self.looked_for, classes)


def get_class_code(positive_class: str, classes: Sequence[str | int]) -> int:
    """Return the positive class's code; raise UsageError if it is not one of two classes."""
    names = [str(each) for each in classes]
    if len(names) != 2:
        raise UsageError("A decision threshold needs a run with two classes.")
    if positive_class not in names:
        raise UsageError(
            "There is no class {name!r}; available: {names}.",
            name=positive_class,
            names=", ".join(names),
        )
    return names.index(positive_class)


def check_costs(miss: float | None, alarm: float | None) -> None:
    """Raise UsageError unless both costs are positive, or neither is given."""
    if (miss is None) != (alarm is None):
        raise UsageError("Give both costs: that of a miss and that of a false alarm.")
    for cost in (miss, alarm):
        if cost is not None and not 0 < cost < float("inf"):
            raise UsageError("A cost is a number above 0, not {cost!r}.", cost=cost)


def check_capacity(capacity: float | None) -> None:
    """Raise UsageError for a capacity outside [0, 1]."""
    if capacity is not None and not 0.0 <= capacity <= 1.0:
        raise UsageError(
            "A capacity is a share of the rows from 0 to 1, not {capacity!r}.", capacity=capacity
        )

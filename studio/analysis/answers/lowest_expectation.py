"""The place of the lowest expectation of a surrogate, and places that may be as low."""

from dataclasses import dataclass

import numpy as np

from studio.arrays import Flags, Floats


@dataclass(frozen=True)
class LowestExpectation:
    """The lowest expected value on a line or a map.

    Attributes:
        index: Its index in the flattened means.
        is_finite, is_equal, is_possible: Shape of the means. Whether there is an expectation;
            whether it looks the same as the lowest; whether its difference from the lowest is
            within the uncertainty, or invisible.
    """

    index: int
    is_finite: Flags
    is_equal: Flags
    is_possible: Flags

    @property
    def is_flat(self) -> bool:
        """Whether no difference is visible."""
        return bool(self.is_equal[self.is_finite].all())

    @property
    def is_uncertain(self) -> bool:
        """Whether no place is clearly worse than the lowest."""
        return bool(self.is_possible[self.is_finite].all())

    @property
    def possible_share(self) -> float:
        """The share of the places that may be as low."""
        return float(self.is_possible[self.is_finite].mean())


def find_lowest_expectation(
    mean: Floats, sd: Floats, resolution: float
) -> LowestExpectation | None:
    """Return the lowest expectation; ``None`` without any.

    A difference counts if it exceeds one standard deviation of the difference of two independent
    predictions. Neighbours are correlated, so that fewer differences count than might; a surrogate
    is never quoted as surer than it is.

    Args:
        mean, sd: Any shape, equal. Expectations and standard deviations; NaN where inactive.
        resolution: The largest invisible difference of two means.
    """
    is_finite: Flags = np.isfinite(mean)
    if not is_finite.any():
        return None
    index = int(np.nanargmin(mean))
    excess = mean - mean.flat[index]
    is_equal: Flags = np.asarray(excess <= resolution)
    deviation = np.hypot(sd, sd.flat[index])
    return LowestExpectation(
        index, is_finite, is_equal, np.asarray(is_equal | (excess <= deviation))
    )

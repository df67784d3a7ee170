"""Registry of acquisition criteria. A new one is one file and one line in this module."""

from studio.acquisition.criteria.base import Criterion
from studio.acquisition.criteria.improvement import (
    ExpectedImprovement,
    LogExpectedImprovement,
    ProbabilityOfImprovement,
)
from studio.acquisition.criteria.lower_confidence_bound import LowerConfidenceBound

REGISTRY: tuple[type[Criterion], ...] = (
    ExpectedImprovement,
    LogExpectedImprovement,
    ProbabilityOfImprovement,
    LowerConfidenceBound,
)
"""All criteria, the default first."""

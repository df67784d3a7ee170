"""The criteria there are: a new one is one file and one line here."""

from studio.acquisition.criteria.base import Criterion
from studio.acquisition.criteria.expected_improvement import (
    ExpectedImprovement,
    LogExpectedImprovement,
)
from studio.acquisition.criteria.lower_confidence_bound import LowerConfidenceBound
from studio.acquisition.criteria.probability_of_improvement import ProbabilityOfImprovement

REGISTRY: tuple[type[Criterion], ...] = (
    ExpectedImprovement,
    LogExpectedImprovement,
    ProbabilityOfImprovement,
    LowerConfidenceBound,
)
"""All criteria, the default first."""

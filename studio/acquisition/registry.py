"""Registries of acquisition criteria and maximisers; a new one needs a class and one line here."""

from studio.acquisition.criteria import (
    Criterion,
    ExpectedImprovement,
    LogExpectedImprovement,
    LowerConfidenceBound,
    ProbabilityOfImprovement,
)
from studio.acquisition.maximisers.base import Maximiser
from studio.acquisition.maximisers.global_local import GlobalLocal, RandomCandidates
from studio.acquisition.maximisers.local_search import LocalSearch
from studio.acquisition.maximisers.sobol_lbfgs import SobolLbfgs

CRITERIA: tuple[type[Criterion], ...] = (
    ExpectedImprovement,
    LogExpectedImprovement,
    ProbabilityOfImprovement,
    LowerConfidenceBound,
)
"""All criteria, the default first."""

MAXIMISERS: tuple[type[Maximiser], ...] = (LocalSearch, SobolLbfgs, RandomCandidates, GlobalLocal)
"""All maximisers, the default first."""

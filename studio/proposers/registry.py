"""The list of proposers; a new one is one file and one line here."""

from studio.proposers.base import Proposer
from studio.proposers.bayesian import BayesianOptimisation
from studio.proposers.ensemble_optimisation import EnsembleOptimisation
from studio.proposers.random_search import RandomSearch

REGISTRY: tuple[type[Proposer], ...] = (
    RandomSearch,
    BayesianOptimisation,
    EnsembleOptimisation,
)

"""Registry of proposers. A new proposer needs one file and one line in this module."""

from studio.proposers.bandits import EqualArms, RisingBandit
from studio.proposers.base import Proposer
from studio.proposers.bayesian import BayesianOptimisation
from studio.proposers.divbo import DivBO
from studio.proposers.ensemble_optimisation import EnsembleOptimisation, Esmbo
from studio.proposers.evolution import CmaEs, NeuralEnsembleSearch
from studio.proposers.model_free import Grid, RandomSearch, Sobol
from studio.proposers.optuna import OptunaGp, OptunaTpe
from studio.proposers.proven_starts import ProvenStarts

REGISTRY: tuple[type[Proposer], ...] = (
    RandomSearch,
    BayesianOptimisation,
    EnsembleOptimisation,
    DivBO,
    Esmbo,
    Grid,
    Sobol,
    CmaEs,
    RisingBandit,
    EqualArms,
    NeuralEnsembleSearch,
    OptunaTpe,
    OptunaGp,
    ProvenStarts,
)

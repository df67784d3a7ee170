"""The list of proposers; a new one is one file and one line here."""

from studio.proposers.bandits import EqualArms, RisingBandit
from studio.proposers.base import Proposer
from studio.proposers.bayesian import BayesianOptimisation
from studio.proposers.cma_es import CmaEs
from studio.proposers.divbo import DivBO
from studio.proposers.ensemble_optimisation import EnsembleOptimisation
from studio.proposers.esmbo import Esmbo
from studio.proposers.grid import Grid
from studio.proposers.nes import NeuralEnsembleSearch
from studio.proposers.peers.optuna import OptunaGp, OptunaTpe
from studio.proposers.proven_starts import ProvenStarts
from studio.proposers.random_search import RandomSearch
from studio.proposers.sobol import Sobol

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

"""Registry of acquisition maximisers. A new one is one file and one line in this module."""

from studio.acquisition.maximisers.base import Maximiser
from studio.acquisition.maximisers.global_local import GlobalLocal, RandomCandidates
from studio.acquisition.maximisers.local_search import LocalSearch
from studio.acquisition.maximisers.sobol_lbfgs import SobolLbfgs

REGISTRY: tuple[type[Maximiser], ...] = (LocalSearch, SobolLbfgs, RandomCandidates, GlobalLocal)
"""All maximisers, the default first."""

"""Registry of surrogates. A new one is one file and one line in this module."""

from studio.surrogates.base import Surrogate
from studio.surrogates.gp import GaussianProcess
from studio.surrogates.random_forest import RandomForest

REGISTRY: tuple[type[Surrogate], ...] = (GaussianProcess, RandomForest)
"""All surrogates, the default first."""

"""Registry of diversity surrogates. A new one is one file and one line in this module."""

from studio.surrogates.diversity.base import DiversitySurrogate
from studio.surrogates.diversity.lightgbm import LightGBM
from studio.surrogates.diversity.row_by_row import Boosted, ForestDiversity

REGISTRY: tuple[type[DiversitySurrogate], ...] = (LightGBM, ForestDiversity, Boosted)
"""All diversity surrogates, the default first."""

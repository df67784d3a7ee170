"""Registries of loss and diversity surrogates. A new surrogate needs one file and one line here."""

from studio.surrogates.base import Surrogate
from studio.surrogates.diversity.base import DiversitySurrogate
from studio.surrogates.diversity.lightgbm import LightGbmDiversity
from studio.surrogates.diversity.row_by_row import ForestDiversity, HistGradientBoostingDiversity
from studio.surrogates.gp import GaussianProcess
from studio.surrogates.random_forest import RandomForest

SURROGATES: tuple[type[Surrogate], ...] = (GaussianProcess, RandomForest)
"""All surrogates, the default first."""

DIVERSITY_SURROGATES: tuple[type[DiversitySurrogate], ...] = (
    LightGbmDiversity,
    ForestDiversity,
    HistGradientBoostingDiversity,
)
"""All diversity surrogates, the default first."""

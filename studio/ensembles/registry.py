"""Registry of ensemble builders."""

from studio.ensembles.agnostic_bayes import AgnosticBayes
from studio.ensembles.base import EnsembleBuilder
from studio.ensembles.greedy import GreedySelection
from studio.ensembles.single_model import (
    Population,
    PosteriorMean,
    SelectionBest,
    SingleBest,
    Stacking,
    WeightedBagging,
)
from studio.ensembles.slots import Slots

REGISTRY: tuple[type[EnsembleBuilder], ...] = (
    SingleBest,
    GreedySelection,
    Slots,
    AgnosticBayes,
    WeightedBagging,
    Stacking,
    SelectionBest,
    PosteriorMean,
    Population,
)

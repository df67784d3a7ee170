"""The list of ensemble builders."""

from studio.ensembles.base import EnsembleBuilder
from studio.ensembles.greedy import Greedy
from studio.ensembles.single_best import SingleBest
from studio.ensembles.slots import Slots

REGISTRY: tuple[type[EnsembleBuilder], ...] = (SingleBest, Greedy, Slots)

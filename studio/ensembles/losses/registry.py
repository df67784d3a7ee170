"""Registry of ensemble losses."""

from studio.ensembles.losses.base import EnsembleLoss
from studio.ensembles.losses.errors import SquaredError, ZeroOne
from studio.ensembles.losses.margins import CBound, Margin, Sigmoid, SquaredMargin

REGISTRY: tuple[type[EnsembleLoss], ...] = (
    SquaredMargin,
    CBound,
    Sigmoid,
    ZeroOne,
    Margin,
    SquaredError,
)

"""Registry of ensemble losses."""

from studio.ensembles.losses.base import EnsembleLoss
from studio.ensembles.losses.errors import SquaredError, ZeroOneLoss
from studio.ensembles.losses.margins import CBound, LinearMargin, SigmoidMargin, SquaredMargin

REGISTRY: tuple[type[EnsembleLoss], ...] = (
    SquaredMargin,
    CBound,
    SigmoidMargin,
    ZeroOneLoss,
    LinearMargin,
    SquaredError,
)

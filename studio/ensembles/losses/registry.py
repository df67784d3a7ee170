"""The list of ensemble losses."""

from studio.ensembles.losses.base import EnsembleLoss
from studio.ensembles.losses.c_bound import CBound
from studio.ensembles.losses.margin import Margin
from studio.ensembles.losses.mse import SquaredError
from studio.ensembles.losses.sigmoid import Sigmoid
from studio.ensembles.losses.squared_margin import SquaredMargin
from studio.ensembles.losses.zero_one import ZeroOne

REGISTRY: tuple[type[EnsembleLoss], ...] = (
    SquaredMargin,
    CBound,
    Sigmoid,
    ZeroOne,
    Margin,
    SquaredError,
)

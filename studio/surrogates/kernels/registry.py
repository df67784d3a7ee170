"""The kernels there are: a new one is one file and one line here."""

from studio.surrogates.kernels.base import Kernel
from studio.surrogates.kernels.conditional import (
    Conditional,
    ConditionalLaplace,
    ConditionalMondrian,
    ConditionalSquaredExponential,
)
from studio.surrogates.kernels.laplace import Laplace
from studio.surrogates.kernels.matern import Matern
from studio.surrogates.kernels.mondrian import Mondrian
from studio.surrogates.kernels.squared_exponential import SquaredExponential

REGISTRY: tuple[type[Kernel], ...] = (
    Conditional,
    ConditionalSquaredExponential,
    ConditionalLaplace,
    ConditionalMondrian,
    Matern,
    SquaredExponential,
    Laplace,
    Mondrian,
)
"""All kernels, the default first."""

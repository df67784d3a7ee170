"""The kernels there are: a new one is one file and one line here."""

from studio.surrogates.kernels.base import Kernel
from studio.surrogates.kernels.conditional import Conditional
from studio.surrogates.kernels.matern import Matern
from studio.surrogates.kernels.squared_exponential import SquaredExponential

REGISTRY: tuple[type[Kernel], ...] = (Conditional, Matern, SquaredExponential)
"""All kernels, the default first."""

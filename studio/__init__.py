"""Ensemble Studio: automatic machine learning that ends in an ensemble.

The core never imports Qt; only :mod:`studio.gui` does. ``docs/architecture.md`` has the map.

>>> from studio import EnsembleSearchClassifier
"""

from typing import TYPE_CHECKING, Any

from studio import version

if TYPE_CHECKING:
    from studio.api.estimators import EnsembleSearchClassifier, EnsembleSearchRegressor

__version__ = version.VERSION

__all__ = ["EnsembleSearchClassifier", "EnsembleSearchRegressor", "__version__"]


def __getattr__(name: str) -> Any:
    """Load the estimators, and scikit-learn with them, when they are first asked for."""
    if name in {"EnsembleSearchClassifier", "EnsembleSearchRegressor"}:
        from studio.api import estimators

        return getattr(estimators, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

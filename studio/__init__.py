"""Ensemble Studio: automatic machine learning whose result is an ensemble.

The core never imports Qt; only :mod:`studio.gui` does. See ``docs/architecture.md`` for an
overview.

>>> from studio import EnsembleSearchClassifier
"""

from studio import version

# No imports of the standard library: with ``python -m studio`` they would be searched in the
# current folder first, until :mod:`studio.__main__` has removed it from the path.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from studio.api.estimators import EnsembleSearchClassifier, EnsembleSearchRegressor

__version__ = version.VERSION

__all__ = ["EnsembleSearchClassifier", "EnsembleSearchRegressor", "__version__"]


def __getattr__(name: str) -> object:
    """Import the estimators, and scikit-learn with them, on first access."""
    if name in {"EnsembleSearchClassifier", "EnsembleSearchRegressor"}:
        from studio.api import estimators

        return getattr(estimators, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

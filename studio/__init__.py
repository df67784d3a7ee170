"""Ensemble Studio: automatic machine learning whose result is an ensemble.

The core never imports Qt; only :mod:`studio.gui` does. ``docs/architecture.md`` has the map.

>>> from studio import EnsembleSearchClassifier
"""

from studio import version

# Nothing of Python's is imported here: with ``python -m studio`` it would be looked for in the
# current folder first, until :mod:`studio.__main__` has put an end to that.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from studio.api.estimators import EnsembleSearchClassifier, EnsembleSearchRegressor

__version__ = version.VERSION

__all__ = ["EnsembleSearchClassifier", "EnsembleSearchRegressor", "__version__"]


def __getattr__(name: str) -> object:
    """Load the estimators, and scikit-learn with them, when they are first asked for."""
    if name in {"EnsembleSearchClassifier", "EnsembleSearchRegressor"}:
        from studio.api import estimators

        return getattr(estimators, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

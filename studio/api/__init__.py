"""Python API: ensemble search with scikit-learn's conventions.

:class:`EnsembleSearchClassifier` and :class:`EnsembleSearchRegressor` are estimators like those of
scikit-learn: ``fit``, ``predict``, ``predict_proba``, in pipelines and cross-validation.

>>> from studio.api import EnsembleSearchClassifier
"""

from studio.api.estimators import EnsembleSearchClassifier, EnsembleSearchRegressor

__all__ = ["EnsembleSearchClassifier", "EnsembleSearchRegressor"]

"""Registry of evaluations. A new one needs one file and one line in this module."""

from studio.data.evaluation.base import EarlyStopping, Evaluation, FixedSplit, ReshuffledSplit

REGISTRY: tuple[type[Evaluation], ...] = (FixedSplit, EarlyStopping, ReshuffledSplit)

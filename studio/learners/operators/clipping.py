"""Transformers that know no negative numbers."""

from typing import Any

import numpy as np


def behind_zero(transformer: Any) -> Any:
    """Return a transformer that sees every negative number as 0."""
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import FunctionTransformer

    clip = FunctionTransformer(np.clip, kw_args={"a_min": 0.0, "a_max": None})
    return Pipeline([("clip", clip), ("transform", transformer)])

"""From what a caller hands over as X and y to a table, the same in fit and predict."""

import warnings
from typing import Any

import numpy as np
from sklearn.utils import check_X_y

from studio.arrays import AnyArray
from studio.phrases import counted


def as_frame(X: Any, names: tuple[str, ...] | None = None) -> Any:
    """Return X as a pandas data frame, or ``None`` for a matrix of numbers.

    Args:
        X: A data frame of pandas, of another library with ``to_pandas`` (polars), or an array.
        names: What the columns of an array are called; ``None``: x0, x1, ….

    Raises:
        TypeError: If another library's frame cannot be converted.
    """
    if is_frame(X):
        return X
    if hasattr(X, "to_pandas"):
        try:
            return X.to_pandas()
        except ImportError as error:
            raise TypeError(
                f"X is a {type(X).__module__}.{type(X).__name__}, which cannot be converted to "
                f"pandas here ({error}). Install what it needs, or pass a pandas data frame."
            ) from error
    if hasattr(X, "toarray"):
        return None
    array = np.asarray(X)
    if array.dtype.kind not in "OUS" or array.ndim != 2 or not array.size:
        return None
    import pandas as pd

    named = names or tuple(f"x{at}" for at in range(array.shape[1]))
    if len(named) != array.shape[1]:
        return None
    return pd.DataFrame(array.astype(object), columns=list(named)).infer_objects()


def is_frame(X: Any) -> bool:
    """Return whether X is a pandas data frame, without loading pandas for those that are not."""
    return type(X).__module__.split(".")[0] == "pandas" and hasattr(X, "columns")


def known_rows(y: Any) -> AnyArray | None:
    """Return which rows, (n,), have a target where pandas knows of missing ones; else ``None``."""
    if not hasattr(y, "isna") or isinstance(getattr(y, "dtype", None), np.dtype):
        return None
    missing = np.asarray(y.isna(), dtype=np.bool_).ravel()
    if not missing.any():
        return None
    words = counted(
        "1 row without a target was left out.",
        "{count:,} rows without a target were left out.",
        int(missing.sum()),
    )
    warnings.warn(words, stacklevel=4)
    return ~missing


def as_target(y: Any, n_rows: int, *, numeric: bool) -> AnyArray:
    """Return the target of n rows as an array, (n,), of the type that its values have.

    Raises:
        ValueError: If it has another length, or is no target at all.
    """
    if hasattr(y, "infer_objects"):
        y = y.infer_objects()
    if hasattr(y, "to_numpy") and not isinstance(getattr(y, "dtype", None), np.dtype):
        y = np.array(y.to_numpy().tolist())
    target = np.asarray(y)
    if target.dtype == object:
        import pandas as pd

        target = pd.Series(target.ravel()).infer_objects().to_numpy()
    _, checked = check_X_y(np.zeros((n_rows, 1)), target, y_numeric=numeric, ensure_min_samples=2)
    found: AnyArray = checked
    return found

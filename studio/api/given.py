"""From what a caller hands over as X and y to a table, the same in fit and predict."""

import itertools
import warnings
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from os import PathLike
from typing import Any

import numpy as np
from sklearn.utils import check_X_y
from sklearn.utils._param_validation import StrOptions

from studio.arrays import AnyArray, Floats
from studio.data.column import Column, Role
from studio.phrases import counted

_MAPPING: list[Any] = [Mapping, None]
_WHOLE: list[Any] = [Integral, None]

PARAMETER_TYPES: Mapping[str, list[Any]] = {
    "method": [str],
    "space": [str, PathLike, Mapping],
    "budget": _WHOLE,
    "seconds": [Real, None],
    "metric": [str, callable, None],
    "folds": [*_WHOLE, StrOptions({"auto"})],
    "validation": [Real],
    "refit": ["boolean", StrOptions({"auto"})],
    "class_weights": [str],
    "options": _MAPPING,
    "roles": _MAPPING,
    "kinds": _MAPPING,
    "n_jobs": _WHOLE,
    "trial_seconds": [Real],
    "document": [str, PathLike, None],
}
"""Of the parameters of an estimator; what else can be wrong with a value, the program says."""


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
    kind = getattr(y, "dtype", None)
    if not hasattr(y, "isna") or (isinstance(kind, np.dtype) and kind.kind != "O"):
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


def as_numbers(target: AnyArray) -> Floats:
    """Return a checked target, (n,), as numbers.

    Raises:
        ValueError: If it holds times, which numpy would take for numbers of nanoseconds.
    """
    if target.dtype.kind in "mM":
        raise ValueError(
            "y must be numbers; times were given. Convert them to a number, such as the days since "
            "the first one."
        )
    return target.astype(np.float64)


def labels_of(frame: Any, roles: Mapping[Any, Role]) -> dict[str, str | int]:
    """Return the features' labels in a frame; positions where some label is no string."""
    kept = [(at, label) for at, label in enumerate(frame.columns) if label not in roles]
    if all(isinstance(label, str) for label in frame.columns):
        return {label: label for _, label in kept}
    return {str(label): at for at, label in kept}


def signs_of(given: Any, labels: Sequence[Any]) -> list[int]:
    """Return monotonic constraints, 1, -1 or 0, as they are given, of columns with these labels.

    Raises:
        ValueError: If one is no column's, or none of these numbers, or there are too few or many.
    """
    if given is None:
        return [0] * len(labels)
    if isinstance(given, Mapping):
        if absent := [label for label in given if label not in labels]:
            raise ValueError(f"{absent[0]!r}, of monotonic_cst, is no column of X.")
        given = [given.get(label, 0) for label in labels]
    found = np.asarray(given).ravel()
    if len(found) != len(labels) or not np.isin(found, [-1, 0, 1]).all():
        raise ValueError(
            "monotonic_cst holds 1, 0 or -1 for each column of X, or for some of them by name, or "
            f"is None; X has {len(labels)} columns, and {given!r:.60} was given."
        )
    return [int(sign) for sign in found]


def target_name(y: Any, columns: list[Column]) -> str:
    """Return what the target is called: as the caller's series, unless a column is."""
    return free_name(str(getattr(y, "name", None) or "target"), [each.name for each in columns])


def free_name(name: str, taken: Sequence[str]) -> str:
    """Return a name, with a number behind it where it is taken."""
    numbered = (name if turn == 1 else f"{name} {turn}" for turn in itertools.count(1))
    return next(each for each in numbered if each not in taken)

"""Problems to be split, and properties of every split."""

import numpy as np

from studio.data.problem import Problem
from studio.data.recipe import Recipe, TargetRecipe
from studio.data.splits import Split


def make_problem(y: np.ndarray) -> Problem:
    """Make a classification problem with these class codes, or a regression one from floats."""
    regression = y.dtype.kind == "f"
    classes = () if regression else tuple(range(int(y.max()) + 1))
    task = "regression" if regression else "multiclass"
    return Problem(
        X=np.zeros((len(y), 1)),
        y=y,
        task=task,
        classes=classes,
        target_name="y",
        feature_names=("x",),
        categorical=np.array([False]),
        categories=(None,),
        rows=np.arange(len(y)),
        notes=(),
        _recipe=Recipe((), TargetRecipe("y", task=task, classes=classes)),
    )


def assert_whole(split: Split, n_rows: int) -> None:
    """Assert that every row is in exactly one part, in order."""
    together = np.concatenate([split.development, split.test])
    assert sorted(together.tolist()) == list(range(n_rows))
    for rows in (split.train, split.validation, split.test, *sum(split.folds, ())):
        assert rows.dtype == np.int64
        assert np.all(np.diff(rows) > 0)
    predicted = np.concatenate([validation for _, validation in split.folds])
    assert sorted(predicted.tolist()) == split.validation.tolist()
    for train, validation in split.folds:
        assert not set(train) & set(validation)
        assert not set(train) & set(split.test)


def assert_same_rows(found, expected) -> None:
    for one, other in zip(found, expected, strict=True):
        assert one.tolist() == other.tolist()
        assert one.dtype == other.dtype == np.int64

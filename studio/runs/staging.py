"""The data of a run as workers read it: plain arrays in files, mapped by all of them at once."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from studio.arrays import AnyArray, Flags, Floats, Integers
from studio.learners.facts import Task

if TYPE_CHECKING:
    from studio.data.problem import Problem
    from studio.data.splits import Split

HEADER = "data.json"


@dataclass(frozen=True)
class TrialData:
    """What every trial of a run is trained and scored on.

    Attributes
    ----------
    X : array, shape (n, d), float64
        Numbers, and codes of categories; NaN is missing. Mapped read-only from the file.
    y : array, shape (n,)
        Class codes (int64) or values (float64).
    task : Task
        What is predicted.
    n_classes : int
        0 for regression.
    categorical : array of bool, shape (d,)
        Which columns hold codes of categories.
    folds : tuple of (training rows, validation rows)
        One for hold-out, k for k-fold.
    validation : array of int, shape (n_V,)
        All validation rows, ascending: the order of the predictions.
    test : array of int, shape (n_G,)
        Test rows; may be empty.
    """

    X: Floats
    y: AnyArray
    task: Task
    n_classes: int
    categorical: Flags
    folds: tuple[tuple[Integers, Integers], ...]
    validation: Integers
    test: Integers

    @classmethod
    def of(cls, problem: "Problem", split: "Split") -> Self:
        """Take what trials need from a problem and its split."""
        return cls(
            X=problem.X,
            y=problem.y,
            task=problem.task,
            n_classes=len(problem.classes),
            categorical=problem.categorical,
            folds=split.folds,
            validation=split.validation,
            test=split.test,
        )

    def save(self, folder: Path) -> None:
        """Write everything into an existing folder, for :meth:`load` in other processes."""
        header = {
            "task": self.task,
            "n_classes": self.n_classes,
            "categorical": np.flatnonzero(self.categorical).tolist(),
            "n_features": self.X.shape[1],
            "folds": len(self.folds),
        }
        arrays: dict[str, AnyArray] = {
            "X": np.asarray(self.X, dtype=np.float64),
            "y": self.y,
            "validation": np.asarray(self.validation, dtype=np.int64),
            "test": np.asarray(self.test, dtype=np.int64),
        }
        for fold, (training, held_out) in enumerate(self.folds):
            arrays[f"training-{fold}"] = np.asarray(training, dtype=np.int64)
            arrays[f"validation-{fold}"] = np.asarray(held_out, dtype=np.int64)
        for name, array in arrays.items():
            save_array(folder / f"{name}.npy", array)
        (folder / HEADER).write_text(json.dumps(header), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Map what :meth:`save` wrote."""
        header = json.loads((folder / HEADER).read_text(encoding="utf-8"))
        categorical = np.zeros(header["n_features"], dtype=bool)
        categorical[header["categorical"]] = True

        def mapped(name: str) -> AnyArray:
            return load_array(folder / f"{name}.npy")

        return cls(
            X=mapped("X"),
            y=mapped("y"),
            task=header["task"],
            n_classes=header["n_classes"],
            categorical=categorical,
            folds=tuple(
                (mapped(f"training-{fold}"), mapped(f"validation-{fold}"))
                for fold in range(header["folds"])
            ),
            validation=mapped("validation"),
            test=mapped("test"),
        )


def save_array(path: Path, array: AnyArray) -> None:
    """Write one array, never pickled."""
    np.save(path, np.ascontiguousarray(array), allow_pickle=False)


def load_array(path: Path) -> AnyArray:
    """Map one array read-only, never unpickling."""
    array = np.load(path, allow_pickle=False, mmap_mode="r")
    assert isinstance(array, np.ndarray)
    return array

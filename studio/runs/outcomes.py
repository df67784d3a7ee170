"""What trainings give back: a trial's predictions, or those of one more training."""

from dataclasses import dataclass
from typing import Any

from studio.arrays import AnyArray, Floats
from studio.trial import Training


@dataclass(frozen=True)
class TrialOutcome(Training):
    """What a trial gave.

    Attributes
    ----------
    validation : array
        Stored form: shape (n_V, C) float16 (one-hot for label-only learners), or (n_V,) float32 or
        float64 (:attr:`studio.runs.staging.TrialData.stored_type`).
        Out-of-fold with k-fold.
    test : array or None
        The same for the n_G test rows, shape (n_G, C) or (n_G,); with k-fold the mean over the fold
        models (for label-only learners that is their shares of the vote). ``None`` where there
        are no test rows.
    selection : array or None
        Each fold model's predictions for the selection rows in stored form: shape (k, n_S, C) or
        (k, n_S). ``None`` where there are no such rows.
    note : str
        What the user should know about how it was trained; mostly empty.
    """

    validation: AnyArray
    test: AnyArray | None
    selection: AnyArray | None = None
    note: str = ""

    def to_parts(self) -> tuple[dict[str, Any], dict[str, AnyArray]]:
        """Return the outcome as plain JSON and arrays, in their shapes, as a worker sends it."""
        arrays = {"validation": self.validation, "test": self.test, "selection": self.selection}
        header = {"measured": self.measured(), "note": self.note}
        return header, {name: array for name, array in arrays.items() if array is not None}


@dataclass(frozen=True)
class Refitted(Training):
    """A configuration refitted on given rows, kept in a file.

    Attributes
    ----------
    predictions : tuple of array
        For each matrix asked about: shape (n, C) float64 (one-hot for label-only learners) or
        (n,) float64.
    """

    predictions: tuple[Floats, ...]

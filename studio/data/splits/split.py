"""The rows of each part of a run's split, and their storage in the document."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from studio.arrays import AnyArray, Flags, Integers

Folds = tuple[tuple[Integers, Integers], ...]
"""Pairs of training and prediction rows: one for hold-out, k for k folds."""


def _make_empty_rows() -> Integers:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Split:
    """Row numbers of a problem (int64, ascending).

    Attributes:
        train: Shape (k,). Rows of D_T; with folds all of D_TV.
        validation: Shape (k,). Rows of D_V; with folds all of D_TV: the rows of out-of-fold
            predictions, in this order.
        test: Shape (k,). Rows of D_G; may be empty.
        folds: Pairs to fit on and to predict; one pair for hold-out. The disjoint validation parts
            make up ``validation``.
        selection: Shape (k,). Rows of D_S, used only for the final choice (thesis 3.2.2); may be
            empty.
        by_time: Whether the parts follow each other in time; such rows cannot be divided again.
        copies, originals: Shape (c,). Copied rows
            (:attr:`studio.data.duplicates.Duplicates.copies`), and the original of each; empty in
            runs of older versions.
    """

    train: Integers
    validation: Integers
    test: Integers
    folds: Folds
    selection: Integers = field(default_factory=_make_empty_rows)
    by_time: bool = False
    copies: Integers = field(default_factory=_make_empty_rows)
    originals: Integers = field(default_factory=_make_empty_rows)

    def group_copies(self, n_rows: int) -> Integers | None:
        """Return a code for each row, (n_rows,), shared with copies; ``None`` without copies."""
        return make_record_codes(self.copies, self.originals, n_rows)

    @property
    def development(self) -> Integers:
        """Rows of D_T ∪ D_V ∪ D_S, (k,), ascending: the training rows of the final refit."""
        rows = np.concatenate((self.train, self.validation, self.selection))
        return np.flatnonzero(np.bincount(rows))  # many times as fast as np.union1d

    def to_arrays(self) -> dict[str, AnyArray]:
        """Return the split as arrays: "train", "validation", "test" and "fold".

        Each has shape (k,). "fold" is the predicting fold of each row of ``validation``. Only if
        needed: "selection", "by_time", "copies" and "originals", and "training0", "training1", …
        for folds that do not train on all rows of the other folds.
        """
        fold = np.zeros(len(self.validation), dtype=np.int64)
        for number, (_, validation_rows) in enumerate(self.folds):
            fold[np.searchsorted(self.validation, validation_rows)] = number
        arrays: dict[str, AnyArray] = {
            "train": self.train,
            "validation": self.validation,
            "test": self.test,
            "fold": fold,
        }
        if len(self.selection):
            arrays["selection"] = self.selection
        if self.by_time:
            arrays["by_time"] = np.ones(1, dtype=np.int64)
        if self.copies.size:
            arrays |= {"copies": self.copies, "originals": self.originals}
        for number, (training, validation_rows) in enumerate(self.folds):
            if len(training) + len(validation_rows) < len(self.validation):
                arrays[f"training{number}"] = training
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, AnyArray]) -> "Split":
        """Build a split from :meth:`to_arrays`, each (k,), including those of earlier versions."""
        train, validation, test, fold = (
            np.asarray(arrays[name], dtype=np.int64)
            for name in ("train", "validation", "test", "fold")
        )
        selection, copies, originals = (
            np.asarray(arrays.get(name, _make_empty_rows()), dtype=np.int64)
            for name in ("selection", "copies", "originals")
        )
        n_folds = int(fold.max()) + 1
        folds: Folds = ((train, validation),)
        if n_folds > 1:
            folds = make_fold_pairs(validation, fold, n_folds)
            folds = tuple(
                (np.asarray(arrays.get(f"training{k}", training), dtype=np.int64), validation_rows)
                for k, (training, validation_rows) in enumerate(folds)
            )
        by_time = "by_time" in arrays
        return cls(train, validation, test, folds, selection, by_time, copies, originals)


def make_record_codes(copies: Integers, originals: Integers, n_rows: int) -> Integers | None:
    """Return codes, (n_rows,), shared with copies (c,) of originals (c,); ``None`` without any."""
    if not copies.size:
        return None
    codes = np.arange(n_rows, dtype=np.int64)
    codes[copies] = originals
    return codes


def make_fold_pairs(rows: Integers, fold: Integers, n_folds: int) -> Folds:
    """Return the (training, validation) rows of each fold of rows (n,) with folds 0..k-1 (n,)."""
    fold_masks: list[Flags] = [fold == k for k in range(n_folds)]
    return tuple((rows[~held_out], rows[held_out]) for held_out in fold_masks)

"""What compared methods have in common: only there are they compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from studio.arrays import Floats
from studio.compare.outcomes import CellOutcome

Block = tuple[tuple[CellOutcome, ...], ...]
"""Method by method, its outcomes in one repetition of a data set: one a space."""

Blocks = Mapping[str, Mapping[int, Block]]
"""Data set → repetition → what every method found there; no data set without any."""


@dataclass(frozen=True)
class StudyRow:
    """A data set in one space.

    Attributes:
        dataset: Its name.
        finished: Method → its finished repetitions.
        methods: Those with any.
        repetitions: What all of these finished.
        errors: Shape (len(repetitions), len(methods)). Their test errors.
    """

    dataset: str
    finished: Mapping[str, Mapping[int, CellOutcome]]
    methods: tuple[str, ...]
    repetitions: tuple[int, ...]
    errors: Floats


def rows(outcomes: Sequence[CellOutcome], names: Sequence[str]) -> dict[str, StudyRow]:
    """Return every data set in each of its spaces, by :attr:`CellOutcome.row`.

    Args:
        outcomes: Finished cells.
        names: Methods in their order; outcomes of others are left out.
    """
    found: dict[str, dict[str, dict[int, CellOutcome]]] = {}
    dataset: dict[str, str] = {}
    for each in outcomes:
        if each.method in names:
            dataset[each.row] = each.dataset
            found.setdefault(each.row, {}).setdefault(each.method, {})[each.repetition] = each
    return {row: _row(dataset[row], by_method, names) for row, by_method in found.items()}


def _row(
    dataset: str, finished: Mapping[str, Mapping[int, CellOutcome]], names: Sequence[str]
) -> StudyRow:
    there = tuple(name for name in names if name in finished)
    common = set.intersection(*(set(finished[name]) for name in there))
    repetitions = tuple(sorted(common))
    errors = np.array([[finished[name][r].error for name in there] for r in repetitions])
    return StudyRow(
        dataset, finished, there, repetitions, errors.reshape(len(repetitions), len(there))
    )


def common_repetitions(outcomes: Sequence[CellOutcome], names: Sequence[str]) -> Blocks:
    """Return the repetitions of each data set that every method finished, in every space.

    A space in which no repetition was finished by all methods is left out; else one that fails
    throughout would take its data set with it.
    """
    by_dataset: dict[str, list[StudyRow]] = {}
    for row in rows(outcomes, names).values():
        if row.methods == tuple(names) and row.repetitions:
            by_dataset.setdefault(row.dataset, []).append(row)
    found: dict[str, dict[int, Block]] = {}
    for dataset, spaces in by_dataset.items():
        common = set.intersection(*(set(row.repetitions) for row in spaces))
        if common:
            found[dataset] = {
                r: tuple(tuple(row.finished[name][r] for row in spaces) for name in names)
                for r in sorted(common)
            }
    return found


def errors_of(met: Mapping[int, Block]) -> Floats:
    """Return a data set's test errors, shape (repetitions, methods): means over its spaces."""
    return np.array(
        [[np.mean([each.error for each in own]) for own in block] for block in met.values()]
    )


def block_means(matrices: Mapping[str, Floats]) -> Floats:
    """Return each method's mean error on each data set, shape (n_blocks, n_methods).

    To twelve digits, so that means that are equal on paper are a tie.

    Args:
        matrices: Data set → errors, shape (repetitions, methods).
    """
    return np.array(
        [[float(f"{mean:.12g}") for mean in matrix.mean(axis=0)] for matrix in matrices.values()]
    )

"""Cells as whole numbers of eight bytes, among which equal ones are found."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from studio.arrays import AnyArray

WORD = 8
"""Bytes of a whole number."""

# A cell's words are mixed by odd multipliers; what is alike by accident is found and told apart.
_MIXER, _OTHER = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


def factorized(keys: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return codes, (n,), int32, and the different keys of (n, words), in order of appearance."""
    import pandas as pd

    mixed = keys[:, 0] * _MIXER
    for column in keys.T[1:]:
        mixed = (mixed ^ column * _OTHER) * _MIXER
    codes, different = pd.factorize(mixed)
    firsts = np.empty(len(different), dtype=np.int64)
    firsts[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    codes, different = codes.astype(np.int32), keys.take(firsts, axis=0)
    # Of cells that are mixed to the same number, the first words differ only if others do.
    if not np.array_equal(different[:, 1:].take(codes, axis=0), keys[:, 1:]):
        # They hardly ever do.
        known: dict[bytes, int] = {}
        codes = codes_of(bytes_of(keys).tolist(), known)
        different = keys_of(np.array(list(known), dtype=f"S{WORD * keys.shape[1]}"))
    return codes, different


def codes_of(cells: Sequence[Any], known: dict[Any, int]) -> AnyArray:
    """Return the codes of cells, (n,), int32; those that are new are added to the known ones."""
    found = (known.setdefault(cell, len(known)) for cell in cells)
    return np.fromiter(found, dtype=np.int32, count=len(cells))


def bytes_of(keys: AnyArray) -> AnyArray:
    """Return keys, (n, words), as the bytes that they are made of, (n,)."""
    return np.ascontiguousarray(keys).view(f"S{WORD * keys.shape[1]}").ravel()


def keys_of(cells: AnyArray) -> AnyArray:
    """Return bytes, (n,), as keys, (n, words)."""
    words = -(-cells.dtype.itemsize // WORD)
    whole = np.ascontiguousarray(cells, dtype=f"S{WORD * words}")
    return whole.view("<u8").reshape(len(cells), words)

"""Guesses of number formats from cells."""

import numpy as np

from studio.data.number_guess import NumberGuess, guess_numbers
from studio.data.texts import Texts


def guess_format(cells: list[str], name: str = "x", **hints: str) -> NumberGuess | None:
    texts, counts = np.unique(np.array(cells, dtype=object).astype(str), return_counts=True)
    return guess_numbers(
        name, Texts.from_distinct(texts.tolist()), counts.astype(np.int64), **hints
    )

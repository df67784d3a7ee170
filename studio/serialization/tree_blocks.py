"""LightGBM's sums of many trees, predicted block by block.

LightGBM passes each row through all trees, so every row reads all of them from memory again. A
block of trees stays in the processor's cache. LightGBM finds the leaves; their values are added
here in its order, so the sums are equal to the last bit.
"""

from typing import Any

import numpy as np
from lightgbm import Booster

from studio.arrays import Floats, Integers

_TREES = 64
_DEFAULTS = {"start_iteration": 0, "num_iteration": None, "pred_leaf": False, "pred_contrib": False}


class BlockwiseBooster(Booster):
    """A model whose prediction is the sum of its trees.

    Args:
        text: In LightGBM's format, with one tree per round.
        leaf_values: Of all trees, shape (leaves.sum(),).
        leaves: The number of leaves per tree, shape (t,).
    """

    def __init__(self, text: str, leaf_values: Floats, leaves: Integers) -> None:
        super().__init__(model_str=text)
        self._leaf_values = leaf_values
        self._starts = np.cumsum(leaves) - leaves

    def predict(self, data: Any, *positional: Any, **options: Any) -> Any:
        """Return the sums, (n,), or LightGBM's result if options request anything else."""
        if (
            not isinstance(data, np.ndarray)
            or positional
            or any(options.get(name, default) != default for name, default in _DEFAULTS.items())
        ):
            return super().predict(data, *positional, **options)
        others = {name: each for name, each in options.items() if name not in _DEFAULTS}
        rows, sums = np.ascontiguousarray(data), np.zeros(len(data))
        for start in range(0, len(self._starts), _TREES):
            leaves: Any = super().predict(
                rows, start_iteration=start, num_iteration=_TREES, pred_leaf=True, **others
            )
            leaf_indices = leaves.reshape(len(rows), -1) + self._starts[start : start + _TREES]
            for outputs in self._leaf_values[leaf_indices.T]:
                sums += outputs
        return sums

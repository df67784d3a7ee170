"""Derived seeds, so that every random draw of a run has a separate seed."""

import zlib

import numpy as np


def derive(seed: int, *address: int | str) -> int:
    """Return a seed in [0, 2**31) for one purpose of one run.

    Args:
        *address: The purpose of the draw, such as ``("suggest", 17)``. Different addresses give
            unrelated seeds; the same address always gives the same seed, in any process.
    """
    keys = [zlib.crc32(key.encode()) if isinstance(key, str) else int(key) for key in address]
    state = np.random.SeedSequence([seed, *keys]).generate_state(1)
    return int(state[0] >> np.uint32(1))

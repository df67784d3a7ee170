"""Seeds derived from seeds, so that every random draw of a run has its own seed."""

import zlib

import numpy as np


def derive(seed: int, *address: int | str) -> int:
    """Return a seed in [0, 2**31) for one purpose of one run.

    Args:
        seed: The run's seed, at least 0.
        *address: What the draw is for, such as ``("suggest", 17)``. Another address gives an
            unrelated seed; the same one always gives the same, in any process.
    """
    words = [zlib.crc32(part.encode()) if isinstance(part, str) else int(part) for part in address]
    state = np.random.SeedSequence([seed, *words]).generate_state(1)
    return int(state[0] >> np.uint32(1))

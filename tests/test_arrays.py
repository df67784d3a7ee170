"""Arrays are written completely, or an error gives the reason; numbers are sorted exactly."""

import errno
import io
import sys
from pathlib import Path

import numpy as np
import pytest

from studio.arrays import Floats, sort_indices, write_npy

_RNG = np.random.default_rng(0)
_NORMAL = _RNG.normal(size=20_000)


@pytest.mark.parametrize(
    "numbers",
    [
        np.empty(0),
        np.zeros(20_000),
        _NORMAL,
        _NORMAL.round(1),
        np.append(_NORMAL, [1e30, -1e30]),  # all others are rounded to the same number
        np.append(_NORMAL * 1e-5, [1.0, -1.0]),  # some neighbours are in the wrong order
        np.exp(20 * _NORMAL),
        _NORMAL * 1e-310,
        _RNG.permutation(20_000.0 + np.arange(20_000)),
    ],
)
def test_sort_indices_are_a_permutation_in_order(numbers: Floats) -> None:
    order = sort_indices(numbers)
    assert np.array_equal(numbers[order], np.sort(numbers))
    assert np.array_equal(np.sort(order), np.arange(len(numbers)))


def test_written_array_can_be_loaded_by_numpy() -> None:
    file, array = io.BytesIO(), np.arange(6.0).reshape(2, 3)
    write_npy(file, array)
    file.seek(0)
    assert np.array_equal(np.load(file), array)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs a full disk")
def test_full_disk_is_reported_as_cause() -> None:
    def write() -> None:
        with Path("/dev/full").open("wb") as file:
            write_npy(file, np.zeros(100_000))

    with pytest.raises(OSError, match="space") as error_info:
        write()
    assert error_info.value.errno == errno.ENOSPC

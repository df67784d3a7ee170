"""Arrays are written completely, or an error gives the reason."""

import errno
import io
import sys
from pathlib import Path

import numpy as np
import pytest

from studio.arrays import write_npy


def test_array_is_written_as_numpy_reads_it() -> None:
    file, array = io.BytesIO(), np.arange(6.0).reshape(2, 3)
    write_npy(file, array)
    file.seek(0)
    assert np.array_equal(np.load(file), array)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux has a full disk to try")
def test_full_disk_is_reason() -> None:
    def write() -> None:
        with Path("/dev/full").open("wb") as file:
            write_npy(file, np.zeros(100_000))

    with pytest.raises(OSError, match="space") as told:
        write()
    assert told.value.errno == errno.ENOSPC

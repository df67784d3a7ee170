"""Arrays are written completely, or an error gives the reason."""

import errno
import io
import sys
from pathlib import Path

import numpy as np
import pytest

from studio.arrays import write_npy


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

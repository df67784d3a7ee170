import numpy as np
import pytest

from studio.data.splits.splitter import assign_times_to_parts
from studio.errors import DataError
from tests.facts import about


def test_time_split_does_not_separate_equal_times():
    times = np.array([3.0, 1, 1, 1, 1, 1, 1, 2, 3, 3])
    # Half of ten rows would split the six rows of time 1; the nearest change of time is after them.
    assert assign_times_to_parts(times, (0.5, 0.5)).tolist() == [1, 0, 0, 0, 0, 0, 0, 1, 1, 1]
    assert assign_times_to_parts(times, (0.75, 0.0, 0.25)).tolist() == [
        2, 0, 0, 0, 0, 0, 0, 0, 2, 2,
    ]  # fmt: skip


def test_time_split_fills_every_part():
    times = np.repeat([1.0, 2.0, 3.0], [1, 1, 98])
    assert [(assign_times_to_parts(times, (1 / 3,) * 3) == k).sum() for k in range(3)] == [1, 1, 98]
    with pytest.raises(DataError, check=about(count="3", n_used="4")):
        assign_times_to_parts(times, (1 / 4,) * 4)
    with pytest.raises(DataError, match="One time ", check=about(n_used="2")):
        assign_times_to_parts(np.ones(6), (1 / 2,) * 2)

import numpy as np
import pytest

from studio.document import arrays
from studio.errors import DocumentError


@pytest.fixture
def array(document):
    values = np.arange(400_000.0)
    with document.run_transaction():
        return document._arrays.add_blocks(
            arrays.BlockLayout.from_array(values), list(arrays.encode(values))
        )


def test_array_round_trips(document, array):
    np.testing.assert_array_equal(document._arrays.read(array), np.arange(400_000.0))


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM blocks WHERE id & 1 = 1",
        "DELETE FROM arrays",
        "UPDATE blocks SET crc = crc + 1",
        "UPDATE blocks SET data = zeroblob(length(data))",
        "UPDATE blocks SET id = id + 1048576",
        "UPDATE blocks SET id = CASE id & 1 WHEN 1 THEN id - 1000 ELSE id END",
        "UPDATE arrays SET id = id + 1",
        "UPDATE blocks SET data = substr(data, 1, 100)",
    ],
)
def test_lost_changed_or_misplaced_block_is_detected(document, array, damage):
    with document.run_transaction():
        document.execute(damage)
    with pytest.raises(DocumentError, match="damaged"):
        document._arrays.read(array)


def test_removing_array_keeps_other_arrays(document, array):
    values = np.arange(400_000.0)
    with document.run_transaction():
        others = [
            document._arrays.add_blocks(
                arrays.BlockLayout.from_array(values), list(arrays.encode(values))
            )
            for _ in range(2)
        ]
        document._arrays.remove(others[0])
    for each in (array, others[1]):
        np.testing.assert_array_equal(document._arrays.read(each), values)
    with document.run_transaction():
        document._arrays.remove(others[1])
        document._arrays.remove(array)
    for table in ("blocks", "arrays"):
        assert document.query(f"SELECT count(*) FROM {table}") == [(0,)]

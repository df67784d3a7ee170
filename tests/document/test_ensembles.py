"""Trained ensembles in a document: replacement, size limit, removal."""

import dataclasses

import numpy as np
import pytest

from studio.document import ensembles
from studio.document.ensembles import encode_ensemble
from studio.document.processes import Owner
from studio.document.store import Document
from studio.errors import DocumentError
from tests.facts import about

ABOUT = {"method": "greedy", "members": 2}
ARRAYS = {"weights": np.array([0.25, 0.75]), "trees": np.arange(300_000)}
RAW_BYTES = 16 + 300_000 * 8


@pytest.fixture
def run(document, work):
    return work.start(document)


def count_arrays_and_blocks(document):
    """Count arrays, and blocks and their bytes."""
    return [
        document.query("SELECT count(*) FROM arrays"),
        document.query("SELECT count(*), coalesce(sum(length(data)), 0) FROM blocks"),
    ]


def test_stored_ensemble_is_replaced_and_removed_completely(document, run):
    before, size = count_arrays_and_blocks(document), document.count_bytes()
    assert document.ensembles.read_metadata(run) is None
    with pytest.raises(DocumentError, check=about(run_id=str(run))):
        document.ensembles.read_arrays(run)
    encoded = encode_ensemble(ABOUT, ARRAYS)
    document.ensembles.store(run, encoded)
    first = count_arrays_and_blocks(document)
    assert document.ensembles.read_metadata(run) == ABOUT
    assert first[1][0][1] - before[1][0][1] == encoded.n_bytes
    arrays = document.ensembles.read_arrays(run)
    assert list(arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)
    assert document.count_bytes() - size >= encoded.n_bytes
    document.ensembles.store(run, encode_ensemble({}, {"one": np.zeros(3)}))
    assert document.ensembles.read_arrays(run)["one"].tolist() == [0.0, 0.0, 0.0]
    document.ensembles.store(run, encoded)
    assert count_arrays_and_blocks(document) == first
    document.ensembles.remove(run)
    assert count_arrays_and_blocks(document) == before
    assert document.ensembles.read_metadata(run) is None
    assert not document.query("SELECT * FROM ensembles")
    assert document.count_bytes() - size < encoded.n_bytes
    document.ensembles.remove(run)


def test_ensemble_size_limits_are_200_mb_and_1_gb():
    assert (ensembles.MAX_BYTES, ensembles.MAX_RAW_BYTES) == (200 << 20, 1 << 30)


def test_ensemble_above_size_limit_is_not_stored(document, run, monkeypatch):
    encoded = encode_ensemble(ABOUT, ARRAYS)
    monkeypatch.setattr(ensembles, "MAX_BYTES", encoded.n_bytes)
    monkeypatch.setattr(ensembles, "MAX_RAW_BYTES", RAW_BYTES)
    assert encode_ensemble(ABOUT, ARRAYS).n_bytes == encoded.n_bytes
    document.ensembles.store(run, encoded)
    assert len(document.ensembles.read_arrays(run)) == 2
    monkeypatch.setattr(ensembles, "MAX_BYTES", encoded.n_bytes - 1)
    assert encode_ensemble(ABOUT, ARRAYS) is None
    monkeypatch.undo()
    monkeypatch.setattr(ensembles, "MAX_RAW_BYTES", RAW_BYTES - 1)
    assert encode_ensemble(ABOUT, ARRAYS) is None
    with pytest.raises(DocumentError, match=f"damaged.*ensemble {run}"):
        document.ensembles.read_arrays(run)


def test_ensemble_is_stored_by_run_owner_only(document, run):
    encoded = encode_ensemble(ABOUT, {})
    with pytest.raises(DocumentError, match="no run 9"):
        document.ensembles.store(9, encoded)
    document.owners.claim(run, dataclasses.replace(Owner.for_current_process(), pid=1))
    with pytest.raises(DocumentError, match="taken over"):
        document.ensembles.store(run, encoded)
    assert document.ensembles.read_metadata(run) is None


def test_damaged_ensemble_is_reported_and_replaced(path, document, run):
    document.ensembles.store(run, encode_ensemble(ABOUT, ARRAYS))
    with document.run_transaction():
        document.execute("UPDATE ensembles SET body = substr(body, 1, 30)")
    with pytest.raises(DocumentError, match=f"ensemble {run}"):
        document.ensembles.read_metadata(run)
    with Document.open(path) as other:
        other.ensembles.store(run, encode_ensemble({}, {"one": np.zeros(3)}))
        assert [(each.record, each.run_id) for each in other.damaged_records] == [
            (f"ensemble {run}", run)
        ]
    assert document.ensembles.read_metadata(run) == {}

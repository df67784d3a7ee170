"""Models as files, packed by a worker and unpacked by the engine."""

from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from studio.errors import SerializationError
from studio.runs.model_files import load_model, pack, read_record, write_model
from studio.serialization.codec import decode, encode


@pytest.fixture
def pipelines():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    return [make_pipeline(Ridge(alpha)).fit(X, X[:, 0] + alpha) for alpha in (0.1, 1.0)]


def test_record_round_trips_through_file(pipelines, tmp_path):
    files = [tmp_path / f"{number}.pkl" for number in range(2)]
    for each, file in zip(pipelines, files, strict=True):
        assert write_model(each, file) == file.stat().st_size
    pack([[files[0]], files], tmp_path / "packed.npz")
    packed_models = read_record(tmp_path / "packed.npz")
    apart = [[deepcopy(pipelines[0])], pipelines]  # as they are read from their files
    assert packed_models.compute_checksum() == encode(apart).compute_checksum()
    (first,), (_, last) = decode(packed_models)
    X = np.eye(3)
    np.testing.assert_array_equal(first.predict(X), pipelines[0].predict(X))
    np.testing.assert_array_equal(last.predict(X), load_model(files[1]).predict(X))


def test_unserializable_models_store_reason(tmp_path):
    write_model(Path("stranger"), tmp_path / "1.pkl")
    pack([[tmp_path / "1.pkl"]], tmp_path / "packed.npz")
    with pytest.raises(SerializationError) as here:
        encode([[Path("stranger")]])
    with pytest.raises(SerializationError) as there:
        read_record(tmp_path / "packed.npz")
    assert str(there.value) == str(here.value)

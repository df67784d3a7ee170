import pytest

from studio.data.reading import read
from studio.data.samples import list_samples


@pytest.mark.slow
def test_samples_cover_all_tasks():
    samples = list_samples()
    assert [sample.key for sample in samples] == ["digits", "breast_cancer", "diabetes"]
    for sample in samples:
        assert sample.target in read(sample.path).names
        assert sample.summary.endswith(".")
        assert sample.title
        assert sample.source

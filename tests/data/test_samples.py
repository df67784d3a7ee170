from studio.data.reading import read
from studio.data.samples import samples


def test_there_is_one_sample_of_each_kind_with_its_target():
    found = samples()
    assert [sample.key for sample in found] == ["digits", "breast_cancer", "diabetes"]
    for sample in found:
        assert sample.target in read(sample.path).names
        assert sample.summary.endswith(".")
        assert sample.title
        assert sample.source

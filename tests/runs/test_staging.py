import numpy as np

from studio.runs.staging import TrialData


def test_staged_data_round_trip(table, tmp_path):
    table.save(tmp_path)
    loaded_data = TrialData.load(tmp_path)
    assert np.array_equal(loaded_data.X, table.X, equal_nan=True)
    assert np.array_equal(loaded_data.y, table.y)
    assert (loaded_data.task, loaded_data.n_classes) == ("binary", 2)
    assert loaded_data.categorical.tolist() == [False, False, True]
    assert np.array_equal(loaded_data.folds[0][0], np.arange(36))
    assert np.array_equal(loaded_data.folds[0][1], np.arange(36, 48))
    assert np.array_equal(loaded_data.test, np.arange(48, 60))


def test_workers_cannot_change_data(table, tmp_path):
    table.save(tmp_path)
    assert isinstance(TrialData.load(tmp_path).X, np.memmap)
    assert not TrialData.load(tmp_path).X.flags.writeable

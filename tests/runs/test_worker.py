"""Single jobs of a worker; effects on its process are tested through the pool."""

import pytest

from studio.runs.staging import get_data_folder
from studio.runs.worker import _JobLoop


@pytest.fixture
def job_loop(table, tmp_path, hostile_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table.save(get_data_folder(tmp_path, 0))
    loop = _JobLoop(tmp_path, "hostile_learners")
    assert loop.open_data(0) is None
    return loop


def answer_job(job, memory=None):
    return {**job, "id": 5, "limits": {"seconds": None, "memory": memory}}


def ignore_fold(fold, folds):
    pass


def test_each_fold_is_reported_at_its_start(job_loop, make_job):
    fold_reports = []
    job_loop.execute_job(answer_job(make_job("knn")), lambda *fold: fold_reports.append(fold))
    count = len(job_loop._data.get_folds(0))
    assert fold_reports == [(number, count) for number in range(1, count + 1)]


def test_reply_contains_arrays_and_used_values(job_loop, make_job):
    header, arrays = job_loop.execute_job(answer_job(make_job("knn", n_neighbors=500)), ignore_fold)
    assert (header["kind"], header["job"]) == ("result", 5)
    assert header["result"]["measured"]["used"] == {"knn.n_neighbors": 36}
    assert arrays["validation"].shape == arrays["test"].shape == (12, 2)
    assert header["peak"] > 0


def test_failure_reply_contains_cause_and_remedy(job_loop, make_job):
    header, arrays = job_loop.execute_job(answer_job(make_job("raises")), ignore_fold)
    assert "my taste" in header["failure"]["cause"]
    assert header["failure"]["remedy"]
    assert arrays == {}


def test_unknown_learner_fails_trial_only(job_loop, make_job):
    header, _ = job_loop.execute_job(answer_job(make_job("oracle")), ignore_fold)
    assert "'oracle'" in header["failure"]["cause"]


def test_invalid_value_fails_trial_only(job_loop, make_job):
    header, _ = job_loop.execute_job(answer_job(make_job("knn", n_neighbors=0)), ignore_fold)
    assert "knn.n_neighbors must" in header["failure"]["cause"]

"""What tests of workers share: a small table, jobs, a stand-in for a space."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from studio.runs.jobs import evaluate_job
from studio.runs.staging import TrialData

HOSTILE = "hostile_learners"


@pytest.fixture(scope="session")
def table():
    """Return 60 rows of two classes in three columns, one of them of categories, some missing."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + 0.3 * rng.normal(size=60) > 0).astype(np.int64)
    X[:, 2] = rng.integers(0, 4, 60)
    X[::9, 1] = np.nan
    X[::11, 2] = np.nan
    rows = np.arange(60)
    return TrialData(
        X=X,
        y=y,
        task="binary",
        n_classes=2,
        categorical=np.array([False, False, True]),
        folds=((rows[:36], rows[36:48]),),
        validation=rows[36:48],
        test=rows[48:],
    )


@pytest.fixture
def hostile_path(monkeypatch):
    """Let workers find the hostile learners."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


def space_of(configuration):
    """Return as much of a space as a job asks for: every parameter sets what it is called."""
    parameters = [SimpleNamespace(name=name, sets=name) for name in configuration]
    return SimpleNamespace(parameters=parameters)


def job_of(algorithm, seed=1, **values):
    """Return the job that tries a learner with some of its hyperparameters."""
    given = {f"{algorithm}.{name}": value for name, value in values.items()}
    configuration = {"algorithm": algorithm, **given}
    return evaluate_job(space_of(configuration), configuration, seed)


@pytest.fixture(scope="session")
def make_job():
    """Return :func:`job_of`."""
    return job_of


@pytest.fixture(scope="session")
def make_space():
    """Return :func:`space_of`."""
    return space_of

"""Small real runs for the tests of the engine; a table and jobs for the tests of workers."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from studio.document.store import Document
from studio.runs.jobs import make_evaluation_job
from studio.runs.staging import TrialData
from tests.small_runs import execute_inline, finished_run, new_run, run_inline, small_table  # noqa: F401


@pytest.fixture(scope="session")
def table():
    """Return 60 rows of two classes in three columns, one categorical, with missing cells."""
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


def make_job_space(configuration):
    """Return a minimal space with a single configuration."""
    parameters = [SimpleNamespace(name=name, sets=name) for name in configuration]
    return SimpleNamespace(parameters=parameters)


def make_job_of(algorithm, seed=1, **values):
    """Return a job of a learner with some hyperparameters."""
    settings = {f"{algorithm}.{name}": value for name, value in values.items()}
    configuration = {"algorithm": algorithm, **settings}
    return make_evaluation_job(make_job_space(configuration), configuration, seed)


@pytest.fixture(scope="session")
def make_job():
    """Return :func:`make_job_of`."""
    return make_job_of


@pytest.fixture(scope="session")
def make_space():
    """Return :func:`make_job_space`."""
    return make_job_space


def _read_recorded_run(path: Path, run_id: int) -> list[Any]:
    """Return the reproducible part of a run: all but times and memory."""
    with Document.open(path, writable=False) as document:
        return [
            (
                row.trial.number,
                dict(row.trial.configuration),
                row.trial.seed,
                row.trial.loss,
                row.trial.selection,
                row.trial.concluding,
                row.iteration.members,
                row.iteration.ensemble_validation,
                row.iteration.ensemble_test,
                document.trials.read_predictions(run_id, row.trial.number, "validation").tobytes(),
            )
            for row in document.trials.list_rows(run_id)
        ]


class KilledError(BaseException):
    """Simulates the sudden end of an engine."""


def _killed_after(number: int) -> Callable[[Any], None]:
    """Return a callback that ends an engine after a trial."""

    def tell(progress: Any) -> None:
        if progress.trial is not None and progress.trial.number == number:
            raise KilledError

    return tell


@pytest.fixture
def recorded() -> Callable[[Path, int], list[Any]]:
    """Return a function that reads the reproducible part of a run."""
    return _read_recorded_run


@pytest.fixture
def kill_after() -> Callable[[Path, int, int], None]:
    """Return a function that works on a run and dies after a trial."""

    def kill(path: Path, run_id: int, number: int) -> None:
        with pytest.raises(KilledError):
            execute_inline(path, run_id, _killed_after(number))

    return kill


@pytest.fixture
def make_search_loop(hostile_path: None) -> Callable[..., Any]:
    """Return a function that makes a loop with a simulated clock."""
    from simulated_clock import make_search_loop

    return make_search_loop


@pytest.fixture
def ahead_proposer(hostile_path: None, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return a proposer that suggests ahead, registered in both processes."""
    from ahead_proposers import HistoryHashProposer

    from studio.runs import suggesting

    monkeypatch.setattr(suggesting, "PROPOSERS", "ahead_proposers")
    return HistoryHashProposer

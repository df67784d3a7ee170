"""A session with an empty document, and runs of another process."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from studio.document.store import Document
from studio.document.trials import Iteration
from studio.gui.session.session import Session
from studio.trial import Trial

AddRun = Callable[..., int]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    new_session = Session()
    new_session.create(tmp_path / "work.studio")
    yield new_session
    new_session.close()


@pytest.fixture
def add_run(session: Session) -> AddRun:
    """Return a function that adds a run with trials to the open document, or to another one."""

    def add(trials: int = 0, path: Path | None = None) -> int:
        target = path or session.path
        assert target is not None
        with Document.open(target) as other:
            run = other.runs.add("EO-sqm", {"method": "EO-sqm", "budget": 9})
            for number in range(1, trials + 1):
                add_trial(other, run, number)
        return run

    return add


@pytest.fixture
def add_trial_to() -> Callable[[Document, int, int], None]:
    """Return a function that adds the trial of this number to a run."""
    return add_trial


def add_trial(document: Document, run: int, number: int) -> None:
    document.trials.add(
        run,
        Trial(number, {"algorithm": "knn"}, 0, 0.2),
        np.zeros((4, 2), np.float16),
        None,
        Iteration(number, number, 0.2),
    )

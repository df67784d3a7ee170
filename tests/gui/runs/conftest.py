"""Runs in several states, and the run page with its models."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from studio.document.store import Document
from studio.document.trials import Iteration
from studio.gui.drafts.advice_model import AdviceModel
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.run_model import RunModel
from studio.gui.drafts.starter import Starter
from studio.gui.pages.run.page import RunPage
from studio.gui.session.session import Session
from studio.runs.causes import make_time_limit_failure
from studio.runs.limits import TrialLimits
from studio.trial import Trial

SLOW = make_time_limit_failure(TrialLimits(60.0, None))

AddRun = Callable[..., int]


@pytest.fixture
def add_run() -> AddRun:
    """Return a function that adds a run, with every fourth trial timed out."""

    def add(path: Path, name: str, trials: int = 0, state: str = "stopped", **settings: Any) -> int:
        run_settings = {
            "method": "EO-sqm",
            "budget": 9,
            "metric": "error",
            "workers": 2,
            "trial_seconds": 60.0,
            "source": {"task": "binary"},
            **settings,
        }
        with Document.open(path) as document:
            run = document.runs.add(name, run_settings, 1, {"train": np.arange(3)})
            for number in range(1, trials + 1):
                failed = number % 4 == 0
                trial = Trial(
                    number,
                    {"algorithm": "knn", "knn.k": number},
                    0,
                    None if failed else 0.2,
                    cause=SLOW.cause if failed else "",
                    remedy=SLOW.remedy if failed else "",
                    fit_seconds=60.0 if failed else 0.5,
                    failure=SLOW.kind,
                )
                iteration = Iteration(
                    number,
                    1,
                    0.2,
                    0.25,
                    0.1 + 0.1 / number,
                    0.15,
                    details={"elapsed": 2.0 * number},
                )
                predictions = None if failed else np.zeros((4, 2), np.float16)
                document.trials.add(run, trial, predictions, None, iteration)
            document.runs.set_state(run, state)  # type: ignore[arg-type]
        return run

    return add


@pytest.fixture
def run_page_parts(tmp_path: Path, helper: Any, qtbot: QtBot) -> Iterator[SimpleNamespace]:
    """Return the run page of an empty document with its models."""
    session = Session()
    session.create(tmp_path / "d.studio")
    data, run = DataModel(session, helper), RunModel(session, helper)
    starter = Starter(session, helper, data, run)
    advice = AdviceModel(data, run, session, helper)
    run.request_catalogue()
    qtbot.waitUntil(lambda: run.catalogue is not None)
    page = RunPage(run, data, session, advice=advice, starter=starter, helper=helper)
    qtbot.addWidget(page)
    page.resize(1100, 600)
    page.show()
    assert session.path is not None
    yield SimpleNamespace(
        page=page,
        session=session,
        run=run,
        data=data,
        starter=starter,
        helper=helper,
        path=session.path,
    )
    session.close()

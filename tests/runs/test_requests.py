"""Requests from the window to an engine."""

from collections.abc import Callable
from pathlib import Path

import pytest

from studio.document.store import Document
from studio.errors import UsageError
from studio.runs.requests import RequestQueue, change_budget
from studio.runs.settings import RunSettings

Make = Callable[..., tuple[Path, int]]


@pytest.mark.parametrize(
    ("value", "changes"),
    [
        (12, {"budget": 12}),
        ({"budget": 12}, {"budget": 12}),
        ({"budget": None, "seconds": 90.0}, {"budget": None, "seconds": 90.0}),
        ({"seed": 3}, {}),
        (None, {}),
    ],
)
def test_budget_request_specifies_trials_or_time(value: object, changes: object) -> None:
    assert change_budget(value) == changes


def test_active_run_accepts_larger_budget_and_time(new_run: Make) -> None:
    path, run_id = new_run(budget=3)
    with Document.open(path) as document:
        requests = RequestQueue(
            document, run_id, RunSettings.from_json(document.runs.get(run_id).settings)
        )
        document.requests.post(run_id, "budget", {"budget": 9})
        requests.poll()
        assert (requests.budget, requests.seconds) == (9, None)
        document.requests.post(run_id, "budget", {"budget": None, "seconds": 60.0})
        requests.poll()
        assert (requests.budget, requests.seconds) == (None, 60.0)
        settings = document.runs.get(run_id).settings
        assert (settings["budget"], settings["seconds"]) == (None, 60.0)


def test_invalid_request_is_rejected(new_run: Make) -> None:
    path, run_id = new_run(budget=3)
    with Document.open(path) as document:
        requests = RequestQueue(
            document, run_id, RunSettings.from_json(document.runs.get(run_id).settings)
        )
        document.requests.post(run_id, "budget", {"budget": 0})
        with pytest.raises(UsageError, match="one trial"):
            requests.poll()
        assert requests.budget == 3

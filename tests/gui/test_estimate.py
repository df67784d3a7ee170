"""Estimates of the time of a trial, by an earlier run."""

from typing import Any

import pytest

from studio.document.trials import Iteration
from studio.gui.drafts.run_draft import estimate_seconds_per_trial
from studio.trial import Trial


def make_finished_run(make_view: Any, trials: int, seconds: float, **more: Any) -> Any:
    view = make_view(settings={"method": "RS", "workers": 2, **more})
    view.trials = [Trial(n, {}, 0, 0.1) for n in range(1, trials + 1)]
    view.iterations = [
        Iteration(n, details={"elapsed": seconds * n / trials}) for n in range(1, trials + 1)
    ]
    return view


def test_time_of_trial_depends_on_workers(make_view: Any) -> None:
    view = make_finished_run(make_view, 10, 80.0)
    assert estimate_seconds_per_trial(view, 4) == pytest.approx(8.0 * 2 / 4)


@pytest.mark.parametrize(("trials", "more"), [(4, {}), (10, {"cluster": "tcp://x"})])
def test_time_of_trial_is_unknown(make_view: Any, trials: int, more: dict[str, str]) -> None:
    assert estimate_seconds_per_trial(make_finished_run(make_view, trials, 80.0, **more), 4) is None

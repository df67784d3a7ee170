"""Estimates of the duration of the next run."""

from typing import Any

import pytest

from studio.document.trials import Iteration
from studio.gui.drafts.run_draft import RunDraft, estimate_duration, format_estimate
from studio.trial import Trial
from tests.facts import contains_facts


def make_finished_run(
    make_view: Any, run: int, method: str, trials: int, seconds: float, **more: Any
) -> Any:
    settings = {"method": method, "workers": 2, **more}
    view = make_view(id=run, name=f"{method} {run}", settings=settings)
    view.trials = [Trial(n, {}, 0, 0.1) for n in range(1, trials + 1)]
    view.iterations = [
        Iteration(n, details={"elapsed": seconds * n / trials}) for n in range(1, trials + 1)
    ]
    return view


DRAFT = RunDraft(method="RS", budget=60, seconds=None, workers=4)


def test_estimate_prefers_runs_of_same_method(make_view: Any) -> None:
    runs = [
        make_finished_run(make_view, 1, "RS", 10, 80.0),
        make_finished_run(make_view, 2, "EO-sig", 10, 400.0),
    ]
    estimate = estimate_duration(runs, DRAFT, 1, "binary")
    assert estimate is not None
    assert estimate[0] == pytest.approx(60 * 8.0 * 2 / 4)
    assert contains_facts(format_estimate(runs, DRAFT, 1, "binary"), "4 min", "“RS 1”")


def test_estimate_falls_back_to_other_methods(make_view: Any) -> None:
    estimate = estimate_duration(
        [make_finished_run(make_view, 2, "EO-sig", 10, 400.0)], DRAFT, 1, "binary"
    )
    assert estimate is not None
    assert estimate[1].row.id == 2


def test_estimate_is_bounded_by_time_limit(make_view: Any) -> None:
    estimate = estimate_duration(
        [make_finished_run(make_view, 1, "RS", 10, 80.0)],
        DRAFT.with_changes(seconds=30.0),
        1,
        "binary",
    )
    assert estimate is not None
    assert estimate[0] == 30.0


@pytest.mark.parametrize(
    ("trials", "table", "more"),
    [(4, 1, {}), (10, 2, {}), (10, None, {}), (10, 1, {"cluster": "tcp://x"})],
)
def test_estimate_without_runs_is_unknown(
    make_view: Any, trials: int, table: int | None, more: dict[str, Any]
) -> None:
    runs = [make_finished_run(make_view, 1, "RS", trials, 80.0, **more)]
    assert format_estimate(runs, DRAFT, table, "binary") == ""

from dataclasses import replace

import pytest

from studio.runs.causes import Failure, make_time_limit_failure
from studio.runs.limits import TrialLimits
from studio.runs.searching import StartedTrial
from studio.runs.suggesting import SuggestionWithBasis
from studio.runs.utilisation import Utilisation, compute_shares
from studio.runs.worker_group import FinishedJob


def test_shares_sum_to_one_over_all_sessions() -> None:
    first = Utilisation(None)
    first.add("training", 6.0)
    first.add("suggesting", 2.0)
    seconds_by_kind = first.compute_seconds_by_kind(10.0, n_slots=2)
    second = Utilisation(seconds_by_kind)
    second.add("training", 4.0)
    second.add("finishing", 2.0)
    shares = compute_shares(second.compute_seconds_by_kind(10.0, n_slots=1))
    assert shares is not None
    assert shares == pytest.approx(
        {"training": 10 / 30, "suggesting": 2 / 30, "finishing": 2 / 30, "idle": 16 / 30}
    )


def test_small_clock_differences_cause_no_negative_share() -> None:
    shares = compute_shares({"training": 5.0, "suggesting": 0.1, "finishing": 0.0, "whole": 5.0})
    assert shares is not None
    assert min(shares.values()) == 0
    assert sum(shares.values()) == pytest.approx(1)


def test_old_documents_have_no_utilisation_shares() -> None:
    assert compute_shares(None) is None


@pytest.mark.parametrize(("seconds", "expected"), [(4.0, "left to the run"), (2.0, "")])
def test_trial_stopped_at_run_time_limit_has_cause(seconds: float, expected: str) -> None:
    limit_failure = make_time_limit_failure(TrialLimits(3.0))
    failure = replace(limit_failure, fit_seconds=seconds)
    started = StartedTrial(SuggestionWithBasis(None, 0.0, {}), 1, 0.0, (0.0, 0.0), max_seconds=3.0)  # type: ignore[arg-type]
    result = started.make_result(FinishedJob(1, failure))
    assert isinstance(result, Failure)
    assert result.kind == "time"
    assert expected in result.cause
    assert (result.cause == failure.cause) == (not expected)

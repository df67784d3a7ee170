import pytest

from studio.errors import UsageError
from studio.runs.choices import TrialSettings
from studio.runs.limits import MEGABYTE, MIN_MEMORY, TrialLimits, get_memory_limit, get_trial_limits
from studio.system.available_resources import get_memory
from tests.facts import about


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_non_positive_time_limit_is_rejected(seconds):
    with pytest.raises(UsageError, match="seconds"):
        get_trial_limits(TrialSettings(trial_seconds=seconds), 1)


def test_memory_limit_has_minimum():
    with pytest.raises(UsageError, check=about(low="400", given="100")):
        get_trial_limits(TrialSettings(trial_memory=100), 1)
    assert get_trial_limits(TrialSettings(trial_memory=500), 3).memory == 500 * MEGABYTE


def test_limits_can_be_disabled():
    assert TrialLimits() == TrialLimits(None, None)


def test_memory_limit_defaults_to_share_of_machine():
    assert get_memory_limit(700, 2) == 700 * MEGABYTE
    total = get_memory()
    assert get_memory_limit(None, 2) == max(MIN_MEMORY, int(total * 0.8) // 2)
    assert get_memory_limit(None, 10**6) == MIN_MEMORY

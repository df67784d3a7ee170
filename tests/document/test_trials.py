import numpy as np
import pytest

from studio.document.trials import Iteration
from studio.errors import DocumentError
from studio.trial import Trial
from tests.facts import about


@pytest.fixture
def run(document, work):
    return work.start(document)


@pytest.mark.slow
def test_trials_round_trip(document, run, work):
    for number in range(1, 10):
        work.add(document, run, number)
    assert work.check(document, run) == document.trials.count(run) == 9
    assert [trial.number for trial in document.trials.list_all(run, after=7)] == [8, 9]


def test_trial_values_keep_types(document, run):
    used = {"a": 1, "b": 1.0, "c": True, "d": "1", "e": 0.1 + 0.2, "f": 5e-324, "g": 2**60}
    trial = Trial(1, used, 3, 1e300, used=used)
    document.trials.add(run, trial, None, None, Iteration(1))
    (back,) = document.trials.list_all(run)
    assert repr(dict(back.configuration)) == repr(used)
    assert back == trial


def test_regression_predictions_round_trip_exactly(document, run):
    values = np.random.default_rng(0).normal(size=400).astype(np.float32)
    document.trials.add(run, Trial(1, {}, 0, 0.1), values, values[:7], Iteration(1))
    np.testing.assert_array_equal(document.trials.read_predictions(run, 1, "validation"), values)
    assert document.trials.read_predictions(run, 1, "test").dtype == np.float32


def test_label_predictions_are_compact(document, run):
    rows = np.eye(26, dtype=np.float16)[np.random.default_rng(0).integers(0, 26, 20_000)]
    document.trials.add(run, Trial(1, {}, 0, 0.1), rows, None, Iteration(1))
    np.testing.assert_array_equal(document.trials.read_predictions(run, 1, "validation"), rows)
    assert document.trials.read_predictions(run, 1, "test") is None
    ((size,),) = document.query("SELECT sum(length(data)) FROM blocks WHERE id >> 20 = 5")
    assert size < 20_100


@pytest.mark.slow
def test_document_with_250_large_trials_is_below_600_mb(document, run, probabilities, path):
    """Issue 2: 250 trials on 20,000 + 20,000 rows, 26 classes; extrapolated from the 6 noisiest."""
    for number in range(1, 7):
        both = probabilities(number, 40_000, 26, scale=1.0)
        document.trials.add(
            run, Trial(number, {}, 0, 0.1), both[:20_000], both[20_000:], Iteration(number)
        )
    document.close()
    assert path.stat().st_size / 6 * 250 < 600e6


def test_trial_numbers_are_consecutive(document, run, work):
    work.add(document, run, 1)
    for invalid_number in (1, 3):
        with pytest.raises(DocumentError, match="1 trial", check=about(number=str(invalid_number))):
            work.add(document, run, invalid_number)
    with pytest.raises(DocumentError, check=about(number="5", trial_number="2")):
        document.trials.add(run, work.trial(2), None, None, Iteration(5))
    assert work.check(document, run) == 1


def test_unstorable_trial_leaves_no_rows(document, run, work):
    nan = Iteration(1, details={"mean": float("nan")})
    with pytest.raises(DocumentError, match="finite numbers"):
        document.trials.add(run, work.trial(1), *work.predictions(1), nan)
    with pytest.raises(DocumentError, match="half-precision"):
        document.trials.add(run, work.trial(1), np.zeros((3, 2)), None, Iteration(1))
    assert document.trials.count(run) == 0
    ((last,),) = document.query("SELECT max(id) FROM arrays")
    assert last == 4
    work.add(document, run, 1)


def test_trials_of_runs_are_separate(document, run, work):
    other = document.runs.add("second", {})
    for number in range(1, 4):
        work.add(document, run, number)
        work.add(document, other, number)
    assert work.check(document, run) == work.check(document, other) == 3


def test_lost_trial_is_detected(document, run, work):
    for number in range(1, 4):
        work.add(document, run, number)
    with document.run_transaction():
        document.execute("DELETE FROM trials WHERE number = 2")
    assert [trial.number for trial in document.trials.list_all(run) if trial.damaged_record] == [2]
    assert [each.record for each in document.damaged_records] == [f"trial {run} 2"]


def test_missing_trial_error_contains_number(document, run):
    with pytest.raises(DocumentError, match=f"Run {run} has no trial 3"):
        document.trials.read_predictions(run, 3, "test")

"""Proven starts: order, time limits, and the search after them."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from studio.errors import OutOfTimeError
from studio.proposers import proven_starts
from studio.proposers.base import SuggestionContext, TableSize
from studio.proposers.bayesian import SearchPhase
from studio.proposers.method import compose
from studio.proposers.portfolio import StartConfiguration, list_starts
from studio.proposers.proven_starts import ENSEMBLE_SIZE, TIME_MARGIN, UNTRIED_MARGIN, ProvenStarts
from studio.space.editing import remove
from studio.space.encoding import decode, encode, sample
from studio.space.library import load
from studio.space.space import Space
from studio.trial import Configuration, History, Trial

SPACE = load("best")
SIZE = TableSize(n_rows=400, n_columns=8, n_classes=3, n_fits=5)
STARTS = list_starts(SPACE, SIZE.n_rows, regression=False)
SEARCHED = "gain for the ensemble per second"


@pytest.fixture
def faker(make_faker: Any) -> Any:
    return make_faker(SPACE, 3)


@pytest.fixture
def proposer(make_faker: Any) -> ProvenStarts:
    quick = {"maximiser.everywhere": 200, "maximiser.around": 20}
    start_proposer = compose("best", quick, "multiclass").proposer
    assert isinstance(start_proposer, ProvenStarts)
    return start_proposer


def draw_sample(space: Space, count: int) -> list[Configuration]:
    """Return random configurations of a space."""
    return decode(space, sample(space, np.random.default_rng(1), count))


def set_start_seconds(
    monkeypatch: pytest.MonkeyPatch, seconds: Sequence[float]
) -> tuple[StartConfiguration, ...]:
    """Restrict the portfolio to its first starts with given seconds per fit."""
    timed_starts = tuple(
        StartConfiguration(start.configuration, (math.log(each), 0.0, 0.0, 0.0))
        for start, each in zip(STARTS, seconds, strict=False)
    )
    monkeypatch.setattr(proven_starts, "list_starts", lambda space, rows, regression: timed_starts)
    return timed_starts


def after(
    faker: Any, starts: Sequence[StartConfiguration], seconds: Sequence[float] = ()
) -> History:
    """Return a history of starts with given durations."""
    untimed_history = faker.history([start.configuration for start in starts])
    if not seconds:
        return untimed_history
    return make_timed_history(faker, [start.configuration for start in starts], seconds)


def test_starts_are_suggested_in_order(faker: Any, proposer: ProvenStarts) -> None:
    for number in (1, 2, len(STARTS)):
        search = faker.search(after(faker, STARTS[: number - 1]))
        suggestion = proposer.suggest(search)
        assert suggestion.configuration == STARTS[number - 1].configuration
        assert suggestion.origin == f"proven start {number} of {len(STARTS)}"
        assert proposer.is_immediate(search)
    searched = faker.search(after(faker, STARTS))
    assert not proposer.is_immediate(searched)
    assert proposer.suggest(searched).origin == SEARCHED


def test_pending_starts_are_not_suggested_again(faker: Any, proposer: ProvenStarts) -> None:
    pending = [STARTS[0].configuration, STARTS[2].configuration]
    search = faker.search(after(faker, ()), pending)
    assert proposer.suggest(search).configuration == STARTS[1].configuration
    two = dataclasses.replace(proposer, starts=2)
    assert two.suggest(faker.search(after(faker, STARTS[:1]))).origin == "proven start 2 of 2"
    assert not two.is_immediate(faker.search(after(faker, STARTS[:2])))


def test_start_beyond_time_limit_is_skipped(
    faker: Any, proposer: ProvenStarts, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = set_start_seconds(monkeypatch, [2.0, 0.1, 0.5])
    empty = faker.search(after(faker, ()))
    suggestions = [
        proposer.suggest(dataclasses.replace(empty, size=SIZE, seconds_left=seconds_left))
        for seconds_left in (UNTRIED_MARGIN * 10.0, UNTRIED_MARGIN * 9.9)
    ]
    assert [suggestion.configuration for suggestion in suggestions] == [
        starts[0].configuration,
        starts[1].configuration,
    ]
    assert suggestions[0].seconds == pytest.approx(10.0)
    assert suggestions[1].origin == "proven start 2 of 3"


def test_learner_without_finished_trial_requires_more_remaining_time(
    faker: Any, proposer: ProvenStarts, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = set_start_seconds(monkeypatch, [1.0, 2.0, 0.1])
    assert starts[0].learner != starts[1].learner
    search = dataclasses.replace(faker.search(after(faker, starts[:1], [5.0])), size=SIZE)
    suggestions = [
        proposer.suggest(dataclasses.replace(search, seconds_left=seconds_left))
        for seconds_left in (UNTRIED_MARGIN * 10.0, TIME_MARGIN * 10.0)
    ]
    assert [suggestion.configuration for suggestion in suggestions] == [
        starts[1].configuration,
        starts[2].configuration,
    ]


def test_predicted_seconds_use_speed_of_machine(
    faker: Any, proposer: ProvenStarts, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = set_start_seconds(monkeypatch, [1.0, 1.0, 1.0, 2.0])
    history = after(faker, starts[:3], [15.0, 10.0, 90.0])  # predicted: 5 s each
    search = dataclasses.replace(faker.search(history), size=SIZE, seconds_left=1000.0)
    assert proposer.suggest(search).seconds == pytest.approx(3.0 * 10.0), "the median: 3"


def test_predicted_seconds_use_speed_of_learner(
    faker: Any, proposer: ProvenStarts, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = set_start_seconds(monkeypatch, [1.0, 1.0, 1.0, 2.0])
    assert starts[3].learner == starts[0].learner not in {starts[1].learner, starts[2].learner}
    history = after(faker, starts[:3], [1.25, 20.0, 40.0])  # predicted: 5 s each
    search = dataclasses.replace(faker.search(history), size=SIZE, seconds_left=1000.0)
    # The median of all is 4, the learner's own .25: their geometric mean is 1.
    assert proposer.suggest(search).seconds == pytest.approx(10.0)


def test_speed_estimate_uses_starts_only(
    faker: Any, proposer: ProvenStarts, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = set_start_seconds(monkeypatch, [1.0])
    other = StartConfiguration(faker.draw(1)[0], (0.0, 0.0, 0.0, 0.0))
    search = dataclasses.replace(faker.search(after(faker, [other], [400.0])), size=SIZE)
    suggestion = proposer.suggest(search)
    assert suggestion.configuration == starts[0].configuration
    assert suggestion.seconds == pytest.approx(5.0)


def test_lack_of_suggestion_within_time_is_error(faker: Any, proposer: ProvenStarts) -> None:
    history = after(faker, STARTS[:6], [5.0] * 6)
    search = dataclasses.replace(faker.search(history), size=SIZE, seconds_left=1e-3)
    with pytest.raises(OutOfTimeError, match="time left"):
        proposer.suggest(search)


def test_surrogates_are_not_fitted_without_remaining_time(
    faker: Any, proposer: ProvenStarts, monkeypatch: pytest.MonkeyPatch
) -> None:
    fits: list[str] = []
    fitted = ProvenStarts.fit_all

    def count_fit(self: ProvenStarts, search: Any) -> Any:
        fits.append("fit")
        return fitted(self, search)

    monkeypatch.setattr(ProvenStarts, "fit_all", count_fit)
    search = faker.search(after(faker, STARTS[:6], [5.0] * 6))
    for seconds_left, n_fits in ((-1.0, 0), (1e-3, 1)):
        with pytest.raises(OutOfTimeError, match="time left"):
            proposer.suggest(dataclasses.replace(search, size=SIZE, seconds_left=seconds_left))
        assert len(fits) == n_fits


def test_edited_space_keeps_valid_starts() -> None:
    name = next(each for each in STARTS[0].configuration if each != "algorithm")
    valid_starts = list_starts(remove(SPACE, name), SIZE.n_rows, regression=False)
    assert len(valid_starts) < len(STARTS)
    assert all(start in STARTS for start in valid_starts)


def test_another_space_starts_with_random_trials(make_faker: Any, proposer: ProvenStarts) -> None:
    other = load("sklearn-cash")
    faker = make_faker(other, 3)
    proposer = dataclasses.replace(proposer, opening=4)
    configurations = draw_sample(other, 4)
    origins = [
        proposer.suggest(faker.search(faker.history(configurations[:number]))).origin
        for number in range(5)
    ]
    assert origins == [*4 * ["random start"], SEARCHED]


@pytest.mark.parametrize(("budget", "opening"), [(None, 25), (400, 25), (40, 10), (3, 0)])
def test_initial_phase_on_unknown_space_is_quarter_of_budget(
    budget: int | None, opening: int
) -> None:
    method = compose("best", {}, "binary", budget)
    assert isinstance(method.proposer, ProvenStarts)
    assert method.proposer.opening == opening
    assert method.derived_options["proposer.opening"] == opening
    recomposed_proposer = compose("best", method.derived_options, "binary", None).proposer
    assert recomposed_proposer == method.proposer


def test_old_run_has_no_initial_phase(make_faker: Any) -> None:
    other = load("sklearn-cash")
    faker = make_faker(other, 3)
    old = compose("best", {}, "multiclass", 100, is_prepared=True).proposer
    assert isinstance(old, ProvenStarts)
    assert old.count_initial_trials(faker.search(faker.history(draw_sample(other, 2)))) == 2


def test_few_starts_do_not_shorten_initial_phase(make_faker: Any) -> None:
    other = load("sklearn-cash-regression")
    assert (
        0 < len(list_starts(other, SIZE.n_rows, regression=True)) < proven_starts.MIN_PROVEN_STARTS
    )
    faker = make_faker(other, 0)
    proposer = compose("best", {}, "regression", 100).proposer
    assert isinstance(proposer, ProvenStarts)
    assert proposer.count_initial_trials(faker.search(faker.history(draw_sample(other, 3)))) == 25


@pytest.mark.parametrize(
    ("left", "workers", "first"), [(1000.0, 1, 25), (90.0, 1, 10), (29.0, 3, 10), (4.0, 1, 3)]
)
def test_initial_phase_takes_at_most_quarter_of_time(
    left: float, workers: int, first: int, make_faker: Any, proposer: ProvenStarts
) -> None:
    # With the program's overhead a trial takes three seconds, so 90 seconds suffice for 30 more.
    other = load("sklearn-cash")
    faker = make_faker(other, 3)
    configurations = draw_sample(other, 10 + workers)
    history = make_timed_history(faker, configurations[:10], [2.5] * 10)
    search = dataclasses.replace(faker.search(history, configurations[10:]), seconds_left=left)
    assert proposer.count_initial_trials(search) == first


@pytest.mark.slow
def test_fast_trials_do_not_extend_initial_phase(make_faker: Any, proposer: ProvenStarts) -> None:
    other = load("sklearn-cash")
    faker = make_faker(other, 3)
    four = dataclasses.replace(proposer, opening=4)
    configurations = draw_sample(other, 8)
    history = make_timed_history(faker, configurations, [1.2, *[0.02] * 7])
    for number in range(1, 9):
        for pending in range(2):
            search = faker.search(history.take_first(number), configurations[:pending])
            assert (four.get_view(search) is None) is (number + pending < 4)


def test_suggestion_is_determined_by_history(faker: Any, proposer: ProvenStarts) -> None:
    starts = dataclasses.replace(proposer, starts=4)
    one, two = (starts.suggest(faker.search(after(faker, STARTS[:8]))) for _ in range(2))
    assert one == two


def test_surrogate_models_ensemble_loss_with_each_model_added(
    faker: Any, proposer: ProvenStarts
) -> None:
    history = faker.history(faker.draw(9), failed=lambda number: number == 4)
    targets = proposer.observe(faker.search(history)).targets

    truth = np.eye(3)[history.truth]
    models = {t.number: history.get_predictions(t.number).astype(float) for t in history.succeeded}

    def brier(predictions: np.ndarray) -> float:
        return float(0.5 * ((predictions - truth) ** 2).sum(axis=1).mean())

    def guided(predictions: np.ndarray) -> float:
        is_wrong = predictions.argmax(axis=1) != history.truth
        return float(is_wrong.mean()) + brier(predictions)

    members: list[np.ndarray] = []
    for _ in range(ENSEMBLE_SIZE):
        best = min(models, key=lambda n: guided(np.mean([*members, models[n]], axis=0)))
        members.append(models[best])
    expected_targets = {
        number: brier(np.mean([*members, model], axis=0)) for number, model in models.items()
    }
    for number, value in expected_targets.items():
        assert targets[number - 1] == pytest.approx(value, rel=1e-3)
    assert targets[3] == max(targets[number - 1] for number in models), (
        "a failure counts as the worst"
    )


def test_outcome_equals_ensemble_loss_at_suggestion(faker: Any, proposer: ProvenStarts) -> None:
    full_history = faker.history(faker.draw(9))
    then = {
        after: proposer.observe(faker.search(full_history.take_first(after))).targets
        for after in (5, 7)
    }
    # Trials finished by then: the surrogate's observations are known only for those.
    outcomes = proposer.compute_outcomes(
        faker.search(full_history),
        [SearchPhase(3, 5, 5), SearchPhase(3, 7, 8), SearchPhase(1, 5, 5)],
    )
    np.testing.assert_allclose(outcomes, [then[5][2], then[7][2], then[5][0]])


def test_regression_surrogate_models_metric(make_faker: Any) -> None:
    faker = make_faker(load("best-regression"), 0)
    proposer = compose("best", {}, "regression").proposer
    history = faker.history(faker.draw(5))
    assert isinstance(proposer, ProvenStarts)
    targets = proposer.observe(faker.search(history)).targets
    assert targets.min() < min(math.sqrt(trial.loss) for trial in history.trials) + 1e-9


def test_fast_trials_are_preferred_near_time_limit(faker: Any, proposer: ProvenStarts) -> None:
    """In a history with slow boosting, it is avoided only under time pressure."""
    draws = faker.draw(40)
    history = History(faker.truth, 3)
    slow = {"boosted-trees"}
    for number, configuration in enumerate(draws, start=1):
        seconds = 3600.0 if configuration["algorithm"] in slow else 0.1
        single_trial_history = faker.history([configuration])
        trial = Trial(
            number, configuration, number, single_trial_history.trials[0].loss, fit_seconds=seconds
        )
        history.append(trial, single_trial_history.get_predictions(1))
    search = SuggestionContext(space=SPACE, history=history, seed=1)
    hasty = dataclasses.replace(proposer, starts=0, haste=1.0)
    suggestion = hasty.suggest(search)
    assert suggestion.configuration["algorithm"] not in slow
    assert suggestion.seconds is not None
    assert suggestion.seconds < 60.0


def test_fast_trials_reuse_surrogate(proposer: ProvenStarts, faker: Any) -> None:
    configurations = decode(SPACE, sample(SPACE, np.random.default_rng(3), 14))
    quick = make_timed_history(faker, configurations, [*[0.6] * 6, *[0.01] * 8])
    slow = make_timed_history(faker, configurations, [1.5] * 14)
    assert proven_starts.count_training_trials(slow, 2) == 14
    assert proven_starts.count_training_trials(quick, 2) == 6

    def search(history: History, seed: int) -> SuggestionContext:
        return SuggestionContext(space=SPACE, history=history, seed=seed, size=SIZE)

    one, two = (proposer.get_view(search(quick, seed)) for seed in (1, 2))
    assert one is two
    assert one is not None and one.observations.numbers.max() == 6
    # A new process learns the same.
    cold = proposer.get_view(search(quick.take_first(14), 3))
    assert cold is not None and cold is not one
    rows = encode(SPACE, configurations)
    np.testing.assert_array_equal(cold.acquisition(rows), one.acquisition(rows))
    fresh = proposer.get_view(search(slow, 1))
    assert fresh is not None and fresh.observations.numbers.max() == 14


def make_timed_history(
    faker: Any, configurations: Sequence[Any], seconds: Sequence[float]
) -> History:
    untimed_history = faker.history(configurations)
    timed_history = History(untimed_history.truth, untimed_history.n_classes)
    for trial, each in zip(untimed_history.trials, seconds, strict=True):
        timed_history.append(
            dataclasses.replace(trial, fit_seconds=each),
            untimed_history.get_predictions(trial.number),
        )
    return timed_history


def test_early_stoppable_start_leaves_time_for_others(
    faker: Any, proposer: ProvenStarts, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick, dear, rigid = (
        dataclasses.replace(start, elastic=elastic)
        for start, elastic in zip(
            set_start_seconds(monkeypatch, [0.1, 4.0, 0.1]), (True, True, False), strict=True
        )
    )
    monkeypatch.setattr(
        proven_starts, "list_starts", lambda space, rows, regression: (quick, dear, rigid)
    )
    search = dataclasses.replace(faker.search(after(faker, [])), size=SIZE, seconds_left=60.0)
    assert proposer.suggest(search).limit == pytest.approx(20.0)
    timeless = dataclasses.replace(search, seconds_left=None)
    assert proposer.suggest(timeless).limit is None
    took = [quick.predict_seconds(SIZE), dear.predict_seconds(SIZE)]
    second = dataclasses.replace(search, history=after(faker, [quick], took[:1]))
    assert proposer.suggest(second).limit == pytest.approx(2 * took[1])
    third = dataclasses.replace(search, history=after(faker, [quick, dear], took))
    assert proposer.suggest(third).limit is None

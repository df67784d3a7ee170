import numpy as np
import pytest

from studio.ensembles.base import break_tie
from studio.ensembles.losses.base import EnsembleLoss
from studio.ensembles.losses.errors import SquaredError, ZeroOneLoss
from studio.ensembles.losses.margins import SigmoidMargin, SquaredMargin
from studio.ensembles.running import make_running_ensemble
from studio.ensembles.slots import Slots, SlotsReplay
from studio.errors import EnsembleError
from studio.seeds import derive
from studio.trial import History, Trial
from tests.facts import about


def error(truth, predictions) -> float:
    return float(np.mean(predictions.argmax(axis=1) != truth))


def compute_loss(history: History, members: list[int], loss: EnsembleLoss) -> float:
    """Score a whole ensemble from scratch (running losses have separate brute-force tests)."""
    running = make_running_ensemble(history)
    for number in members[:-1]:
        running.add(number)
    return float(running.compute_candidate_losses([members[-1]], loss)[0])


def brute_force(history: History, slots: int, choice: EnsembleLoss, seed: int) -> list[tuple]:
    """EO's algorithm 1, lines 3, 4, 11 and 12, as printed; the slots after each trial."""
    places: list[int | None] = [None] * slots
    trace = []
    for i in range(1, len(history) + 1):
        j = (i - 1) % slots
        places[j] = None
        rest = [number for number in places if number is not None]
        pool = [t.number for t in history.trials[:i] if t.status == "ok" and t.number not in rest]
        if pool:
            losses = [compute_loss(history, [*rest, h], choice) for h in pool]
            tied = [h for h, loss in zip(pool, losses, strict=True) if loss == min(losses)]
            running = make_running_ensemble(history)
            own = [running.get_own_loss(h) for h in tied]
            tied = [h for h, error in zip(tied, own, strict=True) if error == min(own)]
            places[j] = break_tie(np.array(tied), np.random.default_rng(derive(seed, "slots", i)))
        trace.append(tuple(places))
    return trace


CASES = [
    (2, ZeroOneLoss(), 3),
    (2, ZeroOneLoss(), 12),
    (4, ZeroOneLoss(), 4),
    (4, SquaredMargin(), 4),
    (3, SigmoidMargin(), 1),
    (0, SquaredError(), 4),
]


@pytest.mark.parametrize(("n_classes", "choice", "slots"), CASES)
@pytest.mark.parametrize("failed", [(), (1, 4, 5, 9)])
def test_slots_agree_with_published_algorithm(
    make_history, n_classes, choice, slots, failed
) -> None:
    history = make_history(15, n_classes, rows=25, failed=failed)
    replay = SlotsReplay(history, slots, loss=choice, choice=choice, seed=5)
    replay.advance()
    assert list(replay.trace) == brute_force(history, slots, choice, seed=5)
    assert replay.members == replay.trace[-1]


def test_slot_ties_depend_on_seed_and_iteration(make_history) -> None:
    duplicates = History(make_history(1, 2).truth, 2)
    for number in range(1, 13):
        duplicates.append(Trial(number, {}, 0, 0.25), make_history(1, 2).get_predictions(1))
    replay = SlotsReplay(duplicates, 4, seed=5)
    replay.advance()
    assert list(replay.trace) == brute_force(duplicates, 4, ZeroOneLoss(), seed=5)


@pytest.mark.parametrize(("n_classes", "loss"), [(3, SquaredMargin()), (0, SquaredError())])
def test_single_trial_is_scored_with_open_slot(make_history, n_classes, loss) -> None:
    history = make_history(11, n_classes, failed=(2,))
    replay = SlotsReplay(history, 4, loss, loss if n_classes == 0 else ZeroOneLoss())
    replay.advance()
    before = replay.members
    for slot in range(4):
        numbers, losses = replay.compute_candidate_losses(slot)
        single_losses = [replay.compute_loss_with(int(number), slot) for number in numbers]
        assert single_losses == losses.tolist()
        assert replay.members == before


@pytest.mark.parametrize("n_classes", [3, 0])
def test_incremental_slot_replay_equals_full_replay(make_history, n_classes) -> None:
    loss = SquaredMargin() if n_classes else SquaredError()
    choice = ZeroOneLoss() if n_classes else SquaredError()
    full_history = make_history(14, n_classes, failed=(3,))
    growing = full_history.take_first(0)
    following = SlotsReplay(growing, 4, loss, choice, seed=1)
    for i, trial in enumerate(full_history.trials, start=1):
        predictions = None if trial.loss is None else full_history.get_predictions(trial.number)
        growing.append(trial, predictions)
        if i % 2:
            following.compute_candidate_losses(following.choose_slot(i % 3))
        fresh = SlotsReplay(full_history.take_first(i), 4, loss, choice, seed=1)
        fresh.advance()
        following.advance()
        assert fresh.members == following.members
        slot = fresh.choose_slot()
        assert slot == i % 4
        for one, other in zip(
            fresh.compute_candidate_losses(slot),
            following.compute_candidate_losses(slot),
            strict=True,
        ):
            assert one.tolist() == other.tolist()


@pytest.mark.parametrize(
    ("n_classes", "loss"), [(2, SquaredMargin()), (5, SigmoidMargin()), (0, SquaredError())]
)
def test_slot_candidates_exclude_rest_of_ensemble(make_history, n_classes, loss) -> None:
    history = make_history(11, n_classes, failed=(2,))
    choice = SquaredError() if n_classes == 0 else ZeroOneLoss()
    replay = SlotsReplay(history, 4, loss, choice)
    replay.advance()
    before = replay.members
    for slot in range(4):
        rest = [m for position, m in enumerate(before) if position != slot]
        assert replay.get_ensemble_without(slot) == tuple(rest)
        numbers, losses = replay.compute_candidate_losses(slot)
        assert numbers.tolist() == [n for n in history.list_numbers() if n not in rest]
        assert before[slot] in numbers
        expected = [compute_loss(history, [*rest, int(n)], loss) for n in numbers]
        np.testing.assert_allclose(losses, expected, rtol=1e-14)
    assert replay.members == before


def test_slot_scoring_includes_newly_finished_trials(make_history) -> None:
    replay = SlotsReplay(make_history(3, 2), 2)
    numbers, _ = replay.compute_candidate_losses(replay.choose_slot())
    assert len(replay.trace) == 3
    assert 3 in numbers or 3 in replay.members


def test_pending_trials_use_separate_slots(make_history) -> None:
    replay = SlotsReplay(make_history(5, 2, failed=(2,)), n_slots=4)
    assert [replay.choose_slot(running) for running in range(5)] == [1, 2, 3, 0, 1]


def test_slots_are_empty_before_first_trial(make_history) -> None:
    replay = SlotsReplay(make_history(0, 2))
    numbers, losses = replay.compute_candidate_losses(replay.choose_slot())
    assert numbers.shape == losses.shape == (0,)
    assert replay.members == (None,) * 12
    with pytest.raises(EnsembleError, match="one trial"):
        replay.get_ensemble()


def test_single_slot_with_error_is_bayesian_optimisation(make_history) -> None:
    """EO section 3: with E empty the observations are the models' own errors."""
    history = make_history(9, 3)
    numbers, losses = SlotsReplay(history, 1, ZeroOneLoss()).compute_candidate_losses(0)
    own = [np.mean(history.get_votes(int(n)) != history.truth) for n in numbers]
    assert losses.tolist() == own


def test_ties_of_equal_models_in_slots_depend_on_seed(make_history) -> None:
    history = make_history(1, 2, one_hot=True)
    same = history.get_predictions(1)
    for trial in make_history(6, 2).trials[1:]:
        history.append(trial, same)
    filled = set()
    for seed in range(40):
        replay = SlotsReplay(history, 3, seed=seed)
        replay.advance()
        assert len(set(replay.members)) == 3
        filled.add(replay.members)
    assert len(filled) > 1


def test_filled_slots_have_equal_weights(make_history) -> None:
    history = make_history(3, 2)
    ensemble = Slots(slots=5).build(history, lambda truth, given: 0.0, seed=0)
    assert ensemble.members == (1, 2, 3)
    assert ensemble.weights == (1 / 3, 1 / 3, 1 / 3)
    assert ensemble.combination == "vote"


def test_slot_choice_can_use_search_loss(make_history) -> None:
    replay = Slots(choice="same", loss="sig").replay(make_history(3, 2), seed=0)
    assert replay.choice is replay.loss
    assert replay.loss == SigmoidMargin()
    assert Slots(loss="C").replay(make_history(3, 2), seed=0).choice == ZeroOneLoss()


def test_slot_replay_continues_with_extended_history(make_history) -> None:
    full_history = make_history(9, 3, failed=(4,))
    growing = full_history.take_first(6)
    part = Slots(slots=4)
    part.build(growing, lambda truth, given: 0.0, seed=2)
    replay = part.replay(growing, seed=2)
    assert len(replay.trace) == 6
    for trial in full_history.trials[6:]:
        growing.append(trial, full_history.get_predictions(trial.number))
    ensemble = part.build(growing, lambda truth, given: 0.0, seed=2)
    assert part.replay(growing, seed=2) is replay
    assert ensemble == part.build(full_history, lambda truth, given: 0.0, seed=2)
    assert part.replay(growing, seed=3) is not replay


def test_slots_of_prefix_equal_slots_of_truncated_history(make_history) -> None:
    history = make_history(11, 3, failed=(2,))
    part = Slots(slots=3, loss="sig")
    for trials in range(1, 12):
        alone = part.build(history.take_first(trials), error, seed=2)
        assert part.build_after(history, trials, error, seed=2) == alone
    assert part.build_after(history, 9, error, seed=2) != part.build_after(
        history, 11, error, seed=2
    )


def test_slots_declare_voting_and_loss() -> None:
    assert Slots().always_votes
    assert Slots(loss="sig").get_search_loss(error) == SigmoidMargin()


def test_interrupted_scoring_does_not_change_slots(make_history) -> None:
    class Interrupted(SquaredMargin):
        def compute_terms(self, true, rival, rivals, size):
            raise KeyboardInterrupt

    replay = SlotsReplay(make_history(6, 2), 3, loss=Interrupted())
    replay.advance()
    before = replay.members
    with pytest.raises(KeyboardInterrupt):
        replay.compute_candidate_losses(1)
    assert replay.members == before


@pytest.mark.parametrize("options", [{"loss": "sqm"}, {"loss": "mse"}])
def test_vote_losses_are_rejected_for_regression(make_history, options) -> None:
    with pytest.raises(EnsembleError, match="EO-mse", check=about(task="regression")):
        Slots(**options).build(make_history(3, 0), lambda truth, given: 0.0, seed=0)


def test_squared_error_is_rejected_for_classes(make_history) -> None:
    with pytest.raises(EnsembleError, check=about(loss="'mse'", task="classification")):
        Slots(loss="mse").build(make_history(3, 2), lambda truth, given: 0.0, seed=0)


def test_tied_slot_candidates_are_ranked_by_own_loss() -> None:
    """Two perfect members outvote any third, so all candidates tie except for their own errors."""
    history = History(np.zeros(4, dtype=np.int64), 2)
    for number, n_wrong in enumerate([0, 0, 3, 1, 2, 4], start=1):
        votes = [1] * n_wrong + [0] * (4 - n_wrong)
        history.append(Trial(number, {}, 0, n_wrong / 4), np.eye(2, dtype=np.float16)[votes])
    for seed in range(10):
        replay = SlotsReplay(history, 3, seed=seed)
        replay.advance()
        assert replay.trace[2] == (1, 2, 3)
        assert replay.trace[5] == (1, 2, 4)

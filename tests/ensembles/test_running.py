import numpy as np
import pytest

from studio.ensembles import running as module
from studio.ensembles.losses.errors import SquaredError, ZeroOneLoss
from studio.ensembles.losses.margins import (
    CBound,
    LinearMargin,
    SigmoidMargin,
    SquaredMargin,
    solve_slope,
)
from studio.ensembles.running import make_running_ensemble
from studio.errors import EnsembleError
from tests.facts import about


def brute_force(key: str, truth: np.ndarray, votes: np.ndarray, n_classes: int) -> float:
    """Every loss row by row, by definition (docs/methods/eo.md); votes has shape (members, n)."""
    size = len(votes)
    rows, margins = [], []
    for row, label in enumerate(truth):
        counts = [int(np.sum(votes[:, row] == c)) for c in range(n_classes)]
        right = counts[label]
        other_counts = [count for c, count in enumerate(counts) if c != label]
        margin = (2 * right - size) / size
        margins.append(margin)
        if key == "zero-one":
            winners = [c for c, count in enumerate(counts) if count == max(counts)]
            rows.append(np.mean([c != label for c in winners]))
        elif key == "thesis":
            rows.append(float(right <= max(other_counts)))
        elif key == "margin":
            rows.append((1 - margin) / 2)
        elif key == "sqm":
            rows.append((1 - margin) ** 2 / 4)
        elif key == "sig":
            rows.append(1 / (1 + np.exp(solve_slope(size) * (right - max(other_counts)) / size)))
    if key == "C":
        first, second = np.mean(margins), np.mean(np.square(margins))
        return 0.5 if second == 0 else 0.5 * (1 - np.sign(first) * first**2 / second)
    return float(np.mean(rows))


LOSSES = {
    "zero-one": ZeroOneLoss(),
    "thesis": ZeroOneLoss(ties="thesis"),
    "margin": LinearMargin(),
    "sqm": SquaredMargin(),
    "C": CBound(),
    "sig": SigmoidMargin(),
}


@pytest.mark.slow
@pytest.mark.parametrize("key", LOSSES)
@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("members", [(), (1,), (1, 2), (3, 1, 3), (1, 2, 4, 5), (1, 2, 3, 4, 5, 6)])
def test_candidate_losses_equal_brute_force(make_history, key, n_classes, members) -> None:
    history = make_history(10, n_classes, seed=len(members))
    running = make_running_ensemble(history)
    for number in members:
        running.add(number)
    candidates = list(range(1, 11))
    losses = running.compute_candidate_losses(candidates, LOSSES[key])
    for number, loss in zip(candidates, losses, strict=True):
        votes = np.array([history.get_votes(other) for other in (*members, number)])
        expected = brute_force(key, history.truth, votes, n_classes)
        assert loss == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("cells", [10, 130])
def test_chunked_candidate_losses_equal_unchunked(make_history, monkeypatch, cells) -> None:
    history = make_history(8, 3)
    running = make_running_ensemble(history)
    running.add(2)
    expected = running.compute_candidate_losses(range(1, 9), ZeroOneLoss())
    monkeypatch.setattr(module, "MAX_BLOCK_CELLS", cells)
    assert (
        running.compute_candidate_losses(range(1, 9), ZeroOneLoss()).tolist() == expected.tolist()
    )


@pytest.mark.parametrize("n_classes", [2, 5])
def test_removing_member_reverts_addition_exactly(make_history, n_classes) -> None:
    history = make_history(8, n_classes)
    one, other = make_running_ensemble(history), make_running_ensemble(history)
    for number in (1, 2, 3):
        one.add(number)
    for number in (7, 1, 8, 3, 3, 2):
        other.add(number)
    for number in (3, 7, 8):
        other.remove(number)
    assert one.size == other.size == 3
    for loss in LOSSES.values():
        numbers = [4, 5, 6]
        assert one.compute_candidate_losses(numbers, loss).tolist() == (
            other.compute_candidate_losses(numbers, loss).tolist()
        )


def test_equivalent_ensembles_have_exactly_equal_losses(make_history) -> None:
    """The sum over the rows does not depend on their order."""
    history = make_history(6, 4, rows=500)
    rng = np.random.default_rng(1)
    shuffled = make_history(6, 4, rows=500)
    order = rng.permutation(500)
    shuffled.truth = history.truth[order]
    for number in range(1, 7):
        shuffled._votes[number] = history.get_votes(number)[order]
    for loss in LOSSES.values():
        losses_by_history = []
        for one in (history, shuffled):
            running = make_running_ensemble(one)
            for number in (1, 2, 3):
                running.add(number)
            losses_by_history.append(running.compute_candidate_losses([4, 5, 6], loss).tolist())
        assert losses_by_history[0] == losses_by_history[1]


def test_candidate_losses_of_values_equal_brute_force(make_history) -> None:
    history = make_history(6, 0)
    running = make_running_ensemble(history)
    for number in (1, 2, 5):
        running.add(number)
    running.remove(2)
    losses = running.compute_candidate_losses([3, 4, 5], SquaredError())
    for number, loss in zip((3, 4, 5), losses, strict=True):
        mean = np.mean([history.get_predictions(k).astype(float) for k in (1, 5, number)], axis=0)
        assert loss == pytest.approx(np.mean((mean - history.truth) ** 2), rel=1e-12)
        assert running.get_own_loss(number) == pytest.approx(
            np.mean((history.get_predictions(number) - history.truth) ** 2)
        )


def test_running_mean_is_exact_with_huge_values(make_history) -> None:
    history = make_history(3, 0)
    history._predictions[2] = np.full(40, 1e30, dtype=np.float32)
    clean, used = make_running_ensemble(history), make_running_ensemble(history)
    clean.add(1)
    for number in (1, 2):
        used.add(number)
    used.remove(2)
    assert clean.compute_candidate_losses([3], SquaredError()) == used.compute_candidate_losses(
        [3], SquaredError()
    )


def test_running_mean_is_independent_of_order(make_history) -> None:
    """Otherwise a search queried about another slot in between would continue differently."""
    history = make_history(6, 0)
    for number in range(1, 7):
        scale = np.float32(10.0 ** (4 * number))
        history._predictions[number] = history.get_predictions(number) * scale
    one, other = make_running_ensemble(history), make_running_ensemble(history)
    for number in (1, 2, 3, 4, 5):
        one.add(number)
    for number in (5, 6, 4, 3, 2, 1):
        other.add(number)
    other.remove(6)
    losses = [running.compute_candidate_losses([6], SquaredError()) for running in (one, other)]
    assert np.array_equal(one._sum, other._sum)
    assert losses[0] == losses[1]


def test_single_model_loss_equals_error_rate(make_history) -> None:
    history = make_history(2, 3)
    expected = np.mean(history.get_votes(2) != history.truth)
    assert make_running_ensemble(history).get_own_loss(2) == expected


def test_no_candidates_give_empty_losses(make_history) -> None:
    assert make_running_ensemble(make_history(1, 2)).compute_candidate_losses(
        [], ZeroOneLoss()
    ).shape == (0,)
    assert make_running_ensemble(make_history(1, 0)).compute_candidate_losses(
        [], SquaredError()
    ).shape == (0,)


def test_loss_of_other_task_is_rejected(make_history) -> None:
    other = about(loss="'mse'", task="classification", instead="'sqm'")
    with pytest.raises(EnsembleError, check=other):
        make_running_ensemble(make_history(1, 2)).compute_candidate_losses([1], SquaredError())
    other = about(loss="'sqm'", task="regression", instead="'mse'")
    with pytest.raises(EnsembleError, check=other):
        make_running_ensemble(make_history(1, 0)).compute_candidate_losses([1], SquaredMargin())

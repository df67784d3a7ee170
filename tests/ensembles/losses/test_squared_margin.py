import numpy as np

from studio.ensembles.diversity import compute_pairwise_disagreement
from studio.ensembles.losses.margins import SquaredMargin
from studio.ensembles.running import make_running_ensemble


def margins(history, numbers) -> np.ndarray:
    votes = np.array([history.get_votes(number) for number in numbers])
    return np.where(votes == history.truth, 1.0, -1.0).mean(axis=0)


def test_squared_margin_follows_from_margin_and_disagreement(make_history) -> None:
    """Thesis eq. 4.16-4.20: μ₂ = 1 − 2·dis, and the loss is (1 − μ₁ − dis)/2."""
    history = make_history(5, 2)
    running = make_running_ensemble(history)
    for number in range(1, 5):
        running.add(number)
    (loss,) = running.compute_candidate_losses([5], SquaredMargin())
    margin = margins(history, range(1, 6))
    disagreement = compute_pairwise_disagreement(
        [history.get_votes(number) for number in range(1, 6)]
    ).mean()
    assert np.isclose(np.mean(margin**2), 1 - 2 * disagreement)
    assert np.isclose(loss, (1 - margin.mean() - disagreement) / 2)
    assert np.isclose(loss, np.mean((1 - margin) ** 2) / 4)

"""Ranks and wins against counts and sums that must hold."""

import numpy as np
import pytest

from studio.compare.statistics.ranks import (
    compute_average_ranks,
    compute_win_rate,
    compute_winning_frequency,
    count_wins_and_losses,
)

ERRORS = np.array([[0.1, 0.2, 0.2], [0.3, 0.1, 0.2], [0.2, 0.2, 0.2], [np.inf, 0.2, np.inf]])


def test_ties_get_mean_rank() -> None:
    expected = [[1, 2.5, 2.5], [3, 1, 2], [2, 2, 2], [2.5, 1, 2.5]]
    assert np.array_equal(compute_average_ranks(ERRORS), expected)
    many = np.random.default_rng(1).integers(4, size=(50, 7)).astype(float)
    below = (many[:, None, :] < many[:, :, None]).sum(axis=2)
    equal = (many[:, None, :] == many[:, :, None]).sum(axis=2)
    assert np.array_equal(compute_average_ranks(many), below + (equal + 1) / 2)


def test_winning_frequency_counts_ties_as_half() -> None:
    frequency = compute_winning_frequency(ERRORS)
    assert frequency[0, 1] == (1 + 0 + 0.5 + 0) / 4
    assert np.array_equal(frequency + frequency.T, np.ones((3, 3)))


def test_win_rate_equals_mean_winning_frequency() -> None:
    rate = compute_win_rate(compute_average_ranks(ERRORS).mean(axis=0), 3)
    against_others = compute_winning_frequency(ERRORS)[~np.eye(3, dtype=bool)].reshape(3, 2)
    assert rate == pytest.approx(against_others.mean(axis=1))
    # Two thirds of the repetitions were won against the only other method.
    ranks = compute_average_ranks(np.array([[0.1, 0.2], [0.1, 0.2], [0.2, 0.1]])).mean(axis=0)
    assert compute_win_rate(ranks, 2) == pytest.approx([2 / 3, 1 / 3])
    assert float(compute_win_rate(np.array(5.58), 14)) == pytest.approx(0.648, abs=5e-4)
    assert compute_win_rate(np.ones(1), 1) == [0.5]


def test_ties_are_not_counted_as_wins_or_losses() -> None:
    wins, losses = count_wins_and_losses(ERRORS)
    assert (wins[0, 1], losses[0, 1]) == (1, 2)
    assert (wins[1, 2], losses[1, 2]) == (2, 0)

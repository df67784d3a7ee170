"""Lowest expectations of known functions."""

import numpy as np
import pytest

from studio.analysis.answers.lowest_expectation import find_lowest_expectation

X = np.linspace(0.0, 1.0, 1001)


@pytest.mark.parametrize("sd", [0.001, 0.01, 0.04])
def test_parabola_is_as_low_within_root_of_deviation(sd: float) -> None:
    mean = (X - 0.3) ** 2
    lowest = find_lowest_expectation(mean, np.full_like(X, sd), resolution=1e-4)
    assert lowest is not None
    assert X[lowest.index] == pytest.approx(0.3)
    assert np.ptp(X[lowest.is_equal]) == pytest.approx(2 * np.sqrt(1e-4), abs=2e-3)
    assert np.ptp(X[lowest.is_possible]) == pytest.approx(2 * np.sqrt(np.sqrt(2) * sd), abs=2e-3)
    assert not lowest.is_flat and not lowest.is_uncertain
    assert lowest.possible_share == pytest.approx(2 * np.sqrt(np.sqrt(2) * sd), abs=2e-3)


def test_equal_minima_are_tied_without_uncertainty() -> None:
    mean = 1 - np.cos(4 * np.pi * X)
    lowest = find_lowest_expectation(mean, np.zeros_like(X), resolution=1e-9)
    assert lowest is not None
    assert X[lowest.is_equal] == pytest.approx([0.0, 0.5, 1.0])
    assert (lowest.is_possible == lowest.is_equal).all()


def test_little_known_place_may_be_as_low_despite_higher_expectation() -> None:
    mean, sd = np.where(X > 0.8, 0.2, 0.1 + 0.05 * X), np.where(X > 0.8, 0.11, 0.001)
    lowest = find_lowest_expectation(mean, sd, resolution=1e-4)
    assert lowest is not None and lowest.index == 0
    assert lowest.is_possible[X > 0.8].all() and not lowest.is_equal[X > 0.8].any()
    assert not lowest.is_possible[(X > 0.1) & (X < 0.8)].any()


def test_flat_and_uncertain_are_different() -> None:
    slope = 0.01 * X
    flags = []
    for sd, resolution in ((0.0, 0.02), (0.02, 1e-4), (0.001, 1e-4)):
        lowest = find_lowest_expectation(slope, np.full_like(X, sd), resolution)
        assert lowest is not None
        flags.append((lowest.is_flat, lowest.is_uncertain))
    assert flags == [(True, True), (False, True), (False, False)]


def test_inactive_places_are_ignored() -> None:
    mean = np.full((2, 3, 4), np.nan)
    sd = np.full_like(mean, np.nan)
    assert find_lowest_expectation(mean, sd, 0.1) is None
    mean[1, 2], sd[1, 2] = (0.5, 0.4, 0.3, 0.9), 0.01
    lowest = find_lowest_expectation(mean, sd, 0.001)
    assert lowest is not None
    assert np.unravel_index(lowest.index, mean.shape) == (1, 2, 2)
    assert lowest.is_possible.sum() == 1 and lowest.possible_share == 0.25

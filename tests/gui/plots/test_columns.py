"""Which iterations of a long run are drawn."""

import pytest

from studio.gui.plots.base.series import choose_iterations


@pytest.mark.parametrize(
    ("last", "found"),
    [(0, []), (1, [1]), (4, [1, 2, 3, 4]), (5, [2, 4, 5]), (8, [2, 4, 6, 8]), (9, [4, 8, 9])],
)
def test_displayed_iterations_are_thinned_by_powers_of_two(last: int, found: list[int]) -> None:
    assert choose_iterations(last, 4).tolist() == found


def test_thinned_iterations_stay_stable_during_growth() -> None:
    known_iterations: set[int] = set()
    for last in range(1, 200):
        new = set(choose_iterations(last, 16).tolist()) - known_iterations
        assert new <= {last}
        known_iterations |= new

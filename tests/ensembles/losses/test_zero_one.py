import numpy as np
import pytest

from studio.ensembles.losses.errors import VOTE_UNITS, ZeroOneLoss

TRUE = np.array([3, 2, 2, 2, 1])
RIVAL = np.array([2, 2, 2, 2, 2])
RIVALS = np.array([1, 1, 2, 3, 1])


def test_zero_one_tie_counts_expected_error() -> None:
    (terms,) = ZeroOneLoss().compute_terms(TRUE, RIVAL, RIVALS, 8)
    assert (terms / VOTE_UNITS).tolist() == [0, 1 / 2, 2 / 3, 3 / 4, 1]


def test_zero_one_tie_counts_full_error_by_thesis_rule() -> None:
    (terms,) = ZeroOneLoss(ties="thesis").compute_terms(TRUE, RIVAL, RIVALS, 8)
    assert (terms / VOTE_UNITS).tolist() == [0, 1, 1, 1, 1]


@pytest.mark.parametrize("wrong", range(1, 40))
def test_expected_tie_error_agrees_with_simulation(wrong: int) -> None:
    classes = wrong + 1
    (terms,) = ZeroOneLoss().compute_terms(np.array([1]), np.array([1]), np.array([wrong]), classes)
    error_rate = np.mean([winner != 0 for winner in range(classes)])
    assert terms[0] / VOTE_UNITS == pytest.approx(
        error_rate, abs=0 if classes <= 16 else 1 / VOTE_UNITS
    )


def test_equal_ties_have_exactly_equal_losses() -> None:
    """Three ties of three classes are two errors; two of two classes are one."""
    for ways, rows in ((3, 3), (2, 2), (7, 7), (11, 11), (16, 16)):
        votes = np.ones(rows, dtype=np.int64)
        (terms,) = ZeroOneLoss().compute_terms(votes, votes, votes * (ways - 1), ways)
        total = ZeroOneLoss().finish((terms.sum(keepdims=True),), rows, ways)[0]
        assert total == (ways - 1) / rows

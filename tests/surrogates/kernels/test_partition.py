import numpy as np
import pytest
from scipy import stats

from studio.surrogates.kernels.mondrian import Partitions, _Boxes, _hash_names, _hash_to_uniform

RATES = np.array([2.5, 1.0])


def share_of_common_cells(cells):
    return cells[:, :, None] == cells[:, None, :]


@pytest.mark.slow
def test_cuts_in_one_dimension_are_poisson_process():
    line = np.linspace(0.0, 1.0, 600)[:, None]
    cells = Partitions(line, np.array([3.0]), 3000).cells
    cuts = np.array([len(np.unique(row)) - 1 for row in cells])
    expected = stats.poisson(3.0).pmf(np.arange(7)) * len(cuts)
    observed_counts = np.bincount(np.minimum(cuts, 6), minlength=7)
    expected[6] = len(cuts) - expected[:6].sum()
    assert stats.chisquare(observed_counts, expected).pvalue > 0.01
    # The cuts are uniformly distributed.
    first = np.flatnonzero(np.diff(cells[cuts == 1], axis=1))
    assert stats.kstest(first % 599 / 599, "uniform").pvalue > 0.01


def test_probability_of_common_cell_equals_laplace_kernel():
    X = np.array([[0.1, 0.2], [0.15, 0.9], [0.7, 0.25], [0.99, 0.01]])
    trees = 20_000
    cells = Partitions(X, RATES, trees).cells
    np.testing.assert_array_equal(np.unique(cells), np.arange(cells.max() + 1))
    shared_cell_rates = share_of_common_cells(cells).mean(axis=0)
    expected = np.exp(-(np.abs(X[:, None] - X[None]) * RATES).sum(axis=2))
    error = np.sqrt(expected * (1.0 - expected) / trees)
    assert (np.abs(shared_cell_rates - expected) <= 4.0 * error).all()


def test_cut_is_restricted_to_its_box():
    """Cuts of a Mondrian process end at their box, unlike those of a grid.

    After a first cut between left and right, each pair is cut independently; on a grid, one cut
    would split both.
    """
    X = np.array([[0.05, 0.4], [0.05, 0.6], [0.95, 0.4], [0.95, 0.6]])
    cells = Partitions(X, np.array([20.0, 2.0]), 6000).cells
    apart = cells[:, 0] != cells[:, 2]
    is_left_cut, right = cells[apart, 0] != cells[apart, 1], cells[apart, 2] != cells[apart, 3]
    # P(parted) is about 1/3 for either; nearly independent here, equal on a grid.
    assert 0.2 < is_left_cut.mean() < 0.45
    assert abs(np.corrcoef(is_left_cut, right)[0, 1]) < 0.15


def test_cells_are_disjoint_boxes(rng):
    X = rng.random((300, 2))
    for row in Partitions(X, np.array([4.0, 4.0]), 5).cells:
        corners = [(X[row == c].min(axis=0), X[row == c].max(axis=0)) for c in np.unique(row)]
        for number, (low, high) in zip(np.unique(row), corners, strict=True):
            inside = ((low <= X) & (high >= X)).all(axis=1)
            assert (row[inside] == number).all()


def test_partition_does_not_depend_on_queried_points(rng):
    X, V = rng.random((30, 2)), rng.random((40, 2))
    all_points = share_of_common_cells(Partitions(np.concatenate([V, X]), RATES, 20).cells)
    np.testing.assert_array_equal(
        share_of_common_cells(Partitions(X, RATES, 20).cells), all_points[:, 40:, 40:]
    )
    parted = Partitions(X, RATES, 20)
    query_cells = parted.find_cells(V)
    np.testing.assert_array_equal(
        query_cells[:, :, None] == parted.cells[:, None, :], all_points[:, :40, 40:]
    )
    # A cell without any of the points has no number.
    assert ((query_cells == -1) == ~all_points[:, :40, 40:].any(axis=2)).all()


def test_additional_partitions_differ_and_keep_first_ones(rng):
    X = rng.random((20, 2))
    few, many = (share_of_common_cells(Partitions(X, RATES, trees).cells) for trees in (3, 9))
    np.testing.assert_array_equal(few, many[:3])
    assert not (many[0] == many[1]).all()


@pytest.mark.parametrize("shape", [(0, 2), (3, 0), (1, 2)])
def test_partition_accepts_no_points_or_dimensions(shape, rng):
    rates = np.full(shape[1], 5.0)
    parted = Partitions(rng.random(shape), rates, 4)
    assert parted.cells.shape == (4, shape[0])
    assert parted.find_cells(rng.random((2, shape[1]))).shape == (4, 2)
    for row in parted.cells:
        assert len(np.unique(row)) == min(1, shape[0])


def test_partitions_terminate_for_extreme_length_scales(rng):
    X = rng.random((10, 3))
    assert (share_of_common_cells(Partitions(X, np.full(3, 1e-4), 3).cells)).all()
    tiny = share_of_common_cells(
        Partitions(np.concatenate([X, X]), np.full(3, np.exp(8.0)), 3).cells
    )
    np.testing.assert_array_equal(tiny.sum(axis=2), np.full((3, 20), 2))


def test_box_ids_are_hashed_with_splitmix64():
    # The first outputs of the reference implementation (Vigna, splitmix64.c) for the seed 0.
    states = np.arange(3, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    expected = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert _hash_names(states).tolist() == expected
    for stream, expected_hash in enumerate(expected):
        assert (
            _hash_to_uniform(np.zeros(1, dtype=np.uint64), stream)[0]
            == ((expected_hash >> 11) + 0.5) / 2**53
        )


def test_box_without_extent_is_not_split():
    corners = np.full((3, 2), 0.5)
    boxes = _Boxes(np.arange(3, dtype=np.uint64), corners, corners.copy(), np.zeros(3))
    ended, dim, cut = boxes.cut(RATES)
    assert ended.all()
    assert dim.max() < 2
    assert (cut == 0.5).all()

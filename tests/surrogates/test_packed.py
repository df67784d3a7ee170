import numpy as np
import pytest

from studio.surrogates.kernels.base import (
    PackedTriangle,
    compute_half_log_determinant,
    solve_packed,
    whiten,
)


@pytest.fixture(params=[1, 2, 7, 8])
def matrix(request, rng):
    rows = rng.standard_normal((request.param, request.param + 2))
    return rows @ rows.T


def pack_matrix(matrix):
    packing = PackedTriangle.make(len(matrix))
    return packing, matrix[packing.rows, packing.columns]


def test_packed_triangle_contains_matrix(matrix):
    packing, packed = pack_matrix(matrix)
    np.testing.assert_array_equal(np.tril(packing.unpack_lower(packed)), np.tril(matrix))
    np.testing.assert_array_equal(packed[packing.diagonal], matrix.diagonal())
    assert packing.sum_packed(packed) == pytest.approx(matrix.sum(), rel=1e-12)


def test_factor_whitens_solves_and_inverts(matrix, rng):
    packing, packed = pack_matrix(matrix)
    column = rng.standard_normal(len(matrix))
    factor = packing.factorise(packed)
    lower = np.linalg.cholesky(matrix)
    np.testing.assert_allclose(np.tril(factor), lower, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(whiten(factor, column), np.linalg.solve(lower, column), rtol=1e-7)
    np.testing.assert_allclose(
        solve_packed(factor, column), np.linalg.solve(matrix, column), rtol=1e-7
    )
    assert compute_half_log_determinant(factor) == pytest.approx(0.5 * np.linalg.slogdet(matrix)[1])
    _, inverse = pack_matrix(np.linalg.inv(matrix))
    np.testing.assert_allclose(packing.invert(factor), inverse, rtol=1e-6, atol=1e-12)


def test_non_positive_definite_matrix_has_no_factor():
    packing = PackedTriangle.make(2)
    assert packing.factorise(np.array([1.0, 2.0, 1.0])) is None

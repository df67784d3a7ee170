import numpy as np
import pytest

from bench.ensembles import draw_pool, select_greedy_fast, select_greedy_plainly

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("classes", [2, 26])
def test_benchmark_pool_matches_description(classes) -> None:
    pool, truth = draw_pool(4_000, classes, 250)
    assert pool.dtype == np.float32
    assert pool.shape == (250, 4_000, classes)
    np.testing.assert_allclose(pool.sum(axis=2), 1.0, atol=1e-5)
    accuracy = (pool.argmax(axis=2) == truth).mean(axis=1)
    assert accuracy[0] < accuracy[125] < accuracy[249]
    assert accuracy[249] > 0.75


def test_fast_and_plain_greedy_selection_agree() -> None:
    pool, truth = draw_pool(300, 4, 20)
    for seed in range(5):
        assert select_greedy_fast(pool, truth, 10, seed) == select_greedy_plainly(
            pool, truth, 10, seed
        )

import numpy as np
import pytest

from bench.ensembles import draw_pool, select_greedy_fast, select_greedy_plainly
from studio.ensembles.screening import (
    ManyClassError,
    MeanError,
    TwoClassError,
    compute_row_maxima,
    make_mean_error,
)


def make_random_pool(kind: str, classes: int, seed: int) -> tuple[list[np.ndarray], np.ndarray]:
    """Pools of several difficult kinds, with an odd number of rows."""
    rng = np.random.default_rng(seed)
    n, models = 203, 17
    truth = rng.integers(0, classes, n)
    scores = rng.normal(size=(models, n, classes)) + rng.normal(size=(n, classes))
    scores[:, np.arange(n), truth] += np.linspace(0.2, 1.5, models)[:, None]
    soft = np.exp(scores)
    soft /= soft.sum(axis=2, keepdims=True)
    if kind == "one-hot":
        pool = np.eye(classes, dtype=np.float16)[soft.argmax(axis=2)]
    elif kind == "mixed":
        hard = np.eye(classes)[soft.argmax(axis=2)]
        pool = np.where(np.arange(models)[:, None, None] % 2, hard, soft).astype(np.float16)
    elif kind == "coarse":
        pool = (np.rint(soft * 4) / 4).astype(np.float32)
    elif kind == "sixths":  # at the very edges of the codes, with rounding errors in every sum
        pool = (np.rint(soft * 6) / 6).astype(np.float32)
    elif kind == "sure":
        sure = soft**8
        pool = (sure / sure.sum(axis=2, keepdims=True)).astype(np.float16)
    elif kind == "equal":
        pool = np.repeat(soft[:1], models, axis=0).astype(np.float32)
    else:
        pool = soft.astype(kind)
    return list(pool), truth


def find_tied_best(
    pool: list[np.ndarray], truth: np.ndarray, total: np.ndarray, allowed: np.ndarray
) -> list[int]:
    errors = [
        np.mean((total + p).argmax(axis=1) != truth) if may else np.inf
        for p, may in zip(pool, allowed, strict=True)
    ]
    return np.flatnonzero(np.array(errors) == min(errors)).tolist()


KINDS = ["float16", "float32", "float64", "one-hot", "mixed", "coarse", "sixths", "sure", "equal"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classes", [2, 3, 4, 7, 26])
@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_screening_finds_best_candidates_with_ties(kind, classes, precision) -> None:
    pool, truth = make_random_pool(kind, classes, seed=classes)
    search = make_mean_error(pool, truth, precision)
    total = np.zeros(pool[0].shape, dtype=precision)
    rng = np.random.default_rng(0)
    for _ in range(12):
        allowed = rng.random(len(pool)) < 0.8
        allowed[0] = True
        best_indices = search.find_best(allowed).tolist()
        assert best_indices == find_tied_best(pool, truth, total, allowed)
        index = int(rng.choice(best_indices))
        search.add(index)
        total += pool[index]


class CountingArray(np.ndarray):
    """An array that counts individually accessed rows."""

    n_accessed = 0

    def __getitem__(self, key):
        if isinstance(key, np.ndarray):
            CountingArray.n_accessed += len(key)
        return super().__getitem__(key)


@pytest.mark.parametrize(("classes", "most"), [(2, 10), (3, 20), (7, 200), (26, 400)])
def test_screening_evaluates_few_rows_exactly(classes, most) -> None:
    """Of 12 steps, 17 models and 203 rows: 41,412 in brute force."""
    pool, truth = make_random_pool("float32", classes, seed=classes)
    search = make_mean_error([each.view(CountingArray) for each in pool], truth)
    CountingArray.n_accessed = 0
    for _ in range(12):
        search.add(int(search.find_best(np.ones(len(pool), dtype=bool))[0]))
    assert CountingArray.n_accessed <= most


@pytest.mark.parametrize("classes", [2, 5])
def test_screening_is_exact_after_adding_poor_models(classes) -> None:
    """A sorted start adds models, even poor ones, without a search."""
    pool, truth = make_random_pool("float16", classes, seed=9)
    search = make_mean_error(pool, truth)
    total = np.zeros(pool[0].shape)
    all_models = np.ones(len(pool), dtype=bool)
    for index in (0, 1, 1, 2, 0):
        search.add(index)
        total += pool[index]
        assert search.find_best(all_models).tolist() == find_tied_best(
            pool, truth, total, all_models
        )


def test_screening_handles_missing_classes() -> None:
    pool, _ = make_random_pool("float16", 5, seed=1)
    truth = np.full(203, 4)
    for model in pool:
        model[:, 2] = 0.0
    search = make_mean_error(pool, truth)
    all_models = np.ones(len(pool), dtype=bool)
    total = np.zeros(pool[0].shape)
    for _ in range(4):
        best_indices = search.find_best(all_models).tolist()
        assert best_indices == find_tied_best(pool, truth, total, all_models)
        search.add(best_indices[0])
        total += pool[best_indices[0]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "classes", "models", "steps"),
    [(20_000, 2, 40, 8), (600, 26, 120, 12), (1_500, 3, 250, 25)],
)
def test_greedy_selection_equals_brute_force_on_benchmark_pool(
    rows, classes, models, steps
) -> None:
    pool, truth = draw_pool(rows, classes, models)
    selection = select_greedy_fast(pool, truth, steps, seed=0)
    assert selection == select_greedy_plainly(pool, truth, steps, seed=0)


def test_half_precision_sums_are_exact_in_double_precision() -> None:
    """1 + 2⁻²⁴ and 1 tie in single precision, so the first class would win."""
    even = np.array([[0.5, 0.5]], dtype=np.float16)
    bare = np.zeros((1, 2), dtype=np.float16)
    least = np.array([[0.0, 2.0**-24]], dtype=np.float16)
    for precision, expected in ((np.float64, [2]), (np.float32, [0, 1, 2])):
        search = make_mean_error([even, bare, least], np.array([1]), precision)
        search.add(0)
        search.add(0)
        assert search.find_best(np.ones(3, dtype=bool)).tolist() == expected


def test_screening_is_exact_for_half_precision() -> None:
    """Differences at the edge of a code, which arithmetic in half precision would push over it."""
    rng = np.random.default_rng(0)
    edge, n = 64 / 126, 5_000
    low = rng.uniform(0.05, 0.1, n).astype(np.float16)
    half = np.stack([low, (low + edge).astype(np.float16)], axis=1)
    high = np.full(n, 0.75)
    member = np.stack([high, high - edge + rng.uniform(-3e-4, 3e-4, n)], axis=1)
    search = make_mean_error([half, half.astype(np.float64), member], np.ones(n, dtype=np.int64))
    search.add(2)
    assert search.find_best(np.array([True, True, False])).tolist() == [0, 1]


def test_search_class_depends_on_number_of_classes() -> None:
    for classes, kind in ((2, TwoClassError), (3, ManyClassError)):
        search: MeanError = make_mean_error(*make_random_pool("float32", classes, seed=0))
        assert type(search) is kind


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 12, 26, 32])
def test_row_maxima_agree_with_numpy(width) -> None:
    matrix = np.random.default_rng(0).normal(size=(11, width))
    assert compute_row_maxima(matrix.reshape(-1), width).tolist() == matrix.max(axis=1).tolist()

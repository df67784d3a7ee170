import numpy as np
import pytest

from studio.acquisition.maximisers import base
from studio.acquisition.maximisers.base import draw_untried
from studio.errors import ExhaustedError
from studio.space.encoding import enumerate_all, make_keys, sample, snap
from studio.space.parameters import Categorical, Condition, Constant, Integer
from studio.space.space import Space


def test_unseen_finds_every_configuration_once_then_none(finite, rng):
    seen = set()
    for _ in range(32):
        row = draw_untried(finite, seen, rng)
        np.testing.assert_array_equal(snap(finite, row[None, :])[0], row)
        (key,) = make_keys(finite, row[None, :])
        assert key not in seen
        seen.add(key)
    with pytest.raises(ExhaustedError, match="All 32 configurations"):
        draw_untried(finite, seen, rng)


@pytest.mark.parametrize("left", [0, 7, 100, 4999])
def test_unseen_finds_last_configuration_in_rare_corner(left, rng):
    inside = Condition("root", ("deep",))
    space = Space(
        "rare",
        (
            Categorical("root", ("deep", *(f"plain {number}" for number in range(40)))),
            Integer("k", 0, 99, conditions=(inside,)),
            Integer("j", 0, 49, conditions=(inside,)),
        ),
    )
    every = enumerate_all(space)
    names = make_keys(space, every)
    missing = names[left]
    row = draw_untried(space, set(names) - {missing}, rng)
    assert make_keys(space, row[None, :]) == [missing]


def test_unseen_draws_growing_batches_before_walking(finite, rng, monkeypatch):
    asked = []

    def count_calls(space, rng, count):
        asked.append(count)
        return sample(space, rng, count)

    monkeypatch.setattr(base, "sample", count_calls)
    with pytest.raises(ExhaustedError):
        draw_untried(finite, set(make_keys(finite, enumerate_all(finite))), rng)
    assert asked == [1, 16, 1000]


def test_unseen_exhausts_space_of_one_configuration(rng):
    space = Space("fixed", (Constant("algorithm", "only"),))
    row = draw_untried(space, set(), rng)
    assert row.shape == (0,)
    with pytest.raises(ExhaustedError):
        draw_untried(space, set(make_keys(space, row[None, :])), rng)


def test_unseen_draws_uniformly_over_tree(finite):
    rng = np.random.default_rng(0)
    drawn = np.array([draw_untried(finite, set(), rng) for _ in range(900)])
    _, counts = np.unique(drawn[:, 0], return_counts=True)
    assert counts.min() > 240

import numpy as np
import pytest

from studio.acquisition.maximisers import base
from studio.acquisition.maximisers.base import draw_untried
from studio.errors import ExhaustedError
from studio.space.encoding import enumerate_all, make_keys, sample, snap
from studio.space.parameters import Categorical, Condition, Constant, Integer
from studio.space.space import Space


def test_unseen_yields_every_configuration_once(finite, rng):
    tried_keys = set()
    for _ in range(32):
        row = draw_untried(finite, tried_keys, rng)
        np.testing.assert_array_equal(snap(finite, row[None, :])[0], row)
        (key,) = make_keys(finite, row[None, :])
        assert key not in tried_keys
        tried_keys.add(key)
    with pytest.raises(ExhaustedError, match="All 32 configurations"):
        draw_untried(finite, tried_keys, rng)


@pytest.mark.parametrize("left", [0, 7, 100, 4999])
def test_unseen_finds_last_configuration_in_rare_branch(left, rng):
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


def test_unseen_samples_growing_batches_before_enumeration(finite, rng, monkeypatch):
    batch_sizes = []

    def count_calls(space, rng, count):
        batch_sizes.append(count)
        return sample(space, rng, count)

    monkeypatch.setattr(base, "sample", count_calls)
    with pytest.raises(ExhaustedError):
        draw_untried(finite, set(make_keys(finite, enumerate_all(finite))), rng)
    assert batch_sizes == [1, 16, 1000]


def test_unseen_exhausts_space_of_one_configuration(rng):
    space = Space("fixed", (Constant("algorithm", "only"),))
    row = draw_untried(space, set(), rng)
    assert row.shape == (0,)
    with pytest.raises(ExhaustedError):
        draw_untried(space, set(make_keys(space, row[None, :])), rng)


def test_unseen_samples_uniformly_over_tree(finite):
    rng = np.random.default_rng(0)
    sampled_rows = np.array([draw_untried(finite, set(), rng) for _ in range(900)])
    _, counts = np.unique(sampled_rows[:, 0], return_counts=True)
    assert counts.min() > 240

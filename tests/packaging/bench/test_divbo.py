"""The study of diversity surrogates, on a few trained configurations."""

import numpy as np
import pytest

from bench.divbo import agreement
from bench.diversity_surrogates import PERFORMANCE, correlations
from bench.trained import ROWS, trained_history
from studio.surrogates.registry import DIVERSITY_SURROGATES

pytestmark = pytest.mark.slow


def test_diversity_surrogates_rank_new_pairs_of_configurations():
    space, history = trained_history(40)
    assert len(history.succeeded) == 40
    assert history.get_predictions(1).shape == (ROWS, 10)
    assert history.get_predictions(1).dtype == np.float16
    points = correlations(space, history, counts=(20,), held_out=20)
    assert [point.surrogate for point in points] == [
        *(s.key for s in DIVERSITY_SURROGATES),
        PERFORMANCE,
    ]
    for point in points:
        assert point.observed == 20
        assert point.tau > 0.2, point


def test_agreement_equals_kendall_tau():
    one = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert agreement(one, one) == 1.0
    assert agreement(one, -one) == -1.0
    assert agreement(one, np.array([[1.0, 2.0], [4.0, 3.0]])) == pytest.approx((5 - 1) / 6)

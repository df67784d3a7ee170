"""Metrics name their best constant truthfully: a mean or a median only if it is one."""

import numpy as np
import pytest

from studio.data.metrics.base import Metric
from studio.data.metrics.registry import find_metric, get_metric


@pytest.mark.parametrize("key", ["rmse", "mae", "mape", "median-absolute-error", "pinball-0.9"])
def test_named_constant_is_the_best_one(key: str) -> None:
    metric: type[Metric] | None = find_metric(key)
    assert metric is not None
    truth = np.exp(np.random.default_rng(0).normal(0, 1, 201))
    best = float(get_metric(key, "regression").compute_best_constant(truth, None, 0))
    named = {"mean": truth.mean(), "median": np.median(truth)}.get(metric.constant)
    assert named is None or best == pytest.approx(named)
    others = (truth.mean(), np.median(truth))
    assert (metric.constant == "value") == (best not in [pytest.approx(each) for each in others])

"""A row of weight 2 counts as two rows, in every builder and loss."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from studio.data.metrics.base import WeightedMetric
from studio.data.metrics.registry import REGISTRY as METRICS
from studio.ensembles.base import EnsembleBuilder, combine
from studio.ensembles.diversity import compute_pairwise_disagreement, get_history_diversity
from studio.ensembles.losses.registry import REGISTRY as LOSSES
from studio.ensembles.registry import REGISTRY
from studio.ensembles.running import make_running_ensemble
from studio.ensembles.weights import (
    MAX_TOTAL_COUNT,
    are_counts,
    count_effective_rows,
    make_exact_weights,
)
from studio.trial import History

ROWS = 60
Over = Callable[..., History]


def list_builder_variants() -> list[EnsembleBuilder]:
    """Return every builder in all variants of row counting."""
    from studio.ensembles.greedy import GreedySelection
    from studio.ensembles.slots import Slots

    return [
        *(kind() for kind in REGISTRY),
        GreedySelection(combination="vote", start=3, prefix="best"),
        GreedySelection(loss="metric", calibrate=True),
        GreedySelection(loss="guided", calibrate=True),
        Slots(loss="sig"),
        Slots(loss="C", choice="same"),
        Slots(loss="mse", choice="same"),
    ]


CASES = [
    pytest.param(builder, metric, n_classes, id=f"{builder}-{metric.key}-{n_classes}"[-60:])
    for builder in list_builder_variants()
    for metric in (kind() for kind in METRICS)
    for n_classes, task in ((3, "multiclass"), (0, "regression"))
    if task in metric.tasks and task in builder.tasks
    and not metric.find_problem(np.array([-1.0, 0.0]))  # artificial values may be negative
    and not (getattr(builder, "loss", "") == "mse" and n_classes)
    and not (getattr(builder, "slots", 0) and n_classes == 0 and builder.loss != "mse")
]  # fmt: skip


def pair(make_history: Any, over_rows: Over, metric: Any, n_classes: int) -> tuple[History, ...]:
    """Return a history of weighted rows, and one of repeated rows."""
    rng = np.random.default_rng(7)
    counts = rng.integers(1, 5, ROWS)
    plain = make_history(9, n_classes, rows=ROWS, failed=(4,))
    rows = np.arange(ROWS)
    weighted = over_rows(plain, rows, counts.astype(float))
    repeated = over_rows(plain, np.repeat(rows, counts))
    return _scored(weighted, metric), _scored(repeated, metric)


def _scored(history: History, metric: Any) -> History:
    """Set the trials' losses by the metric, with distinct selection losses."""
    scored_history = History(history.truth, history.n_classes, weights=history.weights)
    for trial in history.trials:
        if trial.loss is None:
            scored_history.append(trial, None)
            continue
        predictions = history.get_predictions(trial.number)
        loss = round(metric.compute_loss(history.truth, predictions, history.weights), 9)
        scored_history.append(dataclasses.replace(trial, loss=loss), predictions)
    return scored_history


@pytest.mark.slow
@pytest.mark.parametrize(("builder", "metric", "n_classes"), CASES)
def test_ensemble_of_weighted_rows_equals_repeated_rows(
    make_history: Any, over_rows: Over, builder: EnsembleBuilder, metric: Any, n_classes: int
) -> None:
    weighted, repeated = pair(make_history, over_rows, metric, n_classes)
    judge = WeightedMetric(metric, weighted.truth, weighted.weights)
    ensemble = builder.build(weighted, judge, 5)
    expected = builder.build(repeated, metric, 5)
    assert ensemble.members == expected.members
    assert ensemble.weights == pytest.approx(expected.weights, rel=1e-3)
    assert ensemble.temperature == pytest.approx(expected.temperature, rel=1e-3)
    one = combine(weighted.get_predictions, ensemble)
    other = combine(weighted.get_predictions, expected)
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-3)
    if ensemble.layer is None:  # an iterative fit is exact only to its tolerance
        # Sums of squared errors are equal up to rounding.
        assert ensemble.weights == pytest.approx(expected.weights, rel=0 if n_classes else 1e-12)


@pytest.mark.parametrize("loss", [kind() for kind in LOSSES], ids=lambda loss: loss.key)
def test_vote_losses_with_integer_weights_are_exact(
    make_history: Any, over_rows: Over, loss: Any
) -> None:
    from studio.data.metrics.predicted_classes import ErrorRate
    from studio.data.metrics.squared_errors import Rmse

    n_classes = 0 if "regression" in loss.tasks else 4
    metric = ErrorRate() if n_classes else Rmse()
    weighted, repeated = pair(make_history, over_rows, metric, n_classes)
    one, other = make_running_ensemble(weighted), make_running_ensemble(repeated)
    numbers = weighted.list_numbers().tolist()
    for number in numbers[:4]:
        losses = one.compute_candidate_losses(numbers, loss)
        expected = other.compute_candidate_losses(numbers, loss)
        if n_classes:
            np.testing.assert_array_equal(losses, expected)
            assert one.get_own_loss(number) == other.get_own_loss(number)
        else:
            np.testing.assert_allclose(losses, expected, rtol=1e-13)
        one.add(number)
        other.add(number)


@pytest.mark.parametrize("n_classes", [3, 0])
def test_diversity_uses_row_weights(make_history: Any, over_rows: Over, n_classes: int) -> None:
    from studio.data.metrics.predicted_classes import ErrorRate
    from studio.data.metrics.squared_errors import Rmse

    metric = ErrorRate() if n_classes else Rmse()
    weighted, repeated = pair(make_history, over_rows, metric, n_classes)
    diversities, expected = get_history_diversity(weighted)[1], get_history_diversity(repeated)[1]
    np.testing.assert_allclose(diversities, expected, rtol=1e-12)
    if n_classes:
        votes = [[each.get_votes(n) for n in each.list_numbers()] for each in (weighted, repeated)]
        np.testing.assert_allclose(
            compute_pairwise_disagreement(votes[0], weighted.weights),
            compute_pairwise_disagreement(votes[1]),
            rtol=1e-12,
        )


def test_rows_without_weights_have_weight_one() -> None:
    assert are_counts(None) is True


def test_integer_weights_count_as_row_repetitions() -> None:
    assert count_effective_rows(None, 7) == 7
    assert count_effective_rows(np.array([1.0, 2.0, 4.0]), 3) == 7
    assert count_effective_rows(np.array([0.5, 0.5, 0.0]), 3) == 2
    assert not are_counts(np.full(10, float(MAX_TOTAL_COUNT)))
    thirds = make_exact_weights(np.array([1 / 3, 2 / 3, 5.0]))
    assert thirds is not None
    assert (thirds == np.rint(thirds)).all()
    assert thirds[1] == pytest.approx(2 * thirds[0], rel=1e-8)


def test_heavy_rows_dominate_vote_selection(make_history: Any, over_rows: Over) -> None:
    """A few rows outweigh all others, so only models that are right on those are useful."""
    from studio.ensembles.slots import Slots

    rng = np.random.default_rng(0)
    truth, heavy = rng.integers(2, size=400), np.arange(400) < 32
    weights = np.where(heavy, 100.0, 1.0)
    history = History(truth, 2, weights=weights)
    metric = WeightedMetric(next(kind() for kind in METRICS if kind.key == "error"), truth, weights)
    template = make_history(20, 2, rows=400)
    for trial in template.trials:
        right = np.where(heavy, trial.number % 2 == 0, rng.random(400) < 0.9)
        predictions = np.eye(2, dtype=np.float16)[np.where(right, truth, 1 - truth)]
        loss = metric(truth, predictions)
        history.append(dataclasses.replace(trial, loss=loss), predictions)
    ensemble = Slots().build(history, metric, 0)
    assert (
        metric(truth, combine(history.get_predictions, ensemble))
        <= min(history.get_losses()) + 0.01
    )

"""Contract of all ensemble builders, with defaults and important options."""

import itertools
from typing import Any

import numpy as np
import pytest

from studio.data.metrics.registry import get_metrics
from studio.ensembles.agnostic_bayes import AgnosticBayes
from studio.ensembles.base import EnsembleBuilder, combine
from studio.ensembles.greedy import GreedySelection
from studio.ensembles.registry import REGISTRY
from studio.ensembles.single_model import Stacking, WeightedBagging
from studio.ensembles.slots import Slots
from studio.errors import EnsembleError, UsageError
from studio.trial import History, Trial
from tests.facts import about

TASKS = {"binary": 2, "multiclass": 5, "regression": 0}

VARIANTS: tuple[EnsembleBuilder, ...] = (
    GreedySelection(size=6, start=3, combination="vote"),
    GreedySelection(size=6, bags=4, prefix="best"),
    GreedySelection(size=6, loss="metric", bags=3, bag_share=0.2, start=5),
    AgnosticBayes(bootstraps=1),
    AgnosticBayes(bootstraps=9, share=0.4),
)


def error(truth: Any, predictions: Any) -> float:
    return float(np.mean(predictions.argmax(axis=1) != truth))


def rmse(truth: Any, predictions: Any) -> float:
    return float(np.sqrt(np.mean((predictions - truth) ** 2)))


def list_builders(task: str) -> list[EnsembleBuilder]:
    values = Slots(loss="mse", choice="same")
    builders = [values if kind is Slots and task == "regression" else kind() for kind in REGISTRY]
    return [each for each in (*builders, *VARIANTS) if task in each.tasks]


CASES = [(task, builder) for task in TASKS for builder in list_builders(task)]


def test_builder_defaults_agree_with_papers() -> None:
    assert AgnosticBayes() == AgnosticBayes(bootstraps=None, share=1.0, combination="auto")
    assert Slots() == Slots(slots=12, loss="sqm", choice="zero-one")
    assert Stacking() == Stacking(size=5, penalty=1.0)
    assert WeightedBagging() == WeightedBagging(size=5)
    # DivBO's selection, without our extensions.
    assert GreedySelection() == GreedySelection(
        25, 0, True, "mean", "zero-one", "own", "all", 0, 0.5, False
    )


@pytest.mark.parametrize("kind", REGISTRY)
def test_only_combining_builders_access_predictions(make_history, monkeypatch, kind) -> None:
    history = make_history(6, 2)

    def refuse(number: int) -> Any:
        raise AssertionError(number)

    for name in ("get_predictions", "get_votes"):
        monkeypatch.setattr(history, name, refuse)
    if kind.needs_predictions:
        with pytest.raises(AssertionError):
            kind().build(history, error, 0)
    else:
        assert len(kind().build(history, error, 0).members) == 1


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1].key}")
def case(request: pytest.FixtureRequest) -> tuple[str, EnsembleBuilder]:
    return request.param


def get_metric_of(task: str) -> Any:
    return rmse if task == "regression" else error


def check(builder: EnsembleBuilder, history: History, metric: Any) -> None:
    """Build twice, and check the invariants of any ensemble."""
    ensemble = builder.build(history, metric, seed=3)
    assert ensemble == builder.build(history.take_first(len(history)), metric, seed=3)
    assert set(ensemble.members) <= set(history.list_numbers())
    assert len(set(ensemble.members)) == len(ensemble.members) == len(ensemble.weights)
    assert min(ensemble.weights) > 0
    assert sum(ensemble.weights) == pytest.approx(1.0)
    assert (ensemble.layer is not None) == (ensemble.combination == "stack")
    combined = combine(history.get_predictions, ensemble)
    assert combined.shape == history.get_predictions(ensemble.members[0]).shape
    assert np.isfinite(combined).all()
    if history.is_regression:
        assert ensemble.combination != "vote"
    else:
        np.testing.assert_allclose(combined.sum(axis=1), 1.0, atol=2e-3)


def test_builders_have_unique_keys_and_descriptions() -> None:
    assert len({builder.key for builder in REGISTRY}) == len(REGISTRY)
    for builder in REGISTRY:
        assert builder.key
        assert builder.title
        assert builder.reference
        assert builder.summary.count(".") == 2
        assert all(option.help for option in builder.list_options())


@pytest.mark.parametrize("one_hot", [False, True])
def test_contract_failed_trials_and_label_only_members(case, make_history, one_hot) -> None:
    task, builder = case
    history = make_history(9, TASKS[task], failed=(2, 9), one_hot=one_hot)
    check(builder, history, get_metric_of(task))


def test_contract_single_trial_is_ensemble(case, make_history) -> None:
    task, builder = case
    history = make_history(1, TASKS[task])
    check(builder, history, get_metric_of(task))
    ensemble = builder.build(history, get_metric_of(task), seed=0)
    assert (ensemble.members, ensemble.weights) == ((1,), (1.0,))


def test_contract_two_trials_suffice(case, make_history) -> None:
    task, builder = case
    check(builder, make_history(4, TASKS[task], failed=(1, 3)), get_metric_of(task))


def test_contract_identical_trials(case, make_history) -> None:
    task, builder = case
    first = make_history(1, TASKS[task])
    history = History(first.truth, TASKS[task])
    for number in range(1, 8):
        trial = Trial(number, {}, 0, first.trials[0].loss, selection=0.5)
        history.append(trial, first.get_predictions(1))
    check(builder, history, get_metric_of(task))
    together = combine(history.get_predictions, builder.build(history, get_metric_of(task), 0))
    if task != "regression":
        assert error(first.truth, together) <= error(first.truth, first.get_predictions(1))
    else:
        assert rmse(first.truth, together) <= rmse(first.truth, first.get_predictions(1)) + 1e-6


def test_contract_perfect_and_useless_trials(case, make_history) -> None:
    """Losses of 0 and 1, and a constant prediction, cause no division by zero."""
    task, builder = case
    plain = make_history(1, TASKS[task])
    truth, history = plain.truth, History(plain.truth, TASKS[task])
    if task == "regression":
        predictions = [truth, np.zeros_like(truth), truth]
    else:
        sure = np.eye(TASKS[task])
        predictions = [sure[truth], sure[(truth + 1) % TASKS[task]], sure[np.zeros_like(truth)]]
    for number, each in enumerate(predictions, start=1):
        stored = each.astype(np.float32 if task == "regression" else np.float16)
        loss = get_metric_of(task)(truth, stored)
        history.append(Trial(number, {}, 0, loss, selection=loss), stored)
    check(builder, history, get_metric_of(task))


@pytest.mark.slow
def test_contract_incremental_history_gives_same_ensemble(case, make_history) -> None:
    task, builder = case
    full_history = make_history(14, TASKS[task], failed=(1, 5))
    grown_history = History(full_history.truth, TASKS[task])
    for trial in full_history.trials:
        predictions = None if trial.loss is None else full_history.get_predictions(trial.number)
        grown_history.append(trial, predictions)
        if grown_history.succeeded:
            at_once = builder.build(
                full_history.take_first(len(grown_history)), get_metric_of(task), 5
            )
            assert builder.build(grown_history, get_metric_of(task), 5) == at_once


def test_contract_empty_pool_is_rejected(case, make_history) -> None:
    task, builder = case
    with pytest.raises(EnsembleError, match="trials failed"):
        builder.build(make_history(3, TASKS[task], failed=(1, 2, 3)), get_metric_of(task), seed=0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "metric"),
    [
        (task, kind())
        for task in TASKS
        for kind in get_metrics(task)
        if not kind().find_problem(np.array([-1.0, 0.0]))  # artificial values may be negative
    ],
    ids=lambda value: getattr(value, "key", value),
)
def test_contract_builder_supports_every_metric_of_task(make_history, task, metric) -> None:
    template = make_history(6, TASKS[task], failed=(4,), rows=30)
    history = History(template.truth, TASKS[task])
    for trial in template.trials:
        predictions = None if trial.loss is None else template.get_predictions(trial.number)
        loss = None if predictions is None else metric.compute_loss(template.truth, predictions)
        history.append(Trial(trial.number, {}, 0, loss, selection=loss), predictions)
    for builder in list_builders(task):
        check(builder, history, metric)


def test_unsupported_task_error_lists_supported_tasks() -> None:
    for builder, task in itertools.product((kind() for kind in REGISTRY), TASKS):
        if task in builder.tasks and not (builder.key == "slots" and task == "regression"):
            builder.check(task)
    with pytest.raises(UsageError, match="EO-mse", check=about(loss="'C'", task="regression")):
        Slots(loss="C").check("regression")
    with pytest.raises(UsageError, match="EO-sqm", check=about(loss="'mse'", task="binary")):
        Slots(loss="mse").check("binary")

    class VoteOnlyGreedy(GreedySelection):
        tasks = ("binary", "multiclass")

    with pytest.raises(UsageError, check=about(task="regression", tasks="binary, multiclass")):
        VoteOnlyGreedy().check("regression")

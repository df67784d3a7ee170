"""ESMBO: order of bootstraps, targets of the surrogate, and equality with SMBO for one."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from studio.data.metrics.predicted_classes import ErrorRate
from studio.data.metrics.probabilities import LogLoss
from studio.data.metrics.squared_errors import Rmse
from studio.ensembles.agnostic_bayes import draw_multiplicities
from studio.proposers.ensemble_optimisation import Esmbo
from studio.proposers.method import compose
from studio.space.library import load
from tests.facts import facts


@pytest.fixture(params=["multiclass", "regression"])
def task(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def faker(make_faker: Any, task: str) -> Any:
    if task == "regression":
        return make_faker(load("sklearn-cash-regression"), 0)
    return make_faker(load("sklearn-cash"), 3)


@pytest.mark.slow
def test_esmbo_without_bootstraps_is_smbo(faker: Any, task: str) -> None:
    """With one bootstrap the weights are uniform, which gives plain SMBO."""
    plain = compose("SMBO", {}, task).proposer  # type: ignore[arg-type]
    single = compose("ESMBO", {"proposer.bootstraps": 1}, task).proposer  # type: ignore[arg-type]
    history = faker.history([], None)
    for _ in range(9):
        search = faker.search(history)
        first, second = plain.suggest(search), single.suggest(search)
        assert (first.configuration, first.details) == (second.configuration, second.details)
        faker.extend(history, first.configuration, lambda number: number == 4)


@pytest.mark.slow
def test_trial_k_uses_bootstrap_k_minus_1_mod_n(faker: Any, task: str) -> None:
    proposer = Esmbo(bootstraps=5)
    metric = Rmse() if task == "regression" else ErrorRate()
    history = faker.history(faker.draw(13), lambda number: number == 3)
    for length in range(2, 14):
        part = history.take_first(length)
        search = faker.search(part)
        view = proposer.get_view(search)
        assert view is not None
        times = draw_multiplicities(5, len(history.truth), 1.0, search.ensemble_seed)[length % 5]
        rows = np.repeat(np.arange(len(times)), times)
        expected = [
            np.nan if trial.loss is None
            else metric.compute_loss(part.truth[rows], part.get_predictions(trial.number)[rows])
            for trial in part.trials
        ]  # fmt: skip
        expected = np.where(np.isnan(expected), np.nanmax(expected), expected)
        np.testing.assert_allclose(view.observations.targets, expected, rtol=1e-9)
        assert view.observations.label.endswith(f"bootstrap {length % 5 + 1}")


def test_pending_trials_count_in_bootstrap_order(faker: Any) -> None:
    proposer = Esmbo(bootstraps=5)
    history = faker.history(faker.draw(10))
    pending = faker.draw(3, seed=8)
    for running in range(4):
        observed = proposer.observe(faker.search(history, pending[:running]))
        assert facts(observed.label) == {"number": str(running + 1)}


def test_esmbo_surrogate_models_metric_of_run(make_faker: Any) -> None:
    faker = make_faker(load("sklearn-cash"), 3)
    search = faker.search(faker.history(faker.draw(6)))
    by_default = Esmbo(bootstraps=4).observe(search).targets
    surprise = dataclasses.replace(search, metric=LogLoss())
    assert Esmbo(bootstraps=4).observe(surprise).targets.tolist() != by_default.tolist()


def test_search_and_ensemble_use_same_bootstraps(faker: Any, task: str) -> None:
    """Each member minimises the targets of the search on one of the bootstraps."""
    method = compose("ESMBO", {"proposer.bootstraps": 7, "proposer.share": 0.5}, task)  # type: ignore[arg-type]
    history = faker.history(faker.draw(21))
    metric = Rmse() if task == "regression" else ErrorRate()
    mass = dict.fromkeys(range(1, 22), 0.0)
    for v in range(7):
        pending = faker.draw(v, seed=3)
        search = dataclasses.replace(faker.search(history, pending), metric=metric)
        targets = method.proposer.observe(search).targets  # type: ignore[attr-defined]
        winners = np.flatnonzero(targets == targets.min()) + 1
        for number in winners.tolist():
            mass[number] += 1 / len(winners) / 7
    ensemble = method.ensemble.build(history, metric, search.ensemble_seed)
    expected = {number: share for number, share in mass.items() if share}
    assert dict(zip(ensemble.members, ensemble.weights, strict=True)) == pytest.approx(expected)


@pytest.mark.parametrize(("budget", "count"), [(150, 75), (31, 15), (1, 1), (None, 75)])
def test_number_of_bootstraps_is_half_of_trials(budget: int | None, count: int) -> None:
    method = compose("ESMBO", {}, "binary", budget)
    assert isinstance(method.proposer, Esmbo)
    assert method.proposer.bootstraps == count
    assert method.ensemble.to_json()["bootstraps"] == count
    assert method.derived_options == {"proposer.bootstraps": count}
    recomposed_method = compose("ESMBO", method.derived_options, "binary", 1000)
    assert recomposed_method.ensemble == method.ensemble
    assert not recomposed_method.derived_options


def test_agnostic_bayes_receives_budget_from_any_search() -> None:
    method = compose("RS", {"ensemble": "agnostic-bayes"}, "binary", 60)
    assert method.ensemble.to_json()["bootstraps"] == 30
    assert method.derived_options == {"ensemble.bootstraps": 30}

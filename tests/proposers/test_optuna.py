"""Searches of other libraries, with and without the installed library."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from studio.compare.methods import PEER_PRESETS
from studio.extras import make_install_command
from studio.proposers import optuna
from studio.proposers.method import list_methods, list_unavailable_methods
from studio.proposers.optuna import OptunaGp, OptunaTpe
from studio.seeds import derive
from studio.space.library import load
from studio.space.parameters import Boolean, Condition, Constant, Float, Integer, Ordinal
from studio.space.space import Space

ROOT = Path(__file__).parents[2]
PEERS = (OptunaTpe, OptunaGp)

ALL_KINDS = Space(
    "all-kinds",
    (
        Integer("depth", low=1, high=64, log=True),
        Float("rate", low=1e-6, high=1.0, log=True, conditions=(Condition("depth", low=5),)),
        Boolean("deep", conditions=(Condition("depth", low=5, high=20),)),
        Ordinal("size", choices=("s", "m", "l"), conditions=(Condition("deep", values=(True,)),)),
        Constant("fixed", value=3),
        Float("narrow", low=0.1, high=0.3),
    ),
    tasks=(),
)
"""All kinds except plain choices: conditions on ranges, nested conditions, and none."""


@pytest.fixture(params=PEERS, ids=[each.key for each in PEERS])
def peer(request: pytest.FixtureRequest) -> Any:
    if missing_dependency := request.param.get_missing_dependency():
        pytest.skip(missing_dependency)
    return request.param()


def test_peer_methods_without_library_are_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optuna, "find_spec", lambda _: None)
    keys = {preset.key for preset in PEER_PRESETS}
    assert not keys & {method.key for method in list_methods()}
    assert {method.key for method in list_unavailable_methods()} == keys
    for each in PEERS:
        assert each.get_missing_dependency().endswith(make_install_command(*each.extras))


def test_peer_methods_with_library_are_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optuna, "find_spec", lambda _: object())
    assert [method.key for method in list_methods()][-2:] == ["optuna", "optuna-gp"]
    assert list_unavailable_methods() == ()


def test_conversion_of_hyperparameters_to_peers_round_trips(peer: Any, make_faker: Any) -> None:
    faker = make_faker(ALL_KINDS)
    configurations = []
    for run in range(3):
        history = faker.history([])
        for _ in range(10):
            search = dataclasses.replace(faker.search(history), ensemble_seed=run, seed=run)
            configuration = peer.suggest(search).configuration
            assert ALL_KINDS.validate(configuration) == configuration
            faker.extend(history, configuration, lambda number: number % 7 == 3)
            configurations.append(configuration)
    for name in ("rate", "deep", "size"):
        assert {name in each for each in configurations} == {True, False}


def test_peer_search_uses_finished_trials(peer: Any, make_faker: Any) -> None:
    """Swapping good and bad losses must change the next suggestion."""
    faker = make_faker(load("svm-rbf"))
    history = faker.history([])
    for _ in range(24):
        faker.extend(history, peer.suggest(faker.search(history)).configuration)
    losses = [trial.loss for trial in history.trials]
    turned = faker.history([])
    for trial in history.trials:
        swapped = type(trial)(trial.number, trial.configuration, trial.seed, 1 - (trial.loss or 0))
        turned.append(swapped, history.get_predictions(trial.number))
    assert len(set(losses)) > 1
    one, two = (peer.suggest(faker.search(each)).configuration for each in (history, turned))
    assert one != two


HASHED = """
import sys
sys.path[:0] = [{tests!r}]
from conftest import HistoryMaker
from studio.proposers.method import compose
from studio.space.library import load
faker = HistoryMaker(load("sklearn-cash"))
history = faker.history([])
proposer = compose({key!r}, {{}}, "multiclass", budget=20).proposer
for _ in range(14):
    faker.extend(history, proposer.suggest(faker.search(history)).configuration)
print([trial.configuration for trial in history.trials])
"""


@pytest.mark.slow
def test_peer_search_is_reproducible_across_processes(peer: Any) -> None:
    """The order of sets differs between processes, and libraries iterate over sets."""
    key = next(each.key for each in PEER_PRESETS if each.parts["proposer"] == peer.key)
    code = HASHED.format(tests=str(ROOT / "tests" / "proposers"), key=key)
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_peer_seed_depends_on_run_and_suggestion(peer: Any, make_faker: Any) -> None:
    """Runs with different seeds start with different suggestions."""
    faker = make_faker(load("sklearn-cash"))
    searches = [
        dataclasses.replace(
            faker.search(faker.history([])),
            seed=derive(run, "suggest", 1),
            ensemble_seed=derive(run, "ensemble"),
        )
        for run in range(4)
    ]
    assert len({repr(peer.suggest(search).configuration) for search in searches}) > 1

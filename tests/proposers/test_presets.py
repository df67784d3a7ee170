"""Every preset method composes, suggests and builds its ensemble."""

from itertools import pairwise
from typing import Any

import pytest

from studio.errors import UsageError
from studio.parts import find_part
from studio.proposers.method import compose, list_methods
from studio.proposers.preset_table import PRESETS
from studio.proposers.presets import get_default, get_preset
from studio.proposers.registry import REGISTRY
from studio.space.library import load

TASKS = ("multiclass", "regression")

PAPERS = [
    "RS", "RS-post", "RS-ES", "ERS", "grid", "sobol", "SMBO", "ESMBO", "BO-best", "BO-post",
    "EO-sqm", "EO-C", "EO-sig", "EO-post", "EO-mse", "CMA-best", "gp", "gp-r", "gp-sel",
    "gp-sel-r", "gp-pm", "gp-pm-r", "cma", "cma-r", "cma-pv", "cma-pv-r", "cma-bw", "cma-bw-r",
    "cma-gv", "cma-gv-r", "Spearmint", "SMAC", "GP-matern-noimpute", "GP-matern",
    "GP-matern-ls", "GP-cond", "GP-cond-ls", "GP-laplace", "GP-laplace-ls", "BO", "BO-ES", "RB",
    "RB-ES", "kBO-ES", "NES", "DivBO-", "DivBO", "DivBO-fixed",
]  # fmt: skip

OTHERS = ["optuna", "optuna-gp"]

OURS = ["best"]


def test_preset_keys_are_complete_and_unique() -> None:
    keys = [preset.key for preset in PRESETS]
    assert sorted(keys) == sorted([*PAPERS, *OTHERS, *OURS])
    names = keys + [alias for preset in PRESETS for alias in preset.aliases]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", ["smac3", "smac", "flaml"])
def test_method_of_earlier_version_is_reported(name: str) -> None:
    with pytest.raises(UsageError, match=f"'{name}'"):
        get_preset(name)


def test_every_preset_has_description_and_reference() -> None:
    for preset in PRESETS:
        assert preset.reference, preset.key
        assert preset.summary.count(". ") == 1, preset.key
        assert preset.summary.endswith("."), preset.key


@pytest.mark.parametrize("task", TASKS)
def test_best_is_default_and_first_preset(task: Any) -> None:
    assert get_default(task) == PRESETS[0].key == "best"
    assert PRESETS[0].family == "Best result"
    assert PRESETS[0].advised
    assert [preset.key for preset in PRESETS if preset.advised] == ["best"]


def test_methods_are_grouped_by_family() -> None:
    families = [method.family for method in list_methods()]
    changes = sum(one != other for one, other in pairwise(families))
    assert changes == len(set(families)) - 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("preset", "task"),
    [(preset, task) for preset in PRESETS for task in TASKS if task not in preset.rejections],
    ids=lambda value: getattr(value, "key", value),
)
def test_every_preset_suggests_and_builds_ensemble(preset: Any, task: Any, make_faker: Any) -> None:
    if missing_dependency := find_part(
        REGISTRY, preset.parts["proposer"], "proposer"
    ).get_missing_dependency():
        pytest.skip(missing_dependency)
    method = compose(preset.key, make_faker.quick(preset.parts), task, budget=100)
    space = load("sklearn-cash" if task == "multiclass" else "sklearn-cash-regression")
    faker = make_faker(space, 3 if task == "multiclass" else 0)
    history = faker.with_selection(faker.history(faker.draw(12), lambda number: number % 5 == 0), 0)
    suggestion = method.proposer.suggest(faker.search(history))
    assert space.validate(suggestion.configuration) == suggestion.configuration

    def metric(truth: Any, predictions: Any) -> float:
        if predictions.ndim == 2:
            return float((predictions.argmax(axis=1) != truth).mean())
        return float(((predictions - truth) ** 2).mean())

    ensemble = method.ensemble.build(history, metric, 0)
    assert set(ensemble.members) <= {trial.number for trial in history.succeeded}
    assert sum(ensemble.weights) == pytest.approx(1.0)


@pytest.mark.parametrize("key", ["EO-sqm", "EO-C", "EO-sig"])
def test_vote_losses_are_rejected_for_regression_with_alternatives(key: str) -> None:
    (preset,) = (each for each in PRESETS if each.key == key)
    assert "EO-mse" in preset.rejections["regression"]


@pytest.mark.parametrize(
    ("key", "proposer", "others"),
    [
        ("cma", {"population": 6, "survival": "plus"}, {}),
        ("CMA-best", {"population": None, "survival": "comma"}, {}),
        ("SMAC", {"interleave": 0.5}, {}),
        ("gp", {"interleave": 0.0}, {}),
        ("RB", {"alpha": 3, "action": 5}, {}),
        ("NES", {"population": 30, "parents": 10}, {}),
        ("EO-C", {"loss": "C", "slots": 12}, {}),
        ("EO-sig", {"loss": "sig", "choice": "zero-one"}, {}),
        ("cma-bw-r", {"population": 6}, {"selection": 0.2, "strategy": "bw", "offspring": 6}),
        ("cma-pv", {}, {"strategy": "pv", "parents": 3}),
        ("gp-sel", {}, {"selection": 0.2}),
        ("gp-pm-r", {}, {"selection": 0.0}),
        ("RS-ES", {}, {"size": 25, "start": 0, "combination": "mean"}),
        ("RS-post", {}, {"start": 3, "combination": "auto"}),
    ],
)
def test_presets_have_settings_of_papers(key: str, proposer: Any, others: Any) -> None:
    method = compose(key, {}, "multiclass", budget=100)
    options = method.proposer.to_json()
    assert {name: options[name] for name in proposer} == proposer
    rest = {**method.evaluation.to_json(), **method.ensemble.to_json()}
    assert {name: rest[name] for name in others} == others
    assert (method.evaluation.key == "reshuffle") == key.endswith("-r")


@pytest.mark.parametrize(
    ("key", "kernel", "imputation", "maximiser"),
    [
        ("gp", "matern", "middle", "sobol-lbfgs"),
        ("Spearmint", "matern", "none", "sobol-lbfgs"),
        ("GP-matern-noimpute", "matern", "none", "random"),
        ("GP-matern", "matern", "middle", "random"),
        ("GP-matern-ls", "matern", "middle", "local-search"),
        ("GP-cond", "conditional", "middle", "random"),
        ("GP-cond-ls", "conditional", "middle", "local-search"),
        ("GP-laplace", "laplace", "middle", "random"),
        ("GP-laplace-ls", "laplace", "middle", "local-search"),
    ],
)
def test_gaussian_process_presets_match_thesis(
    key: str, kernel: str, imputation: str, maximiser: str
) -> None:
    proposer: Any = compose(key, {}, "multiclass").proposer
    surrogate = proposer.surrogate.to_json()
    assert surrogate["kernel"] == kernel
    assert surrogate["imputation"] == imputation
    assert surrogate["inference"] == "slice"
    assert proposer.maximiser.key == maximiser
    if maximiser == "random":
        assert proposer.maximiser.to_json()["samples"] == 1000


def test_preset_titles_are_unique() -> None:
    titles = [str(each.title) for each in PRESETS]
    assert all(titles) and len(set(titles)) == len(titles)

"""Optional boosting libraries: messages if missing, and their use by `best`."""

import dataclasses
import pickle
import sys
from typing import Any

import numpy as np
import pytest

from studio.ensembles.base import Ensemble
from studio.errors import LearnerError, RunError
from studio.export.bundle import MODULE_MARKERS
from studio.extras import make_install_command
from studio.learners.facts import TableFacts
from studio.learners.registry import REGISTRY
from studio.learners.self_replacing_steps import (
    ValidationData,
    extract_trained,
    fit_with_early_stopping,
)
from studio.learners.watched_rounds import (
    BoostedLearner,
    EarlyStopper,
    RoundsTraining,
    compute_patience,
)
from studio.proposers.portfolio import find_joined_spaces, list_starts
from studio.proposers.presets import get_preset
from studio.proposers.spaces import get_space
from studio.runs.compatible import list_missing_dependencies
from studio.runs.finish import drop_failed_members
from studio.serialization.codec import SerializedModels, list_versions
from studio.space.library import load

OPTIONAL = [part for part in REGISTRY if part.required_library and issubclass(part, BoostedLearner)]
JOINING = [part for part in REGISTRY if part.required_library and part.key != "cnn"]
BOOSTED = [part for part in REGISTRY if issubclass(part, BoostedLearner)]


def rows(task: str, n_rows: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 5))
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n_rows)
    return X, score if task == "regression" else np.digitize(score, [0.0])


def make_facts(task: str, X: Any, y: Any) -> TableFacts:
    flags = np.zeros(X.shape[1], dtype=bool)
    classes = 0 if task == "regression" else 2
    return TableFacts.from_rows(X, y, task=task, n_classes=classes, categorical=flags, seed=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("part", OPTIONAL, ids=lambda part: part.key)
def test_missing_library_error_names_extra(part: Any, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, part.required_library.module, None)
    X, y = rows(part.tasks[0], 30, 1)
    with pytest.raises(LearnerError) as error_info:
        part().build({}, make_facts(part.tasks[0], X, y))
    assert make_install_command(part.required_library.extra) in str(error_info.value)
    assert part.required_library.title in str(error_info.value)


@pytest.mark.parametrize("part", BOOSTED, ids=lambda part: part.key)
def test_number_of_early_stopped_rounds_is_reused(part: Any) -> None:
    if part.get_missing_dependency():
        pytest.skip(part.get_missing_dependency())
    task = part.tasks[0]
    X, y = rows(task, 200, 1)
    watched = ValidationData(*rows(task, 150, 2))
    values = {"learning_rate": 0.3}
    pipeline = part().build(values, make_facts(task, X, y))
    n_rounds = fit_with_early_stopping(pipeline.estimator, X, y, None, watched)["rounds"]
    assert 1 <= n_rounds < 200, "the loss of held-out rows does not improve forever"
    first = extract_trained(pipeline.estimator)
    repeated = part().build({**values, "rounds": n_rounds}, make_facts(task, X, y)).estimator
    repeated.fit(X, y)
    assert (
        extract_trained(repeated).predict(watched.X).tobytes() == first.predict(watched.X).tobytes()
    ), "the same rounds without early stopping"


@pytest.mark.parametrize("part", BOOSTED, ids=lambda part: part.key)
def test_training_without_remaining_time_returns_model(part: Any) -> None:
    if part.get_missing_dependency():
        pytest.skip(part.get_missing_dependency())
    task = part.tasks[0]
    X, y = rows(task, 200, 1)
    pipeline = part().build({}, make_facts(task, X, y))
    watched = dataclasses.replace(ValidationData(*rows(task, 150, 2)), seconds=0.0)
    assert fit_with_early_stopping(pipeline.estimator, X, y, None, watched) == {"rounds": 1}
    assert np.isfinite(extract_trained(pipeline.estimator).predict(X)).all()


@pytest.mark.parametrize("part", BOOSTED, ids=lambda part: part.key)
def test_validation_rows_can_have_missing_class(part: Any) -> None:
    if part.get_missing_dependency():
        pytest.skip(part.get_missing_dependency())
    if part.tasks == ("regression",):
        pytest.skip("there are no classes")
    X, y = rows("multiclass", 200, 1)
    flags = np.zeros(5, dtype=bool)
    facts = TableFacts.from_rows(
        X, 2 * y, task="multiclass", n_classes=4, categorical=flags, seed=1
    )
    pipeline = part().build({"rounds": 20}, facts)
    watched = ValidationData(X[:50], np.where(np.arange(50) % 5 == 0, 1, 2 * y[:50]))
    fit_with_early_stopping(pipeline.estimator, X, 2 * y, None, watched)
    model = extract_trained(pipeline.estimator)
    assert {0, 2} <= set(np.asarray(model.classes_).tolist()) <= {0, 1, 2, 3}
    assert np.mean(model.predict(X) == 2 * y) > 0.8


@pytest.mark.parametrize("part", OPTIONAL, ids=lambda part: part.key)
def test_pickle_references_required_library_only(part: Any) -> None:
    if part.get_missing_dependency():
        pytest.skip(part.get_missing_dependency())
    task = part.tasks[0]
    X, y = rows(task, 60, 1)
    pipeline = part().build({"rounds": 3}, make_facts(task, X, y))
    model = extract_trained(pipeline.estimator.fit(X, y))
    content = pickle.dumps(model)
    assert [name for name, sign in MODULE_MARKERS.items() if sign in content] == [
        part.required_library.module
    ]
    assert b"studio" not in content


def test_run_reports_missing_libraries_at_start(monkeypatch: Any) -> None:
    assert list_missing_dependencies(load("best")) == ()
    monkeypatch.setitem(sys.modules, "xgboost", None)
    (missing_libraries,) = list_missing_dependencies(load("xgboost"))
    assert "needs XGBoost" in missing_libraries


def test_missing_library_of_ensemble_error_names_extra(monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "xgboost", None)
    stored_models = SerializedModels('{"model": ["xgboost.XGBClassifier", {}]}', {})
    assert list_versions(stored_models)["xgboost"] == "", (
        "no version fits, so its members are trained again"
    )
    assert "xgboost" not in list_versions(SerializedModels("[]", {}))
    missing_libraries = list_missing_dependencies(load("xgboost"))
    with pytest.raises(RunError, match=r"needs XGBoost.* .xgboost>=3"):
        drop_failed_members(Ensemble((1,), (1.0,), "mean"), {}, missing_libraries)


def test_early_stopping_waits_for_patience_rounds() -> None:
    clock = EarlyStopper(500, 0.1, ValidationData())
    losses = [1.0, 0.8, 0.9, *[0.85] * 200]
    last = next(
        number for number, loss in enumerate(losses, start=1) if clock.is_over(number, loss)
    )
    assert clock.rounds == 2
    assert last - 2 == compute_patience(500, 2, 0.1)


def test_early_stopping_is_skipped_without_known_validation_classes() -> None:
    class CountingTraining(RoundsTraining):
        def train_rounds(
            self, X: Any, y: Any, sample_weight: Any, rounds: int, stopper: Any = None
        ) -> Any:
            assert stopper is None, "there is nothing to watch"
            return rounds

    training = CountingTraining({"learning_rate": 0.1}, rounds=7, is_classification=True)
    training.validation_data = ValidationData(np.zeros((2, 1)), np.array([3, 3]))
    assert training.fit(np.zeros((4, 1)), np.array([0, 1, 0, 1])).to_sklearn() == 7


TASKS = ("multiclass", "regression")


@pytest.mark.parametrize("task", TASKS)
def test_default_method_searches_installed_learners_only(task: Any, monkeypatch: Any) -> None:
    base = load(get_preset("best").spaces[task])
    joined = find_joined_spaces(base.name)
    assert len(joined) == 3
    for each in joined:
        monkeypatch.setitem(sys.modules, each.module, None)
    assert get_space("best", task) == base
    starts = list_starts(base, 500, regression=task == "regression")
    for each in joined:
        monkeypatch.setitem(sys.modules, each.module, sys)  # any module will do
    monkeypatch.setattr("studio.proposers.portfolio.find_cached_weights", lambda *given: given)
    space = get_space("best", task)
    space.check()
    keys = {part.key for part in JOINING if task in part.tasks}
    root, before = space.find_root_choice(), base.find_root_choice()
    assert root is not None and before is not None
    assert set(root.choices) - set(before.choices) == keys
    longer = list_starts(space, 500, regression=task == "regression")
    assert longer[: len(starts)] == starts, "optional ones come last"
    assert {each.configuration["algorithm"] for each in longer[len(starts) :]} <= keys


def test_joined_branch_declares_its_library() -> None:
    needs = {part.key: part.required_library for part in JOINING}
    for key in get_preset("best").spaces.values():
        for each in find_joined_spaces(key):
            (root,) = [
                parameter
                for parameter in load(each.space).parameters
                if parameter.name == "algorithm"
            ]
            library = needs[str(root.get_default())]
            assert library is not None and library.module == each.module
            assert {start.configuration["algorithm"] for start in each.starts} <= {
                root.get_default()
            }

"""Which methods fit which evaluation, and the overfitting strategies by name, end to end."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from studio.data.splits import SplitPlan
from studio.data.tasks import Task
from studio.document.store import Document
from studio.ensembles.base import combine
from studio.errors import UsageError
from studio.proposers.method import compose, list_unavailable_methods
from studio.proposers.preset_table import PRESETS
from studio.runs.compatible import check_method, check_settings, check_space, compose_checked
from studio.runs.load import load_history
from studio.runs.prepare import build_ensemble, prepare
from studio.runs.settings import RunSettings, TableSource
from studio.space.library import get_default, load
from studio.space.parameters import Categorical
from studio.space.space import Space
from tests.facts import about, facts

Make = Callable[..., tuple[Path, int]]


def rejection(check: Callable[..., None], *given: object) -> str:
    """Return the message of a rejection; empty if accepted."""
    try:
        check(*given)
    except UsageError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("plan", [SplitPlan(), SplitPlan(folds=3)], ids=["hold-out", "folds"])
def test_methods_are_compatible_with_their_evaluation(plan: SplitPlan) -> None:
    absent_here = {method.key for method in list_unavailable_methods()}
    refused = {
        f"{preset.key}, {task}": reason
        for preset in PRESETS
        for task in ("binary", "regression")
        if task not in preset.rejections and preset.key not in absent_here
        if (reason := rejection(check_method, compose(preset.key, {}, task), plan))
    }
    assert refused == {}


def test_reshuffling_requires_single_model_method() -> None:
    single = {"RS", "gp", "gp-r", "gp-sel-r", "gp-pm-r", "cma-bw-r", "BO-best", "SMAC"}
    combining = {"RS-post", "RS-ES", "ERS", "EO-sqm", "EO-post", "ESMBO", "DivBO", "NES"}
    keys = {preset.key for preset in PRESETS}
    assert single | combining <= keys
    for key in single | combining:
        method = compose(key, {"evaluation": "reshuffle"}, "binary")
        check_method(method, SplitPlan(folds=5))
        reason = rejection(check_method, method, SplitPlan())
        assert ("predicts different rows" in reason) if key in combining else not reason


def test_undetermined_task_is_rejected_only_if_none_is_compatible() -> None:
    source = TableSource(path="table.csv")
    assert check_settings(RunSettings(method="EO-sqm", source=source)) == "EO-sqm"
    assert check_settings(RunSettings(source=source)) == "auto"
    reshuffled = RunSettings(method="EO-sqm", overrides={"evaluation": "reshuffle"}, source=source)
    with pytest.raises(UsageError, match="predicts different rows"):
        check_settings(reshuffled)
    with pytest.raises(UsageError, match="no method called"):
        check_settings(RunSettings(method="nothing", source=source))


def test_unknown_metric_suggests_nearest_of_undetermined_task() -> None:
    def reject(metric: str, **task: Any) -> dict[str, Any]:
        with pytest.raises(UsageError) as rejected:
            check_settings(RunSettings(metric=metric, source=TableSource(path="t.csv", **task)))
        return facts(rejected.value)

    found = reject("rmsee")
    assert found["similar"] == "'rmse'"
    assert {"error", "rmse"} <= set(found["names"].split(", "))
    assert "error" not in reject("rmsee", task="regression")["names"].split(", ")


def test_metric_excludes_methods_of_other_tasks() -> None:
    """The message names the method, which is at fault, and not the metric."""
    settings = RunSettings(method="EO-C", metric="rmse", source=TableSource(path="t.csv"))
    with pytest.raises(UsageError, match="EO-C"):
        check_settings(settings)


@pytest.mark.parametrize("task", ["auto", "binary", "multiclass"])
def test_f1_of_scikit_learn_is_not_macro_mean(task: Any) -> None:
    source = TableSource(path="t.csv", task=task)
    with pytest.raises(UsageError, match="f1_macro"):
        check_settings(RunSettings(metric="f1", source=source))
    check_settings(RunSettings(metric="f1_macro", source=source))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["gp-r", "gp-sel-r", "gp-pm-r", "cma-bw-r", "cma-gv"])
def test_overfitting_strategies_finish_with_tested_single_model(
    new_run: Make, run_inline: Callable[..., str], method: str
) -> None:
    path, run_id = new_run(method=method, budget=4)
    assert run_inline(path, run_id) == "finished"
    with Document.open(path, writable=False) as document:
        result = document.runs.get(run_id).result
        trials = document.trials.list_all(run_id)
        overrides = document.runs.get(run_id).settings["overrides"]
    assert result is not None
    assert len(result.members) == 1
    assert result.test_error_ensemble is not None
    assert len(trials) == 4 + ("pm" in method)
    kept_aside = any(part in method for part in ("sel", "bw", "gv"))
    assert all((trial.selection is not None) == kept_aside for trial in trials)
    assert "evaluation" not in overrides


@pytest.mark.parametrize(
    ("key", "task", "fits"),
    [
        ("perceptron", "regression", False),
        ("sklearn-cash", "regression", False),
        ("svr", "binary", False),
        ("svm-rbf", "multiclass", True),
        ("sklearn-cash-regression", "regression", True),
        ("dummy", "regression", False),  # it names no learners
    ],
)
def test_space_of_another_task_is_rejected_before_training(
    key: str, task: Task, fits: bool
) -> None:
    reason = rejection(check_space, load(key), task)
    spaces = reason.partition("Suitable spaces: ")[2]
    assert not reason if fits else get_default(task).name in spaces


def test_space_with_unknown_learner_is_not_rejected() -> None:
    space = Space("own", (Categorical("algorithm", choices=("ridge", "my-own")),))
    assert rejection(check_space, space, "binary") == ""


def test_options_without_effect_are_rejected() -> None:
    def checked(method: str, **overrides: object) -> str:
        dotted_overrides = {name.replace("__", "."): value for name, value in overrides.items()}
        return check_settings(RunSettings(method=method, overrides=dotted_overrides))

    trees = about(name="surrogate.trees", part="surrogate", option="kernel")
    with pytest.raises(UsageError, check=trees):
        checked("EO-sqm", surrogate__trees=7)
    assert checked("EO-sqm", surrogate__trees=7, surrogate__kernel="mondrian") == "EO-sqm"
    with pytest.raises(
        UsageError, check=about(name="surrogate.samples", option="inference", values="slice")
    ):
        checked("EO-sqm", surrogate__samples=3, surrogate__inference="ml")
    assert checked("EO-sqm", surrogate__samples=3) == "EO-sqm"
    # The same option of another part is allowed there; a preset's own options count, too.
    assert checked("EO-sqm", surrogate="random-forest", surrogate__trees=7) == "EO-sqm"
    fixed = next(each for each in PRESETS if each.options.get("proposer.weight") == "fixed")
    assert checked(fixed.key, proposer__fixed_weight=0.3) == fixed.key
    with pytest.raises(UsageError, match="Remove it"):
        checked(fixed.key, proposer__beta=0.3)


@pytest.mark.parametrize("metric", ["auc", "log-loss", "brier"])
@pytest.mark.parametrize(
    ("method", "overrides"),
    [
        ("EO-sqm", {}),
        ("EO-sig", {}),
        ("RS-post", {"ensemble.combination": "vote"}),
        ("ERS", {"ensemble.combination": "vote"}),
    ],
)
def test_voting_is_rejected_for_probability_metrics(
    method: str, overrides: dict[str, str], metric: str
) -> None:
    source = TableSource(path="table.csv", task="binary")
    settings = RunSettings(method=method, overrides=overrides, metric=metric, source=source)
    with pytest.raises(UsageError, match="judges probabilities"):
        compose_checked(settings, "binary")
    compose_checked(replace(settings, metric="balanced-error"), "binary")


@pytest.mark.slow
@pytest.mark.parametrize("method", ["RS-post", "EO-post", "ERS", "DivBO", "best"])
def test_averaging_methods_support_probability_metrics(
    new_run: Make, run_inline: Callable[..., str], method: str
) -> None:
    path, run_id = new_run(method=method, budget=4, metric="auc")
    assert run_inline(path, run_id) == "finished"
    with Document.open(path, writable=False) as document:
        prepared_run = prepare(document, run_id)
        history = load_history(document, run_id, prepared_run)
        ensemble = build_ensemble(prepared_run, history)
    assert ensemble.combination == "mean"
    together = prepared_run.compute_loss(
        prepared_run.split.validation, combine(history.get_predictions, ensemble)
    )
    if method in ("RS-post", "EO-post"):  # chosen by the metric itself
        assert together <= min(trial.loss for trial in history.succeeded)

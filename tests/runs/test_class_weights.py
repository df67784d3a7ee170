"""Class weights in the runs of ``best`` for the balanced error."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.analysis.one_row.helper_tasks import make_row_form
from studio.data.metrics.predicted_classes import BalancedError
from studio.data.metrics.registry import REGISTRY as METRICS
from studio.document.store import Document
from studio.export.predict import predict_table
from studio.learners.operators.base import EMPTY
from studio.learners.operators.targets import WeightBalancer
from studio.proposers.portfolio import list_starts
from studio.proposers.spaces import get_space
from studio.runs.load import follow
from studio.runs.prepare import CLASSES_WEIGHTED, add_class_weights, describe_class_weights
from studio.runs.settings import RunSettings, TableSource
from studio.space.choices import Categorical, Constant

STAGE, WEIGHTS = WeightBalancer.stage, WeightBalancer.key


@pytest.fixture
def rare_class_table(tmp_path: Path) -> TableSource:
    """Return a table of 400 rows in which 30 of class b overlap with many of class a."""
    rng = np.random.default_rng(3)
    is_rare = np.arange(400) % 13 == 0
    x = rng.normal(size=400) + 1.2 * is_rare
    table = tmp_path / "rare.csv"
    rows = [f"{value:.4f},{'b' if each else 'a'}" for value, each in zip(x, is_rare, strict=True)]
    table.write_text("\n".join(["x,kind", *rows]))
    return TableSource(path=str(table), target="kind", task="binary")


def count_rare_labels(path: Path, run_id: int) -> tuple[int, set[Any]]:
    """Return the validation rows labelled as the rarer class by the first trial; its operators."""
    with Document.open(path, writable=False) as document:
        prepared, history = follow(document, run_id)
    trial = history.succeeded[0]
    labels = history.get_predictions(trial.number).argmax(axis=1)
    rarer = prepared.problem.classes.index("b")
    return int((labels == rarer).sum()), {trial.configuration.get(STAGE)}


@pytest.mark.slow
def test_best_predicts_rare_class_for_balanced_error(
    rare_class_table: TableSource, new_run: Callable[..., Any], run_inline: Callable[..., str]
) -> None:
    found, notes = {}, {}
    for metric in ("balanced-error", "error"):
        path, run_id = new_run(
            source=rare_class_table,
            method="best",
            budget=1,
            metric=metric,
            advised=True,
            refit=False,
        )
        assert run_inline(path, run_id) == "finished"
        found[metric] = count_rare_labels(path, run_id)
        with Document.open(path) as document:
            predicted = predict_table(document, run_id, Path(rare_class_table.path))
        assert predicted.probability_note == make_row_form(path, run_id).probability_note
        assert (CLASSES_WEIGHTED in predicted.notes) is bool(predicted.probability_note)
        notes[metric] = predicted.probability_note
    assert notes == {"balanced-error": CLASSES_WEIGHTED, "error": ""}
    assert found["balanced-error"][1] == {WEIGHTS}
    assert found["error"][1] == {None}
    assert found["balanced-error"][0] > 2 * found["error"][0]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.key)
def test_space_has_class_weights_for_mean_of_classes_only(metric: Any) -> None:
    space = get_space("best", "multiclass")
    weighted = add_class_weights(space, metric())
    added = [each for each in weighted.parameters if each not in space.parameters]
    assert [each.sets for each in added] == ([STAGE] if metric.key == "balanced-error" else [])


def test_probabilities_have_note_if_all_trials_weight_classes() -> None:
    space, settings = get_space("best", "multiclass"), RunSettings()
    balanced = add_class_weights(space, BalancedError())
    assert describe_class_weights(settings, space) == ""
    assert describe_class_weights(settings, balanced) == CLASSES_WEIGHTED
    chosen = replace(settings, class_weights="balanced")
    assert describe_class_weights(chosen, space) == CLASSES_WEIGHTED
    choice = Categorical(STAGE, choices=(EMPTY, WEIGHTS))
    partly = replace(space, parameters=(*space.parameters, choice))
    assert describe_class_weights(settings, partly) == "", "some trials only"


@pytest.mark.slow
def test_custom_space_is_kept(
    rare_class_table: TableSource, new_run: Callable[..., Any], run_inline: Callable[..., str]
) -> None:
    full_space = get_space("best", "binary")
    first, *others = full_space.parameters
    edited = replace(full_space, parameters=(replace(first, note="My choice."), *others))
    notes = {}
    for name, space in (("own", edited), ("edited back", full_space)):
        path, run_id = new_run(
            source=rare_class_table,
            method="best",
            budget=1,
            metric="balanced-error",
            advised=True,
            refit=False,
            space=space.to_json(),
        )
        assert run_inline(path, run_id) == "finished"
        with Document.open(path, writable=False) as document:
            prepared, history = follow(document, run_id)
        notes[name] = prepared.notes
        weights = history.trials[0].configuration.get(STAGE)
        assert weights == (WEIGHTS if name == "edited back" else None)
    assert len(notes["edited back"]) == len(notes["own"]) + 1, "probabilities are explained"


def test_user_choice_of_class_weights_is_kept() -> None:
    balanced_error = next(each for each in METRICS if each.averages_classes)()
    space = get_space("best", "multiclass")
    own = replace(space, parameters=(*space.parameters, Constant(STAGE, value="empty")))
    assert add_class_weights(own, balanced_error) is own


def test_all_starts_have_class_weights() -> None:
    balanced_error = next(each for each in METRICS if each.averages_classes)()
    space = get_space("best", "multiclass")
    weighted = add_class_weights(space, balanced_error)
    starts = list_starts(weighted, 500, regression=False)
    assert [each.configuration for each in starts] == [
        {**each.configuration, STAGE: WEIGHTS} for each in list_starts(space, 500, regression=False)
    ]

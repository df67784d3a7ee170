"""Example answers with simple numbers."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from studio.analysis.answers.ensemble import (
    Contributions,
    EnsembleMargins,
    EnsembleObjective,
    LossCurve,
    MinDiversity,
    PairDiversity,
    RankAgreement,
    WhatIfLosses,
)
from studio.analysis.answers.predictions import PredictionErrors
from studio.analysis.answers.surrogate import (
    HyperparameterImportances,
    NextTrial,
    OneStepAhead,
    SurrogatePlane,
    SurrogateSlice,
)
from studio.data.metrics.curves import Curve, Reliability
from studio.questions.columns.answer import ColumnEffects, ColumnEffectsPlan, Dependence

FAILED = (4, 9)
"""Trials without a loss."""

_GRID = np.linspace(1.0, 30.0, 30)

SLICE = SurrogateSlice(
    "knn.n_neighbors",
    is_log=False,
    choices=(),
    grid=_GRID,
    mean=0.2 + 0.001 * _GRID,
    sd=np.full(30, 0.02),
    acquisition=np.exp(-((_GRID - 7) ** 2)),
    draws=0.2 + 0.001 * np.stack([_GRID, _GRID[::-1]]),
    trial_values=np.array([3.0, np.nan, 12.0]),
    trial_targets=np.array([0.21, 0.4, 0.22]),
    trial_numbers=np.array([1, 2, 3]),
    is_trial_in_branch=np.ones(3, dtype=bool),
    next_trial=NextTrial(7.0, 0.207, 0.02, 1.0),
    is_next_chosen=True,
    has_next_trial=True,
    objective="validation loss",
    acquisition_title="Expected improvement",
    explanation="The others are held as in trial 3.",
)

_CELLS = np.linspace(0.1, 0.4, 12).reshape(1, 3, 4)

PLANE = SurrogatePlane(
    "rbf-svm.C",
    "rbf-svm.width",
    panels=("rbf-svm",),
    mean=_CELLS,
    sd=_CELLS / 10,
    acquisition=_CELLS - 0.1,
    fixed_values=("the next configuration",),
    trial_panels=np.array([0, 0]),
    trial_numbers=np.array([2, 3]),
    trial_x=np.array([0.2, 0.8]),
    trial_y=np.array([0.1, 0.9]),
    trial_targets=np.array([0.21, 0.33]),
    next_point=(0.0, 0.5, 0.5),
    has_next_trial=True,
    objective="validation loss",
    acquisition_title="Expected improvement",
)

CALIBRATION = OneStepAhead(
    numbers=np.array([3, 5, 6, 7]),
    predicted_means=np.array([0.2, 0.2, 0.1, 0.3]),
    sd=np.array([0.05, 0.01, 0.02, 0.01]),
    observed=np.array([0.23, 0.19, 0.18, 0.1]),
    n_random=2,
    n_failed=1,
    objective="validation loss",
)

MATRIX = np.array([[0.0, 0.1, 0.3], [0.1, 0.0, 0.2], [0.3, 0.2, 0.0]])

DIVERSITY = PairDiversity(np.array([2, 3, 5]), MATRIX, MATRIX / 2)

AGREEMENT = RankAgreement(np.array([10, 15]), np.array([0.4, 0.6]))

_OWN = np.array([0.1, 0.2, 0.3])

CONTRIBUTIONS = Contributions(
    members=np.array([2, 3, 5]),
    weights=np.full(3, 1 / 3),
    validation=0.1,
    test=0.12,
    member_validation_losses=_OWN,
    member_test_losses=_OWN + 0.02,
    without_validation=0.1 + np.array([0.01, 0.0, -0.02]),
    without_test=0.12 + np.array([0.02, -0.01, 0.0]),
)

_MARGINS = np.linspace(-1.0, 1.0, 5)

MARGINS = EnsembleMargins(
    grid=_MARGINS,
    curves=(
        LossCurve("zero-one", "Error of the vote", "1 where M < 0", np.array([1, 1, 0.5, 0, 0])),
        LossCurve("sqm", "Squared margin", "(1 − M)²/4", (1 - _MARGINS) ** 2 / 4),
    ),
    search_loss="sqm",
    points_x=np.array([-1.0, -1 / 3, 1 / 3, 1.0]),
    points_y=np.array([1.0, 4 / 9, 1 / 9, 0.0]),
    edges=np.array([-1.0, 0.0, 1.0]),
    counts=np.array([1, 9]),
    size=3,
    wrong_share=0.1,
    low_margin_share=0.3,
    mean=0.4,
)

_LINE = np.array([0.0, 0.5, 1.0])
_COUNTS = np.array([0, 0, 4, 0, 0, 0, 0, 0, 0, 6])
_BINS = np.full(10, np.nan)
_BINS[2], _BINS[9] = 0.25, 1.0

ERRORS = PredictionErrors(
    classes=("no", "yes"),
    curve_class=1,
    members=3,
    best_single_trial=2,
    count=10,
    confusion=np.array([[4, 2], [1, 3]]),
    roc=(
        Curve(_LINE, np.array([0.0, 0.75, 1.0]), 0.625),
        Curve(_LINE, np.array([0.0, 0.5, 1.0]), 0.5),
    ),
    precision=(
        Curve(_LINE, np.array([1.0, 0.8, 0.4]), 0.6),
        Curve(_LINE, np.array([1.0, 0.5, 0.4]), 0.45),
    ),
    reliability=tuple(Reliability(_COUNTS, _BINS, _BINS, error) for error in (0.1, 0.2)),
    listed_rows=np.array([7, 3]),
    listed_truth=np.array([1, 0]),
    listed_predicted=np.array([1, 1]),
    listed_spread=np.array([0.5, 0.75]),
    listed_runner_up=np.array([0, 0]),
    worst_rows=np.array([3]),
    worst_truth=np.array([0]),
    worst_predicted=np.array([1]),
    worst_share=np.array([0.02]),
)

ERRORS_OF_VALUES = PredictionErrors(
    members=3,
    count=4,
    listed_rows=np.array([9, 4]),
    listed_truth=np.array([2.0, 5.0]),
    listed_predicted=np.array([2.5, 4.0]),
    listed_spread=np.array([0.7, 0.2]),
    listed_runner_up=np.array([np.nan, np.nan]),
    worst_rows=np.array([4]),
    worst_truth=np.array([5.0]),
    worst_predicted=np.array([4.0]),
    worst_share=np.array([np.nan]),
    dot_rows=np.array([1, 4, 9]),
    dots_truth=np.array([1.0, 5.0, 2.0]),
    dots_predicted=np.array([1.0, 4.0, 2.5]),
    rmse=np.array([0.65]),
    mae=np.array([0.5]),
    r2=np.array([0.9]),
)

PLAN = ColumnEffectsPlan(
    names=("a", "b", "colour"),
    sources=("a", "b", "colour"),
    members=(2, 3),
    n_members=3,
    weight=0.75,
    n_rows=20,
    fit_seconds=3.2,
    classes=("no", "yes"),
    positive_class="yes",
    target="target",
)

EFFECTS = ColumnEffects(
    plan=PLAN,
    rises=np.array([[0.1, np.nan, 0.3], [0.2, np.nan, 0.3]]),
    low=np.array([0.08, np.nan, 0.3]),
    high=np.array([0.22, np.nan, 0.3]),
    is_significant=np.array([True, False, True]),
    metric="Log loss",
    loss=0.2,
    dependences={
        0: Dependence(
            grid=np.array([0.0, 1.0, 2.0]),
            labels=(),
            means=np.array([[0.5, 0.5], [0.4, 0.6], [0.1, 0.9]]),
            edges=np.array([0.0, 1.0, 2.0]),
            counts=np.array([30, 50]),
            n_missing=1,
        ),
        2: Dependence(
            grid=np.array([0.0, 1.0]),
            labels=("red", "green"),
            means=np.array([[0.7, 0.3], [0.2, 0.8]]),
            edges=np.empty(0),
            counts=np.array([20, 60]),
            n_missing=0,
        ),
    },
)


def importances(arguments: Mapping[str, Any]) -> HyperparameterImportances:
    branch = arguments["branch"]
    return HyperparameterImportances(
        names=("algorithm", f"{branch}.a", f"{branch}.b", f"{branch}.c"),
        scopes=("", branch, branch, branch),
        share=np.array([0.7, 0.2, np.nan, 0.5]),
        spread=np.array([0.004, 0.05, np.nan, 0.1]),
        n_active_trials=np.array([20, 6, 1, 6]),
        model="the run's surrogate (Gaussian process)",
        models=10,
    )


def least_diversity(last: int) -> MinDiversity:
    numbers = np.array([n for n in range(2, last + 1) if n not in FAILED], dtype=np.int64)
    return MinDiversity(numbers, 0.3 + 0.01 * (numbers % 7), np.ones_like(numbers))


def what_if(arguments: Mapping[str, Any]) -> WhatIfLosses:
    numbers = [number for number, _ in arguments["weights"]]
    return WhatIfLosses(
        validation=0.01 * len(numbers),
        test=0.02 * len(numbers),
        actual_validation=0.05,
        actual_test=0.1,
        rule="Members vote.",
        can_set_weights=True,
        member_test_losses=dict.fromkeys(numbers, 0.3),
    )


def ensemble_objective(arguments: Mapping[str, Any]) -> EnsembleObjective:
    numbers = np.array([n for n in range(1, arguments["iteration"] + 1) if n not in FAILED])
    count, every = len(numbers), 3 if arguments["every_slot"] else 0
    lined = arguments["parameter"] is not None
    grid = np.linspace(1.0, 10.0, 20) if lined else np.empty(0)
    return EnsembleObjective(
        numbers=numbers,
        trial_losses=0.1 + 0.01 * numbers,
        joint_losses=np.where(numbers == 2, np.nan, 0.08 + 0.002 * numbers),
        members=numbers < 4,
        trial_x=numbers / 2.0 if lined else numbers.astype(float),
        losses_by_slot=0.1 + 0.001 * np.arange(every * count).reshape(every, count),
        slot_trials=np.array([2, 1, 3]),
        slot=1,
        next_slot=1,
        ensemble_loss=0.1,
        loss="Squared margin",
        in_metric=False,
        note="The trial takes the place of the slot's member.",
        grid=grid,
        mean=0.1 + 0.001 * grid,
        sd=0.01 + 0.0 * grid,
        means_by_slot=np.empty((0, len(grid))),
    )


def make_constant_answer(answer: Any) -> Callable[[Mapping[str, Any]], Any]:
    """Return a function with a constant answer."""
    return lambda arguments: answer


ANSWERS: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "slice": make_constant_answer(SLICE),
    "surrogate_map": make_constant_answer(PLANE),
    "calibration": make_constant_answer(CALIBRATION),
    "importance": importances,
    "diversity": make_constant_answer(DIVERSITY),
    "search_diversity": make_constant_answer(least_diversity(20)),
    "search_agreement": make_constant_answer(AGREEMENT),
    "contributions": make_constant_answer(CONTRIBUTIONS),
    "what_if": what_if,
    "ensemble_objective": ensemble_objective,
    "margins": make_constant_answer(MARGINS),
    "prediction_errors": make_constant_answer(ERRORS),
    "make_column_plan": make_constant_answer(PLAN),
    "compute_column_effects": lambda arguments: replace(EFFECTS, iteration=arguments["iteration"]),
}
"""By task."""

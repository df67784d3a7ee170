"""Helper tasks that compute answers about a run or a study, whose modules are imported on use."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from studio.analysis.answers.ensemble import (
    Contributions,
    EnsembleMargins,
    EnsembleObjective,
    MinDiversity,
    PairDiversity,
    RankAgreement,
    WhatIfLosses,
)
from studio.analysis.answers.learning_curve import CurveCost
from studio.analysis.answers.predictions import DecisionFigures, PredictionErrors, TrialTestLosses
from studio.analysis.answers.rows import RowForm, RowPrediction, RowReasons, TableRow, Value
from studio.analysis.answers.surrogate import (
    HyperparameterImportances,
    OneStepAhead,
    PosteriorChoices,
    SurrogatePlane,
    SurrogateSlice,
)
from studio.compare.answers import InterimResults, StudyGrid
from studio.data.metrics.plain_score import PlainScore
from studio.tasks import task


@task("slice")
def compute_surrogate_slice(
    path: Path, run_id: int, iteration: int | None, parameter: str
) -> SurrogateSlice:
    """Return the surrogate of the suggestion after an iteration."""
    from studio.analysis.surrogate.planes import compute_surrogate_slice as compute

    return compute(path, run_id, iteration, parameter)


@task("surrogate_map")
def compute_surrogate_plane(
    path: Path, run_id: int, iteration: int | None, x: str, y: str
) -> SurrogatePlane:
    """Return the surrogate over two hyperparameters, for the suggestion after an iteration."""
    from studio.analysis.surrogate.planes import compute_surrogate_plane as compute

    return compute(path, run_id, iteration, x, y)


@task("calibration", slow=True)
def predict_one_step_ahead(path: Path, run_id: int, iteration: int | None) -> OneStepAhead:
    """Return the predictions of a run's trials up to an iteration, and the observed losses."""
    from studio.analysis.surrogate.calibration import predict_one_step_ahead as compute

    return compute(path, run_id, iteration)


@task("importance", slow=True)
def compute_importances(
    path: Path, run_id: int, iteration: int | None, branch: str
) -> HyperparameterImportances:
    """Return the main effects after an iteration."""
    from studio.analysis.surrogate.importances import compute_importances as compute

    return compute(path, run_id, iteration, branch)


@task("posterior_choices", slow=True)
def compute_posterior_choices(path: Path, run_id: int, iteration: int | None) -> PosteriorChoices:
    """Return a run's choices by posterior mean, up to an iteration or the latest."""
    from studio.analysis.surrogate.choices import compute_posterior_choices as compute

    return compute(path, run_id, iteration)


@task("diversity")
def compute_member_diversity(path: Path, run_id: int, iteration: int | None) -> PairDiversity:
    """Compare the members' stored validation predictions, by default of the newest ensemble."""
    from studio.analysis.diversity import compute_member_diversity as compute

    return compute(path, run_id, iteration)


@task("search_diversity", slow=True)
def compute_least_diversity(path: Path, run_id: int) -> MinDiversity:
    """Return the distance of each suggestion of a run from the ensemble before it."""
    from studio.analysis.diversity import compute_least_diversity as compute

    return compute(path, run_id)


@task("search_agreement", slow=True)
def compute_surrogate_agreement(path: Path, run_id: int, iteration: int) -> RankAgreement:
    """Return Kendall's tau of the diversity surrogate at all known :func:`list_checkpoints`."""
    from studio.analysis.diversity import compute_surrogate_agreement as compute

    return compute(path, run_id, iteration)


@task("contributions")
def load_contributions(path: Path, run_id: int, iteration: int | None = None) -> Contributions:
    """Return the contributions in a run's ensemble."""
    from studio.analysis.contributions import load_contributions as compute

    return compute(path, run_id, iteration)


@task("headline")
def load_headline(path: Path, run_id: int) -> PlainScore:
    """Return the first sentence about a finished run; raise RunError if no trial succeeded."""
    from studio.analysis.headline import load_headline as compute

    return compute(path, run_id)


@task("own_test_losses", slow=True)
def compute_trial_test_losses(path: Path, run_id: int) -> TrialTestLosses:
    """Return the test losses, computing only those of new trials."""
    from studio.analysis.trial_test_losses import compute_trial_test_losses as compute

    return compute(path, run_id)


@task("curve_cost")
def estimate_curve_cost(path: Path, run_id: int) -> CurveCost:
    """Estimate the duration of a run's learning curve, or explain why it is impossible."""
    from studio.analysis.learning_curve.curve import estimate_curve_cost as compute

    return compute(path, run_id)


@task("what_if")
def compute_what_if(
    path: Path, run_id: int, iteration: int, weights: Mapping[int, float]
) -> WhatIfLosses:
    """Return the losses of the ensemble of these trials."""
    from studio.analysis.what_if import compute_what_if as compute

    return compute(path, run_id, iteration, weights)


@task("ensemble_objective")
def compute_ensemble_objective(
    path: Path,
    run_id: int,
    iteration: int,
    *,
    slot: int | None = None,
    parameter: str | None = None,
    every_slot: bool = False,
) -> EnsembleObjective:
    """Return the trials' losses, alone and within the ensemble, up to an iteration."""
    from studio.analysis.ensemble_objective import compute_ensemble_objective as compute

    return compute(path, run_id, iteration, slot=slot, parameter=parameter, every_slot=every_slot)


@task("margins")
def compute_margins(path: Path, run_id: int, iteration: int) -> EnsembleMargins:
    """Return the losses and margins of the ensemble at an iteration, on the validation rows."""
    from studio.analysis.margins import compute_margins as compute

    return compute(path, run_id, iteration)


@task("prediction_errors")
def compute_prediction_errors(
    path: Path,
    run_id: int,
    iteration: int,
    rows: Literal["validation", "test"],
    about: int | None,
    *,
    decision: tuple[str, float] | None = None,
    columns: tuple[str, ...] = (),
    n_informative: int = 0,
) -> PredictionErrors:
    """Return the errors of a run's ensemble."""
    from studio.analysis.prediction_errors import compute_prediction_errors as compute

    return compute(
        path,
        run_id,
        iteration,
        rows,
        about,
        decision=decision,
        columns=columns,
        n_informative=n_informative,
    )


@task("decision")
def compute_decision_figures(
    path: Path,
    run_id: int,
    *,
    positive_class: str | None = None,
    threshold: float | None = None,
    miss_cost: float | None = None,
    alarm_cost: float | None = None,
    capacity: float | None = None,
    f1_optimal: bool = False,
) -> DecisionFigures:
    """Return the outcome of a threshold on the probability of a class."""
    from studio.analysis.decision import compute_decision_figures as compute

    return compute(
        path,
        run_id,
        positive_class=positive_class,
        threshold=threshold,
        miss_cost=miss_cost,
        alarm_cost=alarm_cost,
        capacity=capacity,
        f1_optimal=f1_optimal,
    )


@task("row_form", slow=True)
def make_row_form(path: Path, run_id: int) -> RowForm:
    """Return the fields of a run's form, or the reason for having none."""
    from studio.analysis.one_row.helper_tasks import make_row_form as compute

    return compute(path, run_id)


@task("table_row", slow=True)
def get_table_row(path: Path, run_id: int, row: int) -> TableRow:
    """Return a row of the run's own table by its number, from 1; raise DataError if missing."""
    from studio.analysis.one_row.helper_tasks import get_table_row as compute

    return compute(path, run_id, row)


@task("row_prediction", slow=True)
def predict_row(path: Path, run_id: int, values: tuple[Value, ...]) -> RowPrediction:
    """Return the ensemble's prediction of a row; values in the order of the form's fields."""
    from studio.analysis.one_row.helper_tasks import predict_row as compute

    return compute(path, run_id, values)


@task("row_reasons", slow=True)
def explain_row(
    path: Path, run_id: int, values: tuple[Value, ...], notable_change: float
) -> RowReasons:
    """Continue the explanation of a row (a value per field) for ``seconds``, until it is done."""
    from studio.analysis.one_row.helper_tasks import explain_row as compute

    return compute(path, run_id, values, notable_change)


@task("keep_study")
def store_study(path: Path, study_json: Mapping[str, Any]) -> None:
    """Store a study as the document's own."""
    from studio.compare.helper_tasks import store_study as compute

    return compute(path, study_json)


@task("study_grid")
def load_study_grid(document: Path) -> StudyGrid:
    """Return the grid of a document's study; raise UsageError if there is none."""
    from studio.compare.helper_tasks import load_study_grid as compute

    return compute(document)


@task("study_results", slow=True)
def compute_study_results(document: Path, *, thorough: bool) -> InterimResults:
    """Return the interim results of a study; ``thorough``: with probabilities from test rows."""
    from studio.compare.interim_results import compute_study_results as compute

    return compute(document, thorough=thorough)

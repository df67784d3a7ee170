"""Registry of the helper's tasks. A new task needs its function and a line in this module.

A request contains the arguments of its task's function by name. Arguments and the returned value
are converted by their types (:mod:`studio.helper.answers`).
"""

from collections.abc import Mapping
from typing import Any

from studio.errors import UsageError
from studio.helper import computations, library_settings, methods, predicted_rows, runs, tables
from studio.helper.answers import decode_arguments
from studio.helper.preview import preview
from studio.questions.columns import compute_column_effects, make_column_plan
from studio.tasks import Task

TASKS: tuple[Task[..., Any], ...] = (
    methods.make_catalogue,
    methods.check_method,
    methods.compute_advice,
    preview,
    tables.compute_column_facts,
    tables.find_table_target,
    tables.check_second_file,
    tables.check_table,
    tables.find_nearby_tables,
    library_settings.list_library_settings,
    library_settings.format_library_setting,
    library_settings.find_library_problems,
    predicted_rows.estimate_outcome,
    predicted_rows.make_new_row,
    predicted_rows.save_rows,
    runs.import_table,
    runs.create_run,
    runs.fork_run,
    runs.remove_run,
    make_column_plan,
    compute_column_effects,
    computations.compute_surrogate_slice,
    computations.compute_surrogate_plane,
    computations.predict_one_step_ahead,
    computations.compute_importances,
    computations.compute_posterior_choices,
    computations.compute_member_diversity,
    computations.compute_least_diversity,
    computations.compute_surrogate_agreement,
    computations.load_contributions,
    computations.load_headline,
    computations.compute_trial_test_losses,
    computations.estimate_curve_cost,
    computations.compute_what_if,
    computations.compute_ensemble_objective,
    computations.compute_margins,
    computations.compute_prediction_errors,
    computations.compute_decision_figures,
    computations.make_row_form,
    computations.get_table_row,
    computations.predict_row,
    computations.explain_row,
    computations.store_study,
    computations.load_study_grid,
    computations.compute_study_results,
)

REGISTRY: Mapping[str, Task[..., Any]] = {each.name: each for each in TASKS}


def load_task(name: str) -> Task[..., Any]:
    """Return a task; raise UsageError if there is none."""
    if name not in REGISTRY:
        raise UsageError(
            "The helper has no task {name!r}; available: {registry}.",
            name=name,
            registry=", ".join(REGISTRY),
        )
    return REGISTRY[name]


def run_task(name: str, arguments: Mapping[str, Any]) -> Any:
    """Execute a task with arguments in JSON; raise UsageError or ProtocolError if ill-formed."""
    function = load_task(name).function
    return function(**decode_arguments(function, arguments))

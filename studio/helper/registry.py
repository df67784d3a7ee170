"""Registry of the helper's tasks: names and functions.

A request contains the arguments of its task's function by name. Arguments and the returned value
are converted by their types (:mod:`studio.helper.answers`). A function of another module needs only
its line here. The window calls tasks of :data:`TASKS` by reference, and the others by name.
"""

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from studio.errors import UsageError
from studio.helper.answers import decode_arguments
from studio.helper.methods import check_method
from studio.helper.runs import create_run, fork_run, import_table, remove_run
from studio.questions.columns import compute_column_effects, make_column_plan
from studio.tasks import Task

TASKS: tuple[Task[..., Any], ...] = (
    import_table,
    check_method,
    create_run,
    fork_run,
    remove_run,
    make_column_plan,
    compute_column_effects,
)
"""Tasks called by reference; each imports heavy modules on use."""

REGISTRY: Mapping[str, str | Callable[..., Any]] = {
    "catalogue": "studio.helper.methods:make_catalogue",
    "preview": "studio.helper.preview:preview",
    "column_facts": "studio.helper.tables:compute_column_facts",
    "table_target": "studio.helper.tables:find_table_target",
    "second_file": "studio.helper.tables:check_second_file",
    "advice": "studio.helper.methods:compute_advice",
    "check_table": "studio.helper.tables:check_table",
    "nearby_tables": "studio.helper.tables:find_nearby_tables",
    "library_settings": "studio.helper.library_settings:list_library_settings",
    "library_setting": "studio.helper.library_settings:format_library_setting",
    "library_problems": "studio.helper.library_settings:find_library_problems",
    "slice": "studio.analysis.surrogate.planes:compute_surrogate_slice",
    "surrogate_map": "studio.analysis.surrogate.planes:compute_surrogate_plane",
    "calibration": "studio.analysis.surrogate.calibration:predict_one_step_ahead",
    "importance": "studio.analysis.surrogate.importances:compute_importances",
    "posterior_choices": "studio.analysis.surrogate.choices:compute_posterior_choices",
    "diversity": "studio.analysis.diversity:compute_member_diversity",
    "search_diversity": "studio.analysis.diversity:compute_least_diversity",
    "search_agreement": "studio.analysis.diversity:compute_surrogate_agreement",
    "contributions": "studio.analysis.contributions:load_contributions",
    "headline": "studio.analysis.headline:load_headline",
    "own_test_losses": "studio.analysis.trial_test_losses:compute_trial_test_losses",
    "curve_cost": "studio.analysis.learning_curve.curve:estimate_curve_cost",
    "what_if": "studio.analysis.what_if:compute_what_if",
    "ensemble_objective": "studio.analysis.ensemble_objective:compute_ensemble_objective",
    "margins": "studio.analysis.margins:compute_margins",
    "prediction_errors": "studio.analysis.prediction_errors:compute_prediction_errors",
    "decision": "studio.analysis.decision:compute_decision_figures",
    "row_form": "studio.analysis.one_row.helper_tasks:make_row_form",
    "table_row": "studio.analysis.one_row.helper_tasks:get_table_row",
    "row_prediction": "studio.analysis.one_row.helper_tasks:predict_row",
    "row_reasons": "studio.analysis.one_row.helper_tasks:explain_row",
    "expected_of_rows": "studio.helper.predicted_rows:estimate_outcome",
    "new_row": "studio.helper.predicted_rows:make_new_row",
    "save_rows": "studio.helper.predicted_rows:save_rows",
    "keep_study": "studio.compare.helper_tasks:store_study",
    "study_grid": "studio.compare.helper_tasks:load_study_grid",
    "study_results": "studio.compare.interim_results:compute_study_results",
    **{each.name: each.function for each in TASKS},
}
"""Tasks by name: the function, or "module:function", imported at the first use."""

SLOW_TASKS: frozenset[str] = frozenset(
    {
        "calibration",
        *(each.name for each in TASKS if each.is_slow),
        "importance",
        "library_problems",
        "library_setting",
        "library_settings",
        "new_row",
        "posterior_choices",
        "row_form",
        "row_prediction",
        "row_reasons",
        "save_rows",
        "search_agreement",
        "search_diversity",
        "study_results",
        "table_target",
        "table_row",
        "own_test_losses",
    }
)
"""Tasks that may take seconds: they run in a second helper process."""


def load_task(name: str) -> Callable[..., Any]:
    """Return the function of a task; raise UsageError if there is none."""
    if name not in REGISTRY:
        raise UsageError(
            "The helper has no task {name!r}; available: {registry}.",
            name=name,
            registry=", ".join(REGISTRY),
        )
    reference = REGISTRY[name]
    if not isinstance(reference, str):
        return reference
    module, _, function = reference.partition(":")
    task_function: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return task_function


def run_task(name: str, arguments: Mapping[str, Any]) -> Any:
    """Execute a task with arguments in JSON; raise UsageError or ProtocolError if ill-formed."""
    function = load_task(name)
    return function(**decode_arguments(function, arguments))

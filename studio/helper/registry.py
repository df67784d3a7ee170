"""What the helper can do: one task = one file of this folder with ``run``, and its name here."""

import importlib
from collections.abc import Callable
from typing import Any

from studio.arrays import AnyArray
from studio.errors import UsageError

Answer = tuple[dict[str, Any], dict[str, AnyArray]]
"""Plain JSON, and arrays by name."""

REGISTRY: tuple[str, ...] = (
    "catalogue",
    "preview",
    "second_file",
    "advice",
    "import_table",
    "create_run",
    "fork_run",
    "remove_run",
    "check_method",
    "slice",
    "posterior_choices",
    "prior_covariance",
    "surrogate_map",
    "covariance",
    "calibration",
    "importance",
    "diversity",
    "search_diversity",
    "search_agreement",
    "contributions",
    "check_table",
    "by_hand",
    "ensemble_objective",
    "margins",
    "keep_study",
    "study_grid",
    "study_results",
    "prediction_errors",
    "column_plan",
    "column_effects",
)
"""Names of the modules of :mod:`studio.helper` that hold a task."""

SLOW: frozenset[str] = frozenset(
    {
        "calibration",
        "column_effects",
        "importance",
        "posterior_choices",
        "search_agreement",
        "search_diversity",
        "study_results",
    }
)
"""Tasks that may take seconds: a second helper process does them, so that no other task waits."""


def task(name: str) -> Callable[[dict[str, Any]], Answer]:
    """Return a task's function ``run(arguments) -> (JSON, arrays)``.

    Its module is imported at its first use, so that the helper answers at once.

    Raises
    ------
    UsageError
        If there is no such task.
    """
    if name not in REGISTRY:
        raise UsageError(
            "The helper has no task {name!r}; it has: {registry}.",
            name=name,
            registry=", ".join(REGISTRY),
        )
    run: Callable[[dict[str, Any]], Answer] = importlib.import_module(f"studio.helper.{name}").run
    return run

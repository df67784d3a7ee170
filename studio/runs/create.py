"""Creation of runs in a document: new ones, and continuations of others."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from studio.arrays import AnyArray
from studio.data.evaluation.base import Evaluation
from studio.data.tasks import Task
from studio.document.store import Document
from studio.document.trials import Iteration, TrialRow
from studio.errors import SpaceError, UsageError
from studio.phrases import count_phrase
from studio.proposers.method import compose
from studio.proposers.presets import get_preset
from studio.runs.choices import DeclaredSettings
from studio.runs.compatible import (
    check_settings,
    check_space,
    check_values,
    compose_checked,
    get_searched_space,
)
from studio.runs.load import load_scored_predictions, load_test_predictions, make_empty_history
from studio.runs.prepare import PreparedRun, prepare
from studio.runs.record import compute_iteration
from studio.runs.settings import RunSettings
from studio.setting import iter_settings
from studio.space.space import Space
from studio.trial import check_no_lost_trials


def check_new_run(settings: RunSettings) -> str:
    """Check the settings of a new run; return the method's name.

    Raises:
        UsageError, SpaceError: If the settings, the method's parts or the space are invalid.
    """
    method_name = check_settings(settings)
    if settings.space is not None:
        space = Space.from_json(settings.space)
        check_values(space)
        if settings.source.task != "auto":
            check_space(space, settings.source.task)
            get_searched_space(space, settings, settings.source.task)
    return method_name


def create_run(
    document: Document, table_id: int | None, settings: RunSettings, name: str = ""
) -> int:
    """Check the settings and add the run, state "waiting"; return its id.

    Args:
        table_id: The table in the document; ``None`` for the engine to read
            ``settings.source.path``.
        name: Display name; the method's key if empty.

    Raises:
        UsageError, SpaceError: As :func:`check_new_run`.
    """
    method_name = check_new_run(settings)
    return document.runs.add(name or method_name, settings.to_json(), table_id)


CHANGEABLE_SETTINGS = (
    "method",
    "overrides",
    "space",
    *(each.name for each in iter_settings(DeclaredSettings) if each.forkable),
)
"""Settings that a fork may change without affecting existing trials."""

_EVALUATION = "evaluation"


def fork_run(
    document: Document,
    run_id: int,
    iteration: int,
    changes: Mapping[str, Any],
    name: str = "",
    *,
    added: Callable[[int], None] | None = None,
) -> int:
    """Add a run with a copy of the first trials of another one; return its id.

    Table, rows, metric and evaluation stay, and the trials with their predictions, losses and
    ensembles are copied: up to the fork its curves are those of the original. An engine then
    continues from there. A fork with the original's method and seed continues exactly as the
    original did. The ensemble after the last copied trial is built by the fork's method, so that it
    is the result's even if no trial follows. If the fork does not continue the search, the
    ensembles after all copied trials are, as if the method had suggested them.

    Args:
        run_id: The run to fork; it may be running.
        iteration: Number of trials to copy, from 0.
        changes: Changed settings (see :data:`CHANGEABLE_SETTINGS`) as JSON. With another
            ``method``, the original's ``overrides`` are ignored, except those of its evaluation.
        name: Display name; by default derived from the original's name.
        added: Called with the fork's id in the same transaction, to write further records.

    Raises:
        UsageError: If the run is not prepared or has fewer trials, a change would invalidate its
            trials (another evaluation, metric or table), or the method is not applicable.
        SpaceError: If one of the trials is not valid in a changed space.
    """
    row = document.runs.get(run_id)
    if not row.prepared:
        raise UsageError(
            "Run {run_id} has not started, so there is nothing to fork; start it first.",
            run_id=run_id,
        )
    count = document.trials.count(run_id)
    if not 0 <= iteration <= count:
        raise UsageError(
            "Run {run_id} has {trials}; it cannot be forked after {iteration} of them.",
            run_id=run_id,
            trials=count_phrase("1 trial", "{count:,} trials", count),
            iteration=iteration,
        )
    original = prepare(document, run_id)
    settings = make_fork_settings(original, changes)
    settings = dataclasses.replace(settings, forked={"run": run_id, "iteration": iteration})
    check_settings(settings)
    settings = _constrain_space(settings, original.problem.task)
    rows = document.trials.list_rows(run_id)[:iteration]
    check_no_lost_trials(row.trial for row in rows)
    _check_configurations(settings, rows)
    # With the same method, options set from the budget stay.
    keeps_method = not {"method", "overrides"} & set(changes)
    method = compose_checked(settings, original.problem.task, is_prepared=keeps_method)
    settings = dataclasses.replace(
        settings, overrides={**settings.overrides, **method.derived_options}
    )
    prepared = dataclasses.replace(original, settings=settings, method=method)
    searches = settings.budget is None or settings.budget > iteration
    has_same_seed = settings.seed == original.settings.seed
    same_ensembles = method.ensemble == original.method.ensemble and has_same_seed
    n_copied = iteration if same_ensembles else max(0, iteration - 1) if searches else 0
    copies = _replay(document, prepared, rows, n_copied)
    name = name or f"{method.preset} from {iteration}"
    with document.run_transaction():
        split = document.runs.split(run_id)
        fork = document.runs.add(name, settings.to_json(), row.table_id, split)
        for trial_row, validation, test, state in copies:
            document.trials.add(fork, trial_row.trial, validation, test, state)
        if added is not None:
            added(fork)
    return fork


def make_fork_settings(original: PreparedRun, changes: Mapping[str, Any]) -> RunSettings:
    """Return the settings of a fork; raise UsageError for an impossible change."""
    for setting in changes:
        if setting not in CHANGEABLE_SETTINGS:
            raise UsageError(
                "A fork cannot change {setting!r}, because its copied trials would no longer be "
                "comparable; it can change: {changeable}. Start a new run instead.",
                setting=setting,
                changeable=", ".join(CHANGEABLE_SETTINGS),
            )
    settings_json = {**original.settings.to_json(), **changes}
    if "method" in changes and "overrides" not in changes:
        settings_json["overrides"] = {}
    settings = RunSettings.from_json(settings_json)
    evaluation, task = original.method.evaluation, original.problem.task
    requested_evaluation = _find_evaluation(settings, task)
    if requested_evaluation != evaluation:
        settings = _set_evaluation(settings, evaluation)
        if _find_evaluation(settings, task) != evaluation:
            raise UsageError(
                "The trials of this run were evaluated by {evaluation}, and {method} asks "
                "for {required}: their losses cannot be compared. Fork with a method of the "
                "same evaluation, or start a new run.",
                evaluation=_describe_evaluation(evaluation),
                method=settings.method,
                required=_describe_evaluation(requested_evaluation),
            )
    return settings


def _constrain_space(settings: RunSettings, task: Task) -> RunSettings:
    """Return settings whose space has only learners that satisfy the run's constraints."""
    if not settings.source.monotone:
        return settings
    assert settings.space is not None, "a prepared run has a space"
    space = get_searched_space(Space.from_json(settings.space), settings, task)
    return dataclasses.replace(settings, space=space.to_json())


def _find_evaluation(settings: RunSettings, task: Task) -> Evaluation:
    return compose(settings.method, settings.overrides, task).evaluation


def _set_evaluation(settings: RunSettings, evaluation: Evaluation) -> RunSettings:
    """Return settings with the existing trials' evaluation, unless method and overrides set one."""
    preset, overrides = get_preset(settings.method), dict(settings.overrides)
    if _EVALUATION not in preset.parts:
        overrides.setdefault(_EVALUATION, evaluation.key)
    for option, value in evaluation.to_json().items():
        name = f"{_EVALUATION}.{option}"
        overrides.setdefault(name, preset.options.get(name, value))
    return dataclasses.replace(settings, overrides=overrides)


def _describe_evaluation(evaluation: Evaluation) -> str:
    options = ", ".join(f"{name}={value}" for name, value in evaluation.to_json().items())
    return f"{evaluation.key!r} ({options})"


def _check_configurations(settings: RunSettings, rows: tuple[TrialRow, ...]) -> None:
    assert settings.space is not None, "a prepared run has a space"
    space = Space.from_json(settings.space)
    space.check()
    for row in rows:
        try:
            space.validate(row.trial.configuration)
        except SpaceError as error:
            raise SpaceError(
                "Trial {number} is not possible in the changed space: {error} Fork from an "
                "earlier iteration, or leave the space unchanged.",
                number=row.trial.number,
                error=error,
            ) from error


def _replay(
    document: Document, prepared_run: PreparedRun, rows: tuple[TrialRow, ...], n_copied: int
) -> list[tuple[TrialRow, AnyArray | None, AnyArray | None, Iteration]]:
    """Return the trials, their predictions, (n, C) or (n,), and the fork's state after each trial.

    Args:
        n_copied: Number of states copied from the original; later ones are built by the fork's
            method.
    """
    history = make_empty_history(prepared_run)
    test_cache: dict[int, AnyArray] = {}
    copies = []
    for row in rows:
        number = row.trial.number
        validation = None
        if row.trial.loss is not None:
            seed = row.trial.seed
            validation = load_scored_predictions(document, row.run_id, number, prepared_run, seed)
        test = load_test_predictions(document, row.run_id, number, prepared_run)
        history.append(row.trial, validation if history.comparable else None)
        if test is not None:
            test_cache[number] = test
        state = row.iteration
        if number > n_copied:
            state = compute_iteration(prepared_run, history, test_cache, state.details)
        copies.append((row, validation, test, state))
    return copies

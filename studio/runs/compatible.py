"""Compatibility of a method with evaluation, rows and other parts, and suitable alternatives."""

import dataclasses
from contextlib import suppress

from studio.data.metrics.base import Metric
from studio.data.metrics.registry import find_new_metric, get_metric
from studio.data.monotone import check_task
from studio.data.splits import SplitPlan
from studio.data.tasks import TASKS, Task
from studio.errors import UsageError
from studio.learners.library_spaces import find_library_problems
from studio.learners.monotone import select_monotone_part
from studio.learners.operators.targets import LogTarget, WeightBalancer
from studio.learners.registry import REGISTRY as LEARNERS
from studio.learners.space_problems import explain_untrainable, find_all_problems, list_learners
from studio.phrases import phrase
from studio.proposers.base import Proposer
from studio.proposers.composition import choose_part, find_ineffective_overrides, get_chosen_parts
from studio.proposers.method import PART_REGISTRIES, Method, compose, get_declarations, get_rules
from studio.proposers.presets import get_default, get_preset
from studio.proposers.spaces import get_space
from studio.runs.settings import OPEN_METHODS, RunSettings
from studio.setting import iter_settings
from studio.space.base import Parameter
from studio.space.checks import raise_first_error
from studio.space.library import list_shipped_spaces
from studio.space.space import Space


def check_method(method: Method, plan: SplitPlan) -> None:
    """Reject a method that is incompatible with its evaluation and the run's split.

    Raises:
        UsageError: If predictions for different rows would be combined (a reshuffled hold-out), or
            the final choice needs selection rows or a surrogate that the run does not have.
    """
    builder, proposer = method.ensemble, method.proposer
    if not method.evaluation.is_comparable(plan):
        if proposer.needs_predictions:
            raise UsageError(
                "The search {proposer!r} combines predictions of several trials, and with a "
                "reshuffled hold-out every trial predicts different rows. Cross-validate "
                "(reshuffled folds predict every row), set evaluation=fixed, or choose another "
                "method.",
                proposer=proposer.title,
            )
        if builder.needs_predictions:
            raise UsageError(
                "{builder!r} combines predictions of several trials, and with a reshuffled "
                "hold-out every trial predicts different rows. Cross-validate (reshuffled folds "
                "predict every row), set evaluation=fixed, or choose a single model: "
                "ensemble=single-best.",
                builder=builder.title,
            )
    if builder.needs_selection and not method.evaluation.selection:
        raise UsageError(
            "{builder!r} needs held-out rows for selection, but this run has none. Set "
            "evaluation.selection, for example to 0.2.",
            builder=builder.title,
        )
    if builder.adds_final_trial and type(proposer).conclude is Proposer.conclude:
        raise UsageError(
            "{builder!r} takes the final configuration from the surrogate, but {proposer!r} has "
            "none. Choose a method with a surrogate, or ensemble=single-best.",
            builder=builder.title,
            proposer=proposer.title,
        )


def _check_metric(method: Method, metric: Metric) -> None:
    """Reject ensembles of votes for metrics of probabilities, with a UsageError."""
    if metric.prediction_type == "probabilities" and method.ensemble.always_votes:
        raise UsageError(
            "The members of {ensemble!r} vote for classes, and the metric {metric!r} judges "
            "probabilities. Choose a metric of classes, such as the error rate or the "
            "balanced error, or a method that averages probabilities, such as best, DivBO or "
            "EO-post.",
            ensemble=method.ensemble.title,
            metric=metric.title,
        )


def _check_monotone(method: Method, settings: RunSettings, task: Task) -> None:
    """Reject monotonic constraints that are undefined or may be violated, with UsageError."""
    check_task(settings.source.monotone, task)
    if settings.source.monotone and not method.ensemble.monotone:
        raise UsageError(
            "{ensemble!r} may give a model a negative weight, so the prediction could fall with a "
            "column where it must rise. Choose another ensemble, such as ensemble=greedy, or "
            "remove the constraints.",
            ensemble=method.ensemble.title,
        )


def compose_checked(settings: RunSettings, task: Task, *, is_prepared: bool = False) -> Method:
    """Return the method of settings, checked against their split.

    ``is_prepared``: whether they belong to a prepared run, with all choices made.

    Raises:
        UsageError: If the method does not exist for the task, its parts are incompatible, or a
            new run needs a library that is not installed.
    """
    key = get_default(task) if settings.method in OPEN_METHODS else settings.method
    method = compose(key, settings.overrides, task, settings.budget, is_prepared=is_prepared)
    if not is_prepared and (message := method.proposer.get_missing_dependency()):
        raise UsageError(message)
    check_method(method, settings.plan)
    _check_monotone(method, settings, task)
    if settings.metric is not None:
        _check_metric(method, get_metric(settings.metric, task))
    for each in iter_settings(RunSettings):
        if not each.applies_to(task) and getattr(settings, each.name) != each.default:
            raise UsageError(each.idle)
    return method


def check_values(space: Space, task: Task | None = None) -> None:
    """Reject a space with values or settings that its learners do not accept, with SpaceError."""
    raise_first_error(space.name, (*find_all_problems(space), *find_library_problems(space, task)))


def find_partial_failures(space: Space, task: Task | None = None) -> tuple[str, ...]:
    """Return a sentence for each part of a space that fails in some trials only."""
    return tuple(
        phrase("{parameter}: {problem}", parameter=each.parameter, problem=each.message)
        for each in (*find_all_problems(space), *find_library_problems(space, task))
        if each not in space.find_problems()
    )


def get_searched_space(space: Space, settings: RunSettings, task: Task) -> Space:
    """Return the searched part of a space; raise UsageError if constraints leave no learner."""
    return select_monotone_part(space, task) if settings.source.monotone else space


def find_given_space(searched: Space, method: str, task: Task) -> Space:
    """Return the space that a run was given, from the one that it searched.

    That is the method's own space if the two differ only by what a run derives from its table:
    models that cannot satisfy constraints, scales of the target, and weights of the classes.
    """
    own_space = get_space(method, task)
    own_names = _get_parameters(own_space).keys()
    derived_stages = {LogTarget.stage, WeightBalancer.stage}
    kept = {
        name: each
        for name, each in _get_parameters(searched).items()
        if name in own_names or each.sets not in derived_stages
    }
    candidates = [own_space]
    with suppress(UsageError):  # no model of the space satisfies constraints
        candidates.append(select_monotone_part(own_space, task))
    return own_space if kept in map(_get_parameters, candidates) else searched


def _get_parameters(space: Space) -> dict[str, Parameter]:
    return {each.name: each for each in space.parameters}


def check_space(space: Space, task: Task) -> None:
    """Reject a space without a learner for a task.

    Raises:
        UsageError: The message lists the shipped spaces for the task.
    """
    problem = explain_untrainable(space, task)
    if problem:
        raise UsageError(
            "The space {space!r} cannot be searched. {problem} Suitable spaces: {offered}.",
            space=space.title or space.name,
            problem=problem,
            offered=", ".join(each.key for each in list_shipped_spaces() if task in each.tasks),
        )


def list_missing_dependencies(space: Space) -> tuple[str, ...]:
    """Return a sentence for each learner of a space whose library is missing."""
    learners = {learner.key: learner for learner in LEARNERS}
    return tuple(
        message
        for key in list_learners(space)
        if key in learners and (message := learners[key].get_missing_dependency())
    )


def _check_no_ineffective_options(settings: RunSettings) -> None:
    if settings.method in OPEN_METHODS or not settings.overrides:
        return
    preset = get_preset(settings.method)
    declarations, rules = get_declarations(), get_rules()
    ineffective = find_ineffective_overrides(preset, settings.overrides, declarations, rules)
    for name, allowed in ineffective.items():
        kind = name.partition(".")[0]
        raise UsageError(
            "{name} only applies where {part}.{option} is {values}. Remove it, or set "
            "{part}.{option} as well.",
            name=name,
            part=kind,
            option=allowed.option,
            values=" or ".join(allowed.values),
        )


def check_settings(settings: RunSettings) -> str:
    """Check everything known before the table is read; return the method's name.

    If the task is still open, the method must support at least one task.

    Raises:
        UsageError: If the settings are invalid for every table.
    """
    settings.check()
    _check_no_ineffective_options(settings)
    task_choice = settings.source.task
    tasks = TASKS
    if settings.metric is not None:
        known_task = None if task_choice == "auto" else task_choice
        tasks = find_new_metric(settings.metric, known_task).tasks
    if task_choice != "auto":
        return compose_checked(settings, task_choice).preset
    if settings.method not in OPEN_METHODS:
        get_preset(settings.method)
    problems: list[UsageError] = []
    for task in tasks:
        try:
            compose_checked(settings, task)
        except UsageError as error:
            problems.append(error)
    if len(problems) == len(tasks):
        raise problems[0]
    return settings.method if settings.method in OPEN_METHODS else get_preset(settings.method).key


def find_problem(settings: RunSettings) -> tuple[str, str]:
    """Return why settings are incompatible, in a sentence, and the responsible part; or "", ""."""
    problem = _explain_problem(settings)
    if not problem:
        return "", ""
    for kind in reversed([name for name in settings.overrides if "." not in name]):
        overrides = settings.overrides.items()
        remaining = {name: value for name, value in overrides if name.partition(".")[0] != kind}
        if not _explain_problem(dataclasses.replace(settings, overrides=remaining)):
            return problem, kind
    return problem, "proposer"


def find_incompatible_parts(settings: RunSettings) -> dict[str, dict[str, str]]:
    """Return the reason for each incompatible part, by part name and key."""
    preset, rules = get_preset(settings.method), get_rules()
    reasons: dict[str, dict[str, str]] = {}
    for kind, chosen_key in get_chosen_parts(preset, settings.overrides, rules).items():
        for candidate in PART_REGISTRIES[kind]:
            if candidate.key == chosen_key:
                continue
            overrides = choose_part(preset, settings.overrides, kind, candidate.key, rules)
            reason = _explain_problem(dataclasses.replace(settings, overrides=overrides))
            if reason:
                reasons.setdefault(kind, {})[candidate.key] = reason
    return reasons


def _explain_problem(settings: RunSettings) -> str:
    try:
        check_settings(settings)
    except UsageError as error:
        return str(error)
    return ""

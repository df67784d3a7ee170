"""What a method asks of the evaluation, the rows and the other parts: one place for the rules."""

from studio.data.splits import SplitPlan
from studio.data.tasks import TASKS, Task
from studio.errors import UsageError
from studio.proposers.base import Proposer
from studio.proposers.method import Method, compose
from studio.proposers.presets import default_for, preset_for
from studio.runs.settings import OPEN, RunSettings


def check_method(method: Method, plan: SplitPlan) -> None:
    """Refuse a method that cannot work with its own evaluation and the run's division of rows.

    Raises
    ------
    UsageError
        If predictions would be combined that are for different rows (a reshuffled hold-out), the
        final choice needs selection rows that the run does not keep, or needs a surrogate that
        the search does not have.
    """
    builder, proposer = method.ensemble, method.proposer
    if not method.evaluation.comparable(plan):
        different = (
            "combines predictions of several trials, and with a reshuffled hold-out every trial "
            "predicts other rows. Cross-validate (reshuffled folds predict every row), set "
            "evaluation=fixed, or choose"
        )
        if proposer.combines:
            raise UsageError(f"The search {proposer.title!r} {different} another method.")
        if builder.combines:
            raise UsageError(f"{builder.title!r} {different} a single model: ensemble=single-best.")
    if builder.needs_selection and not method.evaluation.selection:
        raise UsageError(
            f"{builder.title!r} chooses by rows that are kept aside for it, and this run keeps "
            "none. Set evaluation.selection, for example to 0.2."
        )
    if builder.concludes and type(proposer).conclude is Proposer.conclude:
        raise UsageError(
            f"{builder.title!r} asks the surrogate for the final settings, and {proposer.title!r} "
            "has none. Choose a method with a surrogate, or ensemble=single-best."
        )


def composed(settings: RunSettings, task: Task) -> Method:
    """Return the method that settings ask for, checked against their division of rows.

    Raises
    ------
    UsageError
        If it does not exist for the task, or its parts do not fit together.
    """
    key = default_for(task) if settings.method in OPEN else settings.method
    method = compose(key, settings.overrides, task, settings.budget)
    check_method(method, settings.plan)
    if settings.class_weights != "none" and task == "regression":
        raise UsageError(
            "There are no classes to weigh in regression: leave class weights at none."
        )
    return method


def check_settings(settings: RunSettings) -> str:
    """Check all that can be known before the table is read; return the method's name.

    Where the task is still open, the method must be possible for one task at least.

    Raises
    ------
    UsageError
        If the settings can work for no table.
    """
    settings.check()
    wanted = settings.source.task
    if wanted != "auto":
        return composed(settings, wanted).preset
    if settings.method not in OPEN:
        preset_for(settings.method)
    problems: list[UsageError] = []
    for task in TASKS:
        try:
            composed(settings, task)
        except UsageError as error:
            problems.append(error)
    if len(problems) == len(TASKS):
        raise problems[0]
    return settings.method if settings.method in OPEN else preset_for(settings.method).key

"""Formatting of numbers and states, the same everywhere."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from studio import language
from studio.analysis.loss_difference import (
    MAY_BE_CHANCE,
    SINGLE_IS_BETTER,
    describe_loss_difference,
)
from studio.language import N_, group_digits, ntr, number, tr, translate
from studio.measure import format_loss, format_time_left

if TYPE_CHECKING:
    from studio.document.results import Result
    from studio.gui.session.run_view import RunView
    from studio.measure import Measure
    from studio.trial import Trial


OPTIONAL_PAGE_NOTE = N_("You can skip this page and still get a result.")
"""Note at the top of optional pages; shown through ``tr``."""

TASK_LABELS = {
    "binary": N_("Two classes (binary)"),
    "multiclass": N_("Several classes (multi-class)"),
    "regression": N_("A number (regression)"),
}
"""Each task in plain words, with the exact term; shown through ``tr``."""

STATE_LABELS = {
    "waiting": N_("starting"),
    "running": N_("running"),
    "paused": N_("paused"),
    "stopped": N_("stopped"),
    "finished": N_("finished"),
    "failed": N_("failed"),
    "interrupted": N_("interrupted"),
}
"""Each state of a run; shown through ``tr``."""

REQUEST_LABELS = {"stop": N_("stopping…"), "pause": N_("pausing…"), "continue": N_("continuing…")}
"""Pending requests to a run, until its engine has answered."""


def describe_status(trial: "Trial") -> str:
    """Explain why a trial has no loss."""
    labels = {"failed": tr("failed"), "not finished": tr("not finished")}
    return labels.get(trial.status, tr("ended early"))


def describe_state(view: "RunView") -> str:
    """Describe a run's state, or the pending request."""
    if view.is_played and not view.has_ended:
        return tr("playing a recording")
    return tr(REQUEST_LABELS.get(view.pending_request) or STATE_LABELS[view.state])


def format_data_size(n_bytes: int) -> str:
    """Format a number of bytes: "3.4 MB"; small ones as "12 kB"."""
    if n_bytes < 1e5:
        return tr("{size} kB", size=group_digits(max(1, round(n_bytes / 1e3))))
    return tr("{size} MB", size=number(n_bytes / 1e6, ".1f" if n_bytes < 1e7 else ".0f"))


def format_progress(view: "RunView") -> str:
    """Format a run's progress: ``83 of 200``, or ``83 trials`` if only time limits it.

    Counts all started trials, without those copied by a fork; :func:`count_without_loss` gives
    those without a loss.
    """
    n_done, n_copied = view.n_new_budget_trials, view.n_searched_by_parent
    text = ntr("{count} trial", "{count} trials", n_done)
    if view.budget:
        budget = group_digits(view.budget - n_copied)
        text = tr("{done} of {all}", done=group_digits(n_done), all=budget)
    return tr("{trials} since the fork", trials=text) if n_copied else text


def describe_trials(view: "RunView") -> str:
    """Count the trials of a run: "12 trials, after 30 copied from its parent"."""
    trials = ntr("{count} trial", "{count} trials", view.n_new_budget_trials)
    if not view.n_searched_by_parent:
        return trials
    count = group_digits(view.n_searched_by_parent)
    return tr("{trials}, after {count} copied from its parent", trials=trials, count=count)


def count_without_loss(view: "RunView") -> list[str]:
    """Return the numbers of a run's trials without a loss, by reason, excluding copied ones."""
    parts = []
    if failed := len(view.failed_trials):
        parts.append(ntr("{count} failed trial", "{count} failed trials", failed))
    if ended_early := len(view.early_trials):
        parts.append(ntr("{count} trial ended early", "{count} trials ended early", ended_early))
    if timed_out := len(view.unfinished_trials):
        parts.append(ntr("{count} trial not finished", "{count} trials not finished", timed_out))
    return parts


def compute_share_done(view: "RunView") -> float | None:
    """Return the used share of a run's (nearer) limit, in [0, 1]; ``None`` without limits."""
    seconds = view.settings.seconds
    n_own = (view.budget or 0) - view.n_searched_by_parent
    shares = [view.n_new_budget_trials / n_own] if n_own > 0 else []
    if seconds:
        shares.append(view.get_seconds_worked(time.time()) / seconds)
    if view.state == "finished" and shares:
        return 1.0
    return min(1.0, max(shares)) if shares else None


def get_validation_loss(view: "RunView", number: int | None = None) -> float | None:
    """Return the ensemble's validation loss, or the best model's; ``None``: at the newest."""
    record = view.get_iteration(number)
    losses = () if record is None else (record.ensemble_validation, record.single_validation)
    return next((each for each in losses if each is not None), None)


def describe_time(iteration: int, last_iteration: int) -> str:
    """Describe the iteration shown for a run, which may end before an adjacent run."""
    if iteration > last_iteration:
        return tr(
            "iteration {number} · this run ends at {own}",
            number=group_digits(iteration),
            own=group_digits(last_iteration),
        )
    return tr(
        "iteration {number} of {all}",
        number=group_digits(iteration),
        all=group_digits(last_iteration),
    )


def describe_omitted_members(numbers: Sequence[int]) -> str:
    """Return which members of the search are not in the result; empty without any."""
    if not numbers:
        return ""
    return ntr(
        "Trial {trials} could not be refitted, so it is left out.",
        "Trials {trials} could not be refitted, so they are left out.",
        len(numbers),
        trials=", ".join(map(group_digits, numbers)),
    )


def describe_better_single(result: "Result | None", measure: "Measure") -> str:
    """State the best single model's test error if it is below the ensemble's; else empty."""
    if result is None or result.test_error_ensemble is None or result.test_error_single is None:
        return ""
    loss = measure.format_briefly(result.test_error_single)
    if result.test_error_single >= result.test_error_ensemble or loss == measure.format_briefly(
        result.test_error_ensemble
    ):
        return ""
    if is_difference_by_chance(result):
        return tr("Best single model: {loss} (the difference may be chance).", loss=loss)
    if (
        describe_loss_difference(result.difference_interval, is_same_model=False)
        == SINGLE_IS_BETTER
    ):
        return tr("The best single model is better: {loss}.", loss=loss)
    return tr("Best single model: {loss}.", loss=loss)


def is_difference_by_chance(result: "Result | None") -> bool:
    """Whether the ensemble and the best single model may differ by chance on test rows."""
    return result is not None and (
        describe_loss_difference(result.difference_interval, is_same_model=False) == MAY_BE_CHANCE
    )


def get_test_loss(view: "RunView", number: int | None = None) -> float | None:
    """Return the ensemble's test loss: of the final models, or at an iteration before the end.

    In a recording, whose final test loss is not shown yet, it is that of the iteration.
    """
    is_played = view.is_played and not view.has_ended
    is_newest = number is None or number >= len(view.iterations)
    if not is_played and (view.test_loss is None or is_newest):
        return view.test_loss
    record = view.get_iteration(number)
    return None if record is None else record.ensemble_test


def format_chip_loss(
    view: "RunView", unit: str, number: int | None = None, *, tested: bool = True
) -> str:
    """Format a run's error with the kind of its rows: "test 2.95"; empty for none.

    Validation errors are biased by the selection, so they are labelled as such.

    Args:
        number: The iteration; ``None`` for the newest.
        tested: Whether to return the error on test rows, if there is one.
    """
    test_loss = get_test_loss(view, number)
    if tested and test_loss is not None:
        return tr("test {loss}", loss=format_loss(test_loss, unit))
    value = get_validation_loss(view, number)
    return "" if value is None else tr("validation {loss}", loss=format_loss(value, unit))


def describe_computing_runs(count: int) -> str:
    """Return how many runs of a document are in progress; empty for none."""
    return ntr("{count} run in progress", "{count} runs in progress", count) if count else ""


def estimate_seconds_left(view: "RunView", trials_per_second: float | None) -> float | None:
    """Return the seconds until a running run's nearer limit; ``None`` if unknown.

    A time limit includes the refit and the test figures.
    """
    seconds_worked = view.get_seconds_worked(time.time())
    if view.state != "running":
        return None
    seconds = view.settings.seconds
    remaining = [] if seconds is None else [max(0.0, seconds - seconds_worked)]
    if view.budget and trials_per_second:
        remaining.append(max(0, view.budget - view.n_budget_trials) / trials_per_second)
    return min(remaining, default=None)


def describe_run(
    view: "RunView", trials_per_second: float | None, iteration: int | None = None
) -> str:
    """Describe a run on one line: ``83 of 200 trials · 4 a minute``, at an iteration if given."""
    if iteration is not None:
        return f"{describe_state(view)} · {describe_time(iteration, len(view.iterations))}"
    parts = [format_progress(view)]
    if view.budget:
        n_own = view.budget - view.n_searched_by_parent
        count_text = group_digits(view.n_new_budget_trials)
        text = ntr("{done} of {count} trial", "{done} of {count} trials", n_own, done=count_text)
        parts = [tr("{trials} since the fork", trials=text) if view.n_searched_by_parent else text]
        if _is_ended_by_time(view):
            parts.append(tr("ended by the time limit"))
    if view.state != "running" or view.pending_request:
        parts.insert(0, describe_state(view))
    else:
        if trials_per_second:
            parts.append(format_rate(trials_per_second))
        seconds_left = estimate_seconds_left(view, trials_per_second)
        if (view.budget and view.n_budget_trials >= view.budget) or seconds_left == 0:
            parts.append(describe_end(view))
        elif seconds_left is not None:
            parts.append(tr("{time} left", time=format_time_left(seconds_left)))
    if view.state == "interrupted":
        # Its engine's last message is outdated after its end.
        parts.append(tr("Press Continue to resume"))
    elif view.row.message and not view.pending_request:
        parts.append(translate(view.row.message))
    return " · ".join([*parts, *count_without_loss(view)])


def _is_ended_by_time(view: "RunView") -> bool:
    """Whether a run has used its time before its trials."""
    result = view.row.result
    return (
        view.state == "finished"
        and result is not None
        and not result.exhausted
        and view.settings.seconds is not None
        and view.n_budget_trials < (view.budget or 0)
    )


def describe_end(view: "RunView") -> str:
    """Describe the work of a run that has used its trials or its time."""
    if view.has_model:
        return tr("training the ensemble")
    if view.running:
        return tr("waiting for the first model")
    return tr("no model is ready yet")


def is_over_time(view: "RunView", now: float) -> bool:
    """Whether a run has used its time at ``now`` (Unix time)."""
    seconds = view.settings.seconds
    return seconds is not None and view.get_seconds_worked(now) >= seconds


def format_failures(view: "RunView") -> str:
    """Return the number of failed trials: "2 failed trials, and 1 before the fork"; or ""."""
    n_own, n_before = len(view.failed_trials), view.n_failed_before
    text = ntr("{count} failed trial", "{count} failed trials", n_own)
    if n_before:
        return tr(
            "{failed}, and {count} before the fork", failed=text, count=group_digits(n_before)
        )
    return text if n_own else ""


def format_rate(trials_per_second: float) -> str:
    """Format trials per second: ``4 a minute``."""
    if trials_per_second >= 1:
        return tr("{number} a second", number=language.number(trials_per_second, ".1f"))
    if 60 * trials_per_second >= 1:
        return tr("{number} a minute", number=number(60 * trials_per_second, ".0f"))
    return tr("{number} an hour", number=number(3600 * trials_per_second, ".0f"))


def format_clock(seconds: float) -> str:
    """Format seconds as a clock: "0:12", "1:02:05"."""
    minutes, remainder = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{remainder:02}" if hours else f"{minutes}:{remainder:02}"

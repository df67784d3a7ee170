"""Headlines of several runs, in one sentence or one for each column."""

from collections.abc import Sequence
from dataclasses import dataclass

from studio.gui.session.run_differences import RunDifferences
from studio.gui.session.run_view import RunView
from studio.gui.session.wording import (
    describe_time,
    describe_trials,
    get_test_loss,
    get_validation_loss,
)
from studio.language import tr
from studio.measure import Measure


@dataclass(frozen=True)
class ColumnHeadline:
    """The headline of a run's column.

    Attributes:
        figure: The run's error; empty for none.
        subtitle: The metric, the rows, and whether the run has the lowest error.
    """

    figure: str
    subtitle: str
    trials: str


Moments = Sequence[int | None]
"""The selected past iteration of each run; ``None`` for the newest."""


def get_losses(views: Sequence[RunView], iterations: Moments) -> tuple[list[float | None], bool]:
    """Return losses at iterations, and whether they are on test rows, as after all runs."""
    test_losses = list(map(get_test_loss, views, iterations))
    if None not in test_losses:
        return test_losses, True
    return list(map(get_validation_loss, views, iterations)), False


def describe_columns(
    views: Sequence[RunView],
    measures: Sequence[Measure],
    iterations: Moments,
    differences: RunDifferences,
) -> list[ColumnHeadline]:
    """Return a headline per run, all on the same kind of rows; different rows are not ranked."""
    _, tested = get_losses(views, iterations)
    formatted_losses, best = _rank(views, measures, iterations, differences)
    headlines = []
    for view, moment, measure, figure in zip(
        views, iterations, measures, formatted_losses, strict=True
    ):
        template = (
            tr("{metric} on test rows") if tested else tr("{metric} so far on validation rows")
        )
        label = template.format(metric=measure.title)
        if figure == best and set(formatted_losses) != {best}:
            label = tr("{metric}, the lowest of these", metric=label)
        trials = describe_trials(view)
        if moment is not None:
            trials = describe_time(moment, len(view.iterations))
        headlines.append(ColumnHeadline(figure, label if figure else "", trials))
    return headlines


def _rank(
    views: Sequence[RunView],
    measures: Sequence[Measure],
    iterations: Moments,
    differences: RunDifferences,
) -> tuple[list[str], str]:
    """Return the runs' losses as shown, and the lowest of them; empty if not comparable."""
    losses, tested = get_losses(views, iterations)
    formatted_losses = [
        "" if loss is None else measure.format_briefly(loss)
        for measure, loss in zip(measures, losses, strict=True)
    ]
    known_losses = [loss for loss in losses if loss is not None]
    has_same_rows = differences.has_same_rows(tested=tested)
    comparable = len({measure.title for measure in measures}) == 1 and has_same_rows
    if not comparable or len(known_losses) < len(losses):
        return formatted_losses, ""
    return formatted_losses, formatted_losses[losses.index(min(known_losses))]


def do_intervals_overlap(views: Sequence[RunView], iterations: Moments) -> bool:
    """Return whether the lowest final test error has a 95 % interval that overlaps another's.

    Without intervals, as before the end of the runs, it is False.
    """
    results = [
        view.row.result
        for view, moment in zip(views, iterations, strict=True)
        if view.has_ended and (moment is None or moment >= len(view.iterations))
    ]
    intervals = [each.test_interval for each in results if each and each.test_interval]
    if len(intervals) < max(2, len(views)):
        return False
    losses = [view.test_loss or 0.0 for view in views]
    best = losses.index(min(losses))
    others = (each for index, each in enumerate(intervals) if index != best)
    return any(low <= intervals[best][1] for low, _ in others)


def _add_overlap(text: str) -> str:
    return tr("{text}; 95 % intervals overlap", text=text)


def describe_lowest(
    views: Sequence[RunView],
    measures: Sequence[Measure],
    iterations: Moments,
    differences: RunDifferences,
) -> tuple[str, ...]:
    """Name the run with the lowest error, the longest text first; empty if there is none."""
    formatted_losses, best = _rank(views, measures, iterations, differences)
    if not best:
        return ()
    _, tested = get_losses(views, iterations)
    values = {"metric": measures[0].title, "loss": best}
    if set(formatted_losses) == {best}:
        template = (
            tr("Equal {metric} on test rows: {loss} each")
            if tested
            else tr("Equal {metric} so far on validation rows: {loss} each")
        )
        return template.format(**values), tr("Equal: {loss} each", loss=best)
    names = [view.name for view, each in zip(views, formatted_losses, strict=True) if each == best]
    template = (
        tr("Lowest {metric} on test rows: {runs}, {loss}")
        if tested
        else tr("Lowest {metric} so far on validation rows: {runs}, {loss}")
    )
    values["runs"] = ", ".join(names)
    brief = tr("Lowest on test rows: {runs}") if tested else tr("Lowest so far: {runs}")
    texts = template.format(**values), brief.format(**values)
    return tuple(map(_add_overlap, texts)) if do_intervals_overlap(views, iterations) else texts


def describe_runs(
    views: Sequence[RunView],
    measures: Sequence[Measure],
    iterations: Moments,
    differences: RunDifferences,
) -> tuple[str, ...]:
    """Return sentences on the errors of runs, the longest first; empty unless all have one.

    After the end of all runs, these are the test errors; before, the ensembles' current validation
    errors.
    """
    losses, all_tested = get_losses(views, iterations)
    if None in losses:
        return ()
    parts = [
        tr("{loss} ({run})", run=view.name, loss=measure.format_briefly(loss))
        for view, measure, loss in zip(views, measures, losses, strict=True)
    ]
    runs = ", ".join(parts)
    metrics = {measure.title for measure in measures}
    metric = metrics.pop()
    if metrics:
        return (runs,)
    metric = metric[:1].upper() + metric[1:]
    if all_tested and not differences.same_test_rows:
        full_text = tr("{metric}, each on its own test rows: {runs}", metric=metric, runs=runs)
        return full_text, tr("On different test rows: {runs}", runs=runs), runs
    if not all_tested and not differences.same_validation_rows:
        template = tr("{metric}, each on its own validation rows: {runs}")
        brief = tr("On different validation rows: {runs}", runs=runs)
        return template.format(metric=metric, runs=runs), brief, runs
    if all_tested:
        full_text = tr("{metric} on test rows: {runs}", metric=metric, runs=runs)
        texts = full_text, tr("On test rows: {runs}", runs=runs)
        noted = map(_add_overlap, texts) if do_intervals_overlap(views, iterations) else ()
        return *noted, *texts, runs
    full_text = tr("{metric} on validation rows: {runs}", metric=metric, runs=runs)
    return full_text, tr("On validation rows: {runs}", runs=runs), runs

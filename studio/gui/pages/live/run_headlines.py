"""Headlines of runs: the current work of one, or several in one sentence or in columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from studio.analysis.headline_text import (
    describe_failed_trials,
    make_brief_headlines,
    make_headline_parts,
)
from studio.data.metrics.plain_score import PlainScore
from studio.document.journal import RunningJob
from studio.figures.shapes import elide_middle
from studio.gui.session.learner_names import get_learner, get_learner_noun
from studio.gui.session.run_differences import RunDifferences
from studio.gui.session.run_view import RunView
from studio.gui.session.wording import (
    describe_better_single,
    describe_time,
    describe_trials,
    find_differing_parts,
    format_clock,
    get_test_loss,
    get_validation_loss,
    is_difference_by_chance,
    is_over_time,
)
from studio.language import N_, capitalise, group_digits, ntr, tr, translate
from studio.measure import Measure
from studio.phrases import join_phrases

STARTING_MESSAGE = N_("Starting the training")
_STARTING_PROCESSES = N_("Starting the processes that train the models")


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
    template = N_("{metric} on test rows") if tested else N_("{metric} so far on validation rows")
    headlines = []
    for view, iteration, measure, figure in zip(
        views, iterations, measures, formatted_losses, strict=True
    ):
        label = tr(template, metric=measure.title)
        if figure == best and set(formatted_losses) != {best}:
            label = tr("{metric}, the lowest of these", metric=label)
        trials = describe_trials(view)
        if iteration is not None:
            trials = describe_time(iteration, len(view.iterations))
        headlines.append(ColumnHeadline(figure, label if figure else "", trials))
    return headlines


def _rank(
    views: Sequence[RunView],
    measures: Sequence[Measure],
    iterations: Moments,
    differences: RunDifferences,
) -> tuple[list[str], str]:
    """Return the runs' losses as shown, and the lowest of them; empty if not comparable.

    A fork without a trial after those of its parent says nothing about its search.
    """
    losses, tested = get_losses(views, iterations)
    formatted_losses = [
        "" if loss is None else measure.format_briefly(loss)
        for measure, loss in zip(measures, losses, strict=True)
    ]
    known_losses = [loss for loss in losses if loss is not None]
    has_same_rows = differences.has_same_rows(tested=tested)
    has_same_metric = len({measure.title for measure in measures}) == 1
    is_new = not any(view.has_no_new_trials for view in views)
    comparable = has_same_metric and has_same_rows and is_new
    if not comparable or len(known_losses) < len(losses):
        return formatted_losses, ""
    return formatted_losses, formatted_losses[losses.index(min(known_losses))]


def intervals_overlap(views: Sequence[RunView], iterations: Moments) -> bool:
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
        template = tr("Equal {metric} so far on validation rows: {loss} each")
        if tested:
            template = tr("Equal {metric} on test rows: {loss} each")
        briefs = tr("Equal: {loss} each", loss=best), tr("Equal: {loss}", loss=best)
        return template.format(**values), *briefs
    names = [view.name for view, each in zip(views, formatted_losses, strict=True) if each == best]
    template = tr("Lowest {metric} so far on validation rows: {runs}, {loss}")
    if tested:
        template = tr("Lowest {metric} on test rows: {runs}, {loss}")
    values["runs"] = ", ".join(names)
    brief = tr("Lowest on test rows: {runs}") if tested else tr("Lowest so far: {runs}")
    texts = template.format(**values), brief.format(**values)
    if intervals_overlap(views, iterations):
        return *map(_add_overlap, texts), tr("95 % intervals overlap")
    return *texts, tr("Lowest: {runs}", runs=values["runs"])


def describe_side_by_side(
    views: Sequence[RunView],
    measures: Sequence[Measure],
    iterations: Moments,
    differences: RunDifferences,
) -> tuple[str, ...]:
    """Name the run with the lowest error, or say why there is none, the longest text first."""
    _, tested = get_losses(views, iterations)
    texts = describe_lowest(views, measures, iterations, differences)
    if not differences.has_same_rows(tested=tested):
        texts = _describe_obstacle(differences)
    return texts or (tr("{count} runs", count=len(views)),)


def _describe_obstacle(differences: RunDifferences) -> tuple[str, ...]:
    """Return why errors cannot be compared, and that in a few words."""
    if not differences.parts:
        return ()
    first = differences.parts[0]
    return first, first.partition(":")[0].strip()


def describe_runs(
    views: Sequence[RunView],
    measures: Sequence[Measure],
    iterations: Moments,
    differences: RunDifferences,
) -> tuple[str, ...]:
    """Return sentences on the errors of runs, the longest first; empty unless all have one.

    Of errors on different rows, it is only said that they cannot be compared.
    After the end of all runs, these are the test errors; before, the ensembles' current validation
    errors.
    """
    losses, all_tested = get_losses(views, iterations)
    if None in losses:
        return ()
    if not differences.has_same_rows(tested=all_tested):
        return _describe_obstacle(differences)  # numbers side by side would be compared
    names = [view.name for view in views]
    formatted_losses = [
        measure.format_briefly(loss) for measure, loss in zip(measures, losses, strict=True)
    ]
    lists = list(
        dict.fromkeys(
            ", ".join(
                tr("{loss} ({run})", run=name, loss=loss)
                for name, loss in zip(each, formatted_losses, strict=True)
            )
            for each in (names, *_shorten_names(names))
        )
    )
    metrics = {measure.title for measure in measures}
    metric = metrics.pop()
    if metrics:
        return tuple(lists)
    template, brief_metric = N_("{metric} on validation rows: {runs}"), N_("validation {metric}")
    if all_tested:
        template, brief_metric = N_("{metric} on test rows: {runs}"), N_("test {metric}")
    first = tr(template, metric=capitalise(metric), runs=lists[0])
    # The words about the rows are shortened before the names.
    prefix = capitalise(tr(brief_metric, metric=metric))
    texts = [first, *(tr("{metric}: {runs}", metric=prefix, runs=runs) for runs in lists)]
    has_note = all_tested and intervals_overlap(views, iterations)
    noted = [_add_overlap(each) for each in texts[:_MAX_NOTED]] if has_note else []
    if len(views) > _MAX_NAMED:  # the numbers in the order of the runs, better than a few of them
        texts.append(tr("{metric}: {runs}", metric=prefix, runs=", ".join(formatted_losses)))
    return *noted, *texts


_MAX_NOTED, _MAX_NAMED = 4, 2
"""Number of the longest headlines with the note on overlapping intervals, and maximum number of
runs that are named in every window.
"""

_NAME_LENGTHS = (12, 9, 6)
"""Letters of runs' names where there is less and less room."""


def _shorten_names(names: Sequence[str]) -> Iterator[list[str]]:
    """Yield shorter names of runs, as long as they differ, the longest first.

    Of a name with brackets, the part before them, or within them, is whole.
    """
    brief_names = find_differing_parts(names)
    yield brief_names
    pairs = [_split_brackets(each) for each in brief_names]
    outer_names, inner_names = ([pair[index] for pair in pairs] for index in (0, 1))
    for parts in (outer_names, inner_names):
        if len({*parts}) == len(names):
            brief_names = parts
            yield parts
    for length in _NAME_LENGTHS:
        short_names = [elide_middle(each, length) for each in brief_names]
        if len({*short_names}) == len(names):
            yield short_names


def _split_brackets(name: str) -> tuple[str, str]:
    """Return the parts of a name before and within its brackets; the name twice without any."""
    outer, _, inner = name.removesuffix(")").rpartition("(")
    if not name.endswith(")") or not inner:
        return name, name
    return outer.strip() or inner, inner


def describe_current_work(
    view: RunView,
    measure: Measure,
    iteration: int | None,
    now: float,
    *,
    played: bool = False,
    plain: bool = False,
) -> str:
    """Describe the current activity in one sentence; empty for none.

    Args:
        now: Unix time.
        played: Whether it is the playback of a recording, without visible workers.
        plain: Whether to leave out folds.
    """
    if view.pending_request == "stop":
        return tr("Stopping. All results so far are kept.")
    if view.pending_request == "pause":
        return tr("Pausing: the trials in progress finish first.")
    if view.pending_request == "continue":
        # The document still has the trials of the engine that was interrupted.
        return tr(_STARTING_PROCESSES)
    if view.iterations and (iteration is not None or (played and not view.has_ended)):
        trial = _describe_trial(view, measure, iteration)
        return " ".join(filter(None, (trial, _describe_moment(view, measure, iteration))))
    if view.state == "running":
        return _describe_work(view, now, plain=plain)
    return _describe_inactive_run(view, measure)


def _describe_work(view: RunView, now: float, *, plain: bool) -> str:
    if view.is_played:
        return tr("Waiting for the first trial of the recording")
    if view.running:
        return _describe_training(view.running, now, plain=plain)
    if view.row.message:
        return translate(view.row.message)
    if is_over_time(view, now) and not view.has_model:
        return tr("Time is up, but no model is ready yet")
    if not view.trials:
        return tr(_STARTING_PROCESSES)
    return tr("Choosing the next model")


def _describe_training(running: tuple[RunningJob, ...], now: float, *, plain: bool) -> str:
    """Describe the current training: the oldest trial, and the number of others."""
    first = min(running, key=lambda each: each.since)
    values: dict[str, object] = {
        "model": get_learner_noun(get_learner(first.configuration)),
        "time": format_clock(now - first.since),
    }
    if plain and len(running) > 1:
        return ntr(
            "Trying {model} and {count} other model at once: {time}",
            "Trying {model} and {count} other models at once: {time}",
            len(running) - 1,
            **values,
        )
    text = tr("Trying {model}: {time}", **values)
    if first.folds > 1 and not plain:
        values |= {"fold": first.fold, "folds": first.folds}
        text = tr("Trying {model}: fold {fold} of {folds}, {time}", **values)
    n_others = len(running) - 1
    if not n_others:
        return text
    return ntr("{text} – and one more", "{text} – and {count} more", n_others, text=text)


def _describe_trial(view: RunView, measure: Measure, iteration: int | None) -> str:
    record = view.get_iteration(iteration)
    assert record is not None, "there are iterations"
    trial = view.trials[record.number - 1]
    has_loss = trial.loss is not None
    ended = measure.format_briefly(trial.loss) if has_loss else translate(trial.cause).rstrip(".")
    noun = get_learner_noun(get_learner(trial.configuration))
    values = {"number": group_digits(record.number), "model": noun, "ended": ended}
    if trial.loss is not None and record.ensemble_test is not None:
        # The ensemble's error, which follows, is that on test rows.
        return tr("Trial {number}: {model}, {ended} on validation rows.", **values)
    return tr("Trial {number}: {model}, {ended}.", **values)


def _describe_moment(view: RunView, measure: Measure, iteration: int | None) -> str:
    """Describe the error of the ensemble, or of its only model, at an iteration; empty for none."""
    record = view.get_iteration(iteration)
    assert record is not None, "there are iterations"
    test_loss, loss = record.ensemble_test, get_validation_loss(view, iteration)
    is_single = len(record.members) < 2
    if test_loss is not None:
        template = tr("Ensemble so far: {loss} on test rows.")
        if is_single:
            template = tr("Best model so far: {loss} on test rows.")
        return template.format(loss=measure.format_briefly(test_loss))
    if loss is None:
        return ""
    template = tr("Ensemble so far: {loss} on validation rows.")
    if is_single:
        template = tr("Best model so far: {loss} on validation rows.")
    return template.format(loss=measure.format_briefly(loss))


def _describe_inactive_run(view: RunView, measure: Measure) -> str:
    trials = describe_trials(view)
    match view.state:
        case "waiting":
            return tr(STARTING_MESSAGE)
        case "paused":
            return tr("Paused after {trials}.", trials=trials)
        case "interrupted":
            return tr("Interrupted after {trials}.", trials=trials)
        case "failed":
            return translate(view.row.message) or tr("The run failed.")
    return _describe_result(view, measure, trials)


def _describe_result(view: RunView, measure: Measure, trials: str) -> str:
    """Describe the quality of a finished run's models, as on the Results page."""
    result, score = view.row.result, _get_score(view)
    if result is not None and score is not None:
        headline = make_headline_parts(score, view.row.positive_class)[0]
        text = translate(join_phrases((describe_failed_trials(result), headline)))
        return " ".join(filter(None, (_describe_test_error(view, measure), text)))
    state = tr("Finished") if view.state == "finished" else tr("Stopped")
    if view.test_loss is None:
        return tr("{ended} after {trials}.", ended=state, trials=trials)
    loss = measure.format_briefly(view.test_loss)
    return tr(
        "{ended}: {metric} {loss} on the test rows.", ended=state, metric=measure.title, loss=loss
    )


def _get_score(view: RunView) -> PlainScore | None:
    """Return the headline's numbers; ``None`` if a decision has changed what is correct."""
    score = None if view.row.result is None else view.row.result.headline
    if score is None or view.row.decision is None or score.get_ranking(view.row.positive_class):
        return score
    return None


def _describe_test_error(view: RunView, measure: Measure) -> str:
    """Return the final errors of the plot, the best single model's only where it is lower."""
    error = _format_test_error(view, measure)
    better_single = describe_better_single(view.row.result, measure) if error else ""
    return " ".join(filter(None, (error, better_single)))


def _format_test_error(view: RunView, measure: Measure) -> str:
    if view.test_loss is None:
        return ""
    loss = measure.format_briefly(view.test_loss)
    return tr("{metric} {loss} on test rows.", metric=measure.heading, loss=loss)


def describe_briefly(
    view: RunView, measure: Measure, iteration: int | None = None
) -> tuple[str, ...]:
    """Return shorter sentences with the same numbers, the longest first."""
    if iteration is not None:
        moment = _describe_moment(view, measure, iteration) if view.iterations else ""
        return (moment,) if moment else ()
    if view.state == "failed" and view.row.message:
        # The advice is on the Results page.
        cause, end, _ = translate(view.row.message).partition(". ")
        return (f"{cause}.",) if end else ()
    result, score = view.row.result, _get_score(view)
    if not view.has_ended or view.state == "failed" or result is None or score is None:
        return ()
    failed = describe_failed_trials(result)
    brief = make_brief_headlines(score, view.row.positive_class)
    error = _describe_test_error(view, measure)
    texts = [translate(join_phrases((failed, each))) for each in brief]
    shortest = []
    if error:
        shorter = (error, *_shorten_test_error(view, measure))
        shortest = [" ".join(filter(None, (translate(failed), each))) for each in shorter]
    return (*(" ".join(filter(None, (error, text))) for text in texts), *shortest)


def _shorten_test_error(view: RunView, measure: Measure) -> tuple[str, ...]:
    """Return the test error in fewer words, with that of a better single model.

    The shortest one leaves it out if the difference may be chance.
    """
    loss = measure.format_briefly(view.test_loss)
    if describe_better_single(view.row.result, measure):
        single = measure.format_briefly(view.single_test_loss)
        values = {"metric": measure.heading, "loss": loss, "single": single}
        if is_difference_by_chance(view.row.result):
            text = N_("{metric} {loss} on test rows, best single model {single} (may be chance).")
            brief = N_("{metric}: test {loss}, best single model {single} (may be chance)")
            return tr(text, **values), tr(brief, **values), _format_test_error(view, measure)
        return (
            tr("{metric} {loss} on test rows, best single model {single}.", **values),
            tr("{metric}: test {loss}, best single model {single}", **values),
        )
    brief = tr("{metric}: test {loss}", metric=measure.heading, loss=loss)
    return _format_test_error(view, measure), brief

"""Headlines of runs: the current work of one, or several in one sentence or in columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from studio.analysis.headline_text import (
    describe_failed_trials,
    make_brief_headlines,
    make_headline_parts,
)
from studio.data.metrics.plain_score import PlainScore
from studio.document.journal import RunningJob
from studio.gui.session.learner_names import get_learner, get_learner_noun
from studio.gui.session.run_differences import RunDifferences
from studio.gui.session.run_view import RunView
from studio.gui.session.short_names import abbreviate, find_differing_parts, split_brackets
from studio.gui.session.wording import (
    describe_better_single,
    describe_time,
    describe_trials,
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


@dataclass(frozen=True)
class ComparedRuns:
    """Runs with their errors at the selected iterations, all on the same kind of rows.

    Attributes:
        iterations: The selected past iteration of each run; ``None`` for the newest.
        differences: Of the runs, which decide whether their errors can be ranked.
    """

    views: Sequence[RunView]
    measures: Sequence[Measure]
    iterations: Sequence[int | None]
    differences: RunDifferences

    @cached_property
    def are_tested(self) -> bool:
        """Whether the losses are on test rows, as after all runs."""
        return None not in map(get_test_loss, self.views, self.iterations)

    @cached_property
    def losses(self) -> list[float | None]:
        """The losses, before the end of all runs on validation rows; ``None`` if unknown."""
        get_loss = get_test_loss if self.are_tested else get_validation_loss
        return list(map(get_loss, self.views, self.iterations))

    @cached_property
    def loss_texts(self) -> list[str]:
        """The losses as shown; empty if unknown."""
        return [
            "" if loss is None else measure.format_briefly(loss)
            for measure, loss in zip(self.measures, self.losses, strict=True)
        ]

    @property
    def have_same_rows(self) -> bool:
        """Whether the losses are on the same rows."""
        return self.differences.has_same_rows(tested=self.are_tested)

    @cached_property
    def lowest(self) -> str:
        """The lowest loss as shown; empty if they are not comparable.

        A fork without a trial after those of its parent says nothing about its search.
        """
        known_losses = [loss for loss in self.losses if loss is not None]
        has_same_metric = len({measure.title for measure in self.measures}) == 1
        is_new = not any(view.has_no_new_trials for view in self.views)
        comparable = has_same_metric and self.have_same_rows and is_new
        if not comparable or len(known_losses) < len(self.losses):
            return ""
        return self.loss_texts[self.losses.index(min(known_losses))]

    @property
    def intervals_overlap(self) -> bool:
        """Whether the lowest final test error has a 95 % interval that overlaps another's.

        Without intervals, as before the end of the runs, it is False.
        """
        results = [
            view.row.result
            for view, iteration in zip(self.views, self.iterations, strict=True)
            if view.has_ended and (iteration is None or iteration >= len(view.iterations))
        ]
        intervals = [each.test_interval for each in results if each and each.test_interval]
        if len(intervals) < max(2, len(self.views)):
            return False
        losses = [view.test_loss or 0.0 for view in self.views]
        best = losses.index(min(losses))
        others = (each for index, each in enumerate(intervals) if index != best)
        return any(low <= intervals[best][1] for low, _ in others)


def describe_columns(runs: ComparedRuns) -> list[ColumnHeadline]:
    """Return a headline per run; errors on different rows are not ranked."""
    template = N_("{metric} so far on validation rows")
    if runs.are_tested:
        template = N_("{metric} on test rows")
    headlines = []
    for view, iteration, measure, figure in zip(
        runs.views, runs.iterations, runs.measures, runs.loss_texts, strict=True
    ):
        label = tr(template, metric=measure.title)
        if figure == runs.lowest and set(runs.loss_texts) != {figure}:
            label = tr("{metric}, the lowest of these", metric=label)
        trials = describe_trials(view)
        if iteration is not None:
            trials = describe_time(iteration, len(view.iterations))
        headlines.append(ColumnHeadline(figure, label if figure else "", trials))
    return headlines


def _add_overlap(text: str) -> str:
    return tr("{text}; 95 % intervals overlap", text=text)


def describe_lowest(runs: ComparedRuns) -> tuple[str, ...]:
    """Name the run with the lowest error, the longest text first; empty if there is none."""
    if not runs.lowest:
        return ()
    values = {"metric": runs.measures[0].title, "loss": runs.lowest}
    if set(runs.loss_texts) == {runs.lowest}:
        template = tr("Equal {metric} so far on validation rows: {loss} each")
        if runs.are_tested:
            template = tr("Equal {metric} on test rows: {loss} each")
        briefs = tr("Equal: {loss} each"), tr("Equal: {loss}")
        return tuple(each.format(**values) for each in (template, *briefs))
    pairs = zip(runs.views, runs.loss_texts, strict=True)
    values["runs"] = ", ".join(view.name for view, text in pairs if text == runs.lowest)
    templates = (
        tr("Lowest {metric} so far on validation rows: {runs}, {loss}"),
        tr("Lowest so far: {runs}"),
    )
    if runs.are_tested:
        templates = (
            tr("Lowest {metric} on test rows: {runs}, {loss}"),
            tr("Lowest on test rows: {runs}"),
        )
    texts = tuple(each.format(**values) for each in templates)
    if runs.intervals_overlap:
        return *map(_add_overlap, texts), tr("95 % intervals overlap")
    return *texts, tr("Lowest: {runs}", runs=values["runs"])


def describe_side_by_side(runs: ComparedRuns) -> tuple[str, ...]:
    """Name the run with the lowest error, or say why there is none, the longest text first."""
    texts = describe_lowest(runs) if runs.have_same_rows else _describe_obstacle(runs.differences)
    return texts or (tr("{count} runs", count=len(runs.views)),)


def _describe_obstacle(differences: RunDifferences) -> tuple[str, ...]:
    """Return why errors cannot be compared, and that in a few words."""
    if not differences.parts:
        return ()
    first = differences.parts[0]
    return first, first.partition(":")[0].strip()


def describe_runs(runs: ComparedRuns) -> tuple[str, ...]:
    """Return sentences on the errors of runs, the longest first; empty unless all have one.

    Of errors on different rows, it is only said that they cannot be compared.
    """
    if None in runs.losses:
        return ()
    if not runs.have_same_rows:
        return _describe_obstacle(runs.differences)  # numbers side by side would be compared
    names = [view.name for view in runs.views]
    lists = list(
        dict.fromkeys(
            ", ".join(
                tr("{loss} ({run})", run=name, loss=loss)
                for name, loss in zip(each, runs.loss_texts, strict=True)
            )
            for each in (names, *_shorten_names(names))
        )
    )
    metric, *other_metrics = {measure.title for measure in runs.measures}
    if other_metrics:
        return tuple(lists)
    template, brief_metric = N_("{metric} on validation rows: {runs}"), N_("validation {metric}")
    if runs.are_tested:
        template, brief_metric = N_("{metric} on test rows: {runs}"), N_("test {metric}")
    first = tr(template, metric=capitalise(metric), runs=lists[0])
    # The words about the rows are shortened before the names.
    prefix = capitalise(tr(brief_metric, metric=metric))
    texts = [first, *(tr("{metric}: {runs}", metric=prefix, runs=each) for each in lists)]
    has_note = runs.are_tested and runs.intervals_overlap
    noted = [_add_overlap(each) for each in texts[:_MAX_NOTED]] if has_note else []
    if len(names) > _MAX_NAMED:  # the numbers in the order of the runs, better than a few of them
        numbers = ", ".join(runs.loss_texts)
        texts.append(tr("{metric}: {runs}", metric=prefix, runs=numbers))
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
    pairs = [split_brackets(each) for each in brief_names]
    outer_names, inner_names = ([pair[index] for pair in pairs] for index in (0, 1))
    for parts in (outer_names, inner_names):
        if len({*parts}) == len(names):
            brief_names = parts
            yield parts
    for length in _NAME_LENGTHS:

        def fits(text: str, length: int = length) -> bool:
            return len(text) <= length

        short_names = [abbreviate(each, brief_names, fits) for each in brief_names]
        if len({*short_names}) == len(names):
            yield short_names


def describe_current_work(
    view: RunView, measure: Measure, iteration: int | None, now: float, *, played: bool = False
) -> str:
    """Describe the current activity in one sentence; empty for none.

    Args:
        now: Unix time.
        played: Whether it is the playback of a recording, without visible workers.
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
        return _describe_work(view, now)
    return _describe_inactive_run(view, measure)


def _describe_work(view: RunView, now: float) -> str:
    if view.is_played:
        return tr("Waiting for the first trial of the recording")
    if view.running:
        return _describe_training(view.running, now)
    if view.row.message:
        return translate(view.row.message)
    if is_over_time(view, now) and not view.has_model:
        return tr("Time is up, but no model is ready yet")
    if not view.trials:
        return tr(_STARTING_PROCESSES)
    return tr("Choosing the next model")


def _describe_training(running: tuple[RunningJob, ...], now: float) -> str:
    """Describe the current training: the oldest trial, and the number of others."""
    first = min(running, key=lambda each: each.since)
    values: dict[str, object] = {
        "model": get_learner_noun(get_learner(first.configuration)),
        "time": format_clock(now - first.since),
    }
    text = tr("Trying {model}: {time}", **values)
    if first.folds > 1:
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

"""What happens in a run now, in one sentence."""

from studio.analysis.headline_words import headline_parts
from studio.document.journal import Running
from studio.gui.session.learner_names import learner_noun, learner_of
from studio.gui.session.run_view import RunView
from studio.language import grouped, ntr, tr, translate
from studio.measure import Measure


def now_words(
    view: RunView, measure: Measure, chosen: int | None, now: float, *, played: bool = False
) -> str:
    """Return the sentence; empty for none.

    Args:
        view: The run.
        measure: How its losses are written.
        chosen: The iteration looked at; None follows the run.
        now: Unix time.
        played: Whether it is a recording, in which no worker is seen.
    """
    if view.asked == "stop":
        return tr("Stopping. Everything found so far is kept.")
    if view.asked == "pause":
        return tr("Pausing: the trials in progress finish first.")
    if view.iterations and (chosen is not None or (played and not view.ended)):
        return _trial_words(view, measure, chosen)
    if view.state == "running":
        return _work_words(view, now)
    return _rest_words(view, measure)


def _work_words(view: RunView, now: float) -> str:
    """Say what the engine does."""
    if view.running:
        return _training_words(view.running, now)
    if view.row.message:
        return translate(view.row.message)
    if not view.trials:
        return tr("Starting the processes that train the models")
    return tr("Choosing the next model")


def _training_words(running: tuple[Running, ...], now: float) -> str:
    """Say what is trained: the trial that began first, and how many others."""
    first = min(running, key=lambda each: each.since)
    words: dict[str, object] = {
        "model": learner_noun(learner_of(first.configuration)),
        "time": clock(now - first.since),
        "others": grouped(len(running) - 1),
    }
    if first.folds > 1:
        words |= {"fold": first.fold, "folds": first.folds}
    match first.folds > 1, len(running) > 1:
        case True, False:
            return tr("Trying {model}: fold {fold} of {folds}, {time}", **words)
        case False, False:
            return tr("Trying {model}: {time}", **words)
        case True, True:
            return tr("Trying {model}: fold {fold} of {folds}, {time} – and {others} more", **words)
    return tr("Trying {model}: {time} – and {others} more", **words)


def _trial_words(view: RunView, measure: Measure, chosen: int | None) -> str:
    """Say which trial an iteration was, and how it ended."""
    record = view.iteration(chosen)
    assert record is not None, "there are iterations"
    trial = view.trials[record.number - 1]
    return tr(
        "Trial {number}: {model}, {ended}",
        number=grouped(record.number),
        model=learner_noun(learner_of(trial.configuration)),
        ended=translate(trial.cause) if trial.loss is None else measure.brief(trial.loss),
    )


def _rest_words(view: RunView, measure: Measure) -> str:
    """Say how a run stands on which nobody works now."""
    trials = ntr("{count} trial", "{count} trials", view.searched)
    match view.state:
        case "waiting":
            return tr("Starting the program that trains the models")
        case "paused":
            return tr("Paused after {trials}.", trials=trials)
        case "interrupted":
            return tr("Interrupted after {trials}.", trials=trials)
        case "failed":
            return translate(view.row.message) or tr("The run failed.")
    return _result_words(view, measure, trials)


def _result_words(view: RunView, measure: Measure, trials: str) -> str:
    """Say how good the models of a run are that has ended, as its answer does."""
    result = view.row.result
    if result is not None and result.headline is not None:
        return translate(headline_parts(result.headline, view.row.looked_for)[0])
    ended = tr("Finished") if view.state == "finished" else tr("Stopped")
    if view.test_loss is None:
        return tr("{ended} after {trials}.", ended=ended, trials=trials)
    return tr(
        "{ended}: {metric} {loss} on the test rows.",
        ended=ended,
        metric=measure.title,
        loss=measure.brief(view.test_loss),
    )


def clock(seconds: float) -> str:
    """Write seconds as a clock does: "0:12", "1:02:05"."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"

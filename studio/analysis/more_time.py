"""Advice to continue a search that has hardly begun."""

from collections.abc import Iterable

from studio.document.results import Result
from studio.phrases import count_phrase
from studio.trial import Trial

FEW_MODELS = 3
"""Number of models up to which more time usually gives a better ensemble."""


def advise_more_time(result: Result | None, trials: Iterable[Trial]) -> str:
    """Return the advice for a run's result as a phrase, or "" for none.

    There is none without a result, after more models, or if no configuration is left to try. Failed
    and unfinished trials are no models; rejected ones are.
    """
    if result is None or result.exhausted:
        return ""
    n_models = sum(each.status in {"ok", "ended early"} and not each.concluding for each in trials)
    if not 1 <= n_models <= FEW_MODELS:
        return ""
    return count_phrase(
        "More time may help: only one model was tried.",
        "More time may help: only {count} models were tried.",
        n_models,
    )

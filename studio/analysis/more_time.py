"""Advice to continue a search that has hardly begun."""

from collections.abc import Iterable

from studio.phrases import count_phrase
from studio.trial import Trial

FEW_MODELS = 3
"""Number of models up to which more time usually gives a better ensemble."""


def advise_more_time(trials: Iterable[Trial], *, is_exhausted: bool) -> str:
    """Return the advice as a phrase, or "" after more models, or if none is left to try.

    Failed and unfinished trials are no models; rejected ones are.
    """
    n_models = sum(each.status in {"ok", "ended early"} and not each.concluding for each in trials)
    if is_exhausted or not 1 <= n_models <= FEW_MODELS:
        return ""
    return count_phrase(
        "More time may help: only one model was tried.",
        "More time may help: only {count} models were tried.",
        n_models,
    )

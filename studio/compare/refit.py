"""Sentences on the effect of the final refit on the result of a search."""

from collections.abc import Sequence

from studio.compare.cell_names import quote_method
from studio.compare.comparison import Comparison
from studio.compare.outcomes import CellOutcome
from studio.compare.study_notes import StudyJson
from studio.compare.tables.table import format_error, format_error_phrase
from studio.phrases import count_phrase, join_phrases, phrase

_MAX_ERRORS = 6


def explain_missing_refits(study: StudyJson, outcomes: Sequence[CellOutcome]) -> tuple[str, ...]:
    """Return a sentence if the time of some runs did not suffice for the refit."""
    n_missing = sum(not each.refitted for each in outcomes)
    if not study.refit or not n_missing:
        return ()
    return (
        count_phrase(
            "{count} of {runs} runs had no time left for the refit: its error is that of models "
            "of the search.",
            "{count:,} of {runs} runs had no time left for the refit: their errors are those of "
            "models of the search.",
            n_missing,
            runs=len(outcomes),
        ),
    )


def are_refitted(study: StudyJson, outcomes: Sequence[CellOutcome]) -> bool:
    """Whether errors are those of refitted models, in at least one run."""
    return study.refit and any(each.refitted for each in outcomes)


def explain_curve(comparison: Comparison) -> str:
    """Return which models a curve shows, and the errors after the refit; empty without a refit."""
    if not comparison.is_refitted:
        return ""
    before = phrase(
        "These are the models of the search, before the final refit on training and validation "
        "rows. The conclusion and “Answer” are about the final models."
    )
    if not comparison.error_curve or len(comparison.ranked) > _MAX_ERRORS:
        return before
    (name,) = comparison.complete
    errors = comparison.get_mean_errors(name)
    after = phrase("After the refit: {errors}.", errors=_list_errors(comparison, errors))
    return join_phrases((before, after))


def explain_changed_order(comparison: Comparison) -> str:
    """Return a sentence if the best method of the search is not that of the result; else ""."""
    if not comparison.is_refitted or not comparison.error_curve:
        return ""
    (name,) = comparison.complete
    last = comparison.error_curve[max(comparison.error_curve)].tolist()
    before = dict(zip(comparison.ranked, last, strict=True))
    after = comparison.get_mean_errors(name)
    first, winner = min(before, key=before.__getitem__), min(after, key=after.__getitem__)
    unit, number_format = comparison.units[name], comparison.get_error_format(name)
    for errors in (before, after):  # equal as displayed: a tie, as in the conclusion
        texts = {format_error(errors[each], unit, number_format) for each in (first, winner)}
        if len(texts) == 1:
            return ""
    return phrase(
        "Before the final refit the order was another: {errors} (mean test errors at the end of "
        "the search).",
        errors=_list_errors(comparison, {name: before[name] for name in (first, winner)}),
    )


def _list_errors(comparison: Comparison, errors: dict[str, float]) -> str:
    (name,) = comparison.complete
    unit, number_format = comparison.units[name], comparison.get_error_format(name)
    return join_phrases(
        (
            join_phrases((quote_method(method), format_error_phrase(error, unit, number_format)))
            for method, error in errors.items()
        ),
        ", ",
    )

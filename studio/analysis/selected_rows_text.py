"""Expected and observed outcome of selected rows, in sentences."""

import math

import numpy as np

from studio.analysis.answers.rows import ExpectedOutcome, PredictedRows
from studio.analysis.number_phrases import format_expected_hits
from studio.arrays import Integers
from studio.measure import count_decimals, get_unit_affixes
from studio.numerals import MAX_PLAIN_MAGNITUDE, NumeralFormat
from studio.phrases import Phrase, count_phrase, join_phrases, phrase

CAUTION = phrase(
    "The new rows differ from the training rows, so the true number may lie outside the interval "
    "more often."
)

BY_ANOTHER_CHOICE = phrase(
    "These rows are not selected by prediction alone. The interval was not tested for such a "
    "selection."
)


_N_DIGITS = 3
"""Significant digits of an expected sum."""

_REPORTED_HITS = 0.5
"""Minimum noticeable difference of two numbers of hits."""

_MIN_REPORTED_PROBABILITY = 0.02
"""Minimum noticeable difference of two probabilities of a single row."""


def describe_expected_outcome(outcome: ExpectedOutcome) -> str:
    """Describe the expected outcome of the first rows, and why it is not the sum of their cells."""
    remarks = describe_variation(outcome), describe_extrapolation(outcome), explain_sum(outcome)
    return join_phrases((describe_outcome(outcome), *remarks))


def describe_outcome(outcome: ExpectedOutcome) -> str:
    """Describe the expected outcome of the first rows, compared with that of random rows."""
    if not outcome.label:
        names = ("mean", "low", "high", "usual")
        return count_phrase(
            "The first row is expected to have about {mean} ({share:.0f} % interval: {low} to "
            "{high}); a row drawn at random, about {usual}.",
            "The first {count:,} rows are expected to add up to about {mean} ({share:.0f} % "
            "interval: {low} to {high}); {count:,} rows drawn at random, to about {usual}.",
            outcome.count,
            share=100 * outcome.share,
            **{name: _format_outcome(outcome, getattr(outcome, name)) for name in names},
        )
    if outcome.count == 1:
        return phrase(
            "The first row is “{label}” with a probability of about {percent:.0f} %; a row drawn "
            "at random, with one of {usual_percent:.0f} %.",
            label=outcome.label,
            percent=100 * outcome.mean,
            usual_percent=100 * outcome.usual,
        )
    return join_phrases((_describe_hits(outcome), _describe_usual_outcome(outcome)))


def describe_variation(outcome: ExpectedOutcome) -> str:
    """Explain a wider interval by past variation; empty without any."""
    if not outcome.highest:
        return ""
    return phrase(
        "The interval allows for change: over time, the share of “{label}” varied from {low:.1f} "
        "to {high:.1f} %.",
        label=outcome.label,
        low=100 * outcome.lowest,
        high=100 * outcome.highest,
    )


def describe_extrapolation(outcome: ExpectedOutcome) -> str:
    """Warn of probabilities beyond those of past rows; empty if there are none."""
    if not outcome.beyond:
        return ""
    return count_phrase(
        "1 new row has a higher probability than all earlier rows: the interval is less reliable.",
        "{count:,} new rows have higher probabilities than all earlier rows: the interval is less "
        "reliable.",
        outcome.beyond,
    )


def _describe_hits(outcome: ExpectedOutcome) -> str:
    values = {
        "count": outcome.count,
        "label": outcome.label,
        "share": 100 * outcome.share,
        "low": outcome.low,
        "high": outcome.high,
    }
    if outcome.mean < 1:
        return phrase(
            "Of the first {count:,} rows, fewer than one is expected to be “{label}” ({share:.0f} "
            "% interval: {low:.0f} to {high:.0f});",
            **values,
        )
    return phrase(
        "Of the first {count:,} rows, about {mean} are expected to be “{label}” ({share:.0f} % "
        "interval: {low:,.0f} to {high:,.0f});",
        mean=format_expected_hits(outcome.mean),
        **values,
    )


def _describe_usual_outcome(outcome: ExpectedOutcome) -> str:
    if outcome.usual < 1:
        return phrase("of {count:,} rows drawn at random, fewer than one.", count=outcome.count)
    return phrase(
        "of {count:,} rows drawn at random, about {usual}.",
        count=outcome.count,
        usual=format_expected_hits(outcome.usual),
    )


def explain_sum(outcome: ExpectedOutcome) -> str:
    """Explain why the shown predictions have a different sum; empty if the sums agree."""
    if not _differs_noticeably(outcome):
        return ""
    too_low = outcome.mean > outcome.summed
    values = {
        "summed": _format_outcome(outcome, outcome.summed),
        "direction": phrase("too low") if too_low else phrase("too high"),
    }
    if outcome.label:
        return count_phrase(
            "The table shows {summed} %: on rows not used for training, such probabilities were "
            "{direction}, which is corrected here.",
            "The rows' probabilities add up to {summed}. The expected number is corrected: on rows "
            "not used for training, such probabilities were {direction}.",
            outcome.count,
            **values,
        )
    return count_phrase(
        "The table shows {summed}: on rows not used for training, such predictions were "
        "{direction}, which is corrected here.",
        "The rows' predictions add up to {summed}. The expected sum is corrected: on rows not used "
        "for training, such predictions were {direction}.",
        outcome.count,
        **values,
    )


def _differs_noticeably(outcome: ExpectedOutcome) -> bool:
    """Whether the expectation differs noticeably from the sum of the displayed predictions."""
    if math.isnan(outcome.summed):
        return False
    difference = abs(outcome.mean - outcome.summed)
    if outcome.label and outcome.count == 1:
        return difference >= _MIN_REPORTED_PROBABILITY
    if outcome.label and (difference < _REPORTED_HITS or max(outcome.mean, outcome.summed) < 1):
        return False
    return _format_outcome(outcome, outcome.mean) != _format_outcome(outcome, outcome.summed)


def describe_observed(rows: PredictedRows, selected: Integers, positive_code: int) -> str:
    """Describe the table's own targets in selected rows, (k,); empty if it has none.

    For classes: the number of rows of a class; for numbers: their sum, and the mean absolute error.
    """
    if not rows.observed.size or not len(selected):
        return ""
    observed = rows.observed[selected]
    is_known = ~np.isnan(observed)
    if not is_known.any():
        return phrase("This table's own “{target}” is empty in these rows.", target=rows.target)
    unknown = count_phrase(
        "It is unknown in 1 of these rows.",
        "It is unknown in {count:,} of these rows.",
        int((~is_known).sum()),
    )
    notes = () if is_known.all() else (unknown,)
    if rows.classes:
        hits = int((observed == positive_code).sum())
        text = phrase("This table's own “{target}” says {hits:,}.", target=rows.target, hits=hits)
        return join_phrases((text, *notes))
    errors = np.abs(rows.predictions[selected] - observed)[is_known]
    text = phrase(
        "This table's own “{target}” adds up to {sum}; mean absolute error of the predictions: "
        "{error}.",
        target=rows.target,
        sum=_format_number(float(observed[is_known].sum()), rows.unit),
        error=_format_number(float(errors.mean()), rows.unit),
    )
    return join_phrases((text, *notes))


def _format_number(number: float, unit: str) -> str:
    """Return a sum or an error with the digits of the sentence."""
    if not unit:
        return Phrase(f"{{number:.{_N_DIGITS}g}}", {"number": number})
    prefix, suffix = get_unit_affixes(unit)
    values: dict[str, float | str] = {"number": number, "unit": prefix or suffix}
    n_decimals = NumeralFormat.for_values([number], _N_DIGITS).decimals
    format_spec = (
        f",.{count_decimals(n_decimals, unit)}f"
        if abs(number) < MAX_PLAIN_MAGNITUDE
        else f".{_N_DIGITS}g"
    )
    formatted = f"{{number:{format_spec}}}"
    return Phrase(f"{{unit}}{formatted}" if prefix else f"{formatted}{{unit}}", values)


def _format_outcome(outcome: ExpectedOutcome, number: float) -> str:
    """Return an outcome with the digits of the sentence: hits, a sum, or a percentage."""
    if not outcome.label:
        return _format_number(number, outcome.unit)
    if outcome.count == 1:
        return Phrase("{number:.0f}", {"number": 100 * number})
    return format_expected_hits(number)

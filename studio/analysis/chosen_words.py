"""Expected outcome of selected rows, in a sentence."""

import math

from studio.analysis.answers.rows import Expected
from studio.phrases import Phrase, counted, joined, phrase

CAUTION = phrase(
    "The new rows differ from the training rows, so the true number may lie outside the interval "
    "more often."
)

BY_ANOTHER_CHOICE = phrase(
    "These rows are not selected by prediction alone. The interval was not tested for such a "
    "selection."
)


def expected_words(found: Expected) -> str:
    """Describe the expected outcome of the first rows, and why it is not the sum of their cells."""
    return joined((_outcome_words(found), _sum_words(found)))


def _outcome_words(found: Expected) -> str:
    values = {
        "mean": found.mean,
        "low": found.low,
        "high": found.high,
        "share": 100 * found.share,
        "usual": found.usual,
    }
    if not found.label:
        names = ("mean", "low", "high", "usual")
        return counted(
            "The first row is expected to have about {mean} ({share:.0f} % interval: {low} to "
            "{high}); a row drawn at random, about {usual}.",
            "The first {count:,} rows are expected to add up to about {mean} ({share:.0f} % "
            "interval: {low} to {high}); {count:,} rows drawn at random, to about {usual}.",
            found.count,
            share=100 * found.share,
            **{name: _format_outcome(found, getattr(found, name)) for name in names},
        )
    return counted(
        "The first row is “{label}” with a probability of about {percent:.0f} %; a row drawn at "
        "random, with one of {usual_percent:.0f} %.",
        "Of the first {count:,} rows, about {mean:.2g} are expected to be “{label}” ({share:.0f} % "
        "interval: {low:.0f} to {high:.0f}); of {count:,} rows drawn at random, about {usual:.2g}.",
        found.count,
        label=found.label,
        percent=100 * found.mean,
        usual_percent=100 * found.usual,
        **values,
    )


def _sum_words(found: Expected) -> str:
    """Explain why the shown predictions add up to something else; "" where they do not."""
    if math.isnan(found.summed) or _format_outcome(found, found.mean) == _format_outcome(
        found, found.summed
    ):
        return ""
    summed = _format_outcome(found, found.summed)
    low = found.mean > found.summed
    if found.label:
        if low:
            return counted(
                "The table shows {summed} %: on rows not used for training, such probabilities "
                "were too low, which is corrected here.",
                "Their probabilities add up to {summed}: on rows not used for training, such "
                "probabilities were too low, which is corrected here.",
                found.count,
                summed=summed,
            )
        return counted(
            "The table shows {summed} %: on rows not used for training, such probabilities were "
            "too high, which is corrected here.",
            "Their probabilities add up to {summed}: on rows not used for training, such "
            "probabilities were too high, which is corrected here.",
            found.count,
            summed=summed,
        )
    if low:
        return counted(
            "The table shows {summed}: on rows not used for training, such predictions were too "
            "low, which is corrected here.",
            "Their predictions add up to {summed}: on rows not used for training, such "
            "predictions were too low, which is corrected here.",
            found.count,
            summed=summed,
        )
    return counted(
        "The table shows {summed}: on rows not used for training, such predictions were too high, "
        "which is corrected here.",
        "Their predictions add up to {summed}: on rows not used for training, such predictions "
        "were too high, which is corrected here.",
        found.count,
        summed=summed,
    )


def _format_outcome(found: Expected, number: float) -> str:
    """Return an outcome with the digits of the sentence: hits, a sum, or a percentage."""
    if found.unit:
        values: dict[str, float | str] = {"number": number, "unit": found.unit}
        return Phrase("{number:.4g}\N{NO-BREAK SPACE}{unit}", values)
    if not found.label:
        return Phrase("{number:.4g}", {"number": number})
    if found.count == 1:
        return Phrase("{number:.0f}", {"number": 100 * number})
    return Phrase("{number:.2g}", {"number": number})

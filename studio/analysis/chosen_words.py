"""Expected outcome of selected rows, in a sentence."""

from studio.analysis.answers.rows import Expected
from studio.phrases import counted, phrase

CAUTION = phrase(
    "The new rows differ from the training rows, so the true number may lie outside the interval "
    "more often."
)

BY_ANOTHER_CHOICE = phrase(
    "These rows are not selected by prediction alone. The interval was not tested for such a "
    "selection."
)


def expected_words(found: Expected) -> str:
    """Describe the expected outcome of the first rows of a ranking."""
    values = {
        "mean": found.mean,
        "low": found.low,
        "high": found.high,
        "share": 100 * found.share,
        "usual": found.usual,
    }
    if not found.label:
        return counted(
            "The first row is expected to have about {mean:.4g} ({share:.0f} % interval: {low:.4g} "
            "to {high:.4g}); a row drawn at random, about {usual:.4g}.",
            "The first {count:,} rows are expected to add up to about {mean:.4g} ({share:.0f} % "
            "interval: {low:.4g} to {high:.4g}); {count:,} rows drawn at random, to about "
            "{usual:.4g}.",
            found.count,
            **values,
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

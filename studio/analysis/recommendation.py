"""What to do with a result, in one or two plain sentences."""

from studio.analysis.headline_words import rounded
from studio.data.metrics.plain import PlainScore
from studio.phrases import joined, phrase

_UNTESTED = phrase("Before relying on it, test it on rows it has never seen.")


def recommendation(score: PlainScore, target: str, looked_for: str | None = None) -> str:
    """Return what to do, as a phrase.

    Args:
        score: How good the run's ensemble is.
        target: The column that is predicted.
        looked_for: The class that somebody has chosen to look for; else it is the rarer one of two.
    """
    ranked = score.ranking_of(looked_for)
    if ranked is not None and ranked.beyond_chance:
        advice = phrase(
            "Handle rows in the order of their probability of “{label}”, the highest first: the "
            "first {share:.0f} % of the rows held {found:.0f} % of all “{label}”.",
            label=ranked.label,
            share=100 * ranked.top / score.rows,
            found=100 * ranked.hits / ranked.positives,
        )
    elif not score.better or score.beyond_chance is False:
        return phrase(
            "Do not base decisions on these predictions: they are not clearly better than a "
            "guess. More rows, or columns that say more about “{target}”, may help.",
            target=target,
        )
    elif not score.of_classes:
        advice = phrase(
            "Use the predictions where an error of {half} is acceptable: it is larger in half of "
            "the rows.",
            half=rounded(score.middle or 0.0),
        )
    elif score.confused is not None:
        advice = phrase(
            "Use the predicted classes, but check rows that are predicted as “{answer}”: some are "
            "“{truth}”.",
            answer=score.confused.answer,
            truth=score.confused.truth,
        )
    else:
        advice = phrase("Use the predicted classes.")
    return advice if score.tested else joined((advice, _UNTESTED))

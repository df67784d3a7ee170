"""The first sentence about a run: how good it is, beside guessing."""

import math

from studio.data.metrics.plain import PlainScore
from studio.phrases import Phrase, joined, phrase

_SCALES = (100, 1_000, 10_000)
"""Bases of "x of n rows": the first that keeps a share distinct from the values that matter."""

OPTIMISTIC = phrase(
    "These are validation rows: the models were chosen by them, so this is usually optimistic."
)

CHANCE = phrase("The difference may be chance: on other rows guessing could be the better one.")
NO_BETTER = phrase(
    "By this measure it is no better than guessing: the columns may say little about the target, "
    "or there are too few rows to learn it from."
)

RARE = phrase(
    "By this measure it is no better than guessing. Where one class is so common, that alone says "
    "little: whether it tells rows apart is seen in the ROC curves."
)
RANKS = phrase(
    "It gives most rows the more common class, but it ranks them better than chance: the rows with "
    "the highest probabilities are the ones to look at first."
)
_RARE = 2 / 3
"""From this share of the more common class on, how rows are ranked says more than how many are
right, and is said first."""

_CONSTANTS = {
    "mean": phrase("always predicting the mean"),
    "median": phrase("always predicting the median"),
    "value": phrase("always predicting the same value"),
}

_COMMON = 0.8
"""From this share of rows on, a good model too may give no row another class than this one."""


def headline_words(score: PlainScore) -> str:
    """Return the first sentence about a run; :func:`caution` belongs to it.

    Parameters
    ----------
    score : PlainScore
        How good its ensemble is.
    """
    if not score.of_classes:
        return _of_values(score)
    ranked = ranked_words(score) if score.guess >= _RARE else ""
    return joined((ranked, _of_classes(score))) if ranked else _of_classes(score)


def ranked_words(score: PlainScore) -> str:
    """Return how many rows of a class are ranked highest; "" where that is not known."""
    found = score.ranked
    if found is None:
        return ""
    chance = found.top * found.positives / score.rows
    values = {"top": found.top, "hits": found.hits, "label": found.label}
    if chance < 1:
        return phrase(
            "Of the {top:,} rows that it ranks highest, {hits:,} are “{label}”; by chance, fewer "
            "than one.",
            **values,
        )
    return phrase(
        "Of the {top:,} rows that it ranks highest, {hits:,} are “{label}”; by chance, "
        "{chance:,.0f}.",
        chance=chance,
        **values,
    )


def caution(score: PlainScore) -> str:
    """Return what the first sentence may hide: nothing better, chance, optimism; "" if nothing."""
    ranks = score.tested and score.ranked is not None and score.ranked.beyond_chance
    if ranks and score.guess >= _RARE and not (score.better and score.beyond_chance):
        return RANKS
    if not score.better:
        return RARE if score.of_classes and score.guess >= _COMMON else NO_BETTER
    if not score.tested:
        return OPTIMISTIC
    return CHANCE if score.beyond_chance is False else ""


def cautious_words(score: PlainScore) -> str:
    """Return the first sentence, and what it may hide."""
    return joined(filter(None, (headline_words(score), caution(score))))


def _of_classes(score: PlainScore) -> str:
    if score.weighted:
        right, guess = (round(100 * each, 1) for each in (score.average, score.guess))
        if score.tested:
            return phrase(
                "Right for {right} % of the weight of rows it had never seen; guessing the "
                "most common class: {guess} %.",
                right=_short(right),
                guess=_short(guess),
            )
        return phrase(
            "Right for {right} % of the rows' weight; guessing the most common class: {guess} %.",
            right=_short(right),
            guess=_short(guess),
        )
    of = scale_of(score)
    right, guess = round(of * score.average), round(of * score.guess)
    if score.tested:
        return phrase(
            "Right for {right:,} of {rows:,} rows it had never seen; guessing the most "
            "common class: {guess:,}.",
            right=right,
            rows=of,
            guess=guess,
        )
    return phrase(
        "Right for {right:,} of {rows:,} rows; guessing the most common class: {guess:,}.",
        right=right,
        rows=of,
        guess=guess,
    )


def scale_of(score: PlainScore) -> int:
    """Return n of "x of n rows": 100, unless rounding hides a difference.

    A few wrong rows are not rounded to none, nor a share that differs from the guess to the same;
    where there are fewer rows, n is their number.
    """
    for of in _SCALES:
        if score.rows < of:
            return score.rows
        right, guess = round(of * score.average), round(of * score.guess)
        hidden = right in (0, of) and right != of * score.average
        if not hidden and (right != guess or score.average == score.guess):
            return of
    return score.rows


def _of_values(score: PlainScore) -> str:
    off, guess = _short(score.average), _short(score.guess)
    if score.metric:
        return phrase(
            "{metric}: {off}; always predicting the same value: {guess}.",
            metric=phrase(score.metric),
            off=off,
            guess=guess,
        )
    template = (
        phrase(
            "Off by {off} on average over the weighted rows (half of their weight: less than "
            "{half}); {constant}: {guess}."
        )
        if score.weighted
        else phrase(
            "Off by {off} on average (half of all rows: less than {half}); {constant}: {guess}."
        )
    )
    half = _short(score.middle or 0.0)
    constant = _CONSTANTS[score.constant]
    return Phrase(template, {"off": off, "half": half, "constant": constant, "guess": guess})


def _short(value: float) -> str:
    """Return a number with three digits, thousands grouped, as a phrase: any language writes it."""
    if value == 0 or not math.isfinite(value):
        return Phrase("{number:g}", {"number": value})
    digits = 2 - math.floor(math.log10(abs(value)))
    rounded = round(value, digits)
    if 1e-4 <= abs(rounded) < 1e9:
        decimals = max(0, digits)
        return Phrase(f"{{number:,.{decimals}f}}", {"number": rounded})
    return Phrase("{number:.3g}", {"number": value})

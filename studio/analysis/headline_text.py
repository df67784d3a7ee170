"""A run's result in sentences: its error, compared with guessing, and advice for its use."""

from collections.abc import Mapping

import numpy as np

from studio.analysis.class_text import (
    advise_on_classes,
    describe_class_details,
    describe_missed_classes,
    warn_of_missed_classes,
)
from studio.analysis.number_phrases import (
    PLUS_MINUS,
    format_expected_hits,
    format_loss_phrase,
    make_rounded_phrase,
)
from studio.data.metrics.plain_score import PlainScore, RankedHits, UnitKind
from studio.data.metrics.registry import find_metric
from studio.document.results import Result
from studio.measure import get_loss_unit
from studio.phrases import Phrase, join_phrases, phrase

VALIDATION_IS_OPTIMISTIC = phrase(
    "These are validation rows: the models were chosen by them, so this is usually optimistic."
)

GUESSING_MAY_BE_BETTER = phrase(
    "The difference may be chance: on other rows guessing could be better."
)
NO_BETTER = phrase(
    "By this measure it is no better than guessing: the columns may say little about the target, "
    "or there are too few rows to learn it from."
)

NO_BETTER_ON_IMBALANCED = phrase(
    "By this measure it is no better than guessing. With one class so common, that alone means "
    "little: the ROC curves show whether the model separates the classes."
)
ONLY_RANKING_BETTER = phrase(
    "Its predictions are right no more often than guesses, but it ranks the rows better than "
    "chance: the rows with the highest probabilities are the ones to look at first."
)
ONLY_RANKING_BETTER_OVERALL = phrase(
    "Its predictions are right no more often than guesses. It ranks the rows better than chance "
    "overall, but not clearly at the very top: the cumulative gains show how far down to look."
)
RANKING_BETTER = phrase(
    "It ranks the rows better than chance: the rows with the highest probabilities are the ones to "
    "look at first."
)
RANKING_BETTER_OVERALL = phrase(
    "It ranks the rows better than chance overall, but not clearly at the very top: the cumulative "
    "gains show how far down to look."
)
"""As above, for the labels of a decision, which have already been compared."""

NO_SIGNAL = phrase(
    "Neither its predictions nor its ranking of the rows are clearly better than chance: the "
    "columns may say little about the target, or there are too few rows to learn it from."
)
BETTER_BY_METRIC = phrase(
    "Row by row, by the metric of this run, it is clearly better than guessing."
)
PROBABILITIES_BETTER = phrase(
    "Its probabilities are clearly better than guessing, by the metric of this run."
)
HARMLESS_CAVEATS = frozenset(
    join_phrases(filter(None, (ranking, metric)))
    for ranking in ("", RANKING_BETTER, RANKING_BETTER_OVERALL)
    for metric in ("", BETTER_BY_METRIC, PROBABILITIES_BETTER)
    if ranking or metric
)
"""Caveats that are not warnings."""

DEPENDENT_ROWS_CAVEATS: Mapping[UnitKind, str] = {
    "": phrase(
        "It ranks these rows better than chance. But rows of one group, or of neighbouring times, "
        "may be similar, and too few groups or times were tested to be sure about new ones."
    ),
    "groups": phrase(
        "It ranks these rows better than chance. But rows of one group may be similar, and too few "
        "groups were tested to be sure about new ones."
    ),
    "copies": phrase(
        "It ranks these rows better than chance. But copies of a row are one observation, and too "
        "few different rows were tested to be sure about new ones."
    ),
    "times": phrase(
        "It ranks these rows better than chance. But rows of neighbouring times may be similar, "
        "and the tested period was too short to be sure about later ones."
    ),
}
"""Caveats by the cause of dependent rows; empty in results of older versions."""


_CONSTANTS = {
    "mean": phrase("always predicting the mean"),
    "median": phrase("always predicting the median"),
    "value": phrase("always predicting the same value"),
}

_MIN_COMMON_CLASS_SHARE = 0.8
"""Share of the most common class above which even a good model may predict no other."""


def name_baseline(score: PlainScore | None) -> str:
    """Name the baseline, predictions without a model, with which a result is compared."""
    if score is None:
        return _CONSTANTS["value"]
    return phrase("guessing") if score.of_classes else _CONSTANTS[score.constant]


def name_metric_baseline(metric_key: str) -> str:
    """Name the constant prediction that is best by a metric."""
    metric = find_metric(metric_key)
    if metric is None:
        return _CONSTANTS["value"]
    return _CONSTANTS[metric.constant] if "regression" in metric.tasks else phrase("guessing")


def format_headline(score: PlainScore, positive_class: str | None = None) -> str:
    """Return the first sentences about a run, to be followed by :func:`describe_caveats`."""
    return join_phrases(make_headline_parts(score, positive_class))


def make_headline_parts(score: PlainScore, positive_class: str | None = None) -> tuple[str, str]:
    """Return the headline as two texts: the main statement, and an optional addition."""
    if not score.of_classes:
        return _describe_regression(score)
    ranked = score.get_ranking(positive_class)
    if ranked is not None:
        return describe_hits(ranked, score.rows), _describe_classification(score)
    return _describe_classification(score), describe_class_details(score)


def make_brief_headlines(score: PlainScore, positive_class: str | None = None) -> tuple[str, ...]:
    """Return shorter main statements with the same numbers, longest first, for narrow layouts."""
    if not score.of_classes:
        return _format_brief_values(score)
    ranked = score.get_ranking(positive_class)
    if ranked is not None:
        chance_hits = count_expected_chance_hits(ranked, score.rows)
        values = {"top": ranked.top, "hits": ranked.hits, "label": ranked.label}
        phrase_text = (
            phrase(
                "Among the top {top:,} of {rows:,}: {hits:,} “{label}”; by chance, fewer than one.",
                rows=score.rows,
                **values,
            )
            if chance_hits < 1
            else phrase(
                "Among the top {top:,} of {rows:,}: {hits:,} “{label}”; by chance, {chance}.",
                rows=score.rows,
                chance=format_expected_hits(chance_hits),
                **values,
            )
        )
        return phrase_text, phrase("Among the top {top:,}: {hits:,} “{label}”.", **values)
    shares = _format_shares(score)
    if score.per_class:
        return (
            phrase("Right for {right} % per class; guessing: {guess} %.", **shares),
            phrase("Right for {right} % per class.", right=shares["right"]),
        )
    if score.weighted:
        return (phrase("Right for {right} % of the weight; guessing: {guess} %.", **shares),)
    n_right, n_guessed, rows = score.rows * score.average, score.rows * score.guess, score.rows
    return (
        phrase(
            "{right:,} of {rows:,} right; guessing: {guess:,}.",
            right=round(n_right),
            rows=rows,
            guess=round(n_guessed),
        ),
        phrase("{right:,} of {rows:,} right.", right=round(n_right), rows=rows),
    )


def _format_brief_values(score: PlainScore) -> tuple[str, ...]:
    if score.metric:
        average_error = format_loss_phrase(
            score.average, get_loss_unit(score.unit, score.target_unit)
        )
        return (phrase("{metric}: {off}.", metric=phrase(score.metric), off=average_error),)
    if score.rows == 1 or score.middle is None:
        return (
            phrase("Off by {off}.", off=make_rounded_phrase(score.average, unit=score.target_unit)),
        )
    half_width = make_rounded_phrase(score.middle, PLUS_MINUS, score.target_unit)
    brief_text = phrase("Half within {half}.", half=half_width)
    if score.guess_middle is None:
        return (brief_text,)
    guess_half_width = make_rounded_phrase(score.guess_middle, PLUS_MINUS, score.target_unit)
    return phrase(
        "Half within {half}; {baseline}: {wide}.",
        half=half_width,
        baseline=name_baseline(score),
        wide=guess_half_width,
    ), brief_text


def count_expected_chance_hits(hits: RankedHits, n_rows: int) -> float:
    """Return the expected random hits among the top-ranked of ``n_rows`` rows."""
    return hits.top * hits.positives / n_rows


def describe_hits(ranked_hits: RankedHits, n_rows: int) -> str:
    """Describe the number of hits among the top-ranked of ``n_rows`` rows."""
    chance_hits = count_expected_chance_hits(ranked_hits, n_rows)
    hits = (
        phrase("1 is") if ranked_hits.hits == 1 else phrase("{hits:,} are", hits=ranked_hits.hits)
    )
    values = {"top": ranked_hits.top, "rows": n_rows, "found": hits, "label": ranked_hits.label}
    if chance_hits < 1:
        return phrase(
            "Of the {top:,} rows ranked highest out of {rows:,}, {found} “{label}”; by "
            "chance, fewer than one.",
            **values,
        )
    return phrase(
        "Of the {top:,} rows ranked highest out of {rows:,}, {found} “{label}”; by chance, "
        "{chance}.",
        chance=format_expected_hits(chance_hits),
        **values,
    )


def describe_caveats(
    score: PlainScore,
    positive_class: str | None = None,
    result: Result | None = None,
    *,
    has_decision: bool = False,
) -> str:
    """Return the caveats about a headline in sentences; empty for none.

    Args:
        positive_class: The positive class if the user chose one; else the rarer one of two.
        has_decision: Whether the labels are those of a decision, already compared with guessing.
    """
    caveats = (
        describe_metric_caveat(score, result),
        _describe_chance(score, positive_class, has_decision=has_decision),
        warn_of_missed_classes(score),
    )
    if result is None:
        return join_phrases(caveats)
    explanation = FEW_COMPARED if (failed := describe_failed_trials(result)) else ""
    return join_phrases((*result.test_notes, *caveats, failed, explanation))


FEW_COMPARED = phrase(
    "Therefore only few models were compared; the list of failed trials shows why."
)


def describe_failed_trials(result: Result) -> str:
    """Return a sentence with the number of failed trials if most failed; empty otherwise."""
    if 2 * result.failed <= result.trials:
        return ""
    return phrase("{failed:,} of {trials:,} trials failed.", failed=result.failed,
                  trials=result.trials)  # fmt: skip


def _describe_chance(score: PlainScore, positive_class: str | None, *, has_decision: bool) -> str:
    """Return a caveat about chance or optimism; "" for none."""
    caveat = find_main_caveat(score, positive_class)
    ranks_only = caveat == ONLY_RANKING_BETTER
    metric = _name_better_part(score) if ranks_only and score.by_metric else ""
    ranked = score.get_ranking(positive_class)
    if (
        caveat == ONLY_RANKING_BETTER
        and ranked is not None
        and not ranked.is_beyond_chance(score.rows)
    ):
        caveat = ONLY_RANKING_BETTER_OVERALL
    if has_decision:
        caveat = {
            ONLY_RANKING_BETTER: RANKING_BETTER,
            ONLY_RANKING_BETTER_OVERALL: RANKING_BETTER_OVERALL,
        }.get(caveat, caveat)
    if caveat in {
        ONLY_RANKING_BETTER,
        ONLY_RANKING_BETTER_OVERALL,
        RANKING_BETTER,
        RANKING_BETTER_OVERALL,
        BETTER_BY_METRIC,
        PROBABILITIES_BETTER,
        *DEPENDENT_ROWS_CAVEATS.values(),
    }:
        return join_phrases((caveat, metric, "" if score.tested else VALIDATION_IS_OPTIMISTIC))
    return caveat


def _name_better_part(score: PlainScore) -> str:
    """Return what is better by the run's metric: probabilities, or an unnamed quantity."""
    return PROBABILITIES_BETTER if score.by_probabilities else BETTER_BY_METRIC


def find_main_caveat(score: PlainScore, positive_class: str | None) -> str:
    """Return the main caveat: one of the sentences above, or ""."""
    ranked = score.get_ranking(positive_class)
    beats_chance = ranked is not None and ranked.beyond_chance
    if beats_chance and not score.is_better_than_guessing:
        return ONLY_RANKING_BETTER
    beats_guess = score.is_better_than_guessing and score.beyond_chance is not False
    if score.by_metric and not beats_guess and not beats_chance:
        return _name_better_part(score)
    doubtful = score.doubtful
    if ranked is not None and not beats_chance and doubtful:
        return DEPENDENT_ROWS_CAVEATS[score.together] if ranked.beyond_row_chance else NO_SIGNAL
    if not score.is_better_than_guessing:
        return (
            NO_BETTER_ON_IMBALANCED
            if score.of_classes and score.guess >= _MIN_COMMON_CLASS_SHARE
            else NO_BETTER
        )
    if not score.tested:
        return VALIDATION_IS_OPTIMISTIC
    return GUESSING_MAY_BE_BETTER if doubtful and not beats_chance else ""


def describe_metric_caveat(score: PlainScore, result: Result | None) -> str:
    """Return a caveat if the best constant is at least as good by the run's metric; "" for none.

    The headline may still be good: half of the rows can be close while a few are far off.
    """
    if result is None:
        return ""
    loss, guess_loss = result.test_error_ensemble, result.test_error_guess
    metric = find_metric(result.metric)
    if metric is None or loss is None or guess_loss is None or loss < guess_loss:
        return ""
    return phrase(
        "By {metric}, the metric of this run, {baseline} is at least as good: some predictions "
        "are far off. Give the run more time before you use them.",
        metric=phrase(metric.title),
        baseline=name_metric_baseline(result.metric),
    )


def format_cautious_headline(
    score: PlainScore, positive_class: str | None = None, result: Result | None = None
) -> str:
    """Return the headline with its caveats; arguments are those of :func:`describe_caveats`."""
    return join_phrases(
        (format_headline(score, positive_class), describe_caveats(score, positive_class, result))
    )


def _describe_classification(score: PlainScore) -> str:
    if not score.has_row_counts:
        return _describe_shares(score)
    n_rows = score.rows
    accuracy, guess_accuracy = round(n_rows * score.average), round(n_rows * score.guess)
    if n_rows == 1:
        return phrase(
            "Right for {right} of 1 row; guessing the most common class: {guess}.",
            right=accuracy,
            guess=guess_accuracy,
        )
    if score.tested:
        return phrase(
            "Right for {right:,} of {rows:,} rows it had never seen; guessing the most "
            "common class: {guess:,}.",
            right=accuracy,
            rows=n_rows,
            guess=guess_accuracy,
        )
    return phrase(
        "Right for {right:,} of {rows:,} rows; guessing the most common class: {guess:,}.",
        right=accuracy,
        rows=n_rows,
        guess=guess_accuracy,
    )


def _format_shares(score: PlainScore) -> dict[str, str]:
    shares = {"right": score.average, "guess": score.guess}
    return {name: _format_share(round(100 * each, 1)) for name, each in shares.items()}


def _describe_shares(score: PlainScore) -> str:
    shares = _format_shares(score)
    if score.per_class and score.tested:
        return phrase(
            "Averaged over the classes, right for {right} % of the rows it had never seen; always "
            "guessing the same class: {guess} %.",
            **shares,
        )
    if score.per_class:
        return phrase(
            "Averaged over the classes, right for {right} % of the rows; always guessing the same "
            "class: {guess} %.",
            **shares,
        )
    if score.tested:
        return phrase(
            "Right for {right} % of the weight of rows it had never seen; guessing the "
            "most common class: {guess} %.",
            **shares,
        )
    return phrase(
        "Right for {right} % of the rows' weight; guessing the most common class: {guess} %.",
        **shares,
    )


def _describe_regression(score: PlainScore) -> tuple[str, str]:
    """Describe the errors of a regression: a sentence, and the mean error ("" if included)."""
    if score.metric:
        unit = get_loss_unit(score.unit, score.target_unit)
        error_sentence = phrase(
            "{metric}: {off}; {baseline}: {guess}.",
            metric=phrase(score.metric),
            baseline=name_baseline(score),
            off=format_loss_phrase(score.average, unit),
            guess=format_loss_phrase(score.guess, unit),
        )
        return error_sentence, ""
    values = {
        "baseline": name_baseline(score),
        "half": make_rounded_phrase(score.middle or 0.0, PLUS_MINUS, score.target_unit),
        "wide": make_rounded_phrase(score.guess_middle or 0.0, PLUS_MINUS, score.target_unit),
        "off": make_rounded_phrase(score.average, unit=score.target_unit),
        "guess": make_rounded_phrase(score.guess, unit=score.target_unit),
    }
    if score.rows == 1:
        return phrase("For the only row it is off by {off}; {baseline}: {guess}.", **values), ""
    if score.weighted:
        average = phrase("The weighted mean error is {off}; {baseline}: {guess}.", **values)
        if score.guess_middle is None:
            half_sentence = phrase(
                "Half of the rows' weight lies within {half} of the prediction.", **values
            )
        else:
            half_sentence = phrase(
                "Half of the rows' weight lies within {half} of the prediction; {baseline}: "
                "{wide}.",
                **values,
            )
        return half_sentence, average
    average = phrase("On average it is off by {off}; {baseline}: {guess}.", **values)
    if score.guess_middle is None:
        return phrase("Half of all rows lie within {half} of the prediction.", **values), average
    half_sentence = phrase(
        "Half of all rows lie within {half} of the prediction; {baseline}: {wide}.", **values
    )
    return half_sentence, average


def _format_share(percent: float) -> str:
    return Phrase("{number:.1f}", {"number": percent})


_TEST_ON_UNSEEN_ROWS = phrase("Before relying on it, test it on rows it has never seen.")


def make_recommendation(score: PlainScore, target: str, positive_class: str | None = None) -> str:
    """Return a recommendation as a phrase; ``positive_class`` is the user's, if any."""
    ranked = score.get_ranking(positive_class)
    doubtful = score.doubtful
    if ranked is not None and ranked.beyond_chance:
        row_share, gain = ranked.top / score.rows, ranked.hits / ranked.positives
        if ranked.gains and not ranked.is_beyond_chance(score.rows):
            row_share, gain = 0.5, float(np.interp(0.5, *np.transpose(ranked.gains)))
        advice = phrase(
            "Handle rows in descending order of their probability of “{label}”: the first "
            "{share:.0f} % of the rows contained {found:.0f} % of all “{label}” rows.",
            label=ranked.label,
            share=100 * row_share,
            found=100 * gain,
        )
    elif ranked is not None and ranked.beyond_row_chance:
        advice = phrase(
            "Handle rows in descending order of their probability of “{label}”, and count the "
            "hits: too few groups or times were tested to rely on it.",
            label=ranked.label,
        )
    elif doubtful:
        return phrase(
            "Do not base decisions on these predictions: they are not clearly better than a guess. "
            "More rows, or more informative columns for “{target}”, may help.",
            target=target,
        )
    elif not score.of_classes:
        advice = phrase(
            "Use the predictions where an error of {half} is acceptable: half of the rows have a "
            "larger one.",
            half=make_rounded_phrase(score.middle or 0.0, unit=score.target_unit),
        )
    else:
        advice = advise_on_classes(score)
    missed = "" if warn_of_missed_classes(score) else describe_missed_classes(score)
    return join_phrases((advice, missed, "" if score.tested else _TEST_ON_UNSEEN_ROWS))

"""Texts of the slides of a run's story, without Qt."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from studio.analysis.answers.predictions import DecisionFigures, PredictionErrors
from studio.analysis.headline_words import (
    PLUS_MINUS,
    count_expected_chance_hits,
    make_rounded_phrase,
    make_short_answer,
)
from studio.analysis.verdict import CHANCE, verdict
from studio.arrays import AnyArray
from studio.data.metrics.plain import PlainScore
from studio.document.results import Result
from studio.document.trials import GAP, Iteration
from studio.gui.pages.live.member_strip import Share
from studio.gui.plots.quality.progress_model import describe_gap
from studio.gui.session.run_view import RunView
from studio.gui.session.wording import format_duration
from studio.language import group_digits, ntr, number, percent, tr, translate
from studio.measure import Measure

MAX_OUTVOTED_ROWS = 4
"""Maximum number of outvoted rows."""


@dataclass(frozen=True)
class LargeNumber:
    """A large number with its description."""

    value: str
    words: str


def get_data_numbers(table: Mapping[str, Any]) -> list[LargeNumber]:
    """Return a table's size from its description: rows and feature columns.

    The parts derived from a date or text column count as one column.
    """
    rows = table["n_rows"]
    features = [each for each in table["columns"] if each["role"] == "feature"]
    columns = len({_get_original_name(each) for each in features})
    return [
        LargeNumber(group_digits(rows), ntr("row in the table", "rows in the table", rows)),
        LargeNumber(
            group_digits(columns), ntr("column to learn from", "columns to learn from", columns)
        ),
    ]


def _get_original_name(column: Mapping[str, Any]) -> str:
    """Return the original column's name, also for a derived column."""
    is_part = column.get("date") or column.get("term")
    return str(column["aliases"][-1] if is_part else column["name"])


def format_question(view: RunView, score: PlainScore | None) -> str:
    """Return the question whether the target is predictable, with the answer if known."""
    question_text = tr("Can “{column}” be predicted?", column=view.settings.source.target or "")
    result = view.row.result
    if result is None or score is None:
        return question_text
    return f"{question_text} {translate(make_short_answer(score, view.row.looked_for, result))}"


def get_result_at(result: Result | None, state: Iteration | None) -> Result | None:
    """Return a finished run's result as it was after an earlier iteration.

    Only its test losses are known then, without intervals or a headline.
    """
    if result is None or state is None:
        return None
    return replace(
        result,
        test_error_ensemble=state.ensemble_test,
        test_error_single=state.single_test,
        test_interval=None,
        single_interval=None,
        difference_interval=None,
        headline=None,
        refitted=False,
    )


def format_search_title(
    view: RunView, measure: Measure | None = None, iteration: int | None = None
) -> str:
    """Return the number of trials, the time, and the reduction of the validation error.

    Args:
        measure: Of the error; ``None``: without it.
        iteration: The last that counts; ``None``: the newest.
    """
    trials, seconds = view.trials, view.total_seconds
    state = None if iteration is None else view.iteration(iteration)
    if state is not None:
        trials, seconds = trials[:iteration], float(state.details.get("elapsed", 0.0))
    n_tried = sum(not each.concluding for each in trials)
    title = tr(
        "{tried} in {time}",
        tried=ntr("{count} trial", "{count} trials", n_tried),
        time=format_duration(seconds),
    )
    states = view.iterations if iteration is None else view.iterations[:iteration]
    losses = [each.ensemble_validation for each in states if each.ensemble_validation is not None]
    if measure is None or not losses:
        return title
    first, last = measure.brief(losses[0]), measure.brief(losses[-1])
    values = {"title": title, "metric": measure.title, "first": first, "last": last}
    if first == last:
        return tr("{title}: validation {metric} {last}", **values)
    return tr("{title}: validation {metric} from {first} to {last}", **values)


def format_plot_caption(view: RunView, iteration: int | None = None) -> str:
    """Return how to read the plot of the search, and which trials have no result."""
    trials = view.trials if iteration is None else view.trials[:iteration]
    searched = [each for each in trials if not each.concluding]
    trained = sum(each.loss is not None for each in searched)
    parts = [tr("Lower is better. Solid: validation rows, by which the search chooses.")]
    if any(each.ensemble_test is not None for each in view.iterations):
        parts.append(tr("Dashed: test rows, which it never sees."))
    parts.append(tr("Dots: trials; triangles: beyond the scale."))
    if trained < len(searched):
        parts.append(
            tr(
                "{trained} of {count} trials were trained to the end.",
                trained=group_digits(trained),
                count=group_digits(len(searched)),
            )
        )
    return " ".join(parts)


def format_members_caption(result: Result | None, shares: Sequence[Share], measure: Measure) -> str:
    """Compare the members together with the best single model on test rows, where known."""
    caption = tr("The wider a part, the larger the weight of that model.")
    if result is None or len(shares) < 2:
        return caption
    if result.test_error_ensemble is None or result.test_error_single is None:
        return caption
    metric, ensemble = measure.heading, measure.brief(result.test_error_ensemble)
    single = measure.brief(result.test_error_single)
    if ensemble == single:
        text = tr(
            "{metric} on test rows: {together}, as the best single model.",
            metric=metric,
            together=ensemble,
        )
        return f"{text} {caption}"
    text = tr(
        "{metric} on test rows: {together} together, {single} for the best single model.",
        metric=metric,
        together=ensemble,
        single=single,
    )
    if verdict(result.difference_interval, same=False) == CHANCE:
        text = f"{text} {tr('The difference may be chance.')}"
    return f"{text} {caption}"


_MIN_TOLD_FACTOR = 2
"""Minimum ratio of the hits at the top to chance that a title states."""

_CLEAR_LEAD = 0.1
"""Accuracy above guessing from which the title states it: below, a ranking says more."""


def format_test_title(result: Result, looked_for: str | None = None) -> str:
    """Return the quality in one sentence, or a question if it is unknown."""
    score = result.headline
    ranked = score.get_ranking(looked_for) if score is not None and score.tested else None
    if score is not None and ranked is not None and score.average - score.guess < _CLEAR_LEAD:
        chance_hits = count_expected_chance_hits(ranked, score.rows)
        # True of the hits by chance, and of their rounded number beside it.
        factor = int(ranked.hits / max(chance_hits, round(chance_hits), 1.0))
        if factor < _MIN_TOLD_FACTOR:
            return translate(make_short_answer(score, looked_for, result))
        return tr(
            "At least {factor} times as many “{label}” among the top {top} as by chance",
            factor=group_digits(factor),
            label=ranked.label,
            top=group_digits(ranked.top),
        )
    if score is not None and score.tested and not score.weighted and score.of_classes:
        return tr("{share} right on rows it had never seen", share=percent(score.average))
    if score is not None and score.tested and score.middle is not None and not score.metric:
        guess = score.guess_middle or 0.0
        improvement = 1 - score.middle / guess if guess else 0.0
        if improvement > 0:
            return tr(
                "Typically {share} closer than always predicting the same value",
                share=percent(improvement, 0),
            )
    return tr("How good is it really?")


def format_members_title(shares: tuple[Share, ...]) -> str:
    """Return the number of members as a title."""
    if len(shares) == 1:
        return tr("One model decides: {name}", name=shares[0].name)
    return tr("{count} models decide together", count=len(shares))


@dataclass(frozen=True)
class OutvotedRow:
    """A row outvoted correctly by the heavier members.

    Attributes:
        words, brief: A sentence about it, and a short version for below a picture.
        pixels: Shape (height, width). Its image, 0 to 255; ``None`` if it is none.
    """

    words: str
    brief: str
    pixels: AnyArray | None = None


def find_outvoted_rows(
    answer: PredictionErrors, members: Sequence[int], called: Callable[[int], str]
) -> list[OutvotedRow]:
    """Return the rows with a wrong light minority and a correct ensemble.

    The rows with most disagreement come first; regression has none, as its predictions are
    averaged.

    Args:
        answer: The helper's.
        members: The trials of the ensemble.
        called: Returns the learner's name of a trial.
    """
    if not answer.classes:
        return []
    totals = Counter(map(called, members))
    pictures = list(answer.listed_pixels) or [None] * len(answer.listed)
    listed_rows = zip(
        answer.listed.tolist(),
        answer.listed_truth.tolist(),
        answer.listed_predicted.tolist(),
        answer.listed_spread.tolist(),
        answer.listed_other.tolist(),
        answer.listed_wrong,
        pictures,
        strict=True,
    )
    return [
        OutvotedRow(
            *_describe_outvoted_row(
                answer.classes,
                int(truth),
                int(wrong_class),
                row=group_digits(int(row)),
                weight=percent(1.0 - agree, 0),
                models=_join_counted(Counter(map(called, wrong_members)), totals),
            ),
            picture,
        )
        for row, truth, predicted, agree, wrong_class, wrong_members, picture in listed_rows
        if predicted == truth and wrong_class >= 0 and agree > 0.5
    ][:MAX_OUTVOTED_ROWS]


def _count_of(count: int, total: int) -> str:
    """Write "1 of 2" without a break."""
    text = tr("{hits} of {top}", hits=group_digits(count), top=group_digits(total))
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def _join_counted(counts: Counter[str], totals: Counter[str]) -> str:
    """Write "A", "A (2 of 4) and B", "A, B and C": kinds of models, and how many if not all."""
    *other_items, last_item = [
        name if count >= totals[name] else f"{name} ({_count_of(count, totals[name])})"
        for name, count in counts.items()
    ]
    return (
        tr("{names} and {last}", names=", ".join(other_items), last=last_item)
        if other_items
        else last_item
    )


def _describe_outvoted_row(
    classes: Sequence[str], truth: int, other: int, **values: str
) -> tuple[str, str]:
    """Return a sentence about a row, and a short version.

    Args:
        classes: All classes.
        truth, other: Their index of the true class, and of the most common wrong answer.
        values: Further slots of the sentences.
    """
    values["truth"] = classes[truth]
    if len(classes) == 2:
        values["other"] = classes[1 - truth]
        return (
            tr(
                "Row {row} is “{truth}”. Predicted “{other}”: {models}, {weight} of the weight.",
                **values,
            ),
            tr("Row {row} is “{truth}”; “{other}” for {models}, {weight}.", **values),
        )
    values["other"] = classes[other]
    return (
        tr(
            "Row {row} is “{truth}”. Predicted another class, mostly “{other}”: {models}, "
            "{weight} of the weight.",
            **values,
        ),
        tr("Row {row} is “{truth}”; mostly “{other}” for {models}, {weight}.", **values),
    )


def get_ranking_numbers(result: Result, looked_for: str | None) -> list[LargeNumber]:
    """Return the user's (or the rarer) class' hits at the top; empty if none are ranked."""
    score = result.headline
    ranked = score.get_ranking(looked_for) if score is not None and score.tested else None
    if score is None or ranked is None:
        return []
    chance = count_expected_chance_hits(ranked, score.rows)
    text = tr(
        "rows ranked highest are “{label}”; by chance, {chance}",
        label=ranked.label,
        chance=number(chance, ".2g" if chance < 1 else ".0f"),
    )
    hits_text = tr("{hits} of {top}", hits=group_digits(ranked.hits), top=group_digits(ranked.top))
    return [LargeNumber(hits_text, text)]


def get_decided_numbers(outcome: DecisionFigures) -> list[LargeNumber]:
    """Return the hits of the decision in force; empty without test rows or for weighted rows."""
    if outcome.reason or outcome.judged != "test" or outcome.weighted:
        return []
    found, missed, alarms = (
        group_digits(round(each))
        for each in (outcome.decided.found, outcome.decided.missed, outcome.decided.alarms)
    )
    positives = group_digits(round(outcome.decided.found + outcome.decided.missed))
    text = tr(
        "“{label}” found by the decision in force; missed: {missed}; false alarms: {alarms}",
        label=outcome.looked_for,
        missed=missed,
        alarms=alarms,
    )
    return [LargeNumber(tr("{hits} of {top}", hits=found, top=positives), text)]


def get_accuracy_numbers(result: Result) -> list[LargeNumber]:
    """Return the number of correct test rows; empty for regression and weighted rows."""
    score = result.headline
    if score is None or not score.tested or not score.of_classes or score.weighted:
        return []
    right, guess = (round(each * score.rows) for each in (score.average, score.guess))
    text = tr("right; guessing the most common class: {guess}", guess=group_digits(guess))
    ratio_text = tr("{hits} of {top}", hits=group_digits(right), top=group_digits(score.rows))
    return [LargeNumber(ratio_text, text)]


def get_median_error_numbers(result: Result) -> list[LargeNumber]:
    """Return the median absolute error on the test rows; empty for classification."""
    score = result.headline
    if score is None or not score.tested or score.middle is None or score.metric:
        return []
    text = tr("half of all rows lie within this of the prediction")
    if score.guess_middle is not None:
        text = tr(
            "half of all rows lie within this of the prediction; always predicting the same "
            "value: {wide}",
            wide=translate(make_rounded_phrase(score.guess_middle, PLUS_MINUS, score.target_unit)),
        )
    return [
        LargeNumber(
            translate(make_rounded_phrase(score.middle, PLUS_MINUS, score.target_unit)), text
        )
    ]


def get_test_numbers(
    result: Result, validation: float | None, measure: Measure
) -> list[LargeNumber]:
    """Return the ensemble's validation and test loss."""
    caption = ntr(
        "{metric} on {count} test row, which it had never seen",
        "{metric} on {count} test rows, which it had never seen",
        result.test_rows,
        metric=measure.title,
    )
    if result.test_error_single is not None:
        caption = tr(
            "{tested}; the best single model: {single}",
            tested=caption,
            single=measure.brief(result.test_error_single),
        )
        if verdict(result.difference_interval, same=False) == CHANCE:
            caption = tr("{tested} (the difference may be chance)", tested=caption)
    if result.test_error_guess is not None:
        caption = tr(
            "{tested}; always giving the same answer: {guess}",
            tested=caption,
            guess=measure.brief(result.test_error_guess),
        )
    chosen = tr("{metric} on the rows used to choose it", metric=measure.title)
    numbers = [LargeNumber(measure.brief(result.test_error_ensemble), caption)]
    if validation is not None:
        numbers.insert(0, LargeNumber(measure.brief(validation), chosen))
    return numbers


def format_gap_caption(result: Result, state: Iteration | None, measure: Measure) -> str:
    """Return both losses and whether their gap is significant; empty if one is unknown."""
    validation = None if state is None else state.ensemble_validation
    test = result.test_error_ensemble
    if state is None or validation is None or test is None:
        return ""
    words = tr(
        "{metric}: {validation} on the rows used to choose it, {test} on the test rows.",
        metric=measure.heading,
        validation=measure.brief(validation),
        test=measure.brief(test),
    )
    if result.refitted:  # the interval of the gap belongs to the models before the refit
        return words
    gap = describe_gap(state, measure)
    if gap:
        return f"{words} {gap[:1].upper()}{gap[1:]}."
    if test > validation and GAP in state.details:
        return f"{words} {tr('The difference may be chance.')}"
    return words


def format_row_caption(result: Result) -> str:
    """Name the rows of the numbers."""
    return ntr(
        "Counted on {count} test row, which it had never seen.",
        "Counted on {count} test rows, which it had never seen.",
        result.test_rows,
    )


def format_test_caption(result: Result, validation: float | None, measure: Measure) -> str:
    """Return which of the numbers to trust, and its uncertainty."""
    test_error = result.test_error_ensemble
    if validation is not None and test_error is not None and test_error <= validation:
        text = tr(
            "The test confirms it: on rows it had never seen, the ensemble is no worse than on "
            "those used to choose it."
        )
    else:
        text = tr(
            "Choosing the best of many favours lucky ones, so the error on the rows used to "
            "choose is usually optimistic. Trust the test error."
        )
    if result.test_interval is None:
        return text
    low, high = map(measure.brief, result.test_interval)
    interval_text = tr(
        "The 95 % interval of the test error is {low} to {high}.", low=low, high=high
    )
    return f"{text} {interval_text}"

"""Texts of the slides of a run's story, without Qt."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from studio.analysis.answers.predictions import PredictionErrors
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

    The parts that models see of a column of dates or text are one column.
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

    Of that are known its losses on the test rows, without intervals or an answer in plain words.
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


def format_search_title(view: RunView, iteration: int | None = None) -> str:
    """Return the number of trials, of those that were trained to their end if fewer, and the time.

    Args:
        iteration: The last that counts; ``None``: the newest.
    """
    trials, seconds = view.trials, view.total_seconds
    state = None if iteration is None else view.iteration(iteration)
    if state is not None:
        trials, seconds = trials[:iteration], float(state.details.get("elapsed", 0.0))
    searched = [each for each in trials if not each.concluding]
    trained = sum(each.loss is not None for each in searched)
    n_tried = ntr("{count} trial", "{count} trials", len(searched))
    time = format_duration(seconds)
    if trained < len(searched):
        models = ntr(
            "{count} model trained to the end", "{count} models trained to the end", trained
        )
        return tr("{tried} in {time}: {models}", tried=n_tried, time=time, models=models)
    return tr("{tried} in {time}", tried=n_tried, time=time)


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

    The rows about which the members disagree most come first; there are none where numbers are
    predicted, since those are averaged.

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
                int(other),
                row=group_digits(int(row)),
                weight=percent(1.0 - agree, 0),
                models=_join_counted(Counter(map(called, wrong_members)), totals),
            ),
            picture,
        )
        for row, truth, predicted, agree, other, wrong_members, picture in listed_rows
        if predicted == truth and other >= 0 and agree > 0.5
    ][:MAX_OUTVOTED_ROWS]


def _join_counted(counts: Counter[str], totals: Counter[str]) -> str:
    """Write "A", "2 of 4 A and B", "A, B and C": kinds of models, and how many if not all."""
    *first, last = [
        name
        if count >= totals[name]
        else tr(
            "{count} of {total} {name}",
            count=group_digits(count),
            total=group_digits(totals[name]),
            name=name,
        )
        for name, count in counts.items()
    ]
    return tr("{names} and {last}", names=", ".join(first), last=last) if first else last


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
                "Row {row} is “{truth}”. {models} ({weight} of the weight) predicted “{other}”.",
                **values,
            ),
            tr("Row {row} is “{truth}”; “{other}” for {models} ({weight}).", **values),
        )
    values["other"] = classes[other]
    return (
        tr(
            "Row {row} is “{truth}”. {models} ({weight} of the weight) predicted another class, "
            "mostly “{other}”.",
            **values,
        ),
        tr("Row {row} is “{truth}”; mostly “{other}” for {models} ({weight}).", **values),
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


def get_accuracy_numbers(result: Result) -> list[LargeNumber]:
    """Return the percentage of correct test rows; empty for regression and weighted rows."""
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


def gap_caption(result: Result, state: Iteration | None, measure: Measure) -> str:
    """Return both losses and whether their gap is more than chance; empty if one is unknown."""
    validation = None if state is None else state.ensemble_validation
    tested = result.test_error_ensemble
    if state is None or validation is None or tested is None:
        return ""
    words = tr(
        "{metric}: {validation} on the rows used to choose it, {test} on the test rows.",
        metric=measure.title[:1].upper() + measure.title[1:],
        validation=measure.brief(validation),
        test=measure.brief(tested),
    )
    if result.refitted:  # the interval of the gap is that of the models before
        return words
    gap = describe_gap(state, measure)
    if gap:
        return f"{words} {gap[:1].upper()}{gap[1:]}."
    if tested > validation and GAP in state.details:
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
    interval_text = tr("Its 95 % interval is {low} to {high}.", low=low, high=high)
    return f"{text} {interval_text}"

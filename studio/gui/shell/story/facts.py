"""Texts of the slides of a run's story, without Qt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from studio.analysis.answers.predictions import DecisionFigures, ListedColumn, PredictionErrors
from studio.analysis.decision_text import make_decided_parts
from studio.analysis.headline_text import (
    count_expected_chance_hits,
    name_baseline,
    name_metric_baseline,
)
from studio.analysis.loss_difference import (
    MAY_BE_CHANCE,
    TOO_FEW_TEST_ROWS,
    describe_loss_difference,
)
from studio.analysis.number_phrases import (
    PLUS_MINUS,
    format_expected_hits,
    format_loss_phrase,
    make_rounded_phrase,
)
from studio.analysis.verdict import make_verdict
from studio.arrays import AnyArray
from studio.data.metrics.plain_score import PlainScore
from studio.data.pixels import find_pixels
from studio.document.results import Result
from studio.document.trials import Iteration
from studio.gui.pages.live.member_strip import MemberSegment
from studio.gui.plots.quality.errors_rows import format_listed_columns
from studio.gui.plots.quality.method_facts import name_method
from studio.gui.plots.quality.progress_model import describe_gap
from studio.gui.session.run_view import RunView
from studio.gui.session.wording import get_test_loss
from studio.language import N_, capitalise, format_share, group_digits, ntr, tr, translate
from studio.measure import UNKNOWN_TEXT, Measure, format_duration, get_loss_unit
from studio.questions.columns.answer import ColumnEffects, find_dominant_columns
from studio.runs.settings import RunSettings

MAX_OUTVOTED_ROWS = 4
N_INFORMATIVE_COLUMNS = 3
"""Columns that describe a row."""


@dataclass(frozen=True)
class LargeNumber:
    """A large number with its description."""

    value: str
    description: str


def get_data_numbers(table: Mapping[str, Any]) -> list[LargeNumber]:
    """Return a table's size from its description: rows, and feature columns or an image's size.

    The parts derived from a date or text column count as one column. Pixels that are the same in
    all images, such as empty corners, are not used for training, but count towards the image's
    size.
    """
    rows, columns = table["n_rows"], table["columns"]
    in_table = LargeNumber(group_digits(rows), ntr("row in the table", "rows in the table", rows))
    image = find_pixels([str(each["name"]) for each in columns if each["role"] != "target"])
    if image is not None:
        size = tr("{width} × {height}", width=image.width, height=image.height)
        return [in_table, LargeNumber(size, tr("pixels in each image"))]
    n_features = len({_get_original_name(each) for each in columns if each["role"] == "feature"})
    text = ntr("column to learn from", "columns to learn from", n_features)
    return [in_table, LargeNumber(group_digits(n_features), text)]


def format_data_caption(
    table: str, target: str, settings: RunSettings, parent: RunSettings | None = None
) -> str:
    """Describe the table, the target and the method in a caption, of a fork also its parent's."""
    method = name_method(settings)
    if parent is not None and (first := name_method(parent)) != method:
        method = ntr(
            "{first} for {count} trial, then {own}",
            "{first} for {count} trials, then {own}",
            settings.forked["iteration"],
            first=first,
            own=method,
        )
    return tr(
        "{name}: “{column}” is predicted from the other columns. Method: {method}.",
        name=table,
        column=target,
        method=method.replace("-", "\N{NON-BREAKING HYPHEN}"),
    )


def _get_original_name(column: Mapping[str, Any]) -> str:
    """Return the original column's name, also for a derived column."""
    is_part = column.get("date") or column.get("term")
    return str(column["aliases"][-1] if is_part else column["name"])


def format_question(
    view: RunView,
    score: PlainScore | None,
    effects: ColumnEffects | None = None,
    *,
    has_decision: bool,
) -> str:
    """Return whether the target is predictable, as a question, with the answer if known.

    Args:
        has_decision: Whether a decision labels the rows.
    """
    question_text = tr("Can “{column}” be predicted?", column=view.settings.source.target or "")
    result = view.row.result
    if result is None or score is None:
        return question_text
    dominant_columns = find_dominant_columns(effects)
    verdict = make_verdict(
        score, view.row.positive_class, result, dominant_columns, has_decision=has_decision
    )
    return f"{question_text} {translate(verdict.answer)}"


def get_result_at(result: Result | None, state: Iteration | None) -> Result | None:
    """Return a finished run's result after an earlier iteration: its test losses only."""
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
    """Return the trials, the time, the reduction of the validation error, and the test error."""
    trials, seconds = view.trials, view.total_seconds
    state = None if iteration is None else view.get_iteration(iteration)
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
    first, last = measure.format_briefly(losses[0]), measure.format_briefly(losses[-1])
    values = {"title": title, "metric": measure.title, "first": first, "last": last}
    template = N_("{title}: validation {metric} from {first} to {last}")
    if first == last:
        template = N_("{title}: validation {metric} {last}")
    reduction, test_loss = tr(template, **values), get_test_loss(view, iteration)
    if test_loss is None:
        return reduction
    return tr("{text}, test {loss}", text=reduction, loss=measure.format_briefly(test_loss))


def format_plot_caption(view: RunView, iteration: int | None = None, first_loss: str = "") -> str:
    """Explain the plot of the search, and list the trials that have no result.

    Args:
        first_loss: The first loss, if it is beyond the plot's scale.
    """
    trials = view.trials if iteration is None else view.trials[:iteration]
    unfinished = sum(each.loss is None for each in trials if not each.concluding)
    parts = [tr("Lower is better. Dots: trials.")]
    if first_loss:
        parts.append(tr("The curve begins at {loss}, above the scale.", loss=first_loss))
    if unfinished:
        parts.append(
            ntr(
                "Cross: {count} trial not fully trained.",
                "Crosses: {count} trials not fully trained.",
                unfinished,
            )
        )
    if any(each.ensemble_test is not None for each in view.iterations):
        parts.append(tr("Dashed: test rows, which the search never sees."))
    return " ".join(parts)


def compare_with_single(result: Result | None, measure: Measure) -> str:
    """Compare the ensemble with its best single model on test rows, if known."""
    if result is None or result.test_error_ensemble is None or result.test_error_single is None:
        return ""
    metric, together = measure.heading, measure.format_briefly(result.test_error_ensemble)
    single = measure.format_briefly(result.test_error_single)
    if together == single:
        return tr(
            "{metric} on test rows: {together}, the same as that of the best single model.",
            metric=metric,
            together=together,
        )
    text = tr(
        "{metric} on test rows: {together} together, {single} for the best single model.",
        metric=metric,
        together=together,
        single=single,
    )
    if _may_be_chance(result):
        text = f"{text} {tr('The difference may be chance.')}"
    return text


def _may_be_chance(result: Result) -> bool:
    """Whether nothing excludes chance: at an earlier iteration there is no interval."""
    difference_note = describe_loss_difference(result.difference_interval, is_same_model=False)
    return difference_note in {MAY_BE_CHANCE, TOO_FEW_TEST_ROWS}


def format_test_title(
    score: PlainScore | None, positive_class: str | None, outcome: DecisionFigures | None
) -> str:
    """Return the Answer page's headline, or a question if there is none."""
    if score is None or not score.tested:
        return tr("How good is it really?")
    return translate(make_decided_parts(score, positive_class, outcome)[0])


def format_members_title(shares: tuple[MemberSegment, ...]) -> str:
    """Return the number of members as a title."""
    if len(shares) == 1:
        return tr("One model decides: {name}", name=shares[0].name)
    return tr("{count} models decide together", count=len(shares))


def format_outvoted_title(n_members: int) -> str:
    """Return the title of the rows on which a minority of the members is wrong."""
    if n_members == 2:
        return tr("One of 2 models is wrong here, and the ensemble is right")
    return tr("Some models are wrong here, and the ensemble is right")


@dataclass(frozen=True)
class OutvotedRow:
    """A row on which heavier members correctly outvote others.

    Attributes:
        values: The values by which people recognise it; empty if unknown.
        pixels: Shape (height, width). Its image, 0 to 255; ``None`` if it has none.
    """

    truth: str
    dissent: str
    values: str = ""
    pixels: AnyArray | None = None


def _describe_rows(columns: Sequence[ListedColumn], indices: Sequence[int]) -> list[str]:
    """Return the known values of some listed rows, with their columns' names; or empty texts."""
    cells = format_listed_columns(columns, indices)
    names = [each.name for each in columns]
    return [
        "  ·  ".join(
            tr("{column}: {value}", column=name, value=cell)
            for name, cell in zip(names, row, strict=True)
            if cell not in ("", UNKNOWN_TEXT)
        )
        for row in (zip(*cells, strict=True) if cells else [()] * len(indices))
    ]


def find_outvoted_rows(answer: PredictionErrors, n_members: int) -> list[OutvotedRow]:
    """Return the rows with a wrong light minority and a correct ensemble of ``n_members``.

    The rows with most disagreement come first; regression has none, as its predictions are
    averaged. Rows that only members no better than guessing predict wrongly are ignored.
    """
    if not answer.classes:
        return []
    guessing = set(answer.guessing_members)
    values = _describe_rows(answer.listed_columns, range(len(answer.listed_rows)))
    pictures = list(answer.listed_pixels) or [None] * len(answer.listed_rows)
    listed_rows = zip(
        answer.listed_rows.tolist(),
        answer.listed_truth.tolist(),
        answer.listed_predicted.tolist(),
        answer.listed_spread.tolist(),
        answer.listed_runner_up.tolist(),
        answer.listed_dissenters,
        values,
        pictures,
        strict=True,
    )
    return [
        OutvotedRow(
            tr("It is “{truth}”.", truth=answer.classes[int(truth)])
            if row_values or picture is not None
            else tr(
                "Row {row} is “{truth}”.",
                row=group_digits(int(row)),
                truth=answer.classes[int(truth)],
            ),
            _describe_dissent(
                len(wrong_members),
                is_mixed=len(answer.classes) > 2 and len(wrong_members) > 1,
                other=answer.classes[int(wrong_class)],
                members=group_digits(n_members),
            ),
            row_values,
            picture,
        )
        for (
            row,
            truth,
            predicted,
            agree,
            wrong_class,
            wrong_members,
            row_values,
            picture,
        ) in listed_rows
        if predicted == truth and wrong_class >= 0 and agree > 0.5
        if not guessing.issuperset(wrong_members)
    ][:MAX_OUTVOTED_ROWS]


def explain_models_of_search(result: Result | None) -> str:
    """State that rows are predicted by the search's models, as the document lacks refitted ones."""
    if result is None or not result.refitted or result.kept_bytes:
        return ""
    return tr("These are predictions of the search's models.")


def _describe_dissent(n_wrong: int, *, is_mixed: bool, **values: str) -> str:
    """Return a sentence about the members that are wrong about a row."""
    if is_mixed:
        return tr(
            "{count} of {members} models say otherwise, such as “{other}”.",
            count=group_digits(n_wrong),
            **values,
        )
    return ntr(
        "{count} of {members} models says “{other}”.",
        "{count} of {members} models say “{other}”.",
        n_wrong,
        **values,
    )


def get_result_numbers(
    score: PlainScore, positive_class: str | None, outcome: DecisionFigures | None
) -> list[LargeNumber]:
    """Return the numbers of the Answer page's headline: of the models, then of guessing."""
    ranked = score.get_ranking(positive_class)
    if ranked is not None:
        chance = count_expected_chance_hits(ranked, score.rows)
        text = tr(
            "“{label}” among the {top} rows ranked highest",
            label=ranked.label,
            top=group_digits(ranked.top),
        )
        chance_text = "< 1" if chance < 1 else translate(format_expected_hits(chance))
        return [
            LargeNumber(group_digits(ranked.hits), text),
            LargeNumber(chance_text, tr("by chance")),
        ]
    if score.of_classes:
        return _get_accuracy_numbers(score, outcome)
    if score.metric or score.middle is None:
        unit = get_loss_unit(score.unit, score.target_unit) if score.metric else score.target_unit
        losses = [
            translate(format_loss_phrase(each, unit)) for each in (score.average, score.guess)
        ]
        label = translate(score.metric) if score.metric else tr("off on average")
    else:
        values = (score.middle, score.guess_middle)
        losses = [
            translate(make_rounded_phrase(each, PLUS_MINUS, score.target_unit))
            for each in values
            if each is not None
        ]
        label = tr("half of all rows lie this close to the prediction")
    baseline = translate(name_baseline(score))
    return [LargeNumber(*each) for each in zip(losses, (label, baseline), strict=False)]


def _get_accuracy_numbers(score: PlainScore, outcome: DecisionFigures | None) -> list[LargeNumber]:
    """Return the correctly labelled rows, or their share of the weight, also for guessing."""
    right = tr("right, averaged over the classes") if score.per_class else tr("right")
    shares = {right: score.average}
    if outcome is not None:
        method_confusion, decision_confusion = outcome.method_confusion, outcome.threshold_confusion
        shares = {
            tr("right with the decision"): decision_confusion.n_correct / decision_confusion.total,
            tr("without a decision"): method_confusion.n_correct / method_confusion.total,
        }
    guessing = (
        tr("always guessing the same class")
        if score.per_class
        else tr("guessing the most common class")
    )
    shares[guessing] = score.guess

    def write(share: float) -> str:
        if not score.has_row_counts:
            return format_share(share)
        count = group_digits(round(share * score.rows))
        return tr("{done} of {all}", done=count, all=group_digits(score.rows))

    return [LargeNumber(write(share), text) for text, share in shares.items()]


def format_result_caption(
    score: PlainScore, positive_class: str | None, outcome: DecisionFigures | None
) -> str:
    """Return the Answer page's second sentence, preceded by the number of rows if it lacks it."""
    details = translate(make_decided_parts(score, positive_class, outcome)[1])
    if score.of_classes:
        return details
    counted = ntr(
        "Counted on {count} test row, which it had never seen.",
        "Counted on {count} test rows, which it had never seen.",
        score.rows,
    )
    return f"{counted} {details}".strip()


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
            single=measure.format_briefly(result.test_error_single),
        )
        if _may_be_chance(result):
            caption = tr("{tested} (the difference may be chance)", tested=caption)
    if result.test_error_guess is not None:
        caption = tr(
            "{tested}; {baseline}: {guess}",
            tested=caption,
            baseline=translate(name_metric_baseline(result.metric)),
            guess=measure.format_briefly(result.test_error_guess),
        )
    validation_label = tr("{metric} on the rows used to choose it", metric=measure.title)
    numbers = [LargeNumber(measure.format_briefly(result.test_error_ensemble), caption)]
    if validation is not None:
        numbers.insert(0, LargeNumber(measure.format_briefly(validation), validation_label))
    return numbers


def format_gap_caption(result: Result, state: Iteration | None, measure: Measure) -> str:
    """Return both losses if chance does not explain their gap; otherwise empty."""
    # The interval of the gap belongs to the models before the refit.
    gap = "" if state is None or result.refitted else describe_gap(state, measure)
    if state is None or not gap:
        return ""
    text = tr(
        "{metric}: {validation} on the rows used to choose it, {test} on the test rows.",
        metric=measure.heading,
        validation=measure.format_briefly(state.ensemble_validation),
        test=measure.format_briefly(result.test_error_ensemble),
    )
    return f"{text} {capitalise(gap)}."


def format_test_caption(result: Result, validation: float | None, measure: Measure) -> str:
    """State which of the numbers is reliable, and its uncertainty."""
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
    low, high = map(measure.format_briefly, result.test_interval)
    interval_text = tr(
        "The 95 % interval of the test error is {low} to {high}.", low=low, high=high
    )
    return f"{text} {interval_text}"

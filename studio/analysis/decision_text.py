"""Texts about the current decision: headline, matrix and advice."""

from collections.abc import Callable, Sequence

import numpy as np

from studio.analysis.answers.predictions import ConfusionCounts, DecisionFigures
from studio.analysis.headline_text import make_headline_parts, make_recommendation
from studio.arrays import Floats
from studio.data.metrics.plain_score import PlainScore
from studio.document.decision import Decision
from studio.language import N_, format_share, group_digits, ntr, number, tr, translate
from studio.measure import UNKNOWN_TEXT, format_quantity, format_threshold
from studio.numerals import NumeralFormat

_COST_DIGITS = 3

WITHOUT_DECISION = N_("without a decision")
"""Name of labels without a decision: the ensemble's predicted class."""

_UNTESTED_ADVICE = N_("Before relying on it, test it on rows it has never seen.")
_DEPENDENT_ROWS_ADVICE = N_("Count the hits: too few groups or times were tested to rely on it.")


def make_decided_parts(
    score: PlainScore, positive_class: str | None, outcome: DecisionFigures | None
) -> tuple[str, str]:
    """Return the headline's two texts, about the labels of the current decision, if any."""
    first, second = make_headline_parts(score, positive_class)
    if outcome is None or outcome.reason:
        return first, second
    labels = " ".join(filter(None, (describe_cost(outcome), describe_labels(outcome, score))))
    return (first, labels) if score.get_ranking(positive_class) else (labels, "")


def describe_labels(figures: DecisionFigures, score: PlainScore) -> str:
    """Return the accuracy of the decided labels, compared with those without a decision."""
    n_right, n_plain, n_rows = (
        figures.threshold_confusion.n_correct,
        figures.method_confusion.n_correct,
        figures.threshold_confusion.total,
    )
    guess, tested = score.guess * n_rows, figures.evaluation_split == "test"
    if figures.is_weighted:
        shares = {
            name: format_share(value / n_rows)
            for name, value in {"right": n_right, "plain": n_plain, "guess": guess}.items()
        }
        if tested:
            return tr(
                "With the decision, {right} of the rows' weight it had never seen is labelled "
                "correctly (without a decision: {plain}; guessing the most common class: {guess}).",
                **shares,
            )
        return tr(
            "With the decision, {right} of the rows' weight is labelled correctly (without a "
            "decision: {plain}; guessing the most common class: {guess}).",
            **shares,
        )
    counts = {
        "right": number(n_right, ",.0f"),
        "of": number(n_rows, ",.0f"),
        "plain": number(n_plain, ",.0f"),
        "guess": number(guess, ",.0f"),
    }
    if tested:
        sentence = ntr(
            "With the decision, {right} of {of} rows it had never seen is labelled correctly "
            "(without a decision: {plain}; guessing the most common class: {guess}).",
            "With the decision, {right} of {of} rows it had never seen are labelled correctly "
            "(without a decision: {plain}; guessing the most common class: {guess}).",
            round(n_right),
            **counts,
        )
    else:
        sentence = ntr(
            "With the decision, {right} of {of} rows is labelled correctly (without a decision: "
            "{plain}; guessing the most common class: {guess}).",
            "With the decision, {right} of {of} rows are labelled correctly (without a decision: "
            "{plain}; guessing the most common class: {guess}).",
            round(n_right),
            **counts,
        )
    if (
        figures.threshold_confusion.false_negatives < figures.method_confusion.false_negatives
        and round(n_right) < round(n_plain)
    ):
        sentence += " " + _describe_additional_hits(figures)
    return sentence


def _describe_additional_hits(figures: DecisionFigures) -> str:
    """Return how many more positive rows the decision finds; as shares if rows have weights."""
    decision_hits, method_hits = (
        figures.threshold_confusion.true_positives,
        figures.method_confusion.true_positives,
    )
    positive = decision_hits + figures.threshold_confusion.false_negatives
    if figures.is_weighted:
        counts = format_share(decision_hits / positive, 0), format_share(method_hits / positive, 0)
        return tr(
            "In return, it finds {found} of the weight of “{name}” rows instead of {plain}.",
            found=counts[0],
            plain=counts[1],
            name=figures.positive_class,
        )
    return tr(
        "In return, it finds {found} of {all} “{name}” rows instead of {plain}.",
        found=number(decision_hits, ",.0f"),
        all=number(positive, ",.0f"),
        plain=number(method_hits, ",.0f"),
        name=figures.positive_class,
    )


def describe_cost(figures: DecisionFigures) -> str:
    """Return the cost per 100 rows, compared with no decision and the cheapest label, or ""."""
    if figures.costs is None:
        return ""
    (label, constant), _ = figures.rank_constant_labels(*figures.costs)
    cost_format = make_cost_format(figures, *figures.costs)
    decision_cost, method_cost, baseline_cost = (
        format_quantity(100 * cells.compute_cost(*figures.costs), figures.currency, cost_format)
        for cells in (figures.threshold_confusion, figures.method_confusion, constant)
    )
    return tr(
        "Per 100 rows the decision costs {decided} (without a decision: {usual}; all labelled "
        "“{label}”: {none}).",
        decided=decision_cost,
        usual=method_cost,
        none=baseline_cost,
        label=label,
    )


def make_cost_format(figures: DecisionFigures, miss: float, alarm: float) -> NumeralFormat:
    """Return the common format of the costs of 100 rows, the same wherever they are shown."""
    method_confusion = figures.method_confusion
    cells = (
        figures.threshold_confusion,
        method_confusion,
        method_confusion.all_negative,
        method_confusion.all_positive,
    )
    return NumeralFormat.for_values(
        [100 * each.compute_cost(miss, alarm) for each in cells], _COST_DIGITS
    )


def list_outcome_lines(
    figures: DecisionFigures,
    columns: Sequence[ConfusionCounts],
    label: str,
    costs: tuple[float, float] | None,
) -> list[tuple[str, list[str]]]:
    """Return a table of outcomes: each line's title, and its text in each column.

    Args:
        columns: The counted outcomes, such as those with and without the decision.
        label: The class that is looked for.
        costs: Of a miss and of a false alarm.
    """
    shares: dict[str, Callable[[ConfusionCounts], tuple[float, float]]] = {
        tr("“{name}” found (recall)", name=label): lambda each: (
            each.true_positives,
            each.true_positives + each.false_negatives,
        ),
        tr("False alarms"): lambda each: (
            each.false_positives,
            each.false_positives + each.true_negatives,
        ),
        tr("Correct “{name}” predictions (precision)", name=label): lambda each: (
            each.true_positives,
            each.true_positives + each.false_positives,
        ),
        tr("Correct overall (accuracy)"): lambda each: (each.n_correct, each.total),
    }
    lines = [
        (title, [_format_part(*count(each), weighted=figures.is_weighted) for each in columns])
        for title, count in shares.items()
    ]
    if costs is not None:
        cost_format = make_cost_format(figures, *costs)
        texts = [
            format_quantity(100 * each.compute_cost(*costs), figures.currency, cost_format)
            for each in columns
        ]
        lines.append((tr("Cost of 100 rows"), texts))
    return lines


def _format_part(part: float, total: float, *, weighted: bool) -> str:
    if not total:
        return UNKNOWN_TEXT
    text = (
        N_("{share} (weight {part} of {whole})") if weighted else N_("{share} ({part} of {whole})")
    )
    return tr(
        text, share=format_share(part / total, 0), part=format_rows(part), whole=format_rows(total)
    )


def format_rows(rows: float) -> str:
    """Format a number of rows, or their total weight."""
    return group_digits(int(rows)) if rows == int(rows) else number(rows, ".4g")


def make_decided_recommendation(
    score: PlainScore,
    target: str,
    positive_class: str | None,
    decision: Decision | None,
    outcome: DecisionFigures | None,
) -> str:
    """Return the recommendation for a run, about the labels of its decision, if any."""
    ranked = score.get_ranking(positive_class)
    is_ranked = ranked is not None and ranked.beyond_chance
    are_dependent = ranked is not None and ranked.beyond_row_chance and not is_ranked
    is_doubtful = score.doubtful and not is_ranked
    if decision is None or outcome is None or (is_doubtful and not are_dependent):
        return translate(make_recommendation(score, target, positive_class))
    text = describe_advice(decision, outcome)
    return f"{text} {tr(_DEPENDENT_ROWS_ADVICE)}" if is_doubtful else text


def describe_advice(decision: Decision, figures: DecisionFigures) -> str:
    """Return the advice for a decision, with its valid outcome on the evaluation rows."""
    name, cells = decision.looked_for, figures.threshold_confusion
    is_tested = figures.evaluation_split == "test"
    rows = tr("test rows") if is_tested else tr("validation rows")
    if decision.capacity is not None:
        share = format_threshold(decision.capacity)
        sentences = [
            tr(
                "Handle rows in descending order of their probability of “{label}”, up to your "
                "capacity of {share} of the rows.",
                label=name,
                share=share,
            )
        ]
        if figures.gains.x.size:
            recall = float(np.interp(decision.capacity, figures.gains.x, figures.gains.y))
            sentences.append(
                tr(
                    "The first {share} of the {rows} contained {held} of all “{label}” rows.",
                    share=share,
                    rows=rows,
                    held=format_share(recall, 0),
                    label=name,
                )
            )
    else:
        sentences = [tr("Act on the rows that the decision labels “{label}”.", label=name)]
        if positive := cells.true_positives + cells.false_negatives:
            sentences.append(
                tr(
                    "They were {share} of the {rows}, and included {held} of all “{label}” rows.",
                    rows=rows,
                    share=format_share(
                        (cells.true_positives + cells.false_positives) / cells.total, 0
                    ),
                    held=format_share(cells.true_positives / positive, 0),
                    label=name,
                )
            )
    sentences += filter(None, [describe_cost(figures)])
    return " ".join(sentences if is_tested else [*sentences, tr(_UNTESTED_ADVICE)])


def get_confusion_matrix(figures: DecisionFigures) -> Floats:
    """Return the confusion matrix of the decision, shape (2, 2), with true classes in rows."""
    cells = figures.threshold_confusion
    matrix = np.array(
        [
            [cells.true_positives, cells.false_negatives],
            [cells.false_positives, cells.true_negatives],
        ]
    )
    return matrix if figures.positive_class == figures.classes[0] else matrix[::-1, ::-1]

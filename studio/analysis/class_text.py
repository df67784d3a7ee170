"""The result for several classes in sentences: those found worst, confused or missed."""

from collections.abc import Iterable

from studio.data.metrics.plain_score import ClassRecall, PlainScore
from studio.data.metrics.predicted_classes import BalancedError
from studio.phrases import Phrase, join_phrases, phrase

FEW_ROWS = 10
"""Number of a class's rows below which its recall says little."""

CHOOSE_AVERAGE = phrase(
    "If rare classes matter as much as common ones, run again with the metric “{metric}”, which "
    "gives all classes the same weight."
)

_MAX_MISSED_NAMES = 5


def describe_class_details(score: PlainScore) -> str:
    """Return how well single classes are found, and the worst confusion; empty for nothing."""
    parts = (
        describe_weakest_classes(score.weakest),
        _describe_rarest_class(score),
        _describe_confusion(score),
    )
    return join_phrases(filter(None, parts))


def describe_weakest_classes(recalls: Iterable[ClassRecall]) -> str:
    """Name the classes found worst with their rows; empty for none."""
    names = [_describe_recall(each) for each in recalls]
    return (
        phrase("Found least often: {classes}.", classes=join_phrases(names, ", ")) if names else ""
    )


def _describe_recall(recall: ClassRecall) -> str:
    values = {"label": recall.label[:80], "found": recall.found, "rows": recall.rows}
    if recall.rows < FEW_ROWS:
        return phrase("“{label}” {found:,} of {rows:,} (few rows)", **values)
    return phrase("“{label}” {found:,} of {rows:,}", **values)


def _describe_rarest_class(score: PlainScore) -> str:
    """Return the share of the rarest class that is found.

    Empty if no row is found, which the advice reports.
    """
    rarest = score.rarest
    if rarest is None or not rarest.found or rarest in score.weakest:
        return ""
    values = {"label": rarest.label, "found": rarest.found, "rows": rarest.rows}
    if rarest.rows < FEW_ROWS:
        return phrase(
            "Rarest class: {found:,} of {rows:,} “{label}” predicted correctly; few rows to judge "
            "by.",
            **values,
        )
    return phrase("Rarest class: {found:,} of {rows:,} “{label}” predicted correctly.", **values)


def _describe_confusion(score: PlainScore) -> str:
    confusion = score.confused
    if confusion is None or confusion.rows < 2:
        return ""
    return phrase(
        "Most often confused: {rows:,} of {of:,} “{truth}” predicted as “{answer}”.",
        rows=confusion.rows,
        of=confusion.of,
        truth=confusion.truth,
        answer=confusion.answer,
    )


def advise_on_classes(score: PlainScore) -> str:
    """Return advice for the use of predicted classes."""
    if score.weakest and score.weakest[0].found:
        return _advise_on_weakest_class(score.weakest[0])
    if score.missed:  # with a sentence of their own
        return phrase("Use the predicted classes, except for classes that are never found.")
    if (doubtful := score.least_precise) is not None:
        return phrase(
            "Use the predicted classes, but check rows predicted as “{label}”: {wrong:,} of "
            "{rows:,} ({share:.0f} %) are wrong.",
            label=doubtful.label,
            wrong=doubtful.wrong,
            rows=doubtful.rows,
            share=100 * doubtful.wrong / doubtful.rows,
        )
    confusion = score.confused
    if confusion is None:
        return phrase("Use the predicted classes.")
    if not confusion.answered:
        return phrase(
            "Use the predicted classes, but check rows predicted as “{answer}”: some are "
            "“{truth}”.",
            answer=confusion.answer,
            truth=confusion.truth,
        )
    return phrase(
        "Use the predicted classes, but check rows predicted as “{answer}”: {rows:,} of "
        "{answered:,} ({share:.0f} %) are “{truth}”.",
        answer=confusion.answer,
        rows=confusion.rows,
        answered=confusion.answered,
        share=100 * confusion.rows / confusion.answered,
        truth=confusion.truth,
    )


def _advise_on_weakest_class(recall: ClassRecall) -> str:
    return phrase(
        "Use the predicted classes, but expect to miss “{label}” rows: {found:,} of {rows:,} are "
        "found.",
        label=recall.label,
        found=recall.found,
        rows=recall.rows,
    )


def describe_missed_classes(score: PlainScore) -> str:
    """Name the classes without a correctly predicted row; "" if there are none."""
    if len(score.missed) > 1:
        names = join_phrases(
            (f"“{name[:80]}”" for name, _ in score.missed[:_MAX_MISSED_NAMES]), ", "
        )
        if (n_more := len(score.missed) - _MAX_MISSED_NAMES) > 0:
            names = phrase("{names} and {more:,} more", names=names, more=n_more)
        return phrase("No row of these classes is predicted correctly: {names}.", names=names)
    for name, rows in score.missed:
        if rows == 1:
            return phrase("The only row of “{label}” is predicted incorrectly.", label=name)
        return phrase(
            "None of the {rows:,} rows of “{label}” is predicted correctly.", rows=rows, label=name
        )
    return ""


def warn_of_missed_classes(score: PlainScore) -> str:
    """Return :func:`describe_missed_classes` for several classes, with a remedy; "" for none.

    It is empty for a metric that gives all classes the same weight: the details name the classes.
    """
    if not score.missed or score.confused is None or score.weakest:
        return ""
    remedy = Phrase(CHOOSE_AVERAGE, {"metric": phrase(BalancedError.title)})
    is_certain = any(rows > 1 for _, rows in score.missed)
    return join_phrases((describe_missed_classes(score), remedy if is_certain else ""))

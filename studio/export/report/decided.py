"""A report's texts about a decision: headline, matrix and advice."""

import numpy as np

from studio.analysis.answers.predictions import Confusion, DecisionFigures
from studio.arrays import Floats
from studio.data.metrics.plain import PlainScore
from studio.document.decision import Decision
from studio.language import N_, ntr, number, percent, tr
from studio.measure import format_threshold

WITHOUT = N_("without a decision")
"""Name of labels without a decision: the ensemble's predicted class."""

_UNTESTED = N_("Before relying on it, test it on rows it has never seen.")


def describe_labels(found: DecisionFigures, score: PlainScore) -> str:
    """Return the accuracy of the decided labels, compared with those without a decision."""
    right, plain, of = (
        _n_correct(found.decided),
        _n_correct(found.usual),
        found.decided.total,
    )
    guess, tested = score.guess * of, found.judged == "test"
    if found.weighted:
        shares = {
            name: percent(value / of)
            for name, value in {"right": right, "plain": plain, "guess": guess}.items()
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
        "right": number(right, ",.0f"),
        "of": number(of, ",.0f"),
        "plain": number(plain, ",.0f"),
        "guess": number(guess, ",.0f"),
    }
    if tested:
        words = ntr(
            "With the decision, {right} of {of} rows it had never seen is labelled correctly "
            "(without a decision: {plain}; guessing the most common class: {guess}).",
            "With the decision, {right} of {of} rows it had never seen are labelled correctly "
            "(without a decision: {plain}; guessing the most common class: {guess}).",
            round(right),
            **counts,
        )
    else:
        words = ntr(
            "With the decision, {right} of {of} rows is labelled correctly (without a decision: "
            "{plain}; guessing the most common class: {guess}).",
            "With the decision, {right} of {of} rows are labelled correctly (without a decision: "
            "{plain}; guessing the most common class: {guess}).",
            round(right),
            **counts,
        )
    if found.decided.missed < found.usual.missed and round(right) < round(plain):
        words += " " + tr("The decision accepts that, so as to miss fewer.")
    return words


def describe_advice(kept: Decision, found: DecisionFigures) -> str:
    """Return the advice for a decision, with its valid outcome on the evaluation rows."""
    name, cells = kept.looked_for, found.decided
    tested = found.judged == "test"
    rows = tr("test rows") if tested else tr("validation rows")
    if kept.capacity is not None:
        share = format_threshold(kept.capacity)
        words = [
            tr(
                "Handle rows in the order of their probability of “{label}”, the highest first, up "
                "to your capacity of {share} of the rows.",
                label=name,
                share=share,
            )
        ]
        if found.gains.x.size:
            held = float(np.interp(kept.capacity, found.gains.x, found.gains.y))
            words.append(
                tr(
                    "The first {share} of the {rows} held {held} of all “{label}”.",
                    share=share,
                    rows=rows,
                    held=percent(held, 0),
                    label=name,
                )
            )
    else:
        words = [tr("Act on the rows that the decision labels “{label}”.", label=name)]
        if positive := cells.found + cells.missed:
            words.append(
                tr(
                    "Of the {rows} these were {share}, with {held} of all “{label}”.",
                    rows=rows,
                    share=percent((cells.found + cells.alarms) / cells.total, 0),
                    held=percent(cells.found / positive, 0),
                    label=name,
                )
            )
    return " ".join(words if tested else [*words, tr(_UNTESTED)])


def matrix(found: DecisionFigures) -> Floats:
    """Return the confusion matrix of the decision, shape (2, 2), with true classes in rows."""
    cells = found.decided
    if found.looked_for == found.classes[0]:
        return np.array([[cells.found, cells.missed], [cells.alarms, cells.passed]])
    return np.array([[cells.passed, cells.alarms], [cells.missed, cells.found]])


def _n_correct(cells: Confusion) -> float:
    return cells.found + cells.passed

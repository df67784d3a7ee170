"""Where a metric cannot show what columns are worth: shuffling them hardly changes any answer."""

import numpy as np

from studio.arrays import Floats, Integers
from studio.data.metrics.base import Metric
from studio.data.metrics.registry import metrics_for
from studio.data.tasks import Task
from studio.phrases import joined, phrase

ONE_CLASS = 0.97
"""The share of rows from which on an ensemble gives (almost) all of them the same answer."""


def blind_words(
    metric: Metric, task: Task, answers: tuple[str, Integers], worth: Floats, low: Floats
) -> str:
    """Return a phrase that says so; empty where the metric shows what columns are worth.

    Parameters
    ----------
    metric : Metric
        What the worth is told by.
    task : Task
        What is predicted.
    answers : str and array, shape (C,)
        The label that the ensemble gives most often, and how many rows get each label.
    worth, low : array, shape (d,)
        By how much the metric rises for each column, and the lower end of its interval; NaN where
        it is not known.
    """
    label, counts = answers
    known = worth[np.isfinite(worth)]
    if metric.needs != "labels" or not known.size or bool((low > 0).any()):
        return ""
    title = phrase(metric.title)
    most, rows = int(counts.max()), int(counts.sum())
    if most >= ONE_CLASS * rows:
        problem = phrase(
            "The ensemble answers “{label}” for {most:,} of {rows:,} rows, so this metric "
            "({metric}) cannot show what columns are worth here: hardly any answer changes when "
            "they are shuffled.",
            label=label,
            most=most,
            rows=rows,
            metric=title,
        )
    elif not known.any():
        problem = phrase(
            "Whichever column is shuffled, this metric ({metric}) stays exactly the same, so it "
            "cannot show what columns are worth here.",
            metric=title,
        )
    else:
        return ""
    others = [
        phrase(each.title)
        for each in metrics_for(task)
        if each.key != metric.key and (each.balanced or each.needs == "probabilities")
    ]
    advice = phrase(
        "Choose another metric for a new run, such as one of these: {metrics}.",
        metrics=joined(others, ", "),
    )
    return joined((problem, advice), " ")

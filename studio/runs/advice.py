"""Which method, space, division and metric suit the data at hand, in one sentence with the reason.

The rules are few and stand in this file from the most special to the most general; the first that
fits decides. They read nothing but the table's shape, so the same table gets the same advice.

====================== =========================== ======================================
data                   method and space            why
====================== =========================== ======================================
fewer than 100 rows    EO, one kernel machine      few settings leave little to overfit
                                                   (thesis 3)
more columns than rows EO, kernel machines         their cost depends on rows, not columns
more than 50 classes,  DivBO, random forest        boosting grows trees for every class
10,000 rows and more
10,000 rows and more   DivBO, compact-boosted      kernel machines and Gaussian processes
                                                   take rows to the second power and more
mostly categories, or  EO, compact-boosted         trees divide categories instead of
one of more than 100                               spreading them over columns
2,000 rows and more    DivBO, the default space    DivBO was measured on 2,000 to 20,000
                                                   rows (DivBO 4.1)
all others             EO, the default space       EO was measured on tables of this size
                                                   (EO 4)
====================== =========================== ======================================

DivBO's measurements are of classes; numbers are predicted with EO-mse throughout.

Rows are divided into ten folds below 100 rows, into five below 1,000 or where a class has fewer
than 50 rows (a fifth of them would be fewer than ten to compare by), else 60/20/20. Order of time
keeps the hold-out: its validation rows are later than all training rows. Fewer than 50 groups are
divided into five folds (or as many as they can fill): a fifth of them is no fair sample.
"""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from studio.data.balance import imbalance_note
from studio.data.metrics.registry import default_for as default_metric
from studio.data.metrics.registry import metric_for
from studio.data.problem import Problem
from studio.data.splits import SplitPlan
from studio.phrases import clause
from studio.proposers.presets import default_for as default_method
from studio.runs.settings import AUTO, SUGGESTED, RunSettings
from studio.space.library import default_for as default_space
from studio.space.library import load, shipped

TINY = 100
SMALL = 1000
MIDDLE = 2000
LARGE = 10_000
RARE = 50
FEW_GROUPS = 50
MANY_CLASSES = 50
MANY_CATEGORIES = 100


@dataclass(frozen=True)
class Advice:
    """What suits a table.

    Attributes
    ----------
    method : str
        The key of a preset.
    space : str
        The key of a shipped space.
    metric : str
        The key of a metric.
    plan : SplitPlan
        How to divide the rows.
    sentence : str
        All of it in one sentence, with the reasons.
    """

    method: str
    space: str
    metric: str
    plan: SplitPlan
    sentence: str

    def to_json(self) -> dict[str, Any]:
        """Return the advice as plain JSON."""
        return {**dataclasses.asdict(self), "plan": self.plan.to_json()}


def advise(problem: Problem) -> Advice:
    """Return what suits a problem; the same problem gets the same advice.

    Parameters
    ----------
    problem : Problem
        The rows and the target.
    """
    method, space, why = _search(problem)
    plan, division = _division(problem)
    note = imbalance_note(problem.y, problem.classes, None)
    metric = default_metric(problem.task).key if note is None else note.metric
    title = load(space).title
    sentence = (
        f"For {_facts(problem)}, take {method} on “{title}” ({space}), because {why}; {division}."
    )
    if note is not None:
        judge = metric_for(metric, problem.task).title
        sentence = (
            f"For {_facts(problem)}, take {method} on “{title}” ({space}), because {why}; "
            f"{division}; judge by “{judge}” ({metric}), because the classes differ in size."
        )
    return Advice(method, space, metric, plan, sentence)


def followed(settings: RunSettings, problem: Problem) -> tuple[RunSettings, str]:
    """Return settings in which a "suggested" method is the advised one, and the sentence to say.

    The advised space is taken where none is named. Metric and division stay as they are, since
    they decide what the figures mean. With an "auto" method nothing is changed, so that a run does
    what it always did; the sentence says what else there is. It is empty where the user has chosen.
    """
    if settings.method not in {AUTO, SUGGESTED}:
        return settings, ""
    advice = advise(problem)
    if settings.method == AUTO:
        return settings, f"Suggestion (--method {SUGGESTED} takes it): {advice.sentence}"
    space = settings.space
    if space is None:
        space = load(advice.space).to_json()
    return dataclasses.replace(settings, method=advice.method, space=space), advice.sentence


def _search(problem: Problem) -> tuple[str, str, str]:
    """Return the keys of method and space, and why."""
    offered = {each.key for each in shipped()}
    usual = default_space(problem.task).name
    for method, classes, values, why in _rules(problem):
        space = classes if problem.classes else values
        if space == "" or space in offered:
            return method, space or usual, why
    raise AssertionError("the last rule fits every problem")


def _rules(problem: Problem) -> Iterator[tuple[str, str, str, str]]:
    """Yield method, space for classes, space for numbers ("" is the default), and why."""
    n_rows, n_columns = problem.X.shape
    usual = default_method(problem.task)
    diverse = "DivBO" if problem.classes else usual
    if n_rows < TINY:
        yield (
            usual,
            "svm-rbf",
            "svr",
            clause("so few rows would be overfitted by a space of many settings"),
        )
    if n_columns > n_rows:
        yield (
            usual,
            "svm-kernels",
            "svr",
            clause("its cost depends on rows and not on the many columns"),
        )
    if n_rows >= LARGE and problem.n_classes > MANY_CLASSES:
        yield diverse, "forest-thesis", "", clause("one forest learns all classes at once")
    boosted = ("compact-boosted", "compact-boosted-regression")
    if n_rows >= LARGE:
        yield diverse, *boosted, clause("its learners stay quick on so many rows")
    if _has_many_categories(problem):
        yield (
            usual,
            *boosted,
            clause("trees divide categories instead of spreading them over columns"),
        )
    if n_rows >= MIDDLE and problem.classes:
        yield diverse, "", "", clause("it is strongest where there are thousands of rows")
    yield usual, "", "", clause("it gets the most out of few trials on a table of this size")


def _has_many_categories(problem: Problem) -> bool:
    largest = max((len(each) for each in problem.categories if each is not None), default=0)
    return 2 * int(problem.categorical.sum()) > problem.X.shape[1] or largest > MANY_CATEGORIES


def _division(problem: Problem) -> tuple[SplitPlan, str]:
    n_rows = len(problem.y)
    if problem.times is not None:
        return SplitPlan(), clause(
            "do not take folds, because they would learn from later rows than they predict"
        )
    if problem.groups is not None:
        n_groups = len(np.unique(problem.groups))
        if n_groups < FEW_GROUPS:
            folds = max(2, min(5, 4 * n_groups // 5))
            return SplitPlan(folds=folds), clause(
                f"divide into {folds} folds of whole groups, because there are {n_groups} groups "
                "only"
            )
    if n_rows < TINY:
        return SplitPlan(folds=10), clause("divide into ten folds, because every row is needed")
    five = SplitPlan(folds=5)
    if n_rows < SMALL:
        return five, clause("divide into five folds, because a fifth of the rows says too little")
    if problem.classes and np.bincount(problem.y, minlength=problem.n_classes).min() < RARE:
        return five, clause("divide into five folds, because a class has fewer than 50 rows")
    return SplitPlan(), clause("divide 60/20/20, because there are rows enough")


def _facts(problem: Problem) -> str:
    n_rows, n_columns = problem.X.shape
    columns = clause("1 column") if n_columns == 1 else clause(f"{n_columns:,} columns")
    if problem.classes:
        goal = clause(f"{problem.n_classes:,} classes")
    else:
        goal = clause("a number to predict")
    return clause(f"{n_rows:,} rows, {columns} and {goal}")


def notes_on(problem: Problem, metric_key: str, advice: str) -> tuple[str, ...]:
    """Return the sentences that a run begins with: the data's own, and what would suit them.

    Parameters
    ----------
    problem : Problem
        The rows and the target.
    metric_key : str
        What is minimised.
    advice : str
        The sentence of :func:`followed`; empty where nothing was advised.
    """
    if advice:
        return (*problem.notes, advice)
    note = imbalance_note(problem.y, problem.classes, metric_key)
    return problem.notes if note is None else (*problem.notes, note.sentence)

"""What the values are to be that a run predicts, and the scales on which its search tries them."""

import dataclasses

from studio.arrays import Integers
from studio.data.amounts import are_amounts, are_skewed, log_unit
from studio.data.metrics.base import Metric
from studio.data.problem import Problem
from studio.learners.aim import Aim
from studio.learners.operators.base import EMPTY
from studio.learners.operators.targets import LogTarget
from studio.runs.settings import RunSettings
from studio.space.choices import Categorical
from studio.space.space import Space


def aim_for(problem: Problem, rows: Integers, metric: Metric, settings: RunSettings) -> Aim:
    """Return what a new run's models are to predict.

    Args:
        rows: Shape (k,). That may be learned from.
    """
    if problem.classes:
        return Aim()
    y = problem.y[rows]
    # Leaves that are set to a quantile after a tree has grown keep no monotonic constraint.
    level = None if settings.source.monotone else metric.level
    if not settings.amounts or not are_amounts(y):
        return Aim(level, relative=metric.relative)
    return Aim(
        level,
        floor=0.0,
        unit=metric.log_unit or log_unit(y),
        unbiased=metric.level is None and metric.log_unit is None,
        relative=metric.relative,
    )


def on_its_scales(space: Space, problem: Problem, rows: Integers, aim: Aim) -> Space:
    """Return the space in which a method that leaves such choices to the program searches.

    Amounts with a long tail are tried as they are and on their logarithm; rows (k,) may be learned
    from.
    """
    stage = LogTarget.stage
    chosen = any(each.sets == stage for each in space.parameters)
    if chosen or aim.unit is None or not are_skewed(problem.y[rows]):
        return space
    scale = Categorical(
        stage,
        choices=(EMPTY, LogTarget.key),
        note="Whether training is on the logarithm of the number to predict.",
    )
    return dataclasses.replace(space, parameters=(*space.parameters, scale))

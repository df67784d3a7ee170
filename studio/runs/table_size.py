"""What the seconds of a trial depend on, as far as a problem says it."""

from studio.data.problem import Problem
from studio.learners.facts import category_cap
from studio.proposers.base import TableSize


def table_size(problem: Problem, rows: int, fits: int) -> TableSize:
    """Return the size of fits on a number of rows of a problem."""
    cap = category_cap(problem.categorical)
    widths = [1 if each is None else min(cap, len(each)) for each in problem.categories]
    return TableSize(rows, len(widths), sum(widths), problem.n_classes, fits)

"""The learned portfolios, each for a kind of task and a number of rows."""

from dataclasses import dataclass, replace

from studio.data.problem import Problem
from studio.data.splits import SplitPlan
from studio.proposers.portfolio import find_joined_spaces

SEED = 0
TEST = 0.2


@dataclass(frozen=True)
class Kind:
    """A portfolio.

    Attributes:
        key: Of its candidates, and of its file.
        space: The shipped space of its configurations.
        least_rows: Training rows from which it replaces the one for fewer rows.
        most_rows: Maximum rows of a table, drawn at random, as many trials must finish.
        folds: ``None``: a hold-out, as for large tables within a minute.
    """

    key: str
    space: str
    least_rows: int
    most_rows: int
    folds: int | None

    @property
    def regression(self) -> bool:
        """Whether numbers are predicted."""
        return self.space.endswith("regression")

    def fits(self, problem: Problem) -> bool:
        """Return whether a table is used for learning."""
        rows = len(problem.y)
        return self.regression == (problem.task == "regression") and rows >= self.least_rows

    def plan(self, rows: int) -> SplitPlan:
        """Return the split of a table with this many rows."""
        if self.folds is not None:
            return SplitPlan(folds=self.folds, test=TEST, seed=SEED)
        held_out_share = min(0.2, 2500 / min(rows, self.most_rows))
        return SplitPlan(
            train=1 - TEST - held_out_share, validation=held_out_share, test=TEST, seed=SEED
        )


KINDS = (
    Kind("best", "best", 0, 2500, 5),
    Kind("best-regression", "best-regression", 0, 2500, 5),
    Kind("best-large", "best", 5000, 25_000, None),
    Kind("best-regression-large", "best-regression", 5000, 25_000, None),
)
"""One line each; the candidates are in portfolio_candidates.json."""


def optional(kind: Kind) -> tuple[Kind, ...]:
    """Return the available joined spaces of a kind, as separate kinds."""
    return tuple(
        replace(kind, key=each.space, space=each.space)
        for each in find_joined_spaces(kind.key)
        if each.is_available()
    )


OPTIONAL = tuple(each for kind in KINDS for each in optional(kind))
"""Learners of optional libraries, tried on the tables and rows of their kind."""

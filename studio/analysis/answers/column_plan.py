"""What it would take to find out what an ensemble looks at."""

from collections.abc import Iterable
from dataclasses import dataclass

AFFORDABLE = 20.0
"""Seconds of refits that nobody is asked about first."""


@dataclass(frozen=True)
class Plan:
    """What there is to do.

    Attributes:
        names: Length d. The columns, those of dates in parts: these are phrases.
        sources: Length d. The table's column that each is made of: the parts of a date have one in
            common.
        members: Trials that are trained again, heaviest first.
        of_members: Members that the ensemble has.
        weight: Share of the ensemble's weight that they have.
        rows: Rows about which they are asked.
        test_rows: How many of the rows they are asked about are test rows; the others are
            validation rows.
        folds: How many folds a trial had: only the first is looked at.
        fit_seconds, ask_seconds: What their training took in the search (0 where the document keeps
            the trained members), and how long asking may take at most.
        classes: Empty for values.
        looked_for: Of two classes the one that is looked for; else empty.
        target: The column that is predicted.
        reason: Why there is nothing to do; empty where there is.
    """

    names: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    members: tuple[int, ...] = ()
    of_members: int = 0
    weight: float = 1.0
    rows: int = 0
    test_rows: int = 0
    folds: int = 1
    fit_seconds: float = 0.0
    ask_seconds: float = 0.0
    classes: tuple[str, ...] = ()
    looked_for: str = ""
    target: str = ""
    reason: str = ""

    @property
    def n_columns(self) -> int:
        """How many columns of the table those are."""
        return len(set(self.sources))

    def not_among(self, shown: Iterable[int]) -> int:
        """Return how many columns of the table have no part among those that are shown."""
        return self.n_columns - len({self.sources[k] for k in shown})

    @property
    def affordable(self) -> bool:
        """Whether it may be done without being asked for."""
        return not self.reason and self.fit_seconds <= AFFORDABLE

"""All diagrams of a study. A new one is one function and one line here."""

from collections.abc import Callable, Sequence

from studio.compare.comparison import Comparison
from studio.compare.diagrams.boxes import box_plots
from studio.compare.diagrams.critical import critical_difference
from studio.compare.diagrams.curves import probability_over_iterations, rank_over_iterations
from studio.compare.outcomes import CellOutcome
from studio.figures.shapes import Diagram

Maker = Callable[[Comparison, Sequence[CellOutcome]], Diagram | None]

REGISTRY: tuple[Maker, ...] = (
    critical_difference,
    rank_over_iterations,
    probability_over_iterations,
    box_plots,
)
"""Each gives a diagram, or ``None`` where there is nothing to draw."""


def diagrams(comparison: Comparison, outcomes: Sequence[CellOutcome]) -> list[Diagram]:
    """Return every diagram that has something to show."""
    made = (maker(comparison, outcomes) for maker in REGISTRY)
    return [diagram for diagram in made if diagram is not None]

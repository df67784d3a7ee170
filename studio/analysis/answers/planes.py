"""The surrogate over two hyperparameters, one panel a branch in which both are active."""

from dataclasses import dataclass

from studio.analysis.answers.empty import floats, integers
from studio.arrays import Floats, Integers


@dataclass(frozen=True)
class Plane:
    """The surrogate over two hyperparameters, the others held in each branch.

    Coordinates are unit coordinates in [0, 1] (:class:`studio.space.base.UnitAxis`), so that log
    scales, whole numbers and choices need nothing special.

    Attributes:
        x, y: The hyperparameters.
        panels: Length p. The branches; one empty name where the space has none, or is not parted.
        mean, sd, acquisition: Shape (p, gy, gx). Posterior mean and standard deviation of the
            objective, all models as one mixture, and what the maximiser maximised; NaN where one of
            the two is inactive.
        held: Length p. Where the others are held, in each panel.
        trial_panels, trial_numbers: Shape (t,). The trials that have both, and the panel of each.
        trial_x, trial_y, trial_targets: Shape (t,).
        following: Panel, x and y of the next trial; empty if it does not have both.
        followed: Whether there is a next trial at all.
        left_out: Branches that have both and are not drawn.
        objective, in_metric, acquisition_title, note, reason: As for
            :class:`studio.analysis.surrogate.slices.Slice`.
    """

    x: str
    y: str
    panels: tuple[str, ...] = ()
    mean: Floats = floats(0, 0, 0)
    sd: Floats = floats(0, 0, 0)
    acquisition: Floats = floats(0, 0, 0)
    held: tuple[str, ...] = ()
    trial_panels: Integers = integers()
    trial_numbers: Integers = integers()
    trial_x: Floats = floats()
    trial_y: Floats = floats()
    trial_targets: Floats = floats()
    following: tuple[float, ...] = ()
    followed: bool = False
    left_out: int = 0
    objective: str = ""
    in_metric: bool = True
    acquisition_title: str = ""
    note: str = ""
    reason: str = ""

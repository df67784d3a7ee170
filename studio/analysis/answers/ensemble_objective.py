"""What every trial is worth by itself, and what it would be worth to the ensemble."""

import math
from dataclasses import dataclass

from studio.analysis.answers.empty import flags, floats, integers
from studio.arrays import Flags, Floats, Integers


@dataclass(frozen=True)
class EnsembleObjective:
    """The two objectives for the trials that gave predictions by an iteration.

    Attributes:
        numbers: Shape (t,). The trials, ascending.
        own: Shape (t,). f(γ): the loss of each alone.
        together: Shape (t,). f(γ|E): the loss of the ensemble with it added; NaN where it is among
            those it would be added to.
        members: Shape (t,). Which are in the ensemble.
        places: Shape (t,). Value of the chosen hyperparameter (choices: positions), NaN where
            inactive; the trials' numbers where none was chosen.
        each_slot: Shape (slots, t). ``together`` with each slot left out in turn; no rows where
            that was not asked for.
        holders: Shape (slots,). Trial in each of EO's slots, 0 for an empty one; empty for other
            methods.
        slot: The slot left out, counted from 0; -1 for methods without slots.
        searched: The slot that the next suggestion searches for; -1 without slots.
        whole: The loss of the ensemble as it is.
        loss: What kind of loss all of these are, in words.
        of_metric: Whether it is the run's metric (and has its unit).
        note: How adding is meant, in a sentence.
        grid: Shape (g,). Values along the hyperparameter; empty where the run has no surrogate of
            ``together``.
        mean, sd: Shape (g,). What the surrogate expects there, the other hyperparameters held at
            the best trial's.
        each_mean: Shape (slots, g). The same mean with each slot left out; no rows where that was
            not asked for, or where there are more than losses to learn from than can be fitted
            soon.
        log: Whether the hyperparameter is explored on a logarithmic scale.
        choices: Names of its choices.
        reason: Why there is nothing; empty where there is.
    """

    numbers: Integers = integers()
    own: Floats = floats()
    together: Floats = floats()
    members: Flags = flags()
    places: Floats = floats()
    each_slot: Floats = floats(0, 0)
    holders: Integers = integers()
    slot: int = -1
    searched: int = -1
    whole: float = math.nan
    loss: str = ""
    of_metric: bool = True
    note: str = ""
    grid: Floats = floats()
    mean: Floats = floats()
    sd: Floats = floats()
    each_mean: Floats = floats(0, 0)
    log: bool = False
    choices: tuple[str, ...] = ()
    reason: str = ""

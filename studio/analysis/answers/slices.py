"""The surrogate along one hyperparameter."""

from dataclasses import dataclass

from studio.analysis.answers.empty import floats, integers
from studio.arrays import Floats, Integers


@dataclass(frozen=True)
class Slice:
    """The surrogate along one hyperparameter, the others held.

    Attributes:
        parameter: Its name.
        log: Whether it is explored on a logarithmic scale.
        choices: For choices: their names; values are then positions 0, 1, ….
        grid, mean, sd, acquisition: Shape (g,). Values of the hyperparameter; posterior mean and
            standard deviation of the objective, averaged over the surrogate's samples; what the
            maximiser maximised.
        draws: Shape (s, g). The means of single models: hyperparameter samples of a process, trees
            of a forest.
        draws_are: Which.
        trial_values, trial_targets: Shape (t,). The trials that the surrogate learned from; a value
            is NaN where a trial lacks it.
        trial_numbers: Shape (t,).
        next_value: Where the next trial lies, if it has the hyperparameter.
        followed: Whether there is a next trial.
        objective: What the targets are.
        in_metric: Whether they are in the unit of the run's metric.
        acquisition_title: The criterion's name.
        explanation: What is held where, in a sentence.
        reason: Why there is no surrogate; then the arrays are empty.
    """

    parameter: str
    log: bool
    choices: tuple[str, ...]
    grid: Floats = floats()
    mean: Floats = floats()
    sd: Floats = floats()
    acquisition: Floats = floats()
    draws: Floats = floats(0, 0)
    draws_are: str = "draws"
    trial_values: Floats = floats()
    trial_targets: Floats = floats()
    trial_numbers: Integers = integers()
    next_value: float | None = None
    followed: bool = False
    objective: str = ""
    in_metric: bool = True
    acquisition_title: str = ""
    explanation: str = ""
    reason: str = ""

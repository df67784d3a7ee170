"""Records about a surrogate: calibration, choices, importances, slices and planes."""

from dataclasses import dataclass

from studio.analysis.answers.empty import floats, integers
from studio.arrays import Floats, Integers


@dataclass(frozen=True)
class OneStepAhead:
    """One-step-ahead predictions of trials, and observed losses.

    Attributes:
        numbers: Shape (t,). The trials that were predicted and did not fail.
        predicted, sd: Shape (t,). The surrogate's mean and standard deviation (without observation
            noise) when it suggested the trial, of the objective for which it did.
        observed: Shape (t,). What the trial gave of that objective.
        unpredicted, failed: Trials drawn at random, and predicted ones that failed.
    """

    numbers: Integers = integers()
    predicted: Floats = floats()
    sd: Floats = floats()
    observed: Floats = floats()
    unpredicted: int = 0
    failed: int = 0
    objective: str = ""
    in_metric: bool = True
    reason: str = ""


@dataclass(frozen=True)
class PosteriorChoices:
    """The trials with the lowest posterior mean. All losses are in the run's metric.

    The method itself takes the argmin over all configurations and refits that; here it is the
    argmin over the configurations that were tried, whose losses are known.

    Attributes:
        iterations: Shape (k,). How many trials had finished.
        trials: Shape (k,). The trial of the lowest posterior mean among the successful ones.
        validation, test: Shape (k,). Its losses; the test loss is NaN where there are no test rows.
        reason: Why there is nothing; empty where there is.
    """

    iterations: Integers = integers()
    trials: Integers = integers()
    validation: Floats = floats()
    test: Floats = floats()
    reason: str = ""


@dataclass(frozen=True)
class Importances:
    """Main effects of hyperparameters on the validation loss.

    Attributes:
        names: The hyperparameters: those that are always active, then those of the branch.
        scopes: Where each is measured: "" for the whole space, else the branch.
        share, spread: Shape (p,). Mean and standard deviation over the surrogate's models of V_j /
            V, in [0, 1]; NaN where too few trials have it.
        tried: Shape (p,). How many trials have it.
        model: What was averaged, in a sentence.
        models: How many.
    """

    names: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    share: Floats = floats()
    spread: Floats = floats()
    tried: Integers = integers()
    model: str = ""
    models_are: str = "draws"
    models: int = 0
    reason: str = ""


@dataclass(frozen=True)
class Plane:
    """The surrogate over two hyperparameters, the others fixed in each branch.

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
            :class:`studio.analysis.surrogate.planes.Slice`.
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


@dataclass(frozen=True)
class Slice:
    """The surrogate along one hyperparameter, the others fixed.

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

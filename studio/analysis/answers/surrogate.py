"""Records about a surrogate: calibration, choices, importances, slices and planes."""

from dataclasses import dataclass, field

from studio.analysis.answers.array_fields import boolean_field, float_field, integer_field
from studio.arrays import Flags, Floats, Integers
from studio.trial import Value


@dataclass(frozen=True)
class OneStepAhead:
    """One-step-ahead predictions of trials, and observed losses.

    Attributes:
        numbers: Shape (t,). The predicted trials that did not fail.
        predicted_means, sd: Shape (t,). The surrogate's mean and standard deviation (without
            observation noise) of the objective at the suggestion.
        observed: Shape (t,). The observed objective.
        n_random, n_failed: Numbers of random trials, and of predicted ones that failed.
    """

    numbers: Integers = integer_field()
    predicted_means: Floats = float_field()
    sd: Floats = float_field()
    observed: Floats = float_field()
    n_random: int = 0
    n_failed: int = 0
    objective: str = ""
    in_metric: bool = True
    reason: str = ""


@dataclass(frozen=True)
class PosteriorChoices:
    """The trials with the lowest posterior mean. All losses are in the run's metric.

    The method itself refits the argmin over all configurations; here the argmin is over the
    evaluated configurations, whose losses are known.

    Attributes:
        iterations: Shape (k,). Numbers of finished trials.
        trials: Shape (k,). The successful trial with the lowest posterior mean.
        validation, test: Shape (k,). Its losses; the test loss is NaN without test rows.
    """

    iterations: Integers = integer_field()
    trials: Integers = integer_field()
    validation: Floats = float_field()
    test: Floats = float_field()
    reason: str = ""


@dataclass(frozen=True)
class HyperparameterImportances:
    """Main effects of hyperparameters on the validation loss.

    Attributes:
        names: The always active ones, followed by those of the branch.
        scopes: The space of each: "" for the whole, else the branch.
        share, spread: Shape (p,). Mean and standard deviation over the surrogate's models of V_j /
            V, in [0, 1]; NaN with too few trials.
        n_active_trials: Shape (p,). Trials in which it is active.
    """

    names: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    share: Floats = float_field()
    spread: Floats = float_field()
    n_active_trials: Integers = integer_field()
    model: str = ""
    model_kind: str = "draws"
    models: int = 0
    reason: str = ""


@dataclass(frozen=True)
class SurrogatePlane:
    """The surrogate over two hyperparameters, the others fixed in each branch.

    Coordinates are unit coordinates in [0, 1] (:class:`studio.space.base.UnitAxis`), so that log
    scales, integers and choices need no special treatment.

    Attributes:
        panels: Length p. The branches; one empty name for an undivided space.
        mean, sd, acquisition: Shape (p, gy, gx). Posterior mean and standard deviation of the
            objective, all models as one mixture, and the acquisition; NaN where one of the two is
            inactive.
        fixed_values: Length p. The values of the others, in each panel.
        trial_panels, trial_numbers: Shape (t,). The panels and numbers of the trials with both
            hyperparameters.
        trial_x, trial_y, trial_targets: Shape (t,).
        next_point: Panel, x and y of the next trial; empty if one of them is inactive.
        has_next_trial: Whether there is a next trial.
        n_omitted_branches: Number of omitted branches with both hyperparameters.
        objective, in_metric, acquisition_title, note, reason: As for
            :class:`SurrogateSlice`.
    """

    x: str
    y: str
    panels: tuple[str, ...] = ()
    mean: Floats = float_field(0, 0, 0)
    sd: Floats = float_field(0, 0, 0)
    acquisition: Floats = float_field(0, 0, 0)
    fixed_values: tuple[str, ...] = ()
    trial_panels: Integers = integer_field()
    trial_numbers: Integers = integer_field()
    trial_x: Floats = float_field()
    trial_y: Floats = float_field()
    trial_targets: Floats = float_field()
    next_point: tuple[float, ...] = ()
    has_next_trial: bool = False
    n_omitted_branches: int = 0
    objective: str = ""
    in_metric: bool = True
    acquisition_title: str = ""
    note: str = ""
    reason: str = ""


@dataclass(frozen=True)
class NextTrial:
    """The surrogate at the next trial's configuration.

    Attributes:
        value: Its value of a slice's hyperparameter, if it has it.
        mean, sd: Posterior mean and standard deviation of the objective.
        acquisition: The acquisition.
        other_branch: Its branch, if it is not that of the slice; else empty.
        is_on_slice: Whether all its other hyperparameters are those of the slice.
    """

    value: float | None
    mean: float
    sd: float
    acquisition: float
    other_branch: str = ""
    is_on_slice: bool = True


@dataclass(frozen=True)
class SurrogateSlice:
    """The surrogate along one hyperparameter, the others fixed.

    Attributes:
        is_log: Whether the hyperparameter has a logarithmic scale.
        choices: Names of choices; values are then positions 0, 1, ….
        grid, mean, sd, acquisition: Shape (g,). Values of the hyperparameter; posterior mean and
            standard deviation of the objective, averaged over the surrogate's samples; the
            acquisition.
        draws: Shape (s, g). The means of single models: hyperparameter samples of a process, trees
            of a forest.
        trial_values, trial_targets: Shape (t,). The surrogate's training data; a value is NaN if a
            trial lacks it.
        trial_numbers: Shape (t,).
        is_trial_in_branch: Shape (t,). Whether a trial is in the branch of the slice.
        branching_choice: The choice that divides the space into branches; empty if the slice is in
            no branch.
        fixed_trial: Number of the trial whose other hyperparameters are held; 0 for none.
        is_fixed_best: Whether it is the best of all, not only of those with the hyperparameter.
        fixed_settings: The other hyperparameters that are held, by name.
        next_trial: The next trial, if known and covered by the surrogate.
        has_next_trial: Whether the next trial is known.
        is_next_chosen: Whether the acquisition chose the next trial.
        not_maximal_reason: Why the next trial may not have the highest acquisition, in a sentence;
            empty if already explained.
        reason: Why there is no surrogate; then the arrays are empty.
    """

    parameter: str
    is_log: bool
    choices: tuple[str, ...]
    grid: Floats = float_field()
    mean: Floats = float_field()
    sd: Floats = float_field()
    acquisition: Floats = float_field()
    draws: Floats = float_field(0, 0)
    model_kind: str = "draws"
    trial_values: Floats = float_field()
    trial_targets: Floats = float_field()
    trial_numbers: Integers = integer_field()
    is_trial_in_branch: Flags = boolean_field()
    branching_choice: str = ""
    fixed_trial: int = 0
    is_fixed_best: bool = False
    fixed_settings: dict[str, Value] = field(default_factory=dict)
    next_trial: NextTrial | None = None
    has_next_trial: bool = False
    is_next_chosen: bool = False
    not_maximal_reason: str = ""
    objective: str = ""
    in_metric: bool = True
    acquisition_title: str = ""
    explanation: str = ""
    reason: str = ""

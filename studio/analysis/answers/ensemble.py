"""Records about an ensemble: contributions of members, diversity, margins."""

import math
from dataclasses import dataclass, field
from typing import Literal

from studio.analysis.answers.array_fields import boolean_field, float_field, integer_field
from studio.arrays import Flags, Floats, Integers


@dataclass(frozen=True)
class Contributions:
    """The members of an ensemble with their contributions. All losses are in the run's metric.

    Attributes:
        members: Shape (m,). Trial numbers, heaviest first.
        weights: Shape (m,). Positive, summing to 1.
        validation, test: The ensemble's loss; NaN without such (common) rows.
        member_validation_losses, member_test_losses: Shape (m,). Each member's loss; NaN as above.
        without_validation, without_test: Shape (m,). The ensemble's loss without the member, the
            other weights rescaled to sum to 1; NaN as above, and for a single member.
        best_single_trial: The best single trial, 0 if there is none.
        difference: 95 % interval of the test loss of the ensemble minus that of the best single
            trial, on the same rows
            (:func:`studio.runs.uncertainty.compute_test_difference_interval`).
        constant_loss: Test loss of the metric's best constant for the training rows. A model that
            is not better has learned nothing. NaN without test rows.
        is_refitted: Whether the test losses are those of refitted final models; otherwise they are
            those of the search's models.
    """

    members: Integers = integer_field()
    weights: Floats = float_field()
    validation: float = math.nan
    test: float = math.nan
    member_validation_losses: Floats = float_field()
    member_test_losses: Floats = float_field()
    without_validation: Floats = float_field()
    without_test: Floats = float_field()
    best_single_trial: int = 0
    difference: tuple[float, float] | None = None
    constant_loss: float = math.nan
    reason: str = ""
    is_refitted: bool = False

    @property
    def adds_validation(self) -> Floats:
        """The increase of the validation loss without each member, shape (m,)."""
        return self.without_validation - self.validation

    @property
    def adds_test(self) -> Floats:
        """The increase of the test loss without each member, shape (m,)."""
        return self.without_test - self.test


@dataclass(frozen=True)
class WhatIfLosses:
    """The losses of a what-if ensemble and of the actual one, in the run's metric.

    Attributes:
        validation, test: The loss of the what-if ensemble; ``None`` without such rows.
        rule: The combination in a sentence, with differences from the run's.
        can_set_weights: Whether weights may be chosen; those of a stack are determined by its
            layer.
        member_test_losses: The test loss of each member, by trial number; empty without test rows.
        test_difference: 95 % interval of the what-if ensemble's test loss minus the actual one's;
            ``None`` if unknown, or if both are equal.
    """

    validation: float | None = None
    test: float | None = None
    actual_validation: float | None = None
    actual_test: float | None = None
    combination: Literal["vote", "mean", "stack"] = "vote"
    rule: str = ""
    can_set_weights: bool = False
    member_test_losses: dict[int, float] = field(default_factory=dict)
    test_difference: tuple[float, float] | None = None
    reason: str = ""


@dataclass(frozen=True)
class PairDiversity:
    """Diversities of all pairs of members, similar members adjacent.

    Attributes:
        members: Shape (m,). Trial numbers.
        diversity, disagreement: Shape (m, m). In [0, 1], zero on the diagonal
            (:mod:`studio.ensembles.diversity`). For regression both are the diversity.
    """

    members: Integers = integer_field()
    diversity: Floats = float_field(0, 0)
    disagreement: Floats = float_field(0, 0)
    is_classification: bool = True
    reason: str = ""


@dataclass(frozen=True)
class MinDiversity:
    """The diversity between each suggestion and the most similar member of its ensemble.

    Attributes:
        numbers: Shape (k,). The trials with predictions and an ensemble before them, ascending.
        min_diversities: Shape (k,). min over the members of Div (DivBO eq. 3), in [0, 1].
        nearest: Shape (k,). The most similar member.
        has_more: Whether trials remain, so that another call is needed.
    """

    numbers: Integers = integer_field()
    min_diversities: Floats = float_field()
    nearest: Integers = integer_field()
    has_more: bool = False


@dataclass(frozen=True)
class RankAgreement:
    """Rank quality of a diversity surrogate on unseen pairs (figure 2).

    Attributes:
        numbers: Shape (c,). Iterations known so far.
        taus: Shape (c,). Kendall's tau at each, in [-1, 1]; NaN with too few trials.
        has_more: Whether there is more to compute, so that another call is needed.
    """

    numbers: Integers = integer_field()
    taus: Floats = float_field()
    has_diversity_surrogate: bool = True
    has_more: bool = False


@dataclass(frozen=True)
class EnsembleObjective:
    """Losses of the successful trials up to an iteration, alone and within the ensemble.

    Attributes:
        numbers: Shape (t,). Ascending.
        trial_losses: Shape (t,). f(γ): the trial's own loss.
        joint_losses: Shape (t,). f(γ|E): the loss of the ensemble with the trial added; NaN for
            members.
        members: Shape (t,). Whether each trial is in the ensemble.
        trial_x: Shape (t,). Value of the chosen hyperparameter (choices: positions), NaN if
            inactive; trial numbers if no hyperparameter is chosen.
        losses_by_slot: Shape (slots, t). ``joint_losses`` with one slot left out per row; no rows
            unless requested.
        slot_trials: Shape (slots,). Trial in each of EO's slots, 0 for an empty one; empty for
            other methods.
        slot: The slot left out, from 0; -1 for methods without slots.
        next_slot: The slot of the next suggestion; -1 without slots.
        in_metric: Whether the losses are in the run's metric (and its unit).
        grid: Shape (g,). Values along the hyperparameter; empty if the run has no surrogate of
            ``joint_losses``.
        mean, sd: Shape (g,). The surrogate's prediction there, with the other hyperparameters at
            the best trial's values.
        means_by_slot: Shape (slots, g). The same mean with each slot left out; no rows unless
            requested, or with too many losses for a quick fit.
        is_log: Whether the hyperparameter has a logarithmic scale.
    """

    numbers: Integers = integer_field()
    trial_losses: Floats = float_field()
    joint_losses: Floats = float_field()
    members: Flags = boolean_field()
    trial_x: Floats = float_field()
    losses_by_slot: Floats = float_field(0, 0)
    slot_trials: Integers = integer_field()
    slot: int = -1
    next_slot: int = -1
    ensemble_loss: float = math.nan
    loss: str = ""
    in_metric: bool = True
    note: str = ""
    grid: Floats = float_field()
    mean: Floats = float_field()
    sd: Floats = float_field()
    means_by_slot: Floats = float_field(0, 0)
    is_log: bool = False
    choices: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class LossCurve:
    """One loss function of a row.

    Attributes:
        formula: As a function of the margin M (or residual r), with its parameters' values.
        values: Shape (g,). The loss at each grid point.
    """

    key: str
    title: str
    formula: str
    values: Floats


@dataclass(frozen=True)
class EnsembleMargins:
    """The losses by margin, and the ensemble's margins.

    Attributes:
        grid: Shape (g,). Margins in [-1, 1], or residuals.
        search_loss: Key of the loss of the run's ensemble search; empty if it is none of these.
        points_x, points_y: Shape (p,). A row's possible losses for this number of members, by the
            run's own loss.
        edges: Shape (b + 1,). Of the histogram's bars.
        counts: Shape (b,). Validation rows in each bar.
        wrong_share, low_margin_share: Share of rows with a margin below 0, and up to ½; NaN for
            regression.
        mean: Mean margin, or root mean square of the residuals.
        is_regression: Whether the target is a number: residuals instead of margins.
        note: Parts missing from the plot, in a sentence; empty if there are none.
    """

    grid: Floats = float_field()
    curves: tuple[LossCurve, ...] = ()
    search_loss: str = ""
    points_x: Floats = float_field()
    points_y: Floats = float_field()
    edges: Floats = float_field()
    counts: Integers = integer_field()
    size: int = 0
    wrong_share: float = math.nan
    low_margin_share: float = math.nan
    mean: float = math.nan
    is_regression: bool = False
    note: str = ""
    reason: str = ""

"""Interface of ensemble builders, and the combination of an ensemble's members."""

from abc import abstractmethod
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self

import numpy as np

from studio.arrays import AnyArray, Floats, Integers
from studio.data.metrics.base import Metric as DeclaredMetric
from studio.data.tasks import Task
from studio.ensembles.calibration import apply_temperature
from studio.ensembles.correction import Correction
from studio.ensembles.layer import Layer
from studio.ensembles.losses.base import EnsembleLoss
from studio.errors import EnsembleError, UsageError
from studio.parts import Part
from studio.trial import History

Combination = Literal["vote", "mean", "stack"]
"""``vote``: weighted plurality of predicted classes. ``mean``: weighted mean of predictions.
``stack``: linear layer on the members' predictions.
"""

Metric = Callable[[AnyArray, AnyArray], float]
"""``metric(truth, predictions)``, lower is better: a :class:`studio.data.metrics.base.Metric`, or
any other function."""

SHARE_DECIMALS = 12
"""Decimals of shares and mean probabilities, so that equal vote counts, or equal sums of
half-precision probabilities, tie exactly, although 3 · (1/12) and 3/12 may differ in their last
bit. Unequal sums of at most a thousand half precision values differ by more than 5e-11.
"""


@dataclass(frozen=True)
class Ensemble:
    """A weighted selection of trials.

    Attributes:
        members: Distinct trial numbers, in the order of their selection.
        weights: Positive, one per member, summing to 1; for a stack, the importance of each member.
        layer: Only for a stack.
        temperature: Of the mean probabilities (:mod:`studio.ensembles.calibration`); 1 for votes,
            stacks, values and single members.
        correction: A second layer on the mean probabilities (:mod:`studio.ensembles.correction`).
    """

    members: tuple[int, ...]
    weights: tuple[float, ...]
    combination: Combination
    layer: Layer | None = None
    temperature: float = 1.0
    correction: Correction | None = None

    @classmethod
    def from_choices(cls, choices: Sequence[int], combination: Combination) -> "Ensemble":
        """Create the ensemble with one vote per choice; a trial may be chosen repeatedly.

        Raises:
            EnsembleError: If there are no choices.
        """
        if not choices:
            raise EnsembleError(
                "An ensemble needs at least one trial with predictions; there is none yet. Let "
                "the run continue, or check why its trials failed."
            )
        members = tuple(dict.fromkeys(choices))
        counts = [choices.count(member) for member in members]
        return cls(members, tuple(count / len(choices) for count in counts), combination)

    @classmethod
    def from_single_trial(cls, number: int) -> "Ensemble":
        """Create the ensemble of one trial, with the trial's predictions.

        It has no vote, which would hide the probabilities needed by some metrics.
        """
        return cls((number,), (1.0,), "mean")

    @property
    def is_plain(self) -> bool:
        """Whether the members' predictions are only averaged, without a trained layer."""
        return self.layer is None and self.temperature == 1.0 and self.correction is None

    def select_members(self, numbers: Container[int]) -> "Ensemble":
        """Return the ensemble restricted to the given members, with weights normalised to sum to 1.

        Several members keep the ensemble's temperature and correction; a single member keeps its
        predictions.

        Raises:
            EnsembleError: If there are no such members.
        """
        positions = [position for position, member in enumerate(self.members) if member in numbers]
        if not positions:
            raise EnsembleError("None of the ensemble's members is left.")
        total = sum(self.weights[position] for position in positions)
        return Ensemble(
            tuple(self.members[position] for position in positions),
            tuple(self.weights[position] / total for position in positions),
            self.combination,
            None if self.layer is None else self.layer.select_members(positions),
            self.temperature if len(positions) > 1 else 1.0,
            self.correction if len(positions) > 1 else None,
        )


def combine(predictions: Callable[[int], AnyArray], ensemble: Ensemble) -> Floats:
    """Combine the members' predictions.

    Args:
        predictions: By trial number (``history.predictions``, or a mapping's ``__getitem__``):
            class probabilities, shape (n, C), or values, shape (n,).

    Returns:
        Shape (n, C): vote shares (``vote``), mean probabilities at the ensemble's temperature and
        corrected (``mean``) or the layer's (``stack``), whose argmax, the smallest class on ties,
        is the predicted class; or values, shape (n,).

    Raises:
        EnsembleError: If values (regression) are to be combined by a vote.
    """
    if ensemble.layer is not None:
        member_matrices = ensemble.layer.apply([predictions(member) for member in ensemble.members])
        return prepare_for_scoring(member_matrices, ensemble.temperature)
    first = predictions(ensemble.members[0])
    prediction: Floats = np.zeros(first.shape, dtype=np.float64)
    for member, weight in zip(ensemble.members, ensemble.weights, strict=True):
        add_member(prediction, predictions(member), weight, ensemble.combination)
    prediction = prepare_for_scoring(prediction, ensemble.temperature)
    if ensemble.correction is None:
        return prediction
    present = {member: predictions(member) for member in ensemble.members}
    return ensemble.correction.apply(prediction, present)


def add_member(
    total: Floats, predictions: AnyArray, weight: float, combination: Combination
) -> None:
    """Add a member's weighted predictions, or its vote, to a total of the same shape, in place.

    Raises:
        EnsembleError: If values (regression) are to be combined by a vote.
    """
    if combination == "mean":
        total += weight * predictions.astype(np.float64)
    elif predictions.ndim != 2:
        raise EnsembleError("Predicted values cannot vote; combine them by their mean.")
    else:
        total[np.arange(len(predictions)), predictions.argmax(axis=1)] += weight


def compute_probabilities(predictions: Callable[[int], AnyArray], ensemble: Ensemble) -> Floats:
    """Return the displayed probability of each class, shape (n, C), or values, shape (n,).

    It equals the result of :func:`combine` except for a vote, whose shares are coarse and measure
    how many members predict a class, not its probability. For a vote it is the weighted mean of the
    members' probabilities; the predicted class remains that of the vote.

    Args:
        predictions, ensemble: See :func:`combine`.
    """
    if ensemble.combination == "vote":
        return combine(predictions, replace(ensemble, combination="mean"))
    return combine(predictions, ensemble)


def prepare_for_scoring(prediction: Floats, temperature: float) -> Floats:
    """Return the combined prediction for scoring, of the same shape, with exact ties.

    Rounding precedes the temperature, which preserves ties and order; rounding afterwards could
    create new ties.

    Args:
        prediction: Shape (n, C) or (n,). Weighted sums, weights summing to 1.
        temperature: The ensemble's.
    """
    if prediction.ndim != 2:
        return prediction
    rounded_prediction: Floats = prediction.round(SHARE_DECIMALS)
    return (
        rounded_prediction
        if temperature == 1.0
        else apply_temperature(rounded_prediction, temperature)
    )


@dataclass(frozen=True)
class EnsembleBuilder(Part):
    """Base of all builders of an ensemble from a pool of finished trials.

    Attributes:
        tasks: The supported tasks.
        always_votes: Whether its members vote for classes under any metric, so that metrics of
            probabilities are unsuitable.
        needs_predictions: Whether it reads the rows of predictions; then all trials must have been
            scored on the same rows (unlike with a reshuffled hold-out).
        adds_final_trial: Whether the choice is an additional trial, proposed at the end of the
            budget (``Proposer.conclude``).
        monotone: Whether an ensemble of monotone members is monotone: true for positive weights,
            not for a layer.
        needs_selection: Whether it reads losses on the selection rows D_S, which the run must then
            hold out.
    """

    tasks: ClassVar[tuple[str, ...]] = ("binary", "multiclass", "regression")
    needs_predictions: ClassVar[bool] = True
    adds_final_trial: ClassVar[bool] = False
    monotone: ClassVar[bool] = True
    needs_selection: ClassVar[bool] = False

    def check(self, task: Task) -> None:
        """Raise UsageError for a task that the builder, or an option, does not support."""
        if task not in self.tasks:
            raise UsageError(
                "The ensemble {key!r} does not exist for {task}, only for: {tasks}.",
                key=self.key,
                task=task,
                tasks=", ".join(self.tasks),
            )

    def supports_correction(self, metric: Metric) -> bool:
        """Return whether a run's final ensemble can be corrected under this metric."""
        del metric  # only for builders with a correction
        return False

    @property
    def always_votes(self) -> bool:
        """Whether members vote for classes with any metric."""
        return False

    def with_budget(self, budget: int | None) -> Self:
        """Return the builder with options set from the initial number of trials, if limited."""
        del budget  # only for builders with such options
        return self

    def with_generation(self, generation: Callable[[], int | None]) -> Self:
        """Return the builder with options set from the search's trials per generation, if any."""
        del generation  # only for builders that use generations
        return self

    def get_search_loss(self, metric: Metric) -> EnsembleLoss | None:
        """Return the search's ensemble loss; ``None`` if it minimises another objective."""
        del metric  # only for builders with an ensemble loss
        return None

    def build_after(self, history: History, n_trials: int, metric: Metric, seed: int) -> Ensemble:
        """Return the result of :meth:`build` after ``n_trials`` trials of a history.

        Args:
            n_trials: Number of finished trials, at most the history's.
            history, metric, seed: See :meth:`build`.
        """
        # The whole history, as builders continue from their previous state when it has grown.
        history_part = history if n_trials == len(history) else history.take_first(n_trials)
        return self.build(history_part, metric, seed)

    def fit_layer(self, history: History, numbers: tuple[int, ...]) -> Ensemble:
        """Return the ensemble of these trials with a fitted layer, or raise EnsembleError."""
        del history, numbers
        raise EnsembleError("This run's layer cannot be trained for other members.")

    def fit_temperature(self, ensemble: Ensemble, history: History, metric: Metric) -> Ensemble:
        """Return an ensemble of a pool's trials with a fitted temperature.

        :meth:`build` does the same; this method is for ensembles edited by hand.

        Args:
            ensemble: Any members and weights.
            history, metric: See :meth:`build`.
        """
        del history, metric  # most builders do not change probabilities
        return ensemble

    @abstractmethod
    def build(self, history: History, metric: Metric, seed: int) -> Ensemble:
        """Select members and weights.

        Args:
            history: The pool: successful trials and their validation predictions.
            seed: Breaks ties; the same history, metric and seed give the same ensemble.

        Raises:
            EnsembleError: If the history holds no successful trial.
        """


def uses_probabilities(metric: Metric) -> bool:
    """Return whether a metric scores probabilities (log loss, Brier, AUC) rather than classes."""
    return isinstance(metric, DeclaredMetric) and metric.prediction_type == "probabilities"


def is_local(metric: Metric) -> bool:
    """Return whether a metric is an unknown function of the caller."""
    return isinstance(metric, DeclaredMetric) and metric.local


def get_pool(history: History) -> Integers:
    """Return the eligible trials' numbers, ascending, (t,), or raise EnsembleError."""
    numbers = history.list_numbers()
    if numbers.size == 0:
        raise EnsembleError(
            "No finished trial produced predictions, so there is nothing to build an ensemble "
            "from. Check why the trials failed."
        )
    return numbers


def break_tie(tied: Integers, rng: np.random.Generator) -> int:
    """Choose one of several equally good candidates; a single one needs no draw.

    ``tied`` has shape (k,), k > 0.
    """
    # Below 1 there is only 0, which needs no draw.
    return int(tied[rng.integers(len(tied))])

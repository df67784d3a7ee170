"""Interface of proposers.

A proposer is stateless: the same search state gives the same suggestion, so a stopped or killed run
continues exactly as if uninterrupted.
"""

import dataclasses
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self
from weakref import WeakKeyDictionary

import numpy as np

from studio.acquisition.maximisers.base import draw_untried
from studio.arrays import Floats
from studio.data.metrics.registry import get_default
from studio.data.tasks import Task
from studio.ensembles.base import EnsembleBuilder, Metric
from studio.ensembles.slots import Slots
from studio.parts import Part
from studio.space.encoding import decode, encode, make_keys
from studio.space.space import Space
from studio.surrogates.diversity.base import DiversitySurrogate
from studio.trial import Configuration, History

_OBSERVED_CACHE: WeakKeyDictionary[History, tuple[Space, Floats]] = WeakKeyDictionary()
"""Trials of each history as unit rows of a space, cached for the history's lifetime."""


@dataclass(frozen=True)
class TableSize:
    """The quantities that determine a trial's duration.

    Attributes:
        n_classes: Number of classes; 0 for regression.
        n_fits: Number of fits per trial: one per fold.
    """

    n_rows: int
    n_columns: int
    n_classes: int
    n_fits: int


@dataclass(frozen=True)
class SuggestionContext:
    """All inputs of a suggestion.

    Attributes:
        ensemble_seed: Seed for breaking ties in the run's ensembles.
        metric: The run's metric, for searches that score predictions; ``None`` for the task's
            default.
        seconds_left: Wall seconds available to a trial started now; ``None`` without a time budget.
            Ignored by the papers' methods.
        size: The table's size, which determines a trial's duration; ``None`` if unknown.
    """

    space: Space
    history: History
    pending: tuple[Configuration, ...] = ()
    seed: int = 0
    ensemble_seed: int = 0
    budget: int | None = None
    metric: Metric | None = None
    seconds_left: float | None = None
    size: TableSize | None = None

    @property
    def n_started(self) -> int:
        """Number of trials started before this suggestion (finished or running)."""
        return len(self.history) + len(self.pending)

    @cached_property
    def observed_points(self) -> Floats:
        """The finished trials as unit rows (n, D), NaN where inactive; read-only."""
        space, rows = _OBSERVED_CACHE.get(self.history, (self.space, np.empty((0, 0))))
        n_known = len(rows) if space is self.space else 0
        new_configurations = [trial.configuration for trial in self.history.trials[n_known:]]
        if new_configurations or not n_known:
            encoded_rows = encode(self.space, new_configurations)
            rows = np.concatenate([rows, encoded_rows]) if n_known else encoded_rows
            rows.flags.writeable = False
            _OBSERVED_CACHE[self.history] = (self.space, rows)
        return rows

    def get_scoring_metric(self) -> Metric:
        """Return the run's metric, or the task's default."""
        if self.metric is not None:
            return self.metric
        return get_default("regression" if self.history.is_regression else "multiclass")

    def get_tried_keys(self) -> set[bytes]:
        """Return the row keys of all finished and running trials."""
        rows = np.concatenate([self.observed_points, encode(self.space, self.pending)])
        return set(make_keys(self.space, rows))


@dataclass(frozen=True)
class Suggestion:
    """The next configuration.

    Attributes:
        details: Diagnostic numbers, such as the acquisition value.
        predicted: The surrogate's prediction of the objective, if a surrogate was used.
        seconds: Predicted wall seconds of the trial; ``None`` if unknown.
        limit: Wall seconds after which a learner with early stopping ends; ``None`` for the end of
            the run's time.
    """

    configuration: Configuration
    origin: str
    details: Mapping[str, float] = field(default_factory=dict)
    predicted: "PredictedObjective | None" = None
    seconds: float | None = None
    limit: float | None = None


class PredictedObjective(NamedTuple):
    """A surrogate's prediction of the objective (without noise), made before the trial."""

    mean: float
    sd: float


class Proposer(Part):
    """Base of all proposers.

    Attributes:
        required_parts: The other parts it requires: "surrogate", "acquisition", "maximiser".
        depends_on_budget: Whether its suggestions depend on the number of trials.
    """

    required_parts: ClassVar[tuple[str, ...]] = ()
    depends_on_budget: ClassVar[bool] = False

    @classmethod
    def get_missing_dependency(cls) -> str:
        """Return a sentence about the missing dependency; empty if none is missing."""
        return ""

    @property
    def ahead(self) -> bool:
        """Whether the next suggestion is computed while trials are pending.

        With one worker, the suggestion is then based on all trials except the last.
        """
        return False

    @abstractmethod
    def suggest(self, context: SuggestionContext) -> Suggestion:
        """Return the next configuration to try.

        Raises:
            ExhaustedError: If the space is finite and every configuration has been tried.
            OutOfTimeError: If no suggestion would finish within ``context.seconds_left``.
        """

    def is_immediate(self, context: SuggestionContext) -> bool:
        """Whether the next suggestion is instantaneous, so that no separate process is needed.

        Only checked for proposers that suggest ahead, when the previous trial starts; an
        instantaneous suggestion is made only when needed, from all trials finished by then.
        """
        del context
        return False

    def prepare(self, task: Task, parts: Mapping[str, Any]) -> Self:
        """Return the proposer with the named parts set and "auto" options resolved."""
        del task  # only for proposers with such options
        return dataclasses.replace(self, **parts)

    def with_budget(self, budget: int | None) -> Self:
        """Return the proposer with the budget-dependent options set, once per run.

        Args:
            budget: The initial number of trials; ``None`` if only the time is limited. The derived
                options are stored in the run's settings, so that a larger budget later does not
                change them.
        """
        del budget  # only for proposers with such options
        return self

    def conclude(self, context: SuggestionContext) -> Suggestion | None:
        """Return a final configuration to train after the budget is used.

        Only proposers with a surrogate have one: the argmin of its posterior mean (thesis 3.4).
        """
        del context
        return None

    @property
    def needs_predictions(self) -> bool:
        """Whether predictions for a shared set of rows are required, as by ensemble builders."""
        return self.get_search_ensemble() is not None

    def get_generation_size(self) -> int | None:
        """Return the number of trials per generation, if any; raise UsageError if undetermined."""
        return None

    def get_search_ensemble(self) -> EnsembleBuilder | None:
        """Return the builder of the search's own ensemble, if any."""
        return None

    def get_search_slots(self) -> Slots | None:
        """Return the ensemble slots filled one by one by the search, if any."""
        return None

    def get_diversity_surrogate(self) -> DiversitySurrogate | None:
        """Return the diversity surrogate, if any."""
        return None


def suggest_random(context: SuggestionContext, origin: str) -> Suggestion:
    """Draw an untried configuration uniformly; raise ExhaustedError if there is none."""
    u = draw_untried(context.space, context.get_tried_keys(), np.random.default_rng(context.seed))
    return Suggestion(decode(context.space, u[None, :])[0], origin)

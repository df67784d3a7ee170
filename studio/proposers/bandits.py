"""Bandit searches, which divide their trials among the values of the root choice."""

import dataclasses
import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np

from studio.acquisition.maximisers.base import Acquisition
from studio.arrays import Floats, Integers
from studio.errors import ExhaustedError
from studio.parts import option
from studio.phrases import join_phrases, phrase
from studio.proposers.base import Suggestion, SuggestionContext, suggest_random
from studio.proposers.bayesian import BayesianOptimisation, ModelBased, Observations, SurrogateView
from studio.space.branches import restrict
from studio.space.space import Space
from studio.surrogates.base import Posterior, PredictionGradients
from studio.trial import Configuration, Value


@dataclass(frozen=True, eq=False)
class _Arm:
    """One value of the root choice, with its finished trials, numbers (n,)."""

    name: str
    space: Space
    full_search: SuggestionContext
    numbers: Integers
    pending: tuple[Configuration, ...]

    @property
    def n_started(self) -> int:
        """The number of finished and running trials of the arm."""
        return len(self.numbers) + len(self.pending)

    @cached_property
    def losses(self) -> Floats:
        """Each finished trial's loss, shape (n,); infinity for failures."""
        trials = self.full_search.history.trials
        all_losses = (trials[number - 1].loss for number in self.numbers.tolist())
        return np.array([math.inf if loss is None else loss for loss in all_losses])

    @cached_property
    def is_exhausted(self) -> bool:
        """Whether all configurations of the arm have been suggested."""
        size = _count_configurations(self.space)
        return self.n_started >= size and len(self.search.get_tried_keys()) >= size

    @cached_property
    def search(self) -> SuggestionContext:
        """The search inside the arm; its trials are numbered 1, 2, …."""
        if self.space is self.full_search.space:
            return self.full_search
        arm_history = self.full_search.history.select_trials(self.numbers.tolist())
        return dataclasses.replace(
            self.full_search,
            space=self.space,
            history=arm_history,
            pending=self.pending,
            budget=None,
        )


def list_arms(context: SuggestionContext) -> list[_Arm]:
    """Return the arms in the order of the root choice; one if the space has none."""
    root = context.space.find_root_choice()
    trials = context.history.trials
    if root is None:
        numbers: Integers = np.arange(1, len(trials) + 1, dtype=np.int64)
        return [_Arm("the whole space", context.space, context, numbers, context.pending)]
    return [
        _Arm(
            name=str(value),
            space=_restrict(context.space, root.name, value),
            full_search=context,
            numbers=np.array(
                [t.number for t in trials if t.configuration[root.name] == value], dtype=np.int64
            ),
            pending=tuple(each for each in context.pending if each[root.name] == value),
        )
        for value in root.choices
    ]


def _to_whole_space(arm: Space, space: Space, U: Floats) -> Floats:
    """Convert rows of an arm (n, d) to rows of the whole space (n, D), the root choice NaN."""
    rows = np.full((len(U), space.dimensions), np.nan)
    rows[:, _find_columns(arm, space)] = U
    return rows


def _find_columns(arm: Space, space: Space) -> Integers:
    """Return the columns of an arm within the whole space, shape (d,)."""
    column_by_name = {parameter.name: column for column, parameter in enumerate(space.columns)}
    return np.array([column_by_name[parameter.name] for parameter in arm.columns], dtype=np.int64)


@dataclass(frozen=True)
class _ArmPosterior(Posterior):
    """An arm's posterior, queried with rows of the whole space.

    A row of another arm is treated as a row of this arm with only the shared hyperparameters known.

    Attributes:
        columns: Shape (d,). The arm's columns within the whole space.
    """

    inner: Posterior
    columns: Integers

    @property
    def best(self) -> Floats:
        return self.inner.best

    def predict(self, V: Floats) -> tuple[Floats, Floats]:
        return self.inner.predict(V[:, self.columns])

    @property
    def model_kind(self) -> Literal["draws", "trees"]:
        return self.inner.model_kind

    @property
    def covers_whole_space(self) -> bool:
        """False: only the arm is covered."""
        return False

    def predict_by_model(self, V: Floats) -> Floats:
        return self.inner.predict_by_model(V[:, self.columns])

    def predict_with_gradients(self, V: Floats) -> PredictionGradients:
        """Return predictions for V (q, D) and gradients, 0 for coordinates outside of the arm."""
        mean, variance, d_mean, d_variance = self.inner.predict_with_gradients(V[:, self.columns])
        full_gradients = np.zeros((2, *mean.shape, V.shape[1]))
        full_gradients[0][..., self.columns], full_gradients[1][..., self.columns] = (
            d_mean,
            d_variance,
        )
        return PredictionGradients(mean, variance, full_gradients[0], full_gradients[1])

    def condition_on(self, V: Floats, rng: np.random.Generator) -> "_ArmPosterior":
        return _ArmPosterior(self.inner.condition_on(V[:, self.columns], rng), self.columns)


@lru_cache(maxsize=64)
def _restrict(space: Space, name: str, value: Value) -> Space:
    return restrict(space, name, value)


@lru_cache(maxsize=64)
def _count_configurations(space: Space) -> int | float:
    return space.count_configurations()


@dataclass(frozen=True)
class ArmSearch(ModelBased):
    """Base of searches by arms, with Bayesian optimisation in each arm's own space.

    Exhausted arms are skipped. The concluding trial (``conclude``) is the one for the whole space.
    """

    @abstractmethod
    def prioritise(self, all_arms: Sequence[_Arm], context: SuggestionContext) -> list[_Arm]:
        """Return the arms in order of priority for the next trial."""

    def suggest(self, context: SuggestionContext) -> Suggestion:
        """Return the suggestion of the arm with the highest priority."""
        inner = self._make_arm_proposer()
        for arm in self._list_available_arms(context):
            try:
                suggestion = inner.suggest(arm.search)
            except ExhaustedError:
                continue
            return replace(suggestion, origin=join_phrases((f"{arm.name}:", suggestion.origin)))
        return suggest_random(context, phrase("random draw"))

    def get_view(self, context: SuggestionContext) -> SurrogateView | None:
        """Return the surrogate of the next arm, in columns of the whole space."""
        ranked = self._list_available_arms(context)
        if not ranked:
            return None
        arm, space = ranked[0], context.space
        view = self._make_arm_proposer().get_view(arm.search)
        if view is None:
            return None
        observations = view.observations
        posterior = _ArmPosterior(view.posterior, _find_columns(arm.space, space))
        return SurrogateView(
            Observations(
                U=_to_whole_space(arm.space, space, observations.U),
                targets=observations.targets,
                numbers=arm.numbers[observations.numbers - 1],
                label=phrase("{seen} of {arm}", seen=observations.label, arm=arm.name),
            ),
            posterior,
            Acquisition(posterior, self.acquisition),
        )

    def _list_available_arms(self, context: SuggestionContext) -> list[_Arm]:
        all_arms = list_arms(context)
        return [arm for arm in self.prioritise(all_arms, context) if not arm.is_exhausted]

    def _make_arm_proposer(self) -> BayesianOptimisation:
        return BayesianOptimisation(
            initial=self.initial,
            interleave=self.interleave,
            surrogate=self.surrogate,
            acquisition=self.acquisition,
            maximiser=self.maximiser,
        )


@dataclass(frozen=True)
class RisingBandit(ArmSearch):
    """Rising bandits (Li et al. 2020): arms that cannot win any more are eliminated.

    The remaining arms take turns with actions of a few trials each. After a round of one action
    each, from round α on, every arm has a pessimistic value, the lowest loss of its trials so far,
    and an optimistic one: that loss continues to fall as fast as in its last α actions (over the
    α − 1 steps between them) for all actions that the whole budget has left, but not below 0. An
    arm is eliminated when its optimistic value exceeds another's pessimistic one.

    All of this follows from the finished trials and the budget, so it is replayed and not kept:
    the r-th action of an arm is its r-th group of trials as they finished, on any worker.
    With a larger budget, arms have more time to catch up, and an eliminated one may return. Without
    a budget of trials, an arm is eliminated when it has not improved for α actions and is behind.
    An arm whose trials have all failed is eliminated as soon as another has a loss.
    """

    key = "rising-bandit"
    title = "Rising bandit"
    summary = (
        "Tunes every algorithm for a while and drops those that can no longer catch up. The "
        "rest of the budget goes to the promising ones."
    )
    reference = "Li et al. 2020 (AAAI); DivBO 4.1 and A.4"
    depends_on_budget = True

    alpha: int = option(
        3, low=2, high=1000, unit="actions", help="Number of actions for judging an arm's progress."
    )
    action: int = option(5, low=1, high=1000, unit="trials", help="Number of trials per action.")

    def prioritise(self, all_arms: Sequence[_Arm], context: SuggestionContext) -> list[_Arm]:
        """Return the remaining arms, those with the fewest actions first; then eliminated ones."""
        remaining = self.list_remaining_arms(all_arms, context)

        def count_actions(arm: _Arm) -> int:
            return arm.n_started // self.action

        return [
            *sorted(remaining, key=count_actions),
            *sorted((a for a in all_arms if a not in remaining), key=count_actions),
        ]

    def list_remaining_arms(
        self, all_arms: Sequence[_Arm], context: SuggestionContext
    ) -> list[_Arm]:
        """Return the remaining arms, in order."""
        remaining = list(all_arms)
        rounds = 0
        while any(not arm.is_exhausted for arm in remaining):
            n_needed = (rounds + 1) * self.action
            if any(len(arm.numbers) < n_needed and not arm.is_exhausted for arm in remaining):
                break
            rounds += 1
            if rounds < self.alpha:
                continue
            last_number = max(int(arm.numbers[:n_needed].max(initial=0)) for arm in remaining)
            actions = math.inf
            if context.budget is not None:
                actions = max(0, context.budget - last_number) / self.action
            lowest = [self._find_lowest_loss(arm, rounds) for arm in remaining]
            optimistic_bounds = [
                self._compute_optimistic_bound(arm, rounds, actions) for arm in remaining
            ]
            remaining = [
                arm
                for arm, optimistic_bound in zip(remaining, optimistic_bounds, strict=True)
                if optimistic_bound <= min(lowest)
            ]
        return remaining

    def _find_lowest_loss(self, arm: _Arm, actions: int) -> float:
        """Return the lowest loss in an arm's first actions; infinity if all trials failed."""
        return float(arm.losses[: actions * self.action].min(initial=math.inf))

    def _compute_optimistic_bound(self, arm: _Arm, rounds: int, actions: float) -> float:
        """Return a lower bound of the loss that an arm may reach with ``actions`` more actions."""
        current_loss = self._find_lowest_loss(arm, rounds)
        earlier_loss = self._find_lowest_loss(arm, rounds - self.alpha + 1)
        if current_loss == earlier_loss:
            return current_loss
        return (
            max(0.0, current_loss - (earlier_loss - current_loss) / (self.alpha - 1) * actions)
            if actions
            else current_loss
        )


@dataclass(frozen=True)
class EqualArms(ArmSearch):
    """k-BO (DivBO appendix A.5): Bayesian optimisation in each arm with equal budgets.

    The arms alternate trial by trial, so their budgets are equal at any time and for any total.
    """

    key = "k-bo"
    title = "Equal shares"
    summary = (
        "Tunes each algorithm separately, all with the same number of trials. Fair to all, but "
        "slow if there are many."
    )
    reference = "DivBO appendix A.5 (kBO-ES)"

    def prioritise(self, all_arms: Sequence[_Arm], context: SuggestionContext) -> list[_Arm]:
        del context
        return sorted(all_arms, key=lambda arm: arm.n_started)

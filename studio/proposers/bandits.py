"""Searches that divide their trials among the values of the root choice."""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from studio.acquisition.objective import Acquisition
from studio.errors import ExhaustedError
from studio.parts import option
from studio.phrases import joined, phrase
from studio.proposers.arms import Arm, Lifted, arms, columns_in, lifted
from studio.proposers.base import Search, Suggestion, random_suggestion
from studio.proposers.bayesian import BayesianOptimisation, ModelBased, Observations, SurrogateView


@dataclass(frozen=True)
class ArmSearch(ModelBased):
    """What searches by arms share: Bayesian optimisation inside an arm, in a space of its own.

    Arms that are used up are skipped. The concluding trial (``conclude``) is that of the whole
    space.
    """

    @abstractmethod
    def order(self, every: Sequence[Arm], search: Search) -> list[Arm]:
        """Return the arms in the order in which they should have the next trial."""

    def suggest(self, search: Search) -> Suggestion:
        """Return the suggestion of the arm whose turn it is."""
        inner = self._inner()
        for arm in self._ranked(search):
            try:
                found = inner.suggest(arm.search)
            except ExhaustedError:  # sizes of entangled spaces are not known beforehand
                continue
            return replace(found, origin=joined((f"{arm.name}:", found.origin)))
        return random_suggestion(search, phrase("random draw"))

    def view(self, search: Search) -> SurrogateView | None:
        """Return the surrogate of the arm whose turn it is, in columns of the whole space."""
        ranked = self._ranked(search)
        if not ranked:
            return None
        arm, whole = ranked[0], search.space
        view = self._inner().view(arm.search)
        if view is None:
            return None
        seen = view.observations
        posterior = Lifted(view.posterior, columns_in(arm.space, whole))
        return SurrogateView(
            Observations(
                U=lifted(arm.space, whole, seen.U),
                targets=seen.targets,
                numbers=arm.numbers[seen.numbers - 1],
                label=phrase("{seen} of {arm}", seen=seen.label, arm=arm.name),
            ),
            posterior,
            Acquisition(posterior, self.acquisition),
        )

    def _ranked(self, search: Search) -> list[Arm]:
        every = arms(search)
        return [arm for arm in self.order(every, search) if not arm.is_exhausted]

    def _inner(self) -> BayesianOptimisation:
        return BayesianOptimisation(
            initial=self.initial,
            interleave=self.interleave,
            surrogate=self.surrogate,
            acquisition=self.acquisition,
            maximiser=self.maximiser,
        )


@dataclass(frozen=True)
class RisingBandit(ArmSearch):
    """Rising bandits (Li et al. 2020): arms that can no longer win are given up.

    The arms that are left take turns, an action of a few trials each. After a round of one action
    each, from round α on, every arm has a pessimistic value, the lowest loss of its trials so far,
    and an optimistic one: that loss continues to fall as fast as in its last α actions (over the
    α − 1 steps between them) for all actions that the whole budget has left, but not below 0. An
    arm leaves when its optimistic value is above another's pessimistic one.

    All of this follows from the finished trials and the budget, so it is replayed and not kept:
    the r-th action of an arm is its r-th group of trials as they finished, whoever trained them.
    With a larger budget, arms have more time to catch up, and one that had left may come back.
    Without a budget of trials, an arm leaves when it has not improved for α actions and is behind.
    An arm of failures only leaves as soon as another has a loss.
    """

    key: ClassVar[str] = "rising-bandit"
    title: ClassVar[str] = "Rising bandit"
    summary: ClassVar[str] = (
        "Tunes every algorithm for a while and drops those that can no longer catch up. The "
        "rest of the budget goes to the promising ones."
    )
    reference: ClassVar[str] = "Li et al. 2020 (AAAI); DivBO 4.1 and A.4"
    depends_on_budget: ClassVar[bool] = True

    alpha: int = option(
        3, low=2, high=1000, unit="actions", help="Actions from which an arm's progress is judged."
    )
    action: int = option(5, low=1, high=1000, unit="trials", help="Trials of one action.")

    def order(self, every: Sequence[Arm], search: Search) -> list[Arm]:
        """Return the arms left, those with the fewest actions first; then those given up."""
        left = self.left(every, search)

        def turn(arm: Arm) -> int:
            return arm.started // self.action

        return [*sorted(left, key=turn), *sorted((a for a in every if a not in left), key=turn)]

    def left(self, every: Sequence[Arm], search: Search) -> list[Arm]:
        """Return the arms that have not been given up, in their order."""
        left = list(every)
        rounds = 0
        while any(not arm.is_exhausted for arm in left):
            needed = (rounds + 1) * self.action
            if any(len(arm.numbers) < needed and not arm.is_exhausted for arm in left):
                break
            rounds += 1
            if rounds < self.alpha:
                continue
            ended = max(int(arm.numbers[:needed].max(initial=0)) for arm in left)
            actions = math.inf
            if search.budget is not None:
                actions = max(0, search.budget - ended) / self.action
            lowest = [self._lowest(arm, rounds) for arm in left]
            highest_hopes = [self._optimistic(arm, rounds, actions) for arm in left]
            left = [
                arm for arm, hope in zip(left, highest_hopes, strict=True) if hope <= min(lowest)
            ]
        return left

    def _lowest(self, arm: Arm, actions: int) -> float:
        """Return the lowest loss in an arm's first actions; infinity if all trials failed."""
        return float(arm.losses[: actions * self.action].min(initial=math.inf))

    def _optimistic(self, arm: Arm, rounds: int, actions: float) -> float:
        """Return the loss that an arm may still reach with ``actions`` more actions."""
        now = self._lowest(arm, rounds)
        before = self._lowest(arm, rounds - self.alpha + 1)
        if now == before:
            return now
        return max(0.0, now - (before - now) / (self.alpha - 1) * actions) if actions else now


@dataclass(frozen=True)
class EqualArms(ArmSearch):
    """k-BO (DivBO appendix A.5): every arm an equal budget of its own Bayesian optimisation.

    The arms take turns trial by trial, so they are equal at any moment and with any budget.
    """

    key: ClassVar[str] = "k-bo"
    title: ClassVar[str] = "Equal shares"
    summary: ClassVar[str] = (
        "Tunes every algorithm by itself, each with the same number of trials. "
        "Fair to all, and slow where there are many."
    )
    reference: ClassVar[str] = "DivBO appendix A.5 (kBO-ES)"

    def order(self, every: Sequence[Arm], search: Search) -> list[Arm]:
        """Return the arms, those with the fewest trials first."""
        del search
        return sorted(every, key=lambda arm: arm.started)

"""The arms of a space: the values of its root choice, each with a search of its own."""

import dataclasses
import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np

from studio.arrays import Floats, Integers
from studio.proposers.base import Search
from studio.space.restriction import restrict
from studio.space.space import Space
from studio.surrogates.base import Posterior, Slopes
from studio.trial import Configuration, Value


@dataclass(frozen=True, eq=False)
class Arm:
    """One value of the root choice, with what was tried there.

    Attributes:
        name: The value, for people.
        space: The space with the root choice fixed.
        whole: The search of all arms.
        numbers: Shape (n,). The numbers of the arm's finished trials.
        pending: The arm's running trials.
    """

    name: str
    space: Space
    whole: Search
    numbers: Integers
    pending: tuple[Configuration, ...]

    @property
    def started(self) -> int:
        """How many trials of the arm have finished or are running."""
        return len(self.numbers) + len(self.pending)

    @cached_property
    def losses(self) -> Floats:
        """Each finished trial's loss, shape (n,); infinity where it failed."""
        trials = self.whole.history.trials
        found = (trials[number - 1].loss for number in self.numbers.tolist())
        return np.array([math.inf if loss is None else loss for loss in found])

    @cached_property
    def is_exhausted(self) -> bool:
        """Whether all configurations of the arm are tried or running."""
        size = _size(self.space)
        return self.started >= size and len(self.search.tried()) >= size

    @cached_property
    def search(self) -> Search:
        """The search inside the arm; its trials are numbered 1, 2, …."""
        if self.space is self.whole.space:
            return self.whole
        part = self.whole.history.among(self.numbers.tolist())
        return dataclasses.replace(
            self.whole, space=self.space, history=part, pending=self.pending, budget=None
        )


def arms(search: Search) -> list[Arm]:
    """Return the arms in the order of the root choice; one if the space has none."""
    root = search.space.root_choice()
    trials = search.history.trials
    if root is None:
        numbers: Integers = np.arange(1, len(trials) + 1, dtype=np.int64)
        return [Arm("the whole space", search.space, search, numbers, search.pending)]
    return [
        Arm(
            name=str(value),
            space=_restricted(search.space, root.name, value),
            whole=search,
            numbers=np.array(
                [t.number for t in trials if t.configuration[root.name] == value], dtype=np.int64
            ),
            pending=tuple(each for each in search.pending if each[root.name] == value),
        )
        for value in root.choices
    ]


def lifted(arm: Space, whole: Space, U: Floats) -> Floats:
    """Return rows of an arm (n, d) as rows of the whole space (n, D), the root choice NaN."""
    rows = np.full((len(U), whole.dimensions), np.nan)
    rows[:, columns_in(arm, whole)] = U
    return rows


def columns_in(arm: Space, whole: Space) -> Integers:
    """Return the columns of an arm within the whole space, shape (d,)."""
    place = {parameter.name: column for column, parameter in enumerate(whole.columns)}
    return np.array([place[parameter.name] for parameter in arm.columns], dtype=np.int64)


@dataclass(frozen=True)
class Lifted(Posterior):
    """An arm's posterior, asked with rows of the whole space.

    The arm knows nothing of others: a row of another arm is read as one of this arm, of which
    nothing but the shared hyperparameters is known.

    Attributes:
        inner: Asked with rows of the arm.
        columns: Shape (d,). The arm's columns within the whole space.
    """

    inner: Posterior
    columns: Integers

    @property
    def best(self) -> Floats:
        """f_best of each of the arm's models, shape (S,)."""
        return self.inner.best

    def predict(self, V: Floats) -> tuple[Floats, Floats]:
        """Return mean and variance, shape (S, q)."""
        return self.inner.predict(V[:, self.columns])

    @property
    def models_are(self) -> Literal["draws", "trees"]:
        """What the arm's models are."""
        return self.inner.models_are

    @property
    def of_whole_space(self) -> bool:
        """No: it knows the arm alone."""
        return False

    def by_model(self, V: Floats) -> Floats:
        """Return the means of the arm's models, shape (models, q)."""
        return self.inner.by_model(V[:, self.columns])

    def slopes(self, V: Floats) -> Slopes:
        """Return predictions for V (q, D) and gradients, 0 along what the arm does not have."""
        mean, variance, d_mean, d_variance = self.inner.slopes(V[:, self.columns])
        wide = np.zeros((2, *mean.shape, V.shape[1]))
        wide[0][..., self.columns], wide[1][..., self.columns] = d_mean, d_variance
        return Slopes(mean, variance, wide[0], wide[1])

    def condition_on(self, V: Floats, rng: np.random.Generator) -> "Lifted":
        """Return the posterior with fantasies of trials V, shape (p, D), of the arm."""
        return Lifted(self.inner.condition_on(V[:, self.columns], rng), self.columns)


@lru_cache(maxsize=64)
def _restricted(space: Space, name: str, value: Value) -> Space:
    return restrict(space, name, value)


@lru_cache(maxsize=64)
def _size(space: Space) -> int | float:
    return space.size()

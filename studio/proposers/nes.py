"""Neural ensemble search by regularised evolution, for hyperparameters."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from studio.arrays import Floats
from studio.ensembles.greedy import Greedy
from studio.parts import option
from studio.phrases import phrase
from studio.proposers.base import Proposer, Search, Suggestion, random_suggestion
from studio.seeds import derive
from studio.space.encoding import decode, encode, keys
from studio.space.neighbours import neighbours


@dataclass(frozen=True)
class NeuralEnsembleSearch(Proposer):
    """NES with regularised evolution (Zaidi et al. 2021; DivBO's baseline).

    The population are the trials that finished last; the oldest leaves when one more finishes,
    whatever its loss. Until it is full, trials are random. Then an ensemble is selected on it,
    without replacement (error of the mean probabilities; for numbers the run's metric),
    one of its members becomes the parent by lot, and the child differs from it in one active
    hyperparameter, drawn uniformly, as one-exchange neighbours do. NES also copies a parent
    unchanged one time in three; here nothing is tried twice, so it does not. If all neighbours of
    all members are tried, the child is a random draw.
    """

    key: ClassVar[str] = "nes"
    title: ClassVar[str] = "Ensemble evolution"
    summary: ClassVar[str] = (
        "Keeps a population of recent settings and breeds from those that form the best ensemble. "
        "A child differs from its parent in one setting."
    )
    reference: ClassVar[str] = "Zaidi et al. 2021 (NES-RE); Real et al. 2019; DivBO 4.1 and A.4"

    population: int = option(
        30, low=2, high=10_000, unit="trials", help="How many of the last trials may breed."
    )
    parents: int = option(
        10, low=1, high=1000, unit="members", help="Size of the ensemble that parents come from."
    )

    @property
    def combines(self) -> bool:
        """Yes: parents are members of an ensemble."""
        return True

    def suggest(self, search: Search) -> Suggestion:
        """Return an unseen neighbour of a member of the population's ensemble."""
        history = search.history
        recent = history.trials[-self.population :]
        if search.started < self.population or all(trial.loss is None for trial in recent):
            return random_suggestion(search, "random start")
        rng = np.random.default_rng([search.seed, 1])
        members = self._members(search)
        tried = search.tried()
        for member in rng.permutation(members):
            parent = history.trials[int(member) - 1].configuration
            row = encode(search.space, [parent])
            child = _child(search, row, tried, rng)
            if child is not None:
                configuration = decode(search.space, child[None, :])[0]
                return Suggestion(configuration, phrase("child of trial {member}", member=member))
        return random_suggestion(search, phrase("random draw"))

    def _members(self, search: Search) -> list[int]:
        """Return the trials of the ensemble that is selected on the population."""
        history = search.history
        recent = history.trials[-self.population :]
        population = history.among([trial.number for trial in recent])
        selection = Greedy(size=self.parents, replacement=False)
        seed = derive(search.ensemble_seed, "nes", len(history))
        ensemble = selection.build(population, search.scored_by(), seed)
        return [recent[member - 1].number for member in ensemble.members]


def _child(
    search: Search, row: Floats, tried: set[bytes], rng: np.random.Generator
) -> Floats | None:
    """Return an unseen one-exchange neighbour (D,) of a row (1, D); ``None`` if there is none."""
    around, _ = neighbours(search.space, row, rng)
    unseen = np.array([key not in tried for key in keys(search.space, around)], dtype=bool)
    around = around[unseen]
    if not len(around):
        return None
    # What a change switches on or off is active on one side only; the change itself on both.
    changed = (~np.isnan(row) & ~np.isnan(around) & (around != row)).argmax(axis=1)
    column = rng.choice(np.unique(changed))
    return np.asarray(around[rng.choice(np.flatnonzero(changed == column))])

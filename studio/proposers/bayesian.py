"""Bayesian optimisation: a surrogate of the loss, and the point that promises most."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from studio.acquisition.criteria.base import Criterion
from studio.acquisition.criteria.expected_improvement import ExpectedImprovement
from studio.acquisition.maximisers.base import Maximiser
from studio.acquisition.maximisers.local_search import LocalSearch
from studio.acquisition.objective import Acquisition
from studio.arrays import Floats
from studio.parts import option
from studio.proposers.base import Proposer, Search, Suggestion, random_suggestion
from studio.space.encoding import decode, encode
from studio.surrogates.base import Posterior, Surrogate
from studio.surrogates.gp import GaussianProcess


@dataclass(frozen=True)
class Observations:
    """What a surrogate is fitted to.

    Attributes
    ----------
    U : array, shape (n, n_dimensions)
        Configurations as unit rows, NaN where inactive.
    targets : array, shape (n,)
        What was seen there; lower is better.
    numbers : array of int, shape (n,)
        The trials.
    label : str
        What the targets are, for a plot's axis.
    """

    U: Floats
    targets: Floats
    numbers: np.ndarray[tuple[int], np.dtype[np.int64]]
    label: str


@dataclass(frozen=True)
class View:
    """The surrogate as the next suggestion sees it.

    Attributes
    ----------
    observations : Observations
        What it was fitted to.
    posterior : Posterior
        What it predicts.
    acquisition : Acquisition
        How much each configuration promises.
    """

    observations: Observations
    posterior: Posterior
    acquisition: Acquisition


@dataclass(frozen=True)
class ModelBased(Proposer):
    """What proposers with a surrogate share; they differ in what the surrogate learns."""

    uses: ClassVar[tuple[str, ...]] = ("surrogate", "acquisition", "maximiser")

    initial: int = option(
        2, low=0, high=1000, unit="trials", help="Random trials before the surrogate is asked."
    )
    surrogate: Surrogate = field(default_factory=GaussianProcess)
    acquisition: Criterion = field(default_factory=ExpectedImprovement)
    maximiser: Maximiser = field(default_factory=LocalSearch)

    def observe(self, search: Search) -> Observations:
        """Return what the surrogate learns from: here every trial's own loss (METHODS 0)."""
        trials = search.history.trials
        return Observations(
            U=encode(search.space, [trial.configuration for trial in trials]),
            targets=search.history.losses(),
            numbers=np.array([trial.number for trial in trials], dtype=np.int64),
            label="validation loss",
        )

    def view(self, search: Search) -> View | None:
        """Return the surrogate for the next suggestion; ``None`` while draws are still random.

        It depends on the search alone, so a plot may ask again for any iteration of the past.
        """
        if search.started < self.initial or not search.history.succeeded:
            return None
        observations = self.observe(search)
        if not observations.targets.size:
            return None
        rng = np.random.default_rng([search.seed, 1])
        posterior = self.surrogate.fit(search.space, observations.U, observations.targets, rng)
        if search.pending:
            posterior = posterior.condition_on(encode(search.space, search.pending), rng)
        return View(observations, posterior, Acquisition(posterior, self.acquisition))

    def suggest(self, search: Search) -> Suggestion:
        """Return the unseen configuration with the highest acquisition found."""
        view = self.view(search)
        if view is None:
            return random_suggestion(search, "random start")
        order = np.argsort(view.observations.targets, kind="stable")
        maximum = self.maximiser.maximise(
            search.space,
            view.acquisition,
            incumbents=view.observations.U[order],
            avoid=search.tried(),
            rng=np.random.default_rng([search.seed, 2]),
            gradient=view.acquisition.gradient,
        )
        return Suggestion(
            decode(search.space, maximum.u[None, :])[0],
            self.acquisition.title,
            {"acquisition": float(maximum.value)},
        )


@dataclass(frozen=True)
class BayesianOptimisation(ModelBased):
    """Sequential model-based optimisation of the validation loss (METHODS 2–4)."""

    key: ClassVar[str] = "bo"
    title: ClassVar[str] = "Bayesian optimisation"
    summary: ClassVar[str] = (
        "A surrogate learns from every trial how good other settings should be. "
        "The next trial is where improvement over the best so far is likeliest and largest."
    )
    reference: ClassVar[str] = "Snoek et al. 2012; thesis 2.1-2.4, 5.2-5.4"

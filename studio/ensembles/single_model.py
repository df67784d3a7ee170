"""Builders that choose a single model: by validation, a selection split, or the surrogate."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import ClassVar, Self

from studio.ensembles.base import Ensemble, EnsembleBuilder, Metric, get_pool
from studio.errors import EnsembleError
from studio.parts import option
from studio.trial import History, Trial


@dataclass(frozen=True)
class SingleBest(EnsembleBuilder):
    """The trial with the lowest validation loss (thesis 2.1), the earliest of equals.

    A draw among equals would let the best single model of a live plot jump about.
    """

    key: ClassVar[str] = "single-best"
    title: ClassVar[str] = "Best single model"
    summary: ClassVar[str] = (
        "Takes the one model with the lowest validation loss. "
        "The yardstick that every ensemble has to beat."
    )
    reference: ClassVar[str] = "EO section 2; thesis 2.1 (argmin of the validation loss)"
    needs_predictions: ClassVar[bool] = False

    def build(self, history: History, metric: Metric, seed: int) -> Ensemble:
        """Select the trial with the lowest validation loss by the run's metric."""
        numbers = get_pool(history)
        losses = history.losses()[numbers - 1]
        return Ensemble.from_choices([int(numbers[losses.argmin()])], "mean")


@dataclass(frozen=True)
class PosteriorMean(EnsembleBuilder):
    """The trial that concluded the run: argmin of the surrogate's posterior mean (thesis 3.4).

    An argmin of noisy losses is likely to pick a lucky one; the posterior mean smooths the noise.
    The proposer names the configuration when the budget is used, and it is trained as one more
    trial. Until then (or where that trial failed) the choice is the best by validation; a run that
    continues with a larger budget keeps its earlier conclusion until it draws the next.
    """

    key: ClassVar[str] = "posterior-mean"
    title: ClassVar[str] = "Posterior mean"
    summary: ClassVar[str] = (
        "Lets the surrogate name the best settings once the budget is used, and trains those. "
        "It is less easily fooled by one lucky trial."
    )
    reference: ClassVar[str] = "thesis 3.4"
    needs_predictions: ClassVar[bool] = False
    concludes: ClassVar[bool] = True

    def build(self, history: History, metric: Metric, seed: int) -> Ensemble:
        """Select the newest concluding trial, or the best by validation."""
        concluding = [trial.number for trial in history.succeeded if trial.concluding]
        if concluding:
            return Ensemble.from_choices([concluding[-1]], "mean")
        return SingleBest().build(history, metric, seed)


@dataclass(frozen=True)
class SelectionBest(EnsembleBuilder):
    """The trial with the lowest loss on D_S, the earliest of equals (thesis 3.2.2)."""

    key: ClassVar[str] = "selection-best"
    title: ClassVar[str] = "Best on selection rows"
    summary: ClassVar[str] = (
        "Takes the model that is best on rows kept aside for this choice alone. "
        "The search cannot have fitted itself to them."
    )
    reference: ClassVar[str] = "thesis 3.2.2"
    needs_predictions: ClassVar[bool] = False
    needs_selection: ClassVar[bool] = True

    def build(self, history: History, metric: Metric, seed: int) -> Ensemble:
        """Select the argmin of the trials' selection losses."""
        best = min(get_trials_with_selection_loss(history), key=get_selection_loss)
        return Ensemble.from_choices([best.number], "mean")


def get_trials_with_selection_loss(history: History) -> list[Trial]:
    """Return the trials with a loss on D_S, in order; raise EnsembleError without any."""
    get_pool(history)
    trials = [trial for trial in history.succeeded if trial.selection is not None]
    if not trials:
        raise EnsembleError(
            "This choice reads the loss on selection rows, and no trial has one. Start a run that "
            "keeps some aside: evaluation.selection=0.2."
        )
    return trials


def get_selection_loss(trial: Trial) -> float:
    """Return the loss on D_S of a trial that has one."""
    assert trial.selection is not None, "only scored trials are compared"
    return trial.selection


DEFAULT_OFFSPRING = 6
"""λ of the thesis, with μ = 3; for searches without generations."""


@dataclass(frozen=True)
class Population(EnsembleBuilder):
    """Partial validation, backwarding and global validation (thesis equations 3.5 to 3.8).

    The population P_t follows from the history alone: trials come in generations of λ in the
    order of their numbers (failed ones take their place in one), and P_t is what a (μ + λ)
    strategy keeps of P_{t-1} and generation t, the μ trials with the lowest validation losses,
    the earliest of equals. A last generation that is not complete counts as one, so the choice
    exists after every trial. Here b_V and b_S are the population's best by validation and by
    selection:

    - ``pv`` takes b_S of the last population;
    - ``bw`` puts b_V into the archive wherever it beats what is there on D_S (3.7);
    - ``gv`` does the same with b_S (3.8).
    """

    key: ClassVar[str] = "population"
    title: ClassVar[str] = "Best of a population"
    summary: ClassVar[str] = (
        "Chooses among the survivors of an evolution by rows kept aside for this choice. "
        "Archives remember good models that later generations crowd out."
    )
    reference: ClassVar[str] = "thesis 3.2.2, eq. 3.5-3.8; Dos Santos et al. 2009"
    needs_predictions: ClassVar[bool] = False
    needs_selection: ClassVar[bool] = True

    strategy: str = option(
        "gv",
        choices=("pv", "bw", "gv"),
        help="Best survivor on selection rows (pv), or an archive of each generation's best by "
        "validation (bw) or by selection (gv).",
    )
    parents: int | None = option(
        None,
        kind=int,
        optional=True,
        low=1,
        high=1000,
        help="Survivors per generation (μ). Auto: half of the search's generation.",
    )
    offspring: int | None = option(
        None,
        kind=int,
        optional=True,
        low=1,
        high=10000,
        help="Trials per generation (λ). Auto uses the search's value, or 6.",
    )

    def with_generation(self, generation: Callable[[], int | None]) -> Self:
        """Set open options from the search's generations."""
        if self.parents is not None and self.offspring is not None:
            return self
        offspring = self.offspring or generation() or DEFAULT_OFFSPRING
        return replace(self, offspring=offspring, parents=self.parents or max(1, offspring // 2))

    def build(self, history: History, metric: Metric, seed: int) -> Ensemble:
        """Replay the generations and select."""
        candidates = get_trials_with_selection_loss(history)
        archive: Trial | None = None
        for population in self._replay_populations(candidates):
            best_validated = population[0]
            best_selected = min(population, key=_get_selection_key)
            if self.strategy == "pv":
                archive = best_selected
                continue
            challenger = best_validated if self.strategy == "bw" else best_selected
            if archive is None or get_selection_loss(challenger) < get_selection_loss(archive):
                archive = challenger
        assert archive is not None, "there is a scored trial, so there is a population"
        return Ensemble.from_choices([archive.number], "mean")

    def _replay_populations(self, candidates: list[Trial]) -> Iterator[list[Trial]]:
        """Yield P_1, P_2, …, each sorted by validation loss; skip generations without success."""
        survivors: list[Trial] = []
        for _, generation in groupby(candidates, self._get_generation):
            max_parents = self.parents or DEFAULT_OFFSPRING // 2
            survivors = sorted([*survivors, *generation], key=_get_validation_key)[:max_parents]
            yield survivors

    def _get_generation(self, trial: Trial) -> int:
        return (trial.number - 1) // (self.offspring or DEFAULT_OFFSPRING)


def _get_validation_key(trial: Trial) -> tuple[float, int]:
    assert trial.loss is not None, "only successful trials survive"
    return trial.loss, trial.number


def _get_selection_key(trial: Trial) -> tuple[float, int]:
    return get_selection_loss(trial), trial.number

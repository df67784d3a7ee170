"""Optuna's Gaussian process."""

from dataclasses import dataclass
from typing import Any, ClassVar

from studio.proposers.peers.optuna_search import Optuna


@dataclass(frozen=True)
class OptunaGp(Optuna):
    """Gaussian process and expected improvement over what every trial has.

    Hyperparameters under conditions are not in every trial, so Optuna draws them at random.
    """

    key: ClassVar[str] = "optuna-gp"
    title: ClassVar[str] = "Optuna GP"
    summary: ClassVar[str] = (
        "Optuna's Gaussian process: learns where good settings lie among those that every trial "
        "has, and draws the ones under conditions at random; defaults are not used."
    )
    reference: ClassVar[str] = "Akiba et al. 2019; Ament et al. 2023"
    extra: ClassVar[str] = "optuna,cnn"
    also: ClassVar[tuple[str, ...]] = ("torch",)

    def sampler(self, seed: int) -> Any:
        """Return the process."""
        from optuna.samplers import GPSampler

        return GPSampler(seed=seed, n_startup_trials=self.initial)

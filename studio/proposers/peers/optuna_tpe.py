"""Optuna's tree-structured Parzen estimator."""

from dataclasses import dataclass
from typing import Any, ClassVar

from studio.proposers.peers.optuna_search import Optuna


@dataclass(frozen=True)
class OptunaTpe(Optuna):
    """TPE, multivariate and grouped by condition."""

    key: ClassVar[str] = "optuna-tpe"
    title: ClassVar[str] = "Optuna TPE"
    summary: ClassVar[str] = (
        "Optuna's own search: compares where good and bad trials lie and draws where good ones "
        "are denser. It takes ranges, log scales, choices and conditions; defaults are not used."
    )
    reference: ClassVar[str] = "Akiba et al. 2019; Bergstra et al. 2011; Falkner et al. 2018"

    def sampler(self, seed: int) -> Any:
        """Return the estimator."""
        from optuna.samplers import TPESampler

        return TPESampler(seed=seed, multivariate=True, group=True, n_startup_trials=self.initial)

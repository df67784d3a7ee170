"""SMAC3's random forest (BSD 3-clause licence)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from studio.parts import option
from studio.proposers.base import Search, Suggestion, random_suggestion
from studio.proposers.peers.base import TRIES, Peer, quiet, suggestion, unseen
from studio.scratch import scratch_folder
from studio.seeds import derive
from studio.space.configspace_writing import to_configspace
from studio.space.encoding import encode, keys
from studio.space.parameters import Boolean, Categorical, Constant, Float, Integer
from studio.space.space import Space
from studio.trial import Configuration, Value

_MANY = 10**6
"""Trials that SMAC may have by its own count: ours are counted by the run."""

_RETRIES = 16
"""SMAC's own patience; it loses some with each trial that is added before it is asked."""

_SHARE = 0.25
"""SMAC's own limit of its initial design, as a share of the budget."""

_PER_HYPERPARAMETER = 10
"""SMAC's own limit of its initial design for each hyperparameter."""


@dataclass(frozen=True)
class SmacForest(Peer):
    """SMAC's facade for hyperparameters, by ask and tell.

    A Sobol design, then a random forest and expected improvement of the log loss, every fifth
    trial or so at random; all as SMAC has it, but that its forest learns after each trial and not
    after eight. Failed trials are added as crashed with the worst loss so far.
    """

    key: ClassVar[str] = "smac3"
    title: ClassVar[str] = "SMAC3"
    summary: ClassVar[str] = (
        "SMAC's own search: a random forest learns from all trials where an improvement is "
        "likely. It takes ranges, log scales, choices and conditions; defaults are not used."
    )
    reference: ClassVar[str] = "Lindauer et al. 2022; Hutter et al. 2011"
    extra: ClassVar[str] = "smac"
    module: ClassVar[str] = "smac"
    heeds_budget: ClassVar[bool] = True

    initial: int | None = option(
        None,
        low=1,
        high=10_000,
        kind=int,
        optional=True,
        unit="trials",
        help="Trials of the initial Sobol design; auto: a quarter of the budget, at most ten for "
        "each hyperparameter, as SMAC does.",
    )

    def with_budget(self, budget: int | None) -> Self:
        """Return the proposer with the size of its initial design decided."""
        if self.initial is not None or budget is None:
            return self
        return replace(self, initial=max(1, int(_SHARE * budget)))

    def suggest(self, search: Search) -> Suggestion:
        """Return what SMAC asks for after all that was added, and was not tried."""
        if not search.space.dimensions:
            return random_suggestion(search, "random draw")
        tried = search.tried()
        with quiet("smac"), scratch_folder() as folder:
            facade = self._facade(search, folder)
            for _ in range(TRIES):
                try:
                    asked = facade.ask()
                except (StopIteration, _exhausted()):
                    break
                found = unseen(search, tried, _values(search.space, asked.config))
                if found is not None:
                    return suggestion(found, self.title)
        return random_suggestion(search, "random draw in the place of a repetition")

    def _facade(self, search: Search, folder: Path) -> Any:
        """Return a facade that knows the history; it writes nothing but into the folder."""
        from ConfigSpace import Configuration as Their
        from ConfigSpace import ConfigurationSpace
        from smac import HyperparameterOptimizationFacade as Facade
        from smac import Scenario
        from smac.intensifier.intensifier import Intensifier
        from smac.main.config_selector import ConfigSelector
        from smac.runhistory.dataclasses import TrialInfo, TrialValue
        from smac.runhistory.enumerations import StatusType

        theirs = ConfigurationSpace.from_serialized_dict(to_configspace(search.space))

        def scenario(seed: int) -> Any:
            return Scenario(
                theirs, deterministic=True, n_trials=_MANY, seed=seed, output_directory=folder
            )

        # The design is one for the whole run; all else is redrawn for each suggestion.
        most = _PER_HYPERPARAMETER * search.space.dimensions
        drawn = Facade.get_initial_design(
            scenario(derive(search.ensemble_seed, "smac")),
            n_configs=min(self.initial or most, most),
        ).select_configurations()
        now = scenario(search.seed)
        facade = Facade(
            now,
            None,
            initial_design=Facade.get_initial_design(now, n_configs=0, additional_configs=drawn),
            acquisition_maximizer=_ordered(Facade.get_acquisition_maximizer(now)),
            intensifier=Intensifier(now, max_config_calls=1, retries=_RETRIES + search.started),
            config_selector=ConfigSelector(now, retrain_after=1),
            logging_level=False,
            overwrite=True,
        )
        rows = [_values(search.space, config) for config in drawn]
        # SMAC knows a setting by all its digits, of which ours keep nine.
        known = dict(zip(_keys(search.space, rows), drawn, strict=True))

        def info(configuration: Configuration) -> Any:
            key = _keys(search.space, [configuration])[0]
            config = known.get(key) or Their(theirs, values=dict(configuration))
            return TrialInfo(config, seed=0)

        losses = [trial.loss for trial in search.history.trials]
        worst = max((loss for loss in losses if loss is not None), default=1.0)
        for trial in search.history.trials:
            status = StatusType.CRASHED if trial.loss is None else StatusType.SUCCESS
            cost = worst if trial.loss is None else trial.loss
            value = TrialValue(cost=cost, status=status)
            facade.tell(info(trial.configuration), value, save=False)
        for configuration in search.pending:
            facade.runhistory.add_running_trial(info(configuration))
        return facade


def _exhausted() -> type[Exception]:
    """Return the error by which SMAC says that it finds nothing new."""
    from smac.main.exceptions import ConfigurationSpaceExhaustedException

    found: type[Exception] = ConfigurationSpaceExhaustedException
    return found


def _ordered(maximiser: Any) -> Any:
    """Return SMAC's maximiser with the starts of its local search in an order.

    It keeps them in a set of configurations, which Python orders differently in every process, so
    that no run could be repeated.
    """
    local = maximiser._local_search
    starts = local._get_init_points_from_previous_configs

    def in_order(*given: Any) -> list[Any]:
        return sorted(starts(*given), key=lambda config: config.get_array().tobytes())

    local._get_init_points_from_previous_configs = in_order
    return maximiser


def _values(space: Space, config: Any) -> dict[str, Value]:
    """Return ConfigSpace's configuration as ours: numpy's types become the space's own."""
    found: dict[str, Value] = {}
    for name, given in dict(config).items():
        parameter = space.parameter(name)
        if isinstance(parameter, Float):
            found[name] = min(max(float(given), parameter.low), parameter.high)
        elif isinstance(parameter, Integer):
            found[name] = int(given)
        else:
            assert isinstance(parameter, Categorical | Boolean | Constant)
            found[name] = next(v for v in parameter.choices if str(v) == str(given))
    return found


def _keys(space: Space, configurations: Sequence[Configuration]) -> list[bytes]:
    return keys(space, encode(space, configurations)) if configurations else []

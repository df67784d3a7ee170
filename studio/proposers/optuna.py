"""Optuna's searches: a study rebuilt from the history, queried by define-by-run.

A peer is an ordinary proposer, so it gets the same splits, space, budget, limits and metric as the
built-in proposers, and its trials are ordinary trials of a document. Its library is stateful; the
state is rebuilt from the finished trials for each suggestion.
"""

import logging
import warnings
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, ClassVar

from studio.errors import UsageError
from studio.extras import make_install_command
from studio.parts import option
from studio.phrases import phrase
from studio.proposers.base import Proposer, Suggestion, SuggestionContext, suggest_random
from studio.space.encoding import decode, encode, make_keys
from studio.space.parameters import Float, Integer, Ordinal, Parameter
from studio.space.space import Space
from studio.trial import Configuration, Value

MAX_ATTEMPTS = 50
"""Number of retries after an already tried suggestion, before a uniform draw.

Samplers may repeat configurations, which are not trained again here.
"""


@contextmanager
def _import_quietly() -> Iterator[None]:
    """Import Optuna and suppress its warnings and log messages."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import optuna  # noqa: F401

        log = logging.getLogger("optuna")
        level_before = log.level
        log.setLevel(logging.CRITICAL)
        try:
            yield
        finally:
            log.setLevel(level_before)


@dataclass(frozen=True)
class OptunaSearch(Proposer):
    """A search through Optuna's ask-and-tell interface (MIT licence).

    Only active hyperparameters are suggested, parents first. Failed trials are added as failed,
    which samplers ignore. Running trials are added with the worst loss so far.

    Attributes:
        extras: The optional extras of this distribution that install its libraries.
    """

    extras: ClassVar[tuple[str, ...]] = ("optuna",)
    modules: ClassVar[tuple[str, ...]] = ("optuna",)

    initial: int = option(
        10,
        low=1,
        high=10_000,
        unit="trials",
        help="Number of random trials at the beginning (Optuna's own default: 10).",
    )

    @classmethod
    def get_missing_dependency(cls) -> str:
        if all(find_spec(each) is not None for each in cls.modules):
            return ""
        return phrase(
            "{title} needs its library: {command}",
            title=phrase(cls.title),
            command=make_install_command(*cls.extras),
        )

    @abstractmethod
    def make_sampler(self, seed: int) -> Any:
        """Return one of Optuna's samplers with this seed."""

    def suggest(self, context: SuggestionContext) -> Suggestion:
        """Return the sampler's first untried suggestion, given all previous trials.

        Raises:
            UsageError: If its library is missing; what is stored can be read without it.
        """
        if message := self.get_missing_dependency():
            raise UsageError(message)
        space, tried_keys = context.space, context.get_tried_keys()
        with _import_quietly():
            study = self._make_study(context)
            for _ in range(MAX_ATTEMPTS):
                values = _ask_parameters(space, study.ask())
                row = encode(space, [{name: values[name] for name in space.find_active(values)}])
                if make_keys(space, row)[0] not in tried_keys:
                    origin = phrase("suggested by {library}", library=self.title)
                    return Suggestion(decode(space, row)[0], origin)
        return suggest_random(context, "random draw in the place of a repetition")

    def _make_study(self, context: SuggestionContext) -> Any:
        import optuna

        study = optuna.create_study(sampler=self.make_sampler(context.seed), direction="minimize")
        distributions = {
            parameter.name: _make_distribution(parameter) for parameter in context.space.columns
        }
        states = optuna.trial.TrialState
        losses = [trial.loss for trial in context.history.trials]
        worst_loss = max((loss for loss in losses if loss is not None), default=0.0)
        observations = [(trial.configuration, trial.loss) for trial in context.history.trials]
        observations += [(configuration, worst_loss) for configuration in context.pending]
        study.add_trials(
            [
                optuna.trial.create_trial(
                    state=states.FAIL if loss is None else states.COMPLETE,
                    value=loss,
                    params=_to_params(context.space, configuration, distributions),
                    distributions={
                        name: distributions[name] for name in configuration if name in distributions
                    },
                )
                for configuration, loss in observations
            ]
        )
        return study


def _make_distribution(parameter: Parameter) -> Any:
    """Return Optuna's distribution of a hyperparameter: ordered choices by their index."""
    import optuna

    if isinstance(parameter, Float):
        return optuna.distributions.FloatDistribution(
            parameter.low, parameter.high, log=parameter.log
        )
    if isinstance(parameter, Integer):
        return optuna.distributions.IntDistribution(
            parameter.low, parameter.high, log=parameter.log
        )
    if isinstance(parameter, Ordinal):
        return optuna.distributions.IntDistribution(0, int(parameter.count()) - 1)
    return optuna.distributions.CategoricalDistribution(range(int(parameter.count())))


def _to_params(
    space: Space, configuration: Configuration, known_params: Mapping[str, Any]
) -> dict[str, float | int]:
    """Convert a configuration to Optuna's parameters: choices by index."""
    params: dict[str, float | int] = {}
    for name, value in configuration.items():
        if name in known_params:
            number = space.get_parameter(name).to_number(value)
            params[name] = number if isinstance(space.get_parameter(name), Float) else int(number)
    return params


def _ask_parameters(space: Space, trial: Any) -> dict[str, Value]:
    """Walk the tree, parents first, suggesting active parameters."""
    values: dict[str, Value] = {}
    for column in space.structure.order:
        parameter = space.parameters[column]
        if not all(
            rule.parent in values and rule.is_satisfied_by(values[rule.parent])
            for rule in parameter.conditions
        ):
            continue
        if parameter.make_axis() is None:
            values[parameter.name] = parameter.get_default()
        elif isinstance(parameter, Float):
            values[parameter.name] = trial.suggest_float(
                parameter.name, parameter.low, parameter.high, log=parameter.log
            )
        elif isinstance(parameter, Integer):
            values[parameter.name] = trial.suggest_int(
                parameter.name, parameter.low, parameter.high, log=parameter.log
            )
        else:
            count = int(parameter.count())
            index = (
                trial.suggest_int(parameter.name, 0, count - 1)
                if parameter.ordered
                else trial.suggest_categorical(parameter.name, range(count))
            )
            values[parameter.name] = parameter.from_number(index)
    return values


@dataclass(frozen=True)
class OptunaGp(OptunaSearch):
    """Gaussian process and expected improvement over the parameters common to all trials.

    Conditional hyperparameters are not in every trial, so Optuna draws them at random.
    """

    key = "optuna-gp"
    title = "Optuna GP"
    summary = (
        "Optuna's Gaussian process: learns good values of the hyperparameters common to all "
        "trials, and draws the conditional ones at random; defaults are not used."
    )
    reference = "Akiba et al. 2019; Ament et al. 2023"
    extras = ("optuna", "cnn")
    modules = ("optuna", "torch")

    def make_sampler(self, seed: int) -> Any:
        from optuna.samplers import GPSampler

        return GPSampler(seed=seed, n_startup_trials=self.initial)


@dataclass(frozen=True)
class OptunaTpe(OptunaSearch):
    """Multivariate TPE, grouped by condition."""

    key = "optuna-tpe"
    title = "Optuna TPE"
    summary = (
        "Optuna's own search: compares where good and bad trials lie and draws where good ones "
        "are denser. It supports ranges, log scales, choices and conditions; defaults are not "
        "used."
    )
    reference = "Akiba et al. 2019; Bergstra et al. 2011; Falkner et al. 2018"

    def make_sampler(self, seed: int) -> Any:
        from optuna.samplers import TPESampler

        return TPESampler(seed=seed, multivariate=True, group=True, n_startup_trials=self.initial)

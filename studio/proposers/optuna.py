"""Optuna's searches: a study rebuilt from the history, queried by define-by-run.

The base of all external searches handles missing libraries and their log output.

A peer is an ordinary proposer, so it gets the same splits, space, budget, limits and metric as the
built-in proposers, and its trials are ordinary trials of a document. Its library is stateful; the
state is rebuilt from the finished trials for each suggestion.
"""

import importlib
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


class ExternalSearch(Proposer):
    """Base of the searches of external libraries.

    Attributes:
        extra: The optional extra of this distribution that installs the library.
    """

    extra: ClassVar[str] = ""
    module: ClassVar[str] = ""
    further_modules: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def get_missing_dependency(cls) -> str:
        if all(find_spec(each) is not None for each in (cls.module, *cls.further_modules)):
            return ""
        return phrase(
            "{title} needs its library: {command}",
            title=phrase(cls.title),
            command=make_install_command(*cls.extra.split(",")),
        )

    def require_library(self) -> None:
        """Raise UsageError with the command that installs its library, if that is missing.

        Only suggestions need it: what is stored can be read without it.
        """
        if message := self.get_missing_dependency():
            raise UsageError(message)


def make_new_configuration(
    context: SuggestionContext, tried_keys: set[bytes], values: Configuration
) -> Configuration | None:
    """Convert a library's suggestion to a configuration, ``None`` if already tried."""
    active = context.space.find_active(values)
    row = encode(context.space, [{name: values[name] for name in active}])
    return None if make_keys(context.space, row)[0] in tried_keys else decode(context.space, row)[0]


def make_suggestion(configuration: Configuration, library: str) -> Suggestion:
    """Convert a configuration to a library's suggestion."""
    return Suggestion(configuration, phrase("suggested by {library}", library=library))


@contextmanager
def import_quietly(module: str) -> Iterator[None]:
    """Import a library and suppress its warnings and log messages."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        importlib.import_module(module)
        log = logging.getLogger(module)
        level_before = log.level
        log.setLevel(logging.CRITICAL)
        try:
            yield
        finally:
            log.setLevel(level_before)


@dataclass(frozen=True)
class _Optuna(ExternalSearch):
    """A search through Optuna's ask-and-tell interface (MIT licence).

    Only active hyperparameters are suggested, parents first. Failed trials are added as failed,
    which samplers ignore. Running trials are added with the worst loss so far.
    """

    extra = "optuna"
    module = "optuna"

    initial: int = option(
        10,
        low=1,
        high=10_000,
        unit="trials",
        help="Number of random trials at the beginning (Optuna's own default: 10).",
    )

    @abstractmethod
    def make_sampler(self, seed: int) -> Any:
        """Return one of Optuna's samplers with this seed."""

    def suggest(self, context: SuggestionContext) -> Suggestion:
        """Return the sampler's first untried suggestion, given all previous trials."""
        self.require_library()
        tried_keys = context.get_tried_keys()
        with import_quietly("optuna"):
            study = self._make_study(context)
            for _ in range(MAX_ATTEMPTS):
                configuration = make_new_configuration(
                    context, tried_keys, _ask_parameters(context.space, study.ask())
                )
                if configuration is not None:
                    return make_suggestion(configuration, self.title)
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
class OptunaGp(_Optuna):
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
    extra = "optuna,cnn"
    further_modules = ("torch",)

    def make_sampler(self, seed: int) -> Any:
        from optuna.samplers import GPSampler

        return GPSampler(seed=seed, n_startup_trials=self.initial)


@dataclass(frozen=True)
class OptunaTpe(_Optuna):
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

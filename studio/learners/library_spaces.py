"""Library settings in a search space: available and invalid ones."""

import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.errors import LibrarySettingError, StudioError, UsageError
from studio.learners.base import Learner
from studio.learners.choice import ALGORITHM, find_learner
from studio.learners.domains import AnyOf, Domain, Flag, RealInterval, StringOptions, Text
from studio.learners.facts import TableFacts, Task
from studio.learners.library import NONE_WORD, LibrarySetting, LibrarySettings, to_plain_value
from studio.learners.registry import REGISTRY
from studio.learners.space_problems import find_all_problems, list_library_readers, merge_problems
from studio.learners.values import LearnerValues
from studio.parts import find_part
from studio.phrases import phrase
from studio.space.base import UNSET, Condition, Parameter, SpaceProblem
from studio.space.branches import restrict
from studio.space.choices import Boolean, Categorical, Constant, get_values
from studio.space.encoding import decode, sample
from studio.space.ranges import Float, Integer
from studio.space.space import Space
from studio.trial import Configuration, Value

_RANGE_FACTOR = 10.0
"""Factor around the default of an initial range, within the bounds."""

_MIN_LOG_RATIO = 8.0
"""Ratio of a range's ends from which its scale is logarithmic."""


@dataclass(frozen=True)
class OfferedParameter:
    """A setting that a space may give a learner; "" as rejection if it may."""

    setting: LibrarySetting
    rejection: str = ""


def list_offered_parameters(learner: type[Learner], task: Task) -> tuple[OfferedParameter, ...]:
    """Return a learner's settings with plain values: declared first, then the library's."""
    estimator = make_unfitted_estimator(learner, task)
    declared_parameters = [
        _describe_declared_setting(learner, name, estimator) for name in learner.hyperparameters
    ]
    library = learner.library
    if library is None or estimator is None:
        return tuple(map(OfferedParameter, declared_parameters))
    parameters = []
    for name in library.list_names(estimator):
        if learner.get_declared_setting_name(name) in learner.hyperparameters:
            continue
        if reason := library.explain_control(name):
            setting = LibrarySetting(name, library.list_aliases(name), Text(), None, "")
            parameters.append(OfferedParameter(setting, reason))
            continue
        setting = library.get_description(name, estimator)
        if setting.domain != StringOptions(NONE_WORD):
            parameters.append(OfferedParameter(setting))
    return (
        *map(OfferedParameter, declared_parameters),
        *sorted(parameters, key=lambda each: each.setting.name.lower()),
    )


def _describe_declared_setting(learner: type[Learner], name: str, estimator: Any) -> LibrarySetting:
    domain = learner.hyperparameters[name]
    library_name = next(
        (each for each, declared_name in learner.library_names.items() if declared_name == name),
        name,
    )
    library = learner.library
    if library is None or library_name not in library.list_names(estimator):
        return LibrarySetting(name, (), domain, None, "")
    description = library.get_description(library_name, estimator)
    aliases = tuple(each for each in (library_name, *description.aliases) if each != name)
    fits = description.default is not None and domain.accepts(description.default)
    # It defines both ends.
    if isinstance(description.domain, RealInterval) and fits and not domain.is_integer:
        domain = description.domain
    return LibrarySetting(
        name, aliases, domain, description.default if fits else None, description.description
    )


def propose_parameters(learner: type[Learner], name: str, task: Task) -> tuple[Parameter, ...]:
    """Return a setting as a hyperparameter of a space, after its dependency.

    Words that cannot be trained are left out, and ends of ranges are moved until they can.

    Raises:
        UsageError: If the learner has no such setting, or the program controls it.
    """
    offered = {each.setting.name: each for each in list_offered_parameters(learner, task)}
    if name not in offered or offered[name].rejection:
        raise UsageError(
            "{learner} has no setting “{setting}” that a space can set. {reason}",
            learner=learner.key,
            setting=name,
            reason=offered[name].rejection if name in offered else "",
        )
    setting = offered[name].setting
    dependencies: tuple[Parameter, ...] = ()
    conditions: tuple[Condition, ...] = ()
    fixed_values: dict[str, Value] = {}
    if setting.enabling_condition is not None:
        other_name, value = setting.enabling_condition
        dependencies = propose_parameters(learner, other_name, task)
        conditions = (Condition(dependencies[-1].name, (value,)),)
        fixed_values = {other_name: value}

    def can_train(value: Value) -> bool:
        return find_training_failure(learner, {**fixed_values, name: value}, task) is None

    parameter = _make_parameter(f"{learner.key}.{name}", setting, can_train)
    return (*dependencies, replace(parameter, conditions=conditions))


def _make_parameter(
    name: str, setting: LibrarySetting, can_train: Callable[[Value], bool]
) -> Parameter:
    domain = _choose_searched_domain(setting)
    default = setting.default
    if isinstance(domain, Flag):
        return Boolean(name, default=bool(default))
    if isinstance(domain, StringOptions):
        words = tuple(each for each in domain.choices if can_train(each)) or domain.choices[:1]
        default_word = NONE_WORD if default is None else default
        return Categorical(name, words, default=default_word if default_word in words else words[0])
    if isinstance(domain, Text):
        return Constant(name, NONE_WORD if default in {None, ""} else default)
    if _means_no_limit(default, domain):
        default = None
    low, high = _choose_range(domain, default)
    start = default if isinstance(default, int | float) else None
    low = _find_trainable_end(low, start, can_train)
    high = _find_trainable_end(high, start, can_train)
    default_number = (
        to_plain_value(start, domain) if start is not None and low <= start <= high else UNSET
    )
    log = low > 0 and high / low >= _MIN_LOG_RATIO
    if domain.is_integer:
        return Integer(name, int(low), int(high), log=log, default=default_number)
    return Float(name, float(low), float(high), log=log, default=default_number)


def _choose_searched_domain(setting: LibrarySetting) -> Domain:
    """Return the domain to search; if there are several, that of the default."""
    if not isinstance(setting.domain, AnyOf):
        return setting.domain
    default = setting.default
    fitting = [
        each for each in setting.domain.domains if default is not None and each.accepts(default)
    ]
    return (fitting or setting.domain.domains)[0]


def _means_no_limit(default: Any, domain: Domain) -> bool:
    """Return whether a default is a library's -1 for "no limit", which is no end of a range."""
    is_number = isinstance(default, int | float) and not isinstance(default, bool)
    return is_number and default == -1 and domain.bounds[0] == -math.inf


def _choose_range(domain: Domain, default: Any) -> tuple[float, float]:
    """Return an initial range around a default, within the bounds."""
    start = float(default) if isinstance(default, int | float) else math.nan
    lowest, highest = domain.bounds
    if math.isfinite(lowest) and math.isfinite(highest) and highest - lowest <= 1:
        step = (highest - lowest) / 100
        low = lowest if domain.accepts(lowest) else lowest + step
        return low, highest if domain.accepts(highest) else highest - step
    step = 1.0 if domain.is_integer else 0.0
    if start > 0:
        low, high = max(start / _RANGE_FACTOR, step), start * _RANGE_FACTOR
    elif start <= 0:
        low, high = start, max(start + 1.0, _RANGE_FACTOR if domain.is_integer else 1.0)
    else:
        low, high = (1.0, 100.0) if domain.is_integer else (0.01, 1.0)
    low = max(low, lowest if domain.accepts(lowest) else lowest + step)
    high = min(high, highest if domain.accepts(highest) else highest - step)
    return (math.ceil(low), math.floor(high)) if domain.is_integer else (low, high)


def _find_trainable_end(
    end: float, start: float | None, can_train: Callable[[Value], bool]
) -> float:
    """Return a trainable end of a range: the end, a value nearer to the default, or the default."""
    if start is None:
        return end
    midpoint = (end + start) / 2
    for each in (end, type(start)(midpoint)):
        if can_train(type(start)(each)):
            return each
    return start


def format_default(setting: LibrarySetting) -> str:
    """Format a default."""
    if setting.default is None:
        return ""
    if isinstance(setting.default, bool):
        return phrase("yes") if setting.default else phrase("no")
    return str(setting.default)


def get_required_setting(setting: LibrarySetting) -> str:
    """Return the setting and value on which a setting depends; empty for none."""
    if setting.enabling_condition is None:
        return ""
    other_name, value = setting.enabling_condition
    return f"{other_name} = {str(value).lower()}"


ROWS, COLUMNS, CLASSES = 120, 12, 6
"""Size of the table for trial trainings."""

N_RANDOM_CONFIGURATIONS = 3
"""Number of random configurations tried with a value if the defaults fail."""

ROUNDS = frozenset(("n_estimators", "rounds", "epochs", "num_parallel_tree"))
MAX_ROUNDS = 50
"""Maximum of :data:`ROUNDS` in trial trainings: a foreign space may request millions."""

MAX_VALUES = 40
"""Maximum number of values tried per choice."""

MAX_TRAININGS = 300
"""Maximum number of values tried in total: a foreign space may have thousands."""


def find_library_problems(space: Space, task: Task | None = None) -> tuple[SpaceProblem, ...]:
    """Return the values of library settings that fail in training, as problems of the space.

    A problem is an error if nothing trains with a value (or with either end of a range), else a
    note. There are no findings for an invalid space, a missing library, or settings after the first
    :data:`MAX_TRAININGS` values: their trials fail with the reason.

    Args:
        task: If unknown or unsupported, the learner's first task is used.
    """
    if any(each.severity == "error" for each in find_all_problems(space)):
        return ()
    problems: list[SpaceProblem] = []
    n_left = MAX_TRAININGS
    for parameter, keys, readers in list_library_readers(space):
        n_left -= len(keys) * len(_list_values_to_try(parameter))
        if n_left < 0:
            break
        problems_by_key = {
            key: each for key in keys if (each := _find_problem(space, parameter, key, task))
        }
        problems += merge_problems(space, parameter, problems_by_key, readers)
    return tuple(problems)


def _find_problem(
    space: Space, parameter: Parameter, key: str, task: Task | None
) -> SpaceProblem | None:
    """Return the problem of the first value with which a learner cannot be trained, if any."""
    learner = find_part(REGISTRY, key, phrase("kind of model"))
    if learner.get_missing_dependency():
        return None
    task = task if task in learner.tasks else learner.tasks[0]
    failed = {
        (field, value): reason
        for field, value in _list_values_to_try(parameter)
        if (reason := _find_training_error(space, parameter, value, learner, task))
    }
    if not failed:
        return None
    (field, value), error = next(iter(failed.items()))
    if isinstance(error, LibrarySettingError):
        return parameter.make_problem(field if error.concerns_value else "sets", str(error))
    message = phrase(
        "{learner} cannot be trained with {setting} = {value}: {reason}",
        learner=learner.key,
        setting=parameter.sets.rpartition(".")[2],
        value=value,
        reason=str(error),
    )
    is_single = isinstance(parameter, Float | Integer) and len(failed) == 1
    return parameter.make_problem(field, message, "note" if is_single else "error")


def _list_values_to_try(parameter: Parameter) -> list[tuple[str, Value]]:
    if isinstance(parameter, Float | Integer):
        return [("low", parameter.low), ("high", parameter.high)]
    field = "value" if isinstance(parameter, Constant) else "choices"
    return [(field, value) for value in get_values(parameter)[:MAX_VALUES]]


def _find_training_error(
    space: Space, parameter: Parameter, value: Value, learner: type[Learner], task: Task
) -> StudioError | None:
    """Return why no configuration with a value can be trained; ``None`` if one can."""
    first: StudioError | None = None
    for configuration in _make_configurations(space, parameter, value, learner.key):
        sets = {name: space.get_parameter(name).sets for name in configuration}
        choice = find_learner(configuration, sets)
        values = tuple(sorted(choice.values.items()))
        error = _find_failure(learner.key, values, task)
        if error is None:
            return None
        first = first or error
        if isinstance(error, LibrarySettingError):
            break
    return first


def _make_configurations(
    space: Space, parameter: Parameter, value: Value, learner: str
) -> Iterator[Configuration]:
    """Yield the default configuration with a value of a parameter, followed by random ones."""
    restricted = restrict(space, parameter.name, value)
    for root in space.parameters:
        if root.sets == ALGORITHM and root.name in restricted and learner in get_values(root):
            restricted = restrict(restricted, root.name, learner)
    if parameter.name not in restricted:
        return
    restricted = _restrict_to_rules(restricted, restricted.get_parameter(parameter.name))
    yield {
        name: restricted.get_parameter(name).get_default() for name in restricted.find_active({})
    }
    yield from decode(
        restricted, sample(restricted, np.random.default_rng(0), N_RANDOM_CONFIGURATIONS)
    )


def _restrict_to_rules(space: Space, parameter: Parameter) -> Space:
    """Return a space restricted to the parameter's rules, as far as one value per choice allows."""
    for condition in parameter.conditions:
        parent = space.get_parameter(condition.parent)
        matching = next(
            (each for each in get_values(parent) if condition.is_satisfied_by(each)), None
        )
        if matching is not None and len(get_values(parent)) > 1:
            space = _restrict_to_rules(restrict(space, parent.name, matching), parent)
    return space


@cache
def _make_easy_table(task: Task) -> tuple[Floats, AnyArray]:
    """Return a table that is easy to learn: X of shape (ROWS, COLUMNS), y of shape (ROWS,)."""
    X = np.random.default_rng(0).normal(size=(ROWS, COLUMNS))
    order = np.argsort(np.argsort(X[:, 0] + X[:, 1]))
    if task == "regression":
        return X, 1.0 + order / ROWS
    classes = 2 if task == "binary" else CLASSES
    return X, (order * classes // ROWS).astype(np.int64)


def get_table_facts(task: Task) -> TableFacts:
    """Return a learner's facts about the table of trial trainings."""
    X, y = _make_easy_table(task)
    classes = 0 if task == "regression" else int(y.max()) + 1
    return TableFacts.from_rows(
        X, y, task=task, n_classes=classes, categorical=np.zeros(COLUMNS, dtype=bool), seed=0
    )


@cache
def _find_failure(
    key: str, values: tuple[tuple[str, Value], ...], task: Task
) -> StudioError | None:
    """Return why a learner cannot be trained with the given values; ``None`` if it can."""
    learner = find_part(REGISTRY, key, phrase("kind of model"))
    return find_training_failure(learner, dict(values), task)


def find_training_failure(
    learner: type[Learner], values: Mapping[str, Value], task: Task
) -> StudioError | None:
    """Train a learner with values on a small table; return the error, if any."""
    X, y = _make_easy_table(task)
    library = learner.library or LibrarySettings("")
    with warnings.catch_warnings(), library.silence():
        warnings.simplefilter("ignore")
        try:
            built = learner().build(_limit_training_time(learner, values), get_table_facts(task))
            built.estimator.fit(X, y)
        except StudioError as error:
            return error
        except Exception as error:  # noqa: BLE001 - a library may raise any exception
            return StudioError(library.format_error(error))
    return None


def _limit_training_time(learner: type[Learner], values: Mapping[str, Value]) -> dict[str, Value]:
    return {
        name: MAX_ROUNDS
        if learner.get_declared_setting_name(name) in ROUNDS
        and isinstance(value, int | float)
        and value > MAX_ROUNDS
        else value
        for name, value in values.items()
    }


def make_unfitted_estimator(learner: type[Learner], task: Task) -> Any:
    """Return a learner's library estimator with default settings."""
    from studio.learners.self_replacing_steps import make_library_estimator

    reader = LearnerValues(learner.key, {}, learner.hyperparameters, learner.forbidden_combinations)
    return make_library_estimator(learner().make_estimator(reader, get_table_facts(task)))

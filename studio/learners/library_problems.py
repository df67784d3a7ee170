"""What libraries cannot take of their further settings in a space: found by building and fitting.

A learner's own hyperparameters are declared (:mod:`studio.learners.space_problems`). Whether
``boosting_type = dart`` goes with the rest, only LightGBM knows: so one estimator is trained with
each value on a few rows. This loads the libraries; the window asks its helper.
"""

import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from studio.arrays import AnyArray, Floats
from studio.errors import LibrarySettingError, StudioError
from studio.learners.base import Learner
from studio.learners.choice import ALGORITHM, learner_for
from studio.learners.facts import TableFacts, Task
from studio.learners.library.base import LibrarySettings
from studio.learners.registry import REGISTRY
from studio.learners.space_problems import library_readers, together
from studio.learners.values import Values
from studio.parts import find
from studio.phrases import phrase
from studio.space.base import Parameter, SpaceProblem
from studio.space.branches import restrict
from studio.space.choices import Constant, values_of
from studio.space.encoding import decode
from studio.space.ranges import Float, Integer
from studio.space.sampling import sample
from studio.space.space import Space
from studio.trial import Configuration, Value

ROWS, COLUMNS, CLASSES = 120, 12, 6
"""Of the table on which an estimator is trained."""

DRAWS = 3
"""Random configurations with a value that are trained where the defaults beside it fail."""

ROUNDS = frozenset(("n_estimators", "rounds", "epochs", "num_parallel_tree"))
MAX_ROUNDS = 50
"""The most of :data:`ROUNDS` that are trained: a stranger's space may ask for millions."""

MAX_VALUES = 40
"""Values of one choice that are trained."""

MAX_TRAINED = 300
"""Values of all settings and learners that are trained: a stranger's space may have thousands."""


def library_problems(space: Space, task: Task | None = None) -> tuple[SpaceProblem, ...]:
    """Return what libraries cannot take of the settings that no learner declares.

    An error where nothing can be trained with a value (or with either end of a range), else a note.
    Nothing is said of a space that has errors itself, of a library that is not installed, or of
    settings after the first :data:`MAX_TRAINED` values: their trials fail, and say why.

    Args:
        space: The space.
        task: What is predicted; where it is not known, or not the learner's, the learner's first.
    """
    if any(each.severity == "error" for each in space.problems()):
        return ()
    found: list[SpaceProblem] = []
    left = MAX_TRAINED
    for parameter, keys, readers in library_readers(space):
        left -= len(keys) * len(_tried(parameter))
        if left < 0:
            break
        wrong = {key: each for key in keys if (each := _problem(space, parameter, key, task))}
        found += together(parameter, wrong, readers)
    return tuple(found)


def _problem(
    space: Space, parameter: Parameter, key: str, task: Task | None
) -> SpaceProblem | None:
    """Return the first value of a parameter with which a learner cannot be trained."""
    learner = find(REGISTRY, key, "learner")
    if learner.missing_dependency():
        return None
    task = task if task in learner.tasks else learner.tasks[0]
    failed = {
        (field, value): why
        for field, value in _tried(parameter)
        if (why := _refused(space, parameter, value, learner, task))
    }
    if not failed:
        return None
    (field, value), error = next(iter(failed.items()))
    if isinstance(error, LibrarySettingError):
        return parameter.problem(field if error.of_value else "sets", str(error))
    message = phrase(
        "{learner} cannot be trained with {setting} = {value}: {reason}",
        learner=learner.key,
        setting=parameter.sets.rpartition(".")[2],
        value=value,
        reason=str(error),
    )
    some = isinstance(parameter, Float | Integer) and len(failed) == 1
    return parameter.problem(field, message, "note" if some else "error")


def _tried(parameter: Parameter) -> list[tuple[str, Value]]:
    """Return the values of a parameter that are trained, each after the field that has it."""
    if isinstance(parameter, Float | Integer):
        return [("low", parameter.low), ("high", parameter.high)]
    field = "value" if isinstance(parameter, Constant) else "choices"
    return [(field, value) for value in values_of(parameter)[:MAX_VALUES]]


def _refused(
    space: Space, parameter: Parameter, value: Value, learner: type[Learner], task: Task
) -> StudioError | None:
    """Return why no configuration with a value can be trained; ``None`` if one can."""
    first: StudioError | None = None
    for configuration in _configurations(space, parameter, value, learner.key):
        sets = {name: space.parameter(name).sets for name in configuration}
        choice = learner_for(configuration, sets)
        given = tuple(sorted(choice.values.items()))
        error = _failure(learner.key, given, task)
        if error is None:
            return None
        first = first or error
        if isinstance(error, LibrarySettingError):
            break
    return first


def _configurations(
    space: Space, parameter: Parameter, value: Value, learner: str
) -> Iterator[Configuration]:
    """Yield the configuration of defaults with a value of a parameter, and random ones."""
    inside = restrict(space, parameter.name, value)
    for root in space.parameters:
        if root.sets == ALGORITHM and root.name in inside and learner in values_of(root):
            inside = restrict(inside, root.name, learner)
    if parameter.name not in inside:
        return
    inside = _opened(inside, inside.parameter(parameter.name))
    yield {name: inside.parameter(name).first() for name in inside.active({})}
    yield from decode(inside, sample(inside, np.random.default_rng(0), DRAWS))


def _opened(space: Space, parameter: Parameter) -> Space:
    """Return a space in which a parameter's rules hold, as far as one value of a choice does it."""
    for rule in parameter.conditions:
        parent = space.parameter(rule.parent)
        holding = next((each for each in values_of(parent) if rule.holds(each)), None)
        if holding is not None and len(values_of(parent)) > 1:
            space = _opened(restrict(space, parent.name, holding), parent)
    return space


@cache
def _table(task: Task) -> tuple[Floats, AnyArray]:
    """Return a table that is easy to learn: X of shape (ROWS, COLUMNS), y of shape (ROWS,)."""
    X = np.random.default_rng(0).normal(size=(ROWS, COLUMNS))
    order = np.argsort(np.argsort(X[:, 0] + X[:, 1]))
    if task == "regression":
        return X, 1.0 + order / ROWS
    classes = 2 if task == "binary" else CLASSES
    return X, (order * classes // ROWS).astype(np.int64)


def facts_of(task: Task) -> TableFacts:
    """Return what a learner may know of the table that estimators are tried on."""
    X, y = _table(task)
    classes = 0 if task == "regression" else int(y.max()) + 1
    return TableFacts.of(
        X, y, task=task, n_classes=classes, categorical=np.zeros(COLUMNS, dtype=bool), seed=0
    )


@cache
def _failure(key: str, given: tuple[tuple[str, Value], ...], task: Task) -> StudioError | None:
    """Return why a learner cannot be trained with some values; ``None`` if it can."""
    return failure(find(REGISTRY, key, "learner"), dict(given), task)


def failure(learner: type[Learner], values: Mapping[str, Value], task: Task) -> StudioError | None:
    """Train a learner with values on a small table; return why that fails, if it does."""
    X, y = _table(task)
    library = learner.library or LibrarySettings("")
    with warnings.catch_warnings(), library.silently():
        warnings.simplefilter("ignore")
        try:
            built = learner().build(_brief(learner, values), facts_of(task))
            built.estimator.fit(X, y)
        except StudioError as error:
            return error
        except Exception as error:  # noqa: BLE001 - a library refuses by any error it likes
            return StudioError(library.reason(error))
    return None


def _brief(learner: type[Learner], values: Mapping[str, Value]) -> dict[str, Value]:
    """Return values with which training does not take longer than it must."""
    return {
        name: MAX_ROUNDS
        if learner.declared_name(name) in ROUNDS
        and isinstance(value, int | float)
        and value > MAX_ROUNDS
        else value
        for name, value in values.items()
    }


def unfitted(learner: type[Learner], task: Task) -> Any:
    """Return the library's estimator of a learner as it is without any setting."""
    from studio.learners.handover import library_estimator

    reader = Values(learner.key, {}, learner.hyperparameters, learner.clashes)
    return library_estimator(learner().estimator(reader, facts_of(task)))

"""Monotonic constraints and search spaces: the parts that can satisfy them."""

from collections.abc import Mapping

from studio.errors import UsageError
from studio.learners.choice import ALGORITHM
from studio.learners.facts import Task
from studio.learners.names import get_short_title
from studio.learners.operators.base import STAGES
from studio.learners.operators.registry import REGISTRY as OPERATORS
from studio.learners.registry import REGISTRY as LEARNERS
from studio.phrases import join_phrases, phrase
from studio.space import editing
from studio.space.base import Parameter
from studio.space.choices import get_values
from studio.space.space import Space
from studio.trial import Value

_NON_MONOTONE: Mapping[str, frozenset[str]] = {
    ALGORITHM: frozenset(each.key for each in LEARNERS if not each.monotone),
    **{
        stage: frozenset(
            each.key for each in OPERATORS if each.stage == stage and not each.monotone
        )
        for stage in STAGES
    },
}
"""Learners and operators to be excluded, by their parameter's target."""


def select_monotone_part(space: Space, task: Task) -> Space:
    """Return the space without learners and operators that may violate monotonic constraints.

    A stage without remaining operators is empty. Unknown learners and operators are handled by the
    trials.

    Raises:
        UsageError: If no learner of a choice supports the constraints.
    """
    _check_bound(space)
    for parameter in space.parameters:
        unfit = _list_unfit(parameter)
        if not unfit or parameter.name not in space:
            continue
        if len(unfit) == len(_list_values(parameter)):
            if parameter.sets == ALGORITHM:
                raise _make_no_learner_error(space, unfit, task)
            space = editing.remove(space, parameter.name)
            continue
        for value in unfit:
            space = editing.remove_choice(space, parameter.name, value)
    space.check()
    return space


def list_non_monotone(space: Space) -> tuple[tuple[Parameter, Value], ...]:
    """Return what :func:`select_monotone_part` excludes: values with their parameters."""
    return tuple(
        (parameter, value) for parameter in space.parameters for value in _list_unfit(parameter)
    )


def _check_bound(space: Space) -> None:
    learners = {each.key: each for each in LEARNERS}
    for parameter in space.parameters:
        key, _, name = parameter.sets.rpartition(".")
        if key in learners and learners[key].is_unbound(name, get_values(parameter)):
            raise UsageError(
                "The setting {name!r} of the space {space!r} lets models violate the "
                "constraints on columns. Remove it from the space, or remove the constraints.",
                name=parameter.name,
                space=space.title or space.name,
            )


def _list_values(parameter: Parameter) -> tuple[Value, ...]:
    return get_values(parameter) if parameter.sets in _NON_MONOTONE else ()


def _list_unfit(parameter: Parameter) -> list[Value]:
    return [
        each for each in _list_values(parameter) if each in _NON_MONOTONE.get(parameter.sets, ())
    ]


def _make_no_learner_error(space: Space, learners: list[Value], task: Task) -> UsageError:
    suitable_titles = [
        each.get_short_title() for each in LEARNERS if each.monotone and task in each.tasks
    ]
    return UsageError(
        "No model of the space {space!r} supports monotonic constraints: {named}. Supported by: "
        "{supported}. Choose a space with one of them, or remove the constraints.",
        space=space.title or space.name,
        named=join_phrases((phrase(get_short_title(str(each))) for each in learners), ", "),
        supported=join_phrases(map(phrase, suitable_titles), ", "),
    )

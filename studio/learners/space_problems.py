"""Values of a search space that its learners and operators reject, found before a run."""

import dataclasses
import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from studio.learners.choice import ALGORITHM
from studio.learners.domains import (
    ANY_VALUE,
    Domain,
    ForbiddenCombination,
    Settings,
    get_default_choice,
)
from studio.learners.library import LibrarySettings
from studio.learners.operators.base import STAGES
from studio.learners.operators.registry import REGISTRY as OPERATORS
from studio.learners.registry import REGISTRY as LEARNERS
from studio.phrases import join_phrases, phrase
from studio.space.base import Parameter, SpaceProblem, format_plain_number, join_values
from studio.space.branches import restrict
from studio.space.choices import Boolean, Constant, get_values
from studio.space.ranges import Float, Integer
from studio.space.space import Space
from studio.trial import Value


@dataclass(frozen=True)
class _Owner:
    """A reader of settings: a learner, or an operator of a stage.

    Attributes:
        chooser: The name that the choosing parameter sets: ``algorithm``, or a stage.
        library: Describes the learner's further settings, if any.
    """

    key: str
    chooser: str
    settings: Settings
    forbidden_combinations: tuple[ForbiddenCombination, ...]
    library: LibrarySettings | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)


_OWNERS: Mapping[str, _Owner] = {
    **{each.key: _Owner(each.key, each.stage, each.hyperparameters, each.forbidden_combinations)
       for each in OPERATORS},
    **{each.key: _Owner(each.key, ALGORITHM, each.hyperparameters, each.forbidden_combinations,
                        each.library, each.library_names)
       for each in LEARNERS},
}  # fmt: skip


_LEARNERS = frozenset(each.key for each in LEARNERS)


def find_all_problems(space: Space) -> tuple[SpaceProblem, ...]:
    """Return the problems of a space, and of its values with its learners."""
    space_problems, roots = tuple(space.find_problems()), _group_roots(space)
    wrong_parameters = {each.parameter for each in space_problems if each.severity == "error"}
    unfit = tuple(
        each
        for parameter in space.parameters
        if parameter.name not in wrong_parameters
        for each in (
            *_find_problems(space, roots, parameter),
            *_find_duplicate_settings(space, roots, parameter),
        )
    )
    if any(each.severity == "error" for each in (*space_problems, *unfit)):
        return (*space_problems, *unfit)
    return (*space_problems, *unfit, *_find_clashes(space, roots))


def list_learners(space: Space) -> tuple[str, ...]:
    """Return the keys of all learners that a space may choose, known or not."""
    choosers = (each for each in space.parameters if each.sets == ALGORITHM)
    return tuple(dict.fromkeys(str(value) for each in choosers for value in get_values(each)))


def list_learner_titles(space: Space) -> tuple[str, ...]:
    """Return the short titles of the known learners that a space may choose."""
    keys = list_learners(space)
    return tuple(each.get_short_title() for each in LEARNERS if each.key in keys)


def explain_untrainable(space: Space, task: str) -> str:
    """Return why no trial of a space can be trained for a task; empty if some may be.

    Unknown learners are reported by the trials.
    """
    keys, tasks_by_learner = list_learners(space), {each.key: each.tasks for each in LEARNERS}
    if not keys:
        return phrase(
            "No hyperparameter sets “algorithm”, so a run would not know which model to train: "
            "add a learner, or start from another space."
        )
    if any(key not in tasks_by_learner or task in tasks_by_learner[key] for key in keys):
        return ""
    return phrase(
        "{learners} cannot predict {target}: add a learner that can, or start from another space.",
        learners=join_values(keys, "and"),
        target=_TARGETS[task],
    )


_TARGETS = {
    "binary": phrase("two classes"),
    "multiclass": phrase("several classes"),
    "regression": phrase("a number"),
}


def find_problems(space: Space, parameter: Parameter) -> list[SpaceProblem]:
    """Return a parameter's problems with its learners.

    A problem is an error if no trial with the value, or no trial of a learner, could be trained; a
    note if only some readers accept the value. A space without any known learner (an example for
    display) has no such problems.
    """
    return _find_problems(space, _group_roots(space), parameter)


_Roots: TypeAlias = Mapping[str, Sequence[Parameter]]
"""The parameters of a space that choose a learner or an operator, by target."""


def _group_roots(space: Space) -> _Roots:
    return {
        stage: [each for each in space.parameters if each.sets == stage]
        for stage in (ALGORITHM, *STAGES)
    }


def _find_choosers(roots: _Roots, owner: _Owner) -> list[Parameter]:
    return [each for each in roots[owner.chooser] if owner.key in get_values(each)]


def _find_problems(space: Space, roots: _Roots, parameter: Parameter) -> list[SpaceProblem]:
    if parameter.sets == ALGORITHM:
        return _find_unknown_learners(parameter)
    owners, setting = _find_readers(roots, parameter)
    if not owners and "." in parameter.sets:
        return _find_unread_settings(roots, parameter)
    problems_by_owner = {
        owner.key: each
        for owner in owners
        if (each := _explain_rejection(parameter, owner, setting)) is not None
    }
    return merge_problems(space, parameter, problems_by_owner, [each.key for each in owners])


def merge_problems(
    space: Space,
    parameter: Parameter,
    problems_by_owner: Mapping[str, SpaceProblem],
    owners: Sequence[str],
) -> list[SpaceProblem]:
    """Return a parameter's problems with its readers, as one problem or none.

    Args:
        owners: All readers; if some accept the values, the problem is a note, unless another reader
            could never be trained.
    """
    first = next(iter(problems_by_owner.values()), None)
    if first is None or len(problems_by_owner) == len(owners):
        return [] if first is None else [first]
    never = [
        key
        for key, each in problems_by_owner.items()
        if each.field == "sets" and _is_always_active_with(space, parameter, key)
    ]
    if never:
        message = phrase(
            "{reason} So no model of {owners} could be trained: put {name} under the other "
            "learners.",
            reason=problems_by_owner[never[0]].message,
            owners=join_values(never, "or"),
            name=parameter.name,
        )
        return [parameter.make_problem("conditions", message)]
    message = phrase(
        "{reason} Trials fail where {owners} is chosen: give each learner a separate setting, "
        "named like {owner}.{setting}.",
        reason=first.message,
        owners=join_values(list(problems_by_owner), "or"),
        owner=owners[0],
        setting=parameter.sets.rpartition(".")[2],
    )
    return [parameter.make_problem(first.field, message, "note")]


def _is_always_active_with(space: Space, parameter: Parameter, learner: str) -> bool:
    for root in space.parameters:
        if root.sets == ALGORITHM and learner in get_values(root):
            restricted = restrict(space, root.name, learner)
            is_present = parameter.name in restricted and root.name in restricted
            if is_present and _is_always_active(
                restricted, restricted.get_parameter(parameter.name)
            ):
                return True
    return False


def _find_duplicate_settings(
    space: Space, roots: _Roots, parameter: Parameter
) -> Iterator[SpaceProblem]:
    """Yield problems of a setting given both for all learners and for one of them."""
    owners, setting = _find_readers(roots, parameter)
    if "." in parameter.sets:
        return
    for owner in owners:
        sets = f"{owner.key}.{setting}"
        same_setting = [each for each in space.parameters if each.sets == sets]
        for root in _find_choosers(roots, owner) if same_setting else ():
            restricted = restrict(space, root.name, owner.key)
            if parameter.name not in restricted:
                continue
            for duplicate in same_setting:
                if duplicate.name in restricted and _can_coexist(restricted, parameter, duplicate):
                    message = phrase(
                        "It sets {setting} of every learner, and {other} sets that of {owner} at "
                        "the same time: put it under the other learners, or remove {other}.",
                        setting=setting,
                        other=duplicate.name,
                        owner=owner.key,
                    )
                    yield parameter.make_problem("conditions", message)
                    return


def _can_coexist(space: Space, one: Parameter, second_parameter: Parameter) -> bool:
    merged_space = dataclasses.replace(
        space,
        parameters=tuple(
            dataclasses.replace(each, sets=second_parameter.sets) if each.name == one.name else each
            for each in space.parameters
            if each.sets != second_parameter.sets or each.name == second_parameter.name
        ),
    )
    return any(
        each.field == "sets" and each.severity == "error" for each in merged_space.find_problems()
    )


def _find_unknown_learners(parameter: Parameter) -> list[SpaceProblem]:
    keys = [str(value) for value in get_values(parameter)]
    unknown_keys = [key for key in keys if key not in _LEARNERS]
    if not unknown_keys:
        return [
            parameter.make_problem("choices", missing_dependency, "note")
            for each in LEARNERS
            if each.key in keys and (missing_dependency := each.get_missing_dependency())
        ]
    if len(unknown_keys) == len(keys):
        return []
    message = phrase(
        "There is no learner {names}, so its trials fail. Remove it, or add the learner that was "
        "intended.",
        names=join_values([phrase("“{name}”", name=each) for each in unknown_keys], "or"),
    )
    return [parameter.make_problem("choices", message)]


def _find_unread_settings(roots: _Roots, parameter: Parameter) -> list[SpaceProblem]:
    """Return problems of settings whose owner is never chosen."""
    known_owners = {key: each for key, each in _OWNERS.items() if _find_choosers(roots, each)}
    if _LEARNERS.isdisjoint(known_owners):
        return []
    owner, _, setting = parameter.sets.rpartition(".")
    first = phrase(
        "It has no effect: this space never chooses {owner}, only {offered}. Add it, or "
        "remove the parameter."
        if owner in _OWNERS
        else "It has no effect: there is no learner or operator {owner}; this space has "
        "{offered}. Rename or remove the parameter.",
        owner=owner,
        offered=join_values(tuple(known_owners), "and"),
    )
    inner = owner.rpartition(".")[2]
    near_names = [f"{inner}.{setting}"] if inner in known_owners else []
    all_names = [f"{key}.{name}" for key, each in known_owners.items() for name in each.settings]
    near_names = near_names or [each for each in all_names if each.rpartition(".")[2] == setting]
    near_names = near_names or difflib.get_close_matches(parameter.sets, all_names)
    question = ""
    if near_names:
        question = phrase("Did you mean {names}?", names=join_values(near_names[:3], "or"))
    return [parameter.make_problem("sets", join_phrases((first, question)))]


def _find_readers(roots: _Roots, parameter: Parameter) -> tuple[list[_Owner], str]:
    """Return the readers of an active parameter, and the name of its setting."""
    if parameter.sets in {ALGORITHM, *STAGES}:
        return [], ""
    owner, dot, setting = parameter.sets.rpartition(".")
    if dot:
        known_owner = _OWNERS.get(owner)
        is_chosen = known_owner is not None and _find_choosers(roots, known_owner)
        return [known_owner] if known_owner is not None and is_chosen else [], setting
    by_name = {root.name: root for root in roots[ALGORITHM]}
    keys = [key for root in by_name.values() for key in get_values(root)]
    for condition in parameter.conditions:
        if condition.parent in by_name:
            values = get_values(by_name[condition.parent])
            keys = [value for value in values if condition.is_satisfied_by(value)]
    owners_found = [_OWNERS.get(str(key)) for key in dict.fromkeys(keys)]
    return [each for each in owners_found if each is not None], setting


def _explain_rejection(parameter: Parameter, owner: _Owner, setting: str) -> SpaceProblem | None:
    """Return why an owner rejects a parameter's values; ``None`` if it accepts them.

    For a library's further settings, only those controlled by the program are detected here; other
    problems are found by building an estimator (:mod:`studio.learners.library_spaces`).
    """
    domain = owner.settings.get(owner.renamed.get(setting, setting))
    if domain is None and owner.library is not None:
        return _explain_library_rejection(parameter, owner, owner.library, setting)
    if domain is None:
        message = phrase(
            "{owner} has no setting “{setting}”; it reads {offered}.",
            owner=owner.key,
            setting=setting,
            offered=join_values(tuple(owner.settings), "and") or phrase("nothing"),
        )
        return parameter.make_problem("sets", message)
    field, wrong_values = _find_invalid_values(parameter, domain)
    if not field:
        return None
    message = phrase(
        "{owner} takes {expected} as its {setting}; {values} cannot be used.",
        owner=owner.key,
        setting=setting,
        expected=domain.description,
        values=wrong_values,
    )
    return parameter.make_problem(field, message)


def _explain_library_rejection(
    parameter: Parameter, owner: _Owner, library: LibrarySettings, setting: str
) -> SpaceProblem | None:
    """Return why a library's setting is unsuitable for a space, or rarely has an effect."""
    if reason := library.explain_control(setting):
        message = phrase(
            "{owner}.{setting} cannot be set in a space: {reason}. Remove it.",
            owner=owner.key,
            setting=setting,
            reason=reason,
        )
        return parameter.make_problem("sets", message)
    other_name, value = library.enabling_conditions.get(setting, ("", ""))
    if not other_name or any(condition.values == (value,) for condition in parameter.conditions):
        return None
    message = phrase(
        "{owner}.{setting} has an effect only where {other} is {value}: put it under that value.",
        owner=owner.key,
        setting=setting,
        other=f"{owner.key}.{other_name}",
        value=str(value).lower(),
    )
    return parameter.make_problem("conditions", message, "note")


def is_declared(space: Space, parameter: Parameter) -> bool:
    """Return whether all readers of a parameter declare its setting."""
    owners, setting = _find_readers(_group_roots(space), parameter)
    return all(owner.renamed.get(setting, setting) in owner.settings for owner in owners)


def list_library_readers(space: Space) -> Iterator[tuple[Parameter, list[str], list[str]]]:
    """Yield the parameters of undeclared library settings, with those learners and all readers."""
    roots = _group_roots(space)
    for parameter in space.parameters:
        if parameter.sets != ALGORITHM:
            owners, setting = _find_readers(roots, parameter)
            library_owners = [
                each for each in owners if each.library and setting not in each.settings
            ]
            if library_owners:
                keys = [each.key for each in library_owners]
                yield parameter, keys, [each.key for each in owners]


def _find_invalid_values(parameter: Parameter, domain: Domain) -> tuple[str, str]:
    """Return the field with invalid values, and the values in words; empty if all are valid."""
    if isinstance(parameter, Float | Integer):
        bounds = (("low", parameter.low), ("high", parameter.high))
        for field, end in bounds:
            if not domain.accepts(end):
                return field, format_plain_number(end)
        if domain.is_integer and isinstance(parameter, Float) and parameter.low < parameter.high:
            return "kind", phrase("numbers with decimals")
        return "", ""
    wrong_values = [str(value) for value in get_values(parameter) if not domain.accepts(value)]
    if not wrong_values:
        return "", ""
    field = "value" if isinstance(parameter, Constant) else "choices"
    return "kind" if isinstance(parameter, Boolean) else field, join_values(wrong_values, "and")


def _find_clashes(space: Space, roots: _Roots) -> Iterator[SpaceProblem]:
    """Yield untrainable combinations in a space; errors if a learner has no other, else notes."""
    for owner in _OWNERS.values():
        for clash in owner.forbidden_combinations:
            for root in _find_choosers(roots, owner):
                restricted = restrict(space, root.name, owner.key)
                conditions = _find_clash_conditions(restricted, owner, clash.values)
                if conditions is not None:
                    displayed = space.get_parameter(conditions[-1] if conditions else root.name)
                    is_certain = _is_clash_unavoidable(restricted, owner, clash)
                    yield _make_problem(displayed, owner, clash, is_certain)


def _make_problem(
    parameter: Parameter, owner: _Owner, clash: ForbiddenCombination, is_certain: bool
) -> SpaceProblem:
    field = "value" if isinstance(parameter, Constant) else "choices"
    message = phrase(
        "{owner} cannot take {values} together; such trials fail. Take one of them out, or "
        "let one be active only without the other.",
        owner=owner.key,
        values=clash.description,
    )
    return parameter.make_problem(field, message, "error" if is_certain else "note")


def _find_clash_conditions(
    space: Space, owner: _Owner, setting_values: Sequence[tuple[str, Value]]
) -> tuple[str, ...] | None:
    """Return the parameters that can cause a clash; ``None`` if it is impossible."""
    if not setting_values:
        return ()
    (setting, expected_value), *remaining = setting_values
    setters = _find_setters(space, owner, setting)
    for setter in setters:
        if expected_value == ANY_VALUE:
            restricted = space
        elif expected_value in get_values(setter):
            restricted = restrict(space, setter.name, expected_value)
        else:
            continue
        chain = _find_clash_conditions(restricted, owner, remaining)
        if chain is not None:
            return (setter.name, *chain)
    unset_names = get_default_choice(owner.settings.get(setting)) == expected_value
    if unset_names and not any(_is_always_active(space, setter) for setter in setters):
        return _find_clash_conditions(space, owner, remaining)
    return None


def _is_clash_unavoidable(space: Space, owner: _Owner, clash: ForbiddenCombination) -> bool:
    for setting, expected_value in clash.values:
        setters = [p for p in _find_setters(space, owner, setting) if _is_always_active(space, p)]
        is_given = any(
            expected_value == ANY_VALUE or get_values(p) == (expected_value,) for p in setters
        )
        unset_names = get_default_choice(owner.settings.get(setting)) == expected_value
        if not is_given and not (unset_names and not _find_setters(space, owner, setting)):
            return False
    return True


def _find_setters(space: Space, owner: _Owner, setting: str) -> list[Parameter]:
    return [p for p in space.parameters if p.sets in {f"{owner.key}.{setting}", setting}]


def _is_always_active(space: Space, parameter: Parameter) -> bool:
    return all(
        condition.parent in space
        and isinstance(parent := space.get_parameter(condition.parent), Constant)
        and condition.is_satisfied_by(parent.value)
        and _is_always_active(space, parent)
        for condition in parameter.conditions
    )

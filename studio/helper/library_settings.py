"""Helper tasks about settings of learners' libraries: list, branches, checks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.phrases import phrase
from studio.space.base import SpaceProblem
from studio.tasks import task


@dataclass(frozen=True)
class LearnerSetting:
    """A setting for a space, with a description.

    Attributes:
        name, aliases: The library's names.
        domain, default, description: Its values, its default, and a description; any may be empty.
        enabling_condition: The condition under which it has an effect, if any.
        rejection: Why a space may not set it; empty if it may.
    """

    name: str
    aliases: tuple[str, ...]
    domain: str
    default: str
    description: str
    enabling_condition: str
    rejection: str


@dataclass(frozen=True)
class LearnerSettings:
    """All settings of a learner; ``library`` is its library's title, or empty."""

    settings: tuple[LearnerSetting, ...]
    library: str


@dataclass(frozen=True)
class LibraryProblems:
    """Incompatibilities of a space with libraries."""

    problems: tuple[SpaceProblem, ...]


@task("library_settings", slow=True)
def list_library_settings(learner: str, task: str | None) -> LearnerSettings:
    """Return a learner's (by key) available and unavailable settings."""
    from studio.learners.library_spaces import (
        format_default,
        get_required_setting,
        list_offered_parameters,
    )

    kind = _get_learner(learner)
    library = kind.library
    return LearnerSettings(
        tuple(
            LearnerSetting(
                each.setting.name,
                each.setting.aliases,
                "" if each.rejection else each.setting.domain.description,
                format_default(each.setting),
                each.setting.description,
                get_required_setting(each.setting),
                each.rejection,
            )
            for each in list_offered_parameters(kind, _check_task(kind, task))
        ),
        "" if library is None else library.title,
    )


@task("library_setting", slow=True)
def format_library_setting(learner: str, name: str, task: str | None) -> str:
    """Return a setting as the text of a branch, with its dependency."""
    from studio.learners.library_spaces import propose_parameters
    from studio.space.json_form import ParsedSpace, serialize_branches

    kind = _get_learner(learner)
    return serialize_branches(ParsedSpace(propose_parameters(kind, name, _check_task(kind, task))))


@task("library_problems", slow=True)
def find_library_problems(space: Mapping[str, Any], task: str | None) -> LibraryProblems:
    """Return the settings of a space (JSON) that its libraries reject when training estimators."""
    from studio.data.tasks import TASKS
    from studio.learners import library_spaces as found
    from studio.space.space import Space

    known_task = next((each for each in TASKS if each == task), None)
    return LibraryProblems(found.find_library_problems(Space.from_json(space), known_task))


def _get_learner(key: str) -> Any:
    from studio.errors import LearnerError
    from studio.learners.registry import REGISTRY
    from studio.parts import find_part

    kind = find_part(REGISTRY, key, phrase("kind of model"))
    if reason := kind.get_missing_dependency():
        raise LearnerError(reason)
    return kind


def _check_task(kind: Any, task: str | None) -> Any:
    return task if task in kind.tasks else kind.tasks[0]

"""Task ``check_method``: whether a method composed from parts can work, and which would fit."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Possible:
    """Whether a method can work.

    Attributes:
        problem: Why not, a sentence; empty where all is well.
        room: The part to blame for it; empty where all is well.
        refused: Room → part's key → why that part could not take the place of the present one.
            Empty while something is wrong: most other parts would not mend it.
    """

    problem: str = ""
    room: str = ""
    refused: dict[str, dict[str, str]] = field(default_factory=dict)


def check_method(settings: Mapping[str, Any]) -> Possible:
    """Look at the settings of a run, as JSON."""
    from studio.runs.compatible import problem_of, refused_parts
    from studio.runs.settings import RunSettings

    given = RunSettings.from_json(settings)
    problem, room = problem_of(given)
    return Possible(problem, room, {} if problem else refused_parts(given))

"""What a preset is: a method by name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from studio.data.tasks import Task
from studio.parts import OptionValue

FROM_SEARCH = "from-search"
"""As ensemble part: the ensemble that the search itself maintains."""

LEFT_OPEN: Mapping[str, str] = {"evaluation": "fixed"}
"""Parts of a preset that names none: evaluation is the user's choice unless the key fixes it."""


@dataclass(frozen=True)
class Preset:
    """A named choice of parts.

    Attributes:
        key: The exact name.
        family: The heading under which it is offered.
        summary: Two plain sentences.
        reference: Paper and section.
        parts: Part name ("proposer", "surrogate", …) → key of the part.
        options: ``"part.option"`` → value, where it differs from the part's default.
        aliases: Other names under which papers print it.
        refused: Task → why the method does not exist for it.
        spaces: Task → the shipped space that the method searches where none is chosen; the task's
            default where it names none.
        advised: Whether the program divides the rows by the table and the time, and leaves final
            models as they were trained, where the user says nothing else.
    """

    key: str
    family: str
    summary: str
    reference: str
    parts: Mapping[str, str]
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    refused: Mapping[Task, str] = field(default_factory=dict)
    spaces: Mapping[Task, str] = field(default_factory=dict)
    advised: bool = False

    def all_parts(self) -> dict[str, str]:
        """Return the parts, with those that the preset leaves to the house's choice.

        In the order of a trial's way: what suggests it, its evaluation, the ensemble.
        """
        ensemble = self.parts["ensemble"]
        search = {part: key for part, key in self.parts.items() if part != "ensemble"}
        return {**search, **LEFT_OPEN, **search, "ensemble": ensemble}

    def to_json(self) -> dict[str, Any]:
        """Return the preset as plain JSON; ``name`` is the key."""
        return {
            "name": self.key,
            "family": self.family,
            "summary": self.summary,
            "reference": self.reference,
            "aliases": list(self.aliases),
            "parts": self.all_parts(),
            "options": dict(self.options),
            "refused": dict(self.refused),
            "spaces": dict(self.spaces),
            "advised": self.advised,
        }


GP: Mapping[str, str] = {"surrogate": "gp", "acquisition": "ei", "maximiser": "local-search"}
"""Thesis 4 and 5: slice sampling, conditional where the space has conditions, local search."""

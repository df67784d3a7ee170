"""What a draft is: a frozen record of choices, kept as plain JSON in the document."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True)
class Draft:
    """Base of the records that pages edit; every change makes another one."""

    @classmethod
    def known(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return what of a JSON object is a choice of this draft."""
        names = {each.name for each in dataclasses.fields(cls)}
        return {name: value for name, value in given.items() if name in names}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """Read a draft from a document; what this version does not know is left out."""
        return cls(**cls.known(given))

    def to_json(self) -> dict[str, Any]:
        """Return the draft as plain JSON."""
        return dataclasses.asdict(self)

    def changed(self, **values: Any) -> Self:
        """Return the draft with other choices."""
        return dataclasses.replace(self, **values)

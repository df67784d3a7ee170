"""Methods that a person composed and kept: they are offered like the papers' own."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from PySide6.QtCore import QObject, QSettings, Signal

from studio.errors import UsageError
from studio.language import N_, tr
from studio.parts import OptionValue
from studio.plain_json import JsonError, read_json

FAMILY = N_("Mine")
_KEY = "run/my_methods"
_LONGEST = 60


@dataclass(frozen=True)
class MyMethod:
    """A method of one's own.

    Attributes:
        name: What it is called.
        method: The key of the preset that it began with.
        overrides: What differs from that.
    """

    name: str
    method: str
    overrides: Mapping[str, OptionValue]


class MyMethods(QObject):
    """The methods that were kept on this computer, in the order of their names."""

    changed = Signal()

    def all(self) -> list[MyMethod]:
        """Return them; what cannot be read (another version's) is left out."""
        try:
            stored = read_json(str(QSettings().value(_KEY, "[]")))
        except JsonError:
            return []
        found = [_read(each) for each in stored] if isinstance(stored, list) else []
        return sorted((each for each in found if each), key=lambda each: each.name.lower())

    def find(self, method: str, overrides: Mapping[str, OptionValue]) -> MyMethod | None:
        """Return the one that makes exactly this choice."""
        wanted = (method, dict(overrides))
        for each in self.all():
            if (each.method, dict(each.overrides)) == wanted:
                return each
        return None

    def named(self, name: str) -> MyMethod | None:
        """Return the one of this name."""
        return next((each for each in self.all() if each.name == name), None)

    def save(self, made: MyMethod, taken: set[str]) -> None:
        """Keep a method; one of the same name is replaced.

        Args:
            made: The method.
            taken: Names of the papers' methods, which it may not have.

        Raises:
            UsageError: If it has no name, too long a one, or one that is taken.
        """
        name = " ".join(made.name.split())
        if not name:
            raise UsageError(tr("Enter a name with at least one letter."))
        if len(name) > _LONGEST:
            raise UsageError(tr("Choose a shorter name: {most} letters at most.", most=_LONGEST))
        if name in taken:
            raise UsageError(tr("“{name}” is a method of the papers; choose another.", name=name))
        others = [each for each in self.all() if each.name != name]
        self._keep([*others, MyMethod(name, made.method, dict(made.overrides))])

    def delete(self, name: str) -> MyMethod | None:
        """Forget a method; return it, so that it can be saved again."""
        gone = self.named(name)
        if gone is not None:
            self._keep([each for each in self.all() if each.name != name])
        return gone

    def _keep(self, methods: list[MyMethod]) -> None:
        QSettings().setValue(_KEY, json.dumps([asdict(each) for each in methods]))
        self.changed.emit()


def _read(stored: Any) -> MyMethod | None:
    try:
        return MyMethod(str(stored["name"]), str(stored["method"]), dict(stored["overrides"]))
    except (KeyError, TypeError, ValueError):
        return None

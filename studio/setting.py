"""Declaration of a setting, from which its options, fields, checks and texts are derived.

A record of settings is a frozen dataclass whose fields are made by :func:`setting`. The options of
the command line (``studio/cli/settings.py``), the fields of forms
(``studio/gui/widgets/setting_fields.py``), undo labels, checks with their messages, the settings a
fork may change, and the command line in a report are derived from the declarations.
"""

import dataclasses
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from numbers import Integral, Real
from typing import Any

from studio.parts import Option
from studio.phrases import phrase


@dataclass(frozen=True)
class Setting(Option):
    """A declared setting: an option with its texts for window and command line.

    Attributes:
        high: The largest number in forms; elsewhere a bound only if ``error_message`` names it.
        choices: The allowed words; two are shown as a checkbox in forms, ticked for the second.
        above: An exclusive lower bound.
        pattern: A regular expression for the whole text; empty for any text.
        error_message: The message for an invalid value, with slots for the value ``{given}``, the
            bounds ``{low}`` and ``{high}`` and the words ``{allowed}``; empty if all values are
            allowed.
        tasks, idle: The tasks to which it applies (empty for all), and the error message for other
            tasks, where it must have its default and is hidden in forms.
        title, help, unit, empty, hint: Texts in forms: above the field, in its tooltip, after it,
            in it while empty, and below it. Forms fill the slots of the help text.
        form_unit_factor: The unit used in forms, in units of the setting.
        group: Its card in a form; empty for a special field, or none.
        flag, metavar, default_text: For the command line: the text of ``--help`` (empty for no such
            option), the value's placeholder, and a description of a non-constant default.
        is_off_switch: Whether the only option is one that switches it off: ``--no-keep``.
        forkable, affects_result: Whether a fork may change it, as existing trials remain valid; and
            whether a run's result depends on it, so that the report's command line includes it.
    """

    above: float | None = None
    pattern: str = ""
    error_message: str = ""
    tasks: tuple[str, ...] = ()
    idle: str = ""
    title: str = ""
    empty: str = ""
    hint: str = ""
    form_unit_factor: float = 1.0
    search_terms: str = ""
    group: str = ""
    label: str = ""
    flag: str = ""
    metavar: str | None = None
    default_text: str = ""
    is_off_switch: bool = False
    forkable: bool = True
    affects_result: bool = True

    def find_problem(self, value: Any) -> str:
        """Return the error message for a value; empty if it is valid."""
        if not self.error_message or self._is_allowed(value):
            return ""
        slots = {
            "given": f"{value:g}" if isinstance(value, float) else repr(value),
            "low": self.low,
            "high": self.high,
            "allowed": " or ".join(self.choices),
        }
        return phrase(
            self.error_message,
            **{k: v for k, v in slots.items() if f"{{{k}}}" in self.error_message},
        )

    def _is_allowed(self, value: Any) -> bool:
        if value is None or self.choices:
            return self.optional if value is None else value in self.choices
        if self.pattern:
            return isinstance(value, str) and re.fullmatch(self.pattern, value) is not None
        return (
            type(value) is not bool
            and issubclass(type(value), Integral if self.kind is int else Real)
            and math.isfinite(value)
            and (self.low is None or value >= self.low)
            and (self.high is None or "{high}" not in self.error_message or value <= self.high)
            and (self.above is None or value > self.above)
        )

    def applies_to(self, task: str) -> bool:
        """Whether it applies to a task."""
        return not self.tasks or task in self.tasks

    @property
    def option(self) -> str:
        """The command line option: "--trial-seconds"."""
        return f"--{'no-' if self.is_off_switch else ''}{self.name.replace('_', '-')}"

    def to_arguments(self, value: Any) -> list[str]:
        """Return the command line arguments for a value; none for a default."""
        if (
            not self.flag
            or value in {None, ""}
            or (value == self.default and not self.default_text)
        ):
            return []
        if self.kind is bool:
            return [self.option if value or self.is_off_switch else f"--no-{self.option[2:]}"]
        return [self.option, f"{value:.12g}" if isinstance(value, float) else str(value)]


def setting(default: Any, *, kind: type | None = None, **metadata: Any) -> Any:
    """Declare a setting as a dataclass field.

    For example, ``workers: int = setting(1, low=1, title="…")``. ``kind`` is required only if
    ``default`` is ``None``.
    """
    declared_setting = Setting("", kind or type(default), default, **metadata)
    return dataclasses.field(default=default, metadata={"setting": declared_setting})


def iter_settings(record: type) -> Iterator[Setting]:
    """Yield the settings of a dataclass in the order of its fields, overridden or not."""
    return iter(_list_settings(record))


@cache
def _list_settings(record: type) -> tuple[Setting, ...]:
    settings = []
    for field in dataclasses.fields(record):
        for kind in record.__mro__:
            field_with_setting = getattr(kind, "__dataclass_fields__", {}).get(field.name)
            if field_with_setting is not None and "setting" in field_with_setting.metadata:
                declared_setting = field_with_setting.metadata["setting"]
                settings.append(
                    dataclasses.replace(declared_setting, name=field.name, default=field.default)
                )
                break
    return tuple(settings)


def get_setting_names(record: type) -> tuple[str, ...]:
    """Return the names of the settings of a dataclass."""
    return tuple(each.name for each in iter_settings(record))

"""A setting, declared once: all that offers, shows, checks, names or repeats it is made from that.

A record of settings is a frozen dataclass whose fields are made by :func:`declare`. The options of
the command line (``studio/cli/settings.py``), the fields of forms, what undo calls a change, the
check and its message, and the command line in a report come from the declarations.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

TASKS = ("binary", "multiclass", "regression")


@dataclass(frozen=True)
class Flag:
    """How the command line offers a setting.

    Attributes
    ----------
    help : str
        What ``--help`` says.
    metavar : str or None
        What stands for the value there.
    default : str
        What holds without it, in words; empty where that need not be said.
    only_off : bool
        Whether there is only the option that switches it off: ``--no-keep``.
    """

    help: str
    metavar: str | None = None
    default: str = ""
    only_off: bool = False


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One declared setting.

    Attributes
    ----------
    kind : type
        ``bool``, ``int``, ``float`` or ``str``.
    default : Any
        What holds when nothing is said.
    name : str
        The field's name; :func:`settings_of` fills it in.
    low : int or None
        The smallest number.
    above : float or None
        What a number must be above.
    high : int or None
        The largest number that forms take; elsewhere there is no such bound.
    choices : tuple of str
        The allowed words of a ``str``. Of two, forms make a box: ticked for the second.
    optional : bool
        Whether ``None`` is allowed: an empty field.
    wrong : callable or None
        Returns the sentence that refuses a value, given as text; ``None`` where all are allowed.
    tasks : tuple of str
        The tasks for which it counts; for others forms hide it, and it is its default.
    idle : str
        The sentence that refuses it for other tasks.
    title, help, unit, empty, hint : str
        In forms: above the field, in its tooltip, behind it, in the empty field, and beneath it.
    slots : Mapping
        What the slots of ``help`` stand for.
    per : float
        How many of the setting's own units make one of the forms' unit.
    group : str
        The card of the run page that it lies in; empty for none, or for one with a field of its
        own kind.
    label : str
        What undo calls a change of it.
    flag : Flag or None
        How the command line offers it.
    forkable : bool
        Whether a fork may change it: the trials that are there already mean the same under it.
    decides : bool
        Whether a run's result depends on it, so that the report's command line names it.
    """

    kind: type
    default: Any
    name: str = ""
    low: int | None = None
    above: float | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()
    optional: bool = False
    wrong: Callable[[str], str] | None = None
    tasks: tuple[str, ...] = TASKS
    idle: str = ""
    title: str = ""
    help: str = ""
    unit: str = ""
    empty: str = ""
    hint: str = ""
    slots: Mapping[str, object] = field(default_factory=dict)
    per: float = 1.0
    group: str = ""
    label: str = ""
    flag: Flag | None = None
    forkable: bool = True
    decides: bool = True

    def problem(self, value: Any) -> str:
        """Return the sentence that refuses a value; empty where it is allowed."""
        if self.wrong is None or self._allows(value):
            return ""
        return self.wrong(f"{value:g}" if isinstance(value, float) else repr(value))

    def _allows(self, value: Any) -> bool:
        if value is None:
            return self.optional
        if self.choices:
            return value in self.choices
        return (
            isinstance(value, Real)
            and (self.low is None or float(value) >= self.low)
            and (self.above is None or float(value) > self.above)
        )

    @property
    def option(self) -> str:
        """Its option on the command line: "--trial-seconds"."""
        off = "no-" if self.flag is not None and self.flag.only_off else ""
        return f"--{off}{self.name.replace('_', '-')}"

    def words(self, value: Any) -> list[str]:
        """Return the command line's words that set a value; none where its option need not be."""
        if self.flag is None or value in {None, ""}:
            return []
        if value == self.default and not self.flag.default:
            return []
        if self.kind is bool:
            return [self.option if value or self.flag.only_off else f"--no-{self.option[2:]}"]
        return [self.option, f"{value:.12g}" if isinstance(value, float) else str(value)]


def declare(setting: Setting) -> Any:
    """Make a dataclass field of a setting: ``seed: int = declare(Setting(kind=int, …))``."""
    return field(default=setting.default, metadata={"setting": setting})


def settings_of(record: type) -> Iterator[Setting]:
    """Yield the settings that a dataclass declares, in the order of its fields."""
    for each in dataclasses.fields(record):
        if "setting" in each.metadata:
            yield dataclasses.replace(each.metadata["setting"], name=each.name)


def names_of(record: type) -> tuple[str, ...]:
    """Return the names of the settings that a dataclass declares."""
    return tuple(each.name for each in settings_of(record))

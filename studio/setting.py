"""A setting, declared once: all that offers, shows, checks, names or repeats it is made from that.

A record of settings is a frozen dataclass whose fields are made by :func:`declare`. The options of
the command line (``studio/cli/settings.py``), the fields of forms
(``studio/gui/widgets/setting_fields.py``), what undo calls a change, the check with its message,
what a fork may change and the command line in a report come from the declarations.
"""

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any


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


@dataclass(frozen=True)
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
    low, above : number or None
        The least whole number; what a number must be above.
    high : int or None
        The largest number that forms take; elsewhere there is no such bound.
    choices : tuple of str
        The allowed words; of two, forms make a box, ticked for the second.
    optional : bool
        Whether ``None`` is allowed: an empty field.
    wrong : callable or None
        Returns the sentence that refuses a value, given as text; ``None`` where all are allowed.
    tasks, idle : tuple of str, str
        The tasks for which it counts (empty for all), and the sentence that refuses it elsewhere,
        where it is its default and forms hide it.
    title, help, unit, empty, hint : str
        In forms: above the field, in its tooltip, behind it, in it while empty, and beneath it.
        Forms know what slots of the help stand for.
    per : float
        How many of the setting's own units make one of the forms'.
    group : str
        The card of a form that it lies in; empty where it has a field of its own kind, or none.
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
    tasks: tuple[str, ...] = ()
    idle: str = ""
    title: str = ""
    help: str = ""
    unit: str = ""
    empty: str = ""
    hint: str = ""
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
        if value is None or self.choices:
            return self.optional if value is None else value in self.choices
        return (
            type(value) is not bool
            and issubclass(type(value), Integral if self.kind is int else Real)
            and (self.low is None or value >= self.low)
            and (self.above is None or value > self.above)
        )

    def counts_for(self, task: str) -> bool:
        """Whether it means something where this is to be predicted."""
        return not self.tasks or task in self.tasks

    @property
    def option(self) -> str:
        """Its option on the command line: "--trial-seconds"."""
        off = "no-" if self.flag is not None and self.flag.only_off else ""
        return f"--{off}{self.name.replace('_', '-')}"

    def words(self, value: Any) -> list[str]:
        """Return the words of a command line that give a value; none where nothing need be said."""
        if self.flag is None or value in {None, ""}:
            return []
        if value == self.default and not self.flag.default:
            return []
        if self.kind is bool:
            return [self.option if value or self.flag.only_off else f"--no-{self.option[2:]}"]
        return [self.option, f"{value:.12g}" if isinstance(value, float) else str(value)]


def declare(setting: Setting) -> Any:
    """Make a dataclass field: ``workers: int = declare(Setting(int, 1, low=1, …))``."""
    return dataclasses.field(default=setting.default, metadata={"setting": setting})


def settings_of(record: type) -> Iterator[Setting]:
    """Yield the settings of a dataclass in the order of its fields.

    A class may give a field another default than the class that declares it.
    """
    for field in dataclasses.fields(record):
        for kind in record.__mro__:
            known = getattr(kind, "__dataclass_fields__", {}).get(field.name)
            if known is not None and "setting" in known.metadata:
                setting = known.metadata["setting"]
                yield dataclasses.replace(setting, name=field.name, default=field.default)
                break


def names_of(record: type) -> tuple[str, ...]:
    """Return the names of the settings of a dataclass."""
    return tuple(each.name for each in settings_of(record))

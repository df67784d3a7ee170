"""Parts: components of a method, and their declarations.

A part is a small frozen dataclass with a ``key``, a ``title``, two plain sentences and typed
options. Its form in the window, its ``--set part.option=value``, its record in the document and the
contract tests are derived from that declaration, so a new part is one file and one line in its
registry.
"""

import dataclasses
import math
from abc import ABC
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any, ClassVar, Self, TypeVar

from studio.errors import UsageError
from studio.phrases import phrase

OptionValue = bool | int | float | str | None


@dataclass(frozen=True)
class EnabledWhen:
    """The choices of another option of the same part that enable an option."""

    option: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Option:
    """One declared setting of a part.

    Attributes:
        name: The field's name, as used in ``--set part.name=value``.
        kind: ``bool``, ``int``, ``float`` or ``str`` (a choice).
        default: ``None`` only if ``optional``.
        low, high: Inclusive bounds of a number.
        choices: The allowed words of a ``str``.
        unit: Shown after the field ("seconds", "rows"); empty for none.
        help: One plain sentence.
        optional: Whether ``None`` (written ``none`` or ``auto``) is allowed.
        words: The choices as shown to users, in order; empty if their keys suffice.
        only: ``None`` for always. Otherwise, forms hide a disabled option, and
            :func:`studio.runs.compatible.check_settings` rejects it.
    """

    name: str
    kind: type
    default: OptionValue
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    unit: str = ""
    help: str = ""
    optional: bool = False
    words: tuple[str, ...] = ()
    only: EnabledWhen | None = None

    def parse(self, value: object) -> OptionValue:
        """Convert a value, typed or as text, to the option's type; raise UsageError if invalid."""
        if value is None or (isinstance(value, str) and value.lower() in {"none", "auto"}):
            if self.optional:
                return None
            if not (isinstance(value, str) and value in self.choices):
                raise UsageError(
                    "{name} needs a value ({allowed}); none was given.",
                    name=self.name,
                    allowed=self.describe(),
                )
        if self.kind is bool:
            return self._parse_bool(value)
        if self.kind is str:
            if value not in self.choices:
                raise UsageError(
                    "{name} must be {allowed}; {value!r} was given.",
                    name=self.name,
                    allowed=self.describe(),
                    value=value,
                )
            return str(value)
        return self._parse_number(value)

    def _parse_bool(self, value: object) -> bool:
        text = str(value).lower()
        if text in {"true", "yes", "on", "1"}:
            return True
        if text in {"false", "no", "off", "0"}:
            return False
        raise UsageError(
            "{name} must be yes or no; {value!r} was given.", name=self.name, value=value
        )

    def _parse_number(self, value: object) -> int | float:
        try:
            number = float(str(value))
        except ValueError:
            number = math.nan
        is_integer = self.kind is int
        if (
            not math.isfinite(number)
            or (is_integer and number != int(number))
            or (self.low is not None and number < self.low)
            or (self.high is not None and number > self.high)
        ):
            raise UsageError(
                "{name} must be {allowed}; {value!r} was given.",
                name=self.name,
                allowed=self.describe(),
                value=value,
            )
        return int(number) if is_integer else number

    def describe(self) -> str:
        """Describe the allowed values, for error messages and help."""
        if self.kind is bool:
            return phrase("yes or no")
        if self.kind is str:
            return phrase("one of {choices}", choices=", ".join(self.choices))
        return _describe_integer_range(self) if self.kind is int else _describe_range(self)


def _describe_integer_range(option: Option) -> str:
    low, high = option.low, option.high
    if low is not None and high is not None:
        return phrase("a whole number from {low:g} to {high:g}", low=low, high=high)
    if low is not None:
        return phrase("a whole number of at least {low:g}", low=low)
    if high is not None:
        return phrase("a whole number of at most {high:g}", high=high)
    return phrase("a whole number")


def _describe_range(option: Option) -> str:
    low, high = option.low, option.high
    if low is not None and high is not None:
        return phrase("a number from {low:g} to {high:g}", low=low, high=high)
    if low is not None:
        return phrase("a number of at least {low:g}", low=low)
    if high is not None:
        return phrase("a number of at most {high:g}", high=high)
    return phrase("a number")


def option(
    default: OptionValue,
    *,
    help: str,
    low: float | None = None,
    high: float | None = None,
    choices: Sequence[str] = (),
    unit: str = "",
    optional: bool = False,
    kind: type | None = None,
    words: Sequence[str] = (),
    only: EnabledWhen | None = None,
) -> Any:
    """Declare an option as a dataclass field.

    For example, ``slots: int = option(12, low=1, help="…")``. ``kind`` is required only if
    ``default`` is ``None``.
    """
    declared = Option(
        name="",
        kind=kind or type(default),
        default=default,
        low=low,
        high=high,
        choices=tuple(choices),
        unit=unit,
        help=help,
        optional=optional,
        words=tuple(words),
        only=only,
    )
    return dataclasses.field(default=default, metadata={"option": declared})


@dataclass(frozen=True)
class Declaration:
    """The declaration of a part, without its behaviour: see :class:`Part`."""

    key: str
    title: str
    summary: str
    reference: str
    options: tuple[Option, ...]


@dataclass(frozen=True)
class Part(ABC):  # noqa: B024 - what is abstract differs from kind to kind
    """Base of all components of a method.

    Subclasses are frozen dataclasses whose fields are made by :func:`option`.

    Attributes:
        key: The exact name in the command line, the document and JSON.
        summary: Two plain sentences for a newcomer.
        reference: Its source: paper, section, equation.
    """

    key: ClassVar[str] = ""
    title: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    reference: ClassVar[str] = ""

    def __post_init__(self) -> None:
        """Check every option, regardless of how the part is constructed."""
        for declared in self.list_options():
            object.__setattr__(self, declared.name, declared.parse(getattr(self, declared.name)))

    @classmethod
    def list_options(cls) -> tuple[Option, ...]:
        """Return the declared options in the order of the fields."""
        return _get_options(cls)

    @classmethod
    def with_options(cls, options: Mapping[str, object]) -> Self:
        """Construct the part from named options, as text or JSON; raise UsageError if invalid."""
        options_by_name = {declared.name: declared for declared in cls.list_options()}
        for name in options:
            if name not in options_by_name:
                names = ", ".join(options_by_name) or "none"
                raise UsageError(
                    "{key!r} has no option {name!r}; available: {names}.",
                    key=cls.key,
                    name=name,
                    names=names,
                )
        return cls(**{name: options_by_name[name].parse(value) for name, value in options.items()})

    def to_json(self) -> dict[str, OptionValue]:
        """Serialise the options' values to a JSON object."""
        return {option.name: getattr(self, option.name) for option in self.list_options()}

    @classmethod
    def make_declaration(cls) -> Declaration:
        """Return the part's declaration, as used by the window's forms."""
        return Declaration(
            cls.key, cls.title, cls.summary, cls.reference, tuple(cls.list_options())
        )


@cache
def _get_options(part: type[Part]) -> tuple[Option, ...]:
    """Return a part's options, cached, as a search constructs thousands of parts."""
    return tuple(
        dataclasses.replace(field.metadata["option"], name=field.name)
        for field in dataclasses.fields(part)
        if "option" in field.metadata
    )


P = TypeVar("P", bound=Part)

_MIN_SIMILARITY = 0.75
"""Similarity from which a name is suggested; "xgboost" and "BO-post" have 0.71."""


def find_part(
    registry: Sequence[type[P]], key: str, noun: str, aliases: Iterable[str] = ()
) -> type[P]:
    """Return the part with this key.

    Args:
        aliases: Other accepted names of parts, suggested for similar keys.

    Raises:
        UsageError: If there is none; with the nearest name and the available keys.
    """
    for part_type in registry:
        if part_type.key == key:
            return part_type
    raise make_unknown_error(key, noun, [part_type.key for part_type in registry], aliases)


def make_unknown_error(
    key: str, noun: str, keys: Sequence[str], aliases: Iterable[str] = ()
) -> UsageError:
    """Return the error for an unknown key: with the nearest name, in any case, and all keys."""
    names = ", ".join(keys)
    spellings = {each.lower(): each for each in [*aliases, *keys]}
    if similar := get_close_matches(key.lower(), spellings, 1, _MIN_SIMILARITY):
        return UsageError(
            "There is no {noun} called {key!r}. Did you mean {similar!r}? Available: {names}.",
            noun=noun,
            key=key,
            similar=spellings[similar[0]],
            names=names,
        )
    return UsageError(
        "There is no {noun} called {key!r}; available: {names}.", noun=noun, key=key, names=names
    )

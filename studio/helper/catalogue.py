"""Task ``catalogue``: the methods and parts that can be chosen, as the window's forms read them."""

from collections.abc import Mapping
from dataclasses import dataclass

from studio.parts import Declaration
from studio.proposers.composition import Rules
from studio.proposers.preset import Preset


@dataclass(frozen=True)
class Catalogue:
    """What a method can be.

    Attributes:
        methods: In the order of their families.
        absent: Those whose library is not installed.
        parts: Room → its parts.
        rules: By what they are composed.
    """

    methods: tuple[Preset, ...]
    absent: tuple[Preset, ...]
    parts: Mapping[str, tuple[Declaration, ...]]
    rules: Rules


def catalogue() -> Catalogue:
    """Return all methods and parts."""
    from studio.proposers.catalogue import absent, composition, methods
    from studio.proposers.method import declarations

    return Catalogue(methods(), absent(), declarations(), composition())

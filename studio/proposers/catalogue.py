"""Everything that can be chosen, as plain JSON: for the window's forms and for ``--json``."""

from typing import Any

from studio.proposers.method import declarations
from studio.proposers.presets import PRESETS


def methods() -> list[dict[str, Any]]:
    """Return every preset with its family, sentences, reference and parts."""
    return [preset.to_json() for preset in PRESETS]


def parts() -> dict[str, list[dict[str, Any]]]:
    """Return every part of every room with its declared options."""
    return declarations()

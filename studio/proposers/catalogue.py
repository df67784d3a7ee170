"""Everything that can be chosen, as plain JSON: for the window's forms and for ``--json``."""

from typing import Any

from studio.proposers.base import Proposer
from studio.proposers.composition import ORDER
from studio.proposers.families.base import GP, Preset
from studio.proposers.method import declarations, shared_options
from studio.proposers.presets import PRESETS
from studio.proposers.registry import REGISTRY


def methods() -> list[dict[str, Any]]:
    """Return every preset with its family, sentences, reference and parts.

    Those of other libraries are among them where their library is installed.
    """
    lacking = _lacking()
    return [preset.to_json() for preset in PRESETS if preset.parts["proposer"] not in lacking]


def absent() -> list[dict[str, Any]]:
    """Return the presets whose library is missing: a document may name one all the same."""
    lacking = _lacking()
    return [preset.to_json() for preset in PRESETS if preset.parts["proposer"] in lacking]


def _lacking() -> set[str]:
    """Return the proposers whose library is missing."""
    return {each.key for each in REGISTRY if each.lacking()}


def parts() -> dict[str, list[dict[str, Any]]]:
    """Return every part of every room with its declared options.

    Also those whose library is missing: what was composed of them is refused with what to install.
    """
    return declarations()


def _usual() -> dict[str, Preset]:
    """Return for each proposer its first method that suits every space, else its first."""
    found: dict[str, Preset] = {}
    for preset in PRESETS:
        before = found.setdefault(preset.parts["proposer"], preset)
        if preset.parts.items() >= GP.items() and not before.parts.items() >= GP.items():
            found[preset.parts["proposer"]] = preset
    return found


def composition() -> dict[str, Any]:
    """Return the rules by which parts are composed.

    Returns
    -------
    dict
        uses: proposer → the further rooms that it takes parts from; own_ensemble: proposers that
        maintain an ensemble themselves; usual: proposer → the parts of its first method that
        suits every space, or else of its first; shared: room → options that all of its parts have.
    """
    return {
        "uses": {proposer.key: list(proposer.uses) for proposer in REGISTRY},
        "own_ensemble": [
            proposer.key
            for proposer in REGISTRY
            if proposer.own_ensemble is not Proposer.own_ensemble
        ],
        "usual": {key: preset.all_parts() for key, preset in _usual().items()},
        "shared": {room: sorted(shared_options(room)) for room in ORDER},
    }

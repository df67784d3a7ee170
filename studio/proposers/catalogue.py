"""Catalogue of methods, and the rules for combining their parts."""

from functools import cache

from studio.proposers.base import Proposer
from studio.proposers.composition import GP, PART_ORDER, Preset, Rules
from studio.proposers.method import list_shared_options
from studio.proposers.preset_table import PRESETS
from studio.proposers.registry import REGISTRY


def methods() -> tuple[Preset, ...]:
    """Return all available presets, including those of installed libraries."""
    unavailable = _list_unavailable_proposers()
    return tuple(preset for preset in PRESETS if preset.parts["proposer"] not in unavailable)


def list_unavailable_methods() -> tuple[Preset, ...]:
    """Return the presets whose library is missing, as documents may still name them."""
    unavailable = _list_unavailable_proposers()
    return tuple(preset for preset in PRESETS if preset.parts["proposer"] in unavailable)


def _list_unavailable_proposers() -> set[str]:
    """Return the proposers whose library is missing."""
    return {each.key for each in REGISTRY if each.missing_dependency()}


def _main_methods() -> dict[str, Preset]:
    """Return each proposer's first method suitable for all spaces, else its first."""
    main_presets: dict[str, Preset] = {}
    for preset in PRESETS:
        preset_before = main_presets.setdefault(preset.parts["proposer"], preset)
        if preset.parts.items() >= GP.items() and not preset_before.parts.items() >= GP.items():
            main_presets[preset.parts["proposer"]] = preset
    return main_presets


@cache
def composition() -> Rules:
    """Return the rules for composing parts."""
    return Rules(
        uses={proposer.key: proposer.uses for proposer in REGISTRY},
        own_ensemble=tuple(
            proposer.key
            for proposer in REGISTRY
            if proposer.own_ensemble is not Proposer.own_ensemble
        ),
        usual={key: preset.get_all_parts() for key, preset in _main_methods().items()},
        shared={room: tuple(sorted(list_shared_options(room))) for room in PART_ORDER},
    )

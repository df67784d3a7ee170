"""Construction of a method's parts from a preset and the user's changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from studio.acquisition.registry import CRITERIA, MAXIMISERS
from studio.data.evaluation.base import Evaluation
from studio.data.evaluation.registry import REGISTRY as EVALUATIONS
from studio.data.tasks import Task
from studio.ensembles.base import EnsembleBuilder
from studio.ensembles.registry import REGISTRY as BUILDERS
from studio.errors import UsageError
from studio.parts import Declaration, OptionValue, Part, find_part
from studio.phrases import phrase
from studio.proposers.base import Proposer
from studio.proposers.composition import FROM_SEARCH, GP, PART_ORDER, CompositionRules, Preset
from studio.proposers.preset_table import PRESETS
from studio.proposers.presets import get_preset
from studio.proposers.registry import REGISTRY
from studio.proposers.registry import REGISTRY as PROPOSERS
from studio.surrogates.registry import DIVERSITY_SURROGATES, SURROGATES

PART_REGISTRIES: Mapping[str, Sequence[type[Part]]] = {
    "proposer": PROPOSERS,
    "surrogate": SURROGATES,
    "acquisition": CRITERIA,
    "maximiser": MAXIMISERS,
    "diversity": DIVERSITY_SURROGATES,
    "evaluation": EVALUATIONS,
    "ensemble": BUILDERS,
}
"""The parts of a method with their registries."""


@dataclass(frozen=True)
class Method:
    """A preset with its parts constructed.

    Attributes:
        derived_options: ``"part.option"`` → value of each option derived from the budget; stored as
            overrides of the run, so that a later increase of the budget does not change them.
    """

    preset: str
    proposer: Proposer
    evaluation: Evaluation
    ensemble: EnsembleBuilder
    derived_options: Mapping[str, OptionValue] = field(default_factory=dict)


def compose(
    name: str,
    overrides: Mapping[str, OptionValue],
    task: Task,
    budget: int | None = None,
    *,
    is_prepared: bool = False,
) -> Method:
    """Construct the method's parts.

    Args:
        name: Key or alias of a preset.
        overrides: ``"part.option"`` → value, or ``"part"`` → key of another part.
        is_prepared: Whether the overrides contain all options derived from the budget. A missing
            option is newer than the run, which does not use it.

    Raises:
        UsageError: If the method does not exist for the task, or an override has an unknown name.
    """
    preset = get_preset(name)
    if task in preset.rejections:
        reason = preset.rejections[task]
        if task == "regression":
            raise UsageError(
                "{preset} cannot be used for regression: {reason}.",
                preset=preset.key,
                reason=reason,
            )
        raise UsageError(
            "{preset} cannot be used for {task}: {reason}.",
            preset=preset.key,
            task=task,
            reason=reason,
        )
    keys, options = preset.get_all_parts(), _split_by_part(preset.options)
    keys_by_part, options_by_part = _split_overrides(overrides)
    for part, key in keys_by_part.items():
        if key != keys.get(part):
            common_options = list_shared_options(part)
            part_options = options.pop(part, {})
            options[part] = {
                name: value for name, value in part_options.items() if name in common_options
            }
        keys[part] = key
    proposer_class = find_part(PROPOSERS, keys["proposer"], phrase("proposer"))
    used = {"proposer", "evaluation", "ensemble", *proposer_class.required_parts}
    for part in options_by_part:
        if part not in used:
            raise UsageError(
                "{preset} has no part {part!r}; it is made of: {used}.",
                preset=preset.key,
                part=part,
                used=", ".join(sorted(used)),
            )
        options[part] = {**options.get(part, {}), **options_by_part[part]}
    parts_by_name = {
        part: find_part(
            PART_REGISTRIES[part], _make_key(keys, part, preset), phrase(part)
        ).with_options(options.get(part, {}))
        for part in proposer_class.required_parts
    }
    open_proposer = proposer_class.with_options(options.get("proposer", {})).prepare(
        task, parts_by_name
    )
    proposer = open_proposer if is_prepared else open_proposer.with_budget(budget)
    evaluation = find_part(EVALUATIONS, keys["evaluation"], phrase("evaluation")).with_options(
        options.get("evaluation", {})
    )
    open_builder = _make_builder(keys["ensemble"], options, proposer).with_generation(
        proposer.get_generation_size
    )
    builder = open_builder if is_prepared else open_builder.with_budget(budget)
    for each in (builder, proposer.get_search_ensemble()):
        if each is not None:
            each.check(task)
    settled_options = {
        **_list_changes("proposer", open_proposer, proposer),
        **_list_changes("ensemble", open_builder, builder),
    }
    return Method(preset.key, proposer, evaluation, builder, settled_options)


def _list_changes(name: str, default: Part, changed: Part) -> dict[str, OptionValue]:
    """Return a part's non-default options, keyed as overrides."""
    default_options = default.to_json()
    return {
        f"{name}.{key}": value
        for key, value in changed.to_json().items()
        if value != default_options[key]
    }


def list_shared_options(part: str) -> set[str]:
    """Return the options common to all alternatives of a part; these survive a change of part."""
    option_names = [
        {option.name for option in each.list_options()} for each in PART_REGISTRIES[part]
    ]
    return set.intersection(*option_names)


def _make_key(keys: Mapping[str, str], part: str, preset: Preset) -> str:
    if part not in keys:
        raise UsageError(
            "{preset} needs a {part}; name one with --set {part}=KEY.", preset=preset.key, part=part
        )
    return keys[part]


def _make_builder(
    key: str, options: Mapping[str, dict[str, Any]], proposer: Proposer
) -> EnsembleBuilder:
    builder_options = options.get("ensemble", {})
    if key != FROM_SEARCH:
        return find_part(BUILDERS, key, phrase("ensemble builder")).with_options(builder_options)
    search_ensemble = proposer.get_search_ensemble()
    if search_ensemble is None:
        raise UsageError(
            "The proposer {proposer!r} does not maintain an ensemble; choose one of: {builders}.",
            proposer=proposer.key,
            builders=", ".join(builder.key for builder in BUILDERS),
        )
    if builder_options:
        own_options = {option.name for option in proposer.list_options()}
        known_name = next((name for name in builder_options if name in own_options), None)
        if known_name is None:
            raise UsageError(
                "The ensemble is the search's own here, without an option {option!r}. Options of "
                "the search: {names}.",
                option=next(iter(builder_options)),
                names=", ".join(f"proposer.{name}" for name in sorted(own_options)) or "none",
            )
        raise UsageError(
            "The ensemble is the search's own here; set proposer.{option} instead of "
            "ensemble.{option}.",
            option=known_name,
        )
    return search_ensemble


def _split_by_part(options: Mapping[str, OptionValue]) -> dict[str, dict[str, Any]]:
    options_by_part: dict[str, dict[str, Any]] = {}
    for name, value in options.items():
        part, _, option_name = name.partition(".")
        options_by_part.setdefault(part, {})[option_name] = value
    return options_by_part


def _split_overrides(
    overrides: Mapping[str, OptionValue],
) -> tuple[dict[str, str], dict[str, dict[str, Any]]]:
    """Split overrides into chosen parts and changed options; reject unknown part names."""
    keys_by_part: dict[str, str] = {}
    options_by_part: dict[str, dict[str, Any]] = {}
    for name, value in overrides.items():
        part, dot, option_name = name.partition(".")
        if part not in PART_REGISTRIES:
            raise UsageError(
                "There is no part called {part!r}; available: {parts}.",
                part=part,
                parts=", ".join(PART_REGISTRIES),
            )
        if dot:
            options_by_part.setdefault(part, {})[option_name] = value
        else:
            keys_by_part[part] = str(value)
    return keys_by_part, options_by_part


@cache
def get_declarations() -> dict[str, tuple[Declaration, ...]]:
    """Return each part's alternatives with options, including those of missing libraries."""
    return {
        part_kind: tuple(part.make_declaration() for part in parts)
        for part_kind, parts in PART_REGISTRIES.items()
    }


def list_methods() -> tuple[Preset, ...]:
    """Return all available presets, including those of installed libraries."""
    unavailable = _list_unavailable_proposers()
    return tuple(preset for preset in PRESETS if preset.parts["proposer"] not in unavailable)


def list_unavailable_methods() -> tuple[Preset, ...]:
    """Return the presets whose library is missing, as documents may still name them."""
    unavailable = _list_unavailable_proposers()
    return tuple(preset for preset in PRESETS if preset.parts["proposer"] in unavailable)


def _list_unavailable_proposers() -> set[str]:
    return {each.key for each in REGISTRY if each.get_missing_dependency()}


def _find_main_methods() -> dict[str, Preset]:
    """Return each proposer's first method suitable for all spaces, else its first."""
    main_presets: dict[str, Preset] = {}
    for preset in PRESETS:
        previous_preset = main_presets.setdefault(preset.parts["proposer"], preset)
        if preset.parts.items() >= GP.items() and not previous_preset.parts.items() >= GP.items():
            main_presets[preset.parts["proposer"]] = preset
    return main_presets


@cache
def get_rules() -> CompositionRules:
    """Return the rules for composing parts."""
    return CompositionRules(
        required_parts={proposer.key: proposer.required_parts for proposer in REGISTRY},
        ensemble_proposers=tuple(
            proposer.key
            for proposer in REGISTRY
            if proposer.get_search_ensemble is not Proposer.get_search_ensemble
        ),
        default_parts={key: preset.get_all_parts() for key, preset in _find_main_methods().items()},
        shared_options={
            part_kind: tuple(sorted(list_shared_options(part_kind))) for part_kind in PART_ORDER
        },
    )

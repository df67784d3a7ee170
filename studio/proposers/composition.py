"""Composition of a method from declared parts, with the compatible alternatives.

The window's form and the helper's checks share these rules; the parts themselves are not loaded
here. *Overrides* are those of :func:`studio.proposers.method.compose`, and *rules* those returned
by :func:`studio.proposers.method.get_rules`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from studio.data.tasks import Task
from studio.parts import Declaration, EnabledWhen, Option, OptionValue

FROM_SEARCH = "from-search"
"""Key of the search's own ensemble, as an ensemble part."""

DEFAULT_PARTS: Mapping[str, str] = {"evaluation": "fixed"}
"""Default parts of a preset: evaluation is the user's choice unless the preset sets it."""


@dataclass(frozen=True)
class Preset:
    """A named choice of parts.

    Attributes:
        key: The exact name, as in the papers.
        title: A name for readers who do not know the papers.
        family: The heading under which it is offered.
        summary: Two plain sentences.
        reference: Paper and section.
        parts: Part name ("proposer", "surrogate", …) → part key.
        options: ``"part.option"`` → value, for values other than the part's default.
        aliases: Alternative names in papers.
        rejections: Unsupported task → reason.
        spaces: Task → default shipped space; the task's default if missing.
        advised: Whether by default the program chooses the split from the table and the time limit,
            and refits the final models only if that is worthwhile and quick.
    """

    key: str
    title: str
    family: str
    summary: str
    reference: str
    parts: Mapping[str, str]
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    rejections: Mapping[Task, str] = field(default_factory=dict)
    spaces: Mapping[Task, str] = field(default_factory=dict)
    advised: bool = False

    def get_all_parts(self) -> dict[str, str]:
        """Return the parts, with defaults, in order of use: proposer, evaluation, ensemble."""
        ensemble = self.parts["ensemble"]
        search = {part: key for part, key in self.parts.items() if part != "ensemble"}
        return {**search, **DEFAULT_PARTS, **search, "ensemble": ensemble}

    def to_json(self) -> dict[str, Any]:
        """Return the preset as plain JSON, with its key as ``name``."""
        return {
            "name": self.key,
            "title": self.title,
            "family": self.family,
            "summary": self.summary,
            "reference": self.reference,
            "aliases": list(self.aliases),
            "parts": self.get_all_parts(),
            "options": dict(self.options),
            "refused": dict(self.rejections),
            "spaces": dict(self.spaces),
            "advised": self.advised,
        }


GP: Mapping[str, str] = {"surrogate": "gp", "acquisition": "ei", "maximiser": "local-search"}
"""Thesis 4 and 5: slice sampling, a conditional kernel for conditional spaces, local search."""


PART_ORDER = (
    "proposer",
    "surrogate",
    "acquisition",
    "maximiser",
    "diversity",
    "evaluation",
    "ensemble",
)
"""The parts in order of use in a trial."""

COMMON_PARTS = ("proposer", "evaluation", "ensemble")
"""Parts of every method; other parts exist only with proposers that require them."""

_FALLBACK_ENSEMBLE = "greedy"
"""The default ensemble builder."""

Overrides = Mapping[str, OptionValue]
PartsByKind = Mapping[str, tuple[Declaration, ...]]
"""The result of :func:`studio.proposers.method.get_declarations`."""


@dataclass(frozen=True)
class CompositionRules:
    """Rules for composing parts.

    Attributes:
        required_parts: Proposer → names of the other parts it requires.
        ensemble_proposers: Proposers that maintain an ensemble themselves.
        default_parts: Proposer → the parts of its first method suitable for every space, or
            otherwise of its first method.
        shared_options: Part name → options common to all alternatives.
    """

    required_parts: Mapping[str, tuple[str, ...]]
    ensemble_proposers: tuple[str, ...]
    default_parts: Mapping[str, Mapping[str, str]]
    shared_options: Mapping[str, tuple[str, ...]]


def get_part(parts_by_kind: PartsByKind, part_name: str, key: str) -> Declaration | None:
    """Return a part's declaration; ``None`` for the search's own ensemble."""
    return next((each for each in parts_by_kind.get(part_name, ()) if each.key == key), None)


def get_chosen_parts(
    preset: Preset, overrides: Overrides, rules: CompositionRules
) -> dict[str, str]:
    """Return the applicable parts of a method: part name → key, in order."""
    parts = preset.get_all_parts()
    proposer = str(overrides.get("proposer", parts["proposer"]))
    used = {*COMMON_PARTS, *rules.required_parts.get(proposer, ())}
    parts_by_kind = {}
    for part_kind in PART_ORDER:
        if part_kind in used:
            chosen_key = parts.get(part_kind) or rules.default_parts[proposer].get(part_kind, "")
            parts_by_kind[part_kind] = str(overrides.get(part_kind, chosen_key))
    return parts_by_kind


def has_same_evaluation(original: Preset, overrides: Overrides, other: Preset) -> bool:
    """Return whether a method can reuse the trials of another method with its overrides.

    A method adopts the trials' evaluation unless it sets an evaluation part or option itself.
    """
    part_kind = "evaluation"
    key = overrides.get(part_kind, original.get_all_parts()[part_kind])
    if other.parts.get(part_kind, key) != key:
        return False
    # An option is only set where it differs from the part's default.
    options = {**original.options, **overrides}
    set_by_other = {
        name: value for name, value in other.options.items() if name.startswith(part_kind)
    }
    return all(options.get(name) == value for name, value in set_by_other.items())


def choose_part(
    preset: Preset, overrides: Overrides, part_name: str, key: str, rules: CompositionRules
) -> dict[str, OptionValue]:
    """Return the overrides after a change of part.

    Options of the previous part are dropped. A new proposer adds its required parts and drops all
    others; if it maintains no ensemble, greedy selection replaces the search's ensemble.

    Args:
        key: The part's key, or "from-search" for the search's own ensemble.
    """
    kept_overrides = {
        name: value for name, value in overrides.items() if name.partition(".")[0] != part_name
    }
    parts = preset.get_all_parts()
    if key != parts.get(part_name):
        kept_overrides[part_name] = key
    if part_name == "proposer":
        used = {*COMMON_PARTS, *rules.required_parts.get(key, ())}
        kept_overrides = {
            name: value for name, value in kept_overrides.items() if name.partition(".")[0] in used
        }
        for missing_part in used - set(COMMON_PARTS):
            if missing_part not in parts:
                kept_overrides.setdefault(missing_part, rules.default_parts[key][missing_part])
        ensemble = kept_overrides.get("ensemble", parts["ensemble"])
        if ensemble == FROM_SEARCH and key not in rules.ensemble_proposers:
            kept_overrides["ensemble"] = _FALLBACK_ENSEMBLE
    return kept_overrides


def get_base_value(
    preset: Preset, overrides: Overrides, part_name: str, option: Option, rules: CompositionRules
) -> OptionValue:
    """Return an option's default value from the preset, or else from the part.

    A preset's option applies to the preset's part, and to its alternatives if all of them have that
    option.
    """
    is_replaced = part_name in overrides and overrides[part_name] != preset.get_all_parts().get(
        part_name
    )
    if is_replaced and option.name not in rules.shared_options.get(part_name, ()):
        return option.default
    return preset.options.get(f"{part_name}.{option.name}", option.default)


def is_applicable(option: Option, value_of: Callable[[str], OptionValue]) -> bool:
    """Return whether an option applies, given the values of its part's other options."""
    return option.only is None or value_of(option.only.option) in option.only.values


def find_ineffective_overrides(
    preset: Preset, overrides: Overrides, parts_by_kind: PartsByKind, rules: CompositionRules
) -> dict[str, EnabledWhen]:
    """Return ``"part.option"`` of overrides without effect → the condition of an effect."""
    idle: dict[str, EnabledWhen] = {}
    for part_kind, key in get_chosen_parts(preset, overrides, rules).items():
        part = get_part(parts_by_kind, part_kind, key)
        options_by_name = {} if part is None else {each.name: each for each in part.options}

        def get_value(
            name: str,
            part_kind: str = part_kind,
            options_by_name: Mapping[str, Option] = options_by_name,
        ) -> OptionValue:
            base = get_base_value(preset, overrides, part_kind, options_by_name[name], rules)
            return overrides.get(f"{part_kind}.{name}", base)

        for name, option in options_by_name.items():
            full_name = f"{part_kind}.{name}"
            if full_name in overrides and option.only and not is_applicable(option, get_value):
                idle[full_name] = option.only
    return idle

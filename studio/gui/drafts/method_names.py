"""Names of composed methods, their differences from the preset, and their order in a search."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from studio.helper.methods import Catalogue
from studio.language import N_, ntr, number, tr, translate
from studio.parts import Option, OptionValue
from studio.proposers.composition import PartsByKind, Preset, get_chosen_parts, get_part

PART_TITLES = {
    "proposer": N_("Choice of the next configuration"),
    "surrogate": N_("Prediction of untried configurations"),
    "acquisition": N_("Criterion for promising configurations"),
    "maximiser": N_("Search for the most promising configuration"),
    "diversity": N_("Prediction of diversity"),
    "evaluation": N_("Rows for scoring trials"),
    "ensemble": N_("Construction of the ensemble"),
}
"""Parts of a method in plain words, by exact term; displayed through ``tr``."""

PART_TERMS = {
    "proposer": N_("proposer"),
    "surrogate": N_("surrogate"),
    "acquisition": N_("acquisition"),
    "maximiser": N_("maximiser"),
    "diversity": N_("diversity surrogate"),
    "evaluation": N_("evaluation"),
    "ensemble": N_("ensemble"),
}
"""The exact terms; shown through ``tr``."""

_MAX_CHANGES = 2
"""Maximum number of differences listed in a name; further ones are only counted."""

Overrides = Mapping[str, OptionValue]


@dataclass(frozen=True)
class Override:
    """One choice that differs from the preset.

    Attributes:
        option: The part's option; empty if the whole part differs.
        label: Text within a name: "Random forest", "Matérn 5/2 kernel", "slots 7".
    """

    part: str
    option: str
    label: str


def rank_match(search_words: Sequence[str], names: Iterable[str]) -> int:
    """Return how well lower-case words match names; lower is better.

    0 if they are a name, 1 if a name starts with them, 2 if all are whole words of names, else 3.
    """
    if not search_words:
        return 0
    query, lower_names = " ".join(search_words), [each.lower() for each in names]
    if query in lower_names:
        return 0
    if any(each.startswith(query) for each in lower_names):
        return 1
    return 2 if {*search_words} <= {*re.findall(r"[\w-]+", " ".join(lower_names))} else 3


def get_part_title(parts_by_kind: PartsByKind, part_name: str, key: str) -> str:
    """Return the name of a part."""
    part = get_part(parts_by_kind, part_name, key)
    return tr("The search's own") if part is None else translate(part.title)


def list_differences(preset: Preset, overrides: Overrides, catalogue: Catalogue) -> list[Override]:
    """Return a method's differences from its preset, whole parts before options."""
    parts_by_kind = catalogue.parts
    parts = get_chosen_parts(preset, overrides, catalogue.rules)
    overridden = [
        Override(part_kind, "", get_part_title(parts_by_kind, part_kind, parts[part_kind]))
        for part_kind in parts
        if part_kind in overrides
    ]
    for name, value in overrides.items():
        part_kind, dot, option = name.partition(".")
        if dot and part_kind in parts:
            declared = _find_option(parts_by_kind, parts, name)
            overridden.append(Override(part_kind, option, _format_option(option, declared, value)))
    return overridden


def _find_option(parts_by_kind: PartsByKind, parts: Mapping[str, str], name: str) -> Option | None:
    """Return the declared option for a key such as "surrogate.kernel"."""
    part_kind, _, option = name.partition(".")
    part = get_part(parts_by_kind, part_kind, parts[part_kind]) if part_kind in parts else None
    return next((each for each in part.options if each.name == option), None) if part else None


def drop_resolved_options(
    preset: Preset, overrides: Overrides, catalogue: Catalogue
) -> dict[str, OptionValue]:
    """Return the choices without the options that a run derives from its budget."""
    parts = get_chosen_parts(preset, overrides, catalogue.rules)

    def is_resolved(name: str) -> bool:
        option = _find_option(catalogue.parts, parts, name)
        return option is not None and option.optional and option.default is None

    return {name: value for name, value in overrides.items() if not is_resolved(name)}


def compose_name(preset: Preset, overrides: Overrides, catalogue: Catalogue) -> str:
    """Return a readable name: "EO-sig", "EO-sig with Matérn 5/2 kernel".

    With another proposer, the name is that proposer's; the parts used with it in its papers are not
    listed.
    """
    changes = list_differences(preset, overrides, catalogue)
    base = preset.key
    if "proposer" in overrides:
        key = str(overrides["proposer"])
        base = get_part_title(catalogue.parts, "proposer", key)
        defaults = catalogue.rules.default_parts.get(key, {})
        changes = [
            each
            for each in changes
            if each.option
            or (each.part != "proposer" and overrides[each.part] != defaults.get(each.part))
        ]
    texts = [each.label for each in changes]
    if not texts:
        return base
    if len(texts) == 1:
        return tr("{method} with {change}", method=base, change=texts[0])
    first, second = texts[:_MAX_CHANGES]
    if len(texts) == _MAX_CHANGES:
        return tr("{method} with {first} and {second}", method=base, first=first, second=second)
    n_more = len(texts) - _MAX_CHANGES
    more = ntr("{count} more change", "{count} more changes", n_more)
    return tr(
        "{method} with {changes} and {more}", method=base, changes=f"{first}, {second}", more=more
    )


def get_option_title(name: str) -> str:
    """Return an option's label."""
    return translate(name.replace("_", " ").capitalize())


def _format_option(name: str, declared: Option | None, value: OptionValue) -> str:
    title = translate(name.replace("_", " "))
    if isinstance(value, bool):
        return tr("{option} on", option=title) if value else tr("no {option}", option=title)
    if value is None:
        return tr("automatic {option}", option=title)
    if isinstance(value, str):
        if declared and declared.words and value in declared.choices:
            value = translate(declared.words[declared.choices.index(value)])
        return tr("{choice} {option}", choice=value, option=title)
    return tr("{option} {value}", option=title, value=number(value))

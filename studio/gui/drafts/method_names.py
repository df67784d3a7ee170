"""What a composed method is called, and how it differs from the preset that it began with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from studio.gui.base.language import mark, ntr, said, tr
from studio.parts import OptionValue
from studio.proposers.composition import chosen_parts

ROOMS = {
    "proposer": mark("What to try next"),
    "surrogate": mark("How untried settings are predicted"),
    "acquisition": mark("What makes a setting promising"),
    "maximiser": mark("How the most promising one is found"),
    "diversity": mark("How diversity is predicted"),
    "evaluation": mark("On which rows trials are scored"),
    "ensemble": mark("How the ensemble is built"),
}
"""Each part of a method in plain words; the exact term is its key. Shown through ``tr``."""

TERMS = {
    "proposer": mark("proposer"),
    "surrogate": mark("surrogate"),
    "acquisition": mark("acquisition"),
    "maximiser": mark("maximiser"),
    "diversity": mark("diversity surrogate"),
    "evaluation": mark("evaluation"),
    "ensemble": mark("ensemble"),
}
"""The exact terms; shown through ``tr``."""

_NAMED = 2
"""Differences that a name spells out; the others are counted."""

Overrides = Mapping[str, OptionValue]
Rooms = Mapping[str, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True)
class Difference:
    """One choice that is not the preset's.

    Attributes
    ----------
    room : str
        The part.
    option : str
        The part's option; empty where the whole part is another one.
    words : str
        As a name says it: "Random forest", "Matérn 5/2 kernel", "slots 7".
    """

    room: str
    option: str
    words: str


def part_of(rooms: Rooms, room: str, key: str) -> Mapping[str, Any] | None:
    """Return a part's declaration; ``None`` for the search's own ensemble."""
    return next((each for each in rooms.get(room, ()) if each["key"] == key), None)


def part_title(rooms: Rooms, room: str, key: str) -> str:
    """Return what a part is called."""
    part = part_of(rooms, room, key)
    return tr("The search's own") if part is None else said(str(part["title"]))


def differences(
    preset: Mapping[str, Any], overrides: Overrides, rooms: Rooms, rules: Mapping[str, Any]
) -> list[Difference]:
    """Return how a method differs from its preset, whole parts before options."""
    parts = chosen_parts(preset, overrides, rules)
    found = [
        Difference(room, "", part_title(rooms, room, parts[room]))
        for room in parts
        if room in overrides
    ]
    for name, value in overrides.items():
        room, dot, option = name.partition(".")
        if dot and room in parts:
            part = part_of(rooms, room, parts[room])
            declared = next(
                (each for each in (part or {}).get("options", ()) if each["name"] == option), None
            )
            found.append(Difference(room, option, _option_words(option, declared, value)))
    return found


def composed_name(
    preset: Mapping[str, Any], overrides: Overrides, rooms: Rooms, rules: Mapping[str, Any]
) -> str:
    """Return a readable name: "EO-sig", "EO-sig with Matérn 5/2 kernel".

    With another proposer it is another method, so that gives the name then; parts that this
    brought along because its papers use them are not spelled out.
    """
    found = differences(preset, overrides, rooms, rules)
    base = str(preset["name"])
    if "proposer" in overrides:
        key = str(overrides["proposer"])
        base = part_title(rooms, "proposer", key)
        usual = rules["usual"].get(key, {})
        found = [
            each
            for each in found
            if each.option
            or (each.room != "proposer" and overrides[each.room] != usual.get(each.room))
        ]
    words = [each.words for each in found]
    if not words:
        return base
    named, rest = words[:_NAMED], len(words) - _NAMED
    if rest > 0:
        more = ntr("{count} more change", "{count} more changes", rest)
        return tr(
            "{method} with {changes} and {more}", method=base, changes=", ".join(named), more=more
        )
    if len(named) == 1:
        return tr("{method} with {change}", method=base, change=named[0])
    return tr("{method} with {first} and {second}", method=base, first=named[0], second=named[1])


def option_title(name: str) -> str:
    """Return an option's name as a field shows it."""
    return said(name.replace("_", " ").capitalize())


def _option_words(name: str, declared: Mapping[str, Any] | None, value: OptionValue) -> str:
    title = said(name.replace("_", " "))
    if isinstance(value, bool):
        return tr("{option} on", option=title) if value else tr("no {option}", option=title)
    if value is None:
        return tr("automatic {option}", option=title)
    if isinstance(value, str):
        choices, words = (declared or {}).get("choices", ()), (declared or {}).get("words", ())
        if words and value in choices:
            value = said(str(words[list(choices).index(value)]))
        return tr("{choice} {option}", choice=value, option=title)
    return tr("{option} {value}", option=title, value=f"{value:g}")

"""Composing a method from parts, on plain JSON: which parts belong together after a choice.

The window's form and the helper that checks a choice share these rules; nothing here loads the
parts themselves. A *preset* is what :meth:`studio.proposers.families.base.Preset.to_json` gives,
*overrides* are those of :func:`studio.proposers.method.compose`, and *rules* what
:func:`studio.proposers.catalogue.composition` gives.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from studio.parts import OptionValue

ORDER = (
    "proposer",
    "surrogate",
    "acquisition",
    "maximiser",
    "diversity",
    "evaluation",
    "ensemble",
)
"""The parts in the order of a trial's way."""

ALWAYS = ("proposer", "evaluation", "ensemble")
"""Parts that every method has; the others belong to proposers that use them."""

FROM_SEARCH = "from-search"

_INSTEAD = "greedy"
"""What builds the ensemble where the search does not."""

Overrides = Mapping[str, OptionValue]


def chosen_parts(
    preset: Mapping[str, Any], overrides: Overrides, rules: Mapping[str, Any]
) -> dict[str, str]:
    """Return the parts that a method is made of: room → key, in order, only what applies."""
    proposer = str(overrides.get("proposer", preset["parts"]["proposer"]))
    used = {*ALWAYS, *rules["uses"].get(proposer, ())}
    found = {}
    for room in ORDER:
        if room in used:
            own = preset["parts"].get(room) or rules["usual"][proposer].get(room, "")
            found[room] = str(overrides.get(room, own))
    return found


def choose(
    preset: Mapping[str, Any], overrides: Overrides, room: str, key: str, rules: Mapping[str, Any]
) -> dict[str, OptionValue]:
    """Return the overrides after another part was chosen for a room.

    Options of the part before are forgotten. Another proposer brings the parts that it uses and
    drops those that it does not; where it maintains no ensemble of its own, greedy selection
    takes the place of the search's own.

    Parameters
    ----------
    room : str
        "proposer", "surrogate", …
    key : str
        The part's key, or "from-search" for the search's own ensemble.
    """
    made = {name: value for name, value in overrides.items() if name.partition(".")[0] != room}
    if key != preset["parts"].get(room):
        made[room] = key
    if room == "proposer":
        used = {*ALWAYS, *rules["uses"].get(key, ())}
        made = {name: value for name, value in made.items() if name.partition(".")[0] in used}
        for needed in used - set(ALWAYS):
            if needed not in preset["parts"]:
                made.setdefault(needed, rules["usual"][key][needed])
        ensemble = made.get("ensemble", preset["parts"]["ensemble"])
        if ensemble == FROM_SEARCH and key not in rules["own_ensemble"]:
            made["ensemble"] = _INSTEAD
    return made


def base_value(
    preset: Mapping[str, Any],
    overrides: Overrides,
    room: str,
    option: Mapping[str, Any],
    rules: Mapping[str, Any],
) -> OptionValue:
    """Return what an option is where it is not changed: the preset's word, or the part's own.

    A preset's option holds for its own part, and for another part of the room where every part of
    the room has that option.
    """
    name = str(option["name"])
    own: OptionValue = option["default"]
    replaced = room in overrides and overrides[room] != preset["parts"].get(room)
    if replaced and name not in rules["shared"].get(room, ()):
        return own
    value: OptionValue = preset["options"].get(f"{room}.{name}", own)
    return value


def counts(option: Mapping[str, Any], value_of: Callable[[str], OptionValue]) -> bool:
    """Return whether an option counts (:class:`studio.parts.Only`).

    Parameters
    ----------
    option : Mapping
        Its declaration.
    value_of : callable
        Returns what another option of the same part is.
    """
    only = option["only"]
    return only is None or value_of(only["option"]) in only["values"]


def idle(
    preset: Mapping[str, Any],
    overrides: Overrides,
    rooms: Mapping[str, Sequence[Mapping[str, Any]]],
    rules: Mapping[str, Any],
) -> dict[str, Mapping[str, Any]]:
    """Return the overrides that change nothing, as another option of their part has it.

    Parameters
    ----------
    rooms : Mapping
        What :func:`studio.proposers.method.declarations` gives.

    Returns
    -------
    dict
        ``"part.option"`` → where it would count: option, values.
    """
    found = {}
    for room, key in chosen_parts(preset, overrides, rules).items():
        part = next((each for each in rooms.get(room, ()) if each["key"] == key), None)
        declared = {} if part is None else {each["name"]: each for each in part["options"]}

        def value_of(name: str, room: str = room, declared: Any = declared) -> OptionValue:
            base = base_value(preset, overrides, room, declared[name], rules)
            return overrides.get(f"{room}.{name}", base)

        for name, option in declared.items():
            if f"{room}.{name}" in overrides and not counts(option, value_of):
                found[f"{room}.{name}"] = option["only"]
    return found

"""Whether a method that was composed from parts can work, and which other parts could."""

import dataclasses

from studio.errors import UsageError
from studio.proposers.catalogue import composition
from studio.proposers.composition import choose, chosen_parts
from studio.proposers.method import ROOMS
from studio.proposers.presets import preset_for
from studio.runs.compatible import check_settings
from studio.runs.settings import RunSettings


def problem_of(settings: RunSettings) -> tuple[str, str]:
    """Return why settings cannot work, and the part that is to blame.

    Returns
    -------
    problem : str
        A sentence, empty where all is well.
    room : str
        The changed part without which all would be well, else "proposer"; empty where all is well.
    """
    problem = _problem(settings)
    if not problem:
        return "", ""
    for room in reversed([name for name in settings.overrides if "." not in name]):
        others = {
            name: value
            for name, value in settings.overrides.items()
            if name.partition(".")[0] != room
        }
        if not _problem(dataclasses.replace(settings, overrides=others)):
            return problem, room
    return problem, "proposer"


def refused_parts(settings: RunSettings) -> dict[str, dict[str, str]]:
    """Return which parts could not take the place of those there are, and why.

    Returns
    -------
    dict
        room → part's key → the reason, a sentence.
    """
    preset, rules = preset_for(settings.method), composition()
    found: dict[str, dict[str, str]] = {}
    for room, now in chosen_parts(preset, settings.overrides, rules).items():
        for part in ROOMS[room]:
            if part.key == now:
                continue
            changed = choose(preset, settings.overrides, room, part.key, rules)
            reason = _problem(dataclasses.replace(settings, overrides=changed))
            if reason:
                found.setdefault(room, {})[part.key] = reason
    return found


def _problem(settings: RunSettings) -> str:
    try:
        check_settings(settings)
    except UsageError as error:
        return str(error)
    return ""

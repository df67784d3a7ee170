"""What the palette offers beside commands: pages, runs, plots, methods, documents."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from studio.gui.base.command import Command
from studio.gui.shell.commands.fuzzy import Match, match

MOST = 60
"""Lines shown at once; more letters narrow them down."""


@dataclass(frozen=True)
class Found:
    """A command that answers what was typed."""

    command: Command
    match: Match


def find(typed: str, commands: Iterable[Command], lately: Sequence[str] = ()) -> list[Found]:
    """Return what can be done now and answers what was typed, the best first.

    Parameters
    ----------
    typed : str
        Letters and words; nothing finds everything, in the order given.
    commands : iterable of Command
        Where to look.
    lately : sequence of str
        Keys of what was done lately, the newest last: they go before their equals.
    """
    newest = {key: place for place, key in enumerate(lately)}
    found = []
    for command in commands:
        if not command.enabled():
            continue
        hit = match(typed, command.title)
        if hit is None:
            # Found by its group or other words, nothing of the title is to be lit up.
            wider = match(typed, f"{command.title} {command.group} {command.also}")
            if wider is None:
                continue
            hit = Match(wider.score - 20.0, ())
        found.append(Found(command, hit))
    typing = bool(typed.strip())
    found.sort(
        key=lambda each: (
            each.match.score if typing else 0.0,
            newest.get(each.command.key, -1),
        ),
        reverse=True,
    )
    return found[:MOST]

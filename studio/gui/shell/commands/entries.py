"""What the palette offers beside commands: pages, runs, plots, methods, documents."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from studio.gui.base.command import Command
from studio.gui.shell.commands.fuzzy import Match, match, plain
from studio.language import N_, tr

MOST = 60
"""Lines shown at once; more letters narrow them down."""


@dataclass(frozen=True)
class FoundCommand:
    """A command that answers what was typed."""

    command: Command
    match: Match


def find(typed: str, commands: Iterable[Command], lately: Sequence[str] = ()) -> list[FoundCommand]:
    """Return what can be done now, or is listed anyway, and answers what was typed; best first.

    Args:
        typed: Letters and words; nothing finds everything, in the order given.
        commands: Where to look.
        lately: Keys of what was done lately, the newest last: they go before their equals.
    """
    newest = {key: place for place, key in enumerate(lately)}
    words = _meaningful(typed)
    found = []
    for command in commands:
        if not (command.possible() or (command.listed and words)):
            continue
        hit = _answer(typed, words, command)
        if hit is None:
            continue
        found.append(FoundCommand(command, hit))
    typing = bool(typed.strip())
    found.sort(
        key=lambda each: (
            each.match.score if typing else 0.0,
            newest.get(each.command.key, -1),
        ),
        reverse=True,
    )
    return found[:MOST]


_FILLERS = N_("a all an and for how i in is it make my number of set the to what where which with")
"""Words that say nothing of what is looked for."""

_WORDS = 1000.0
"""Whole words, and words begun, go before letters that are found here and there."""


def _meaningful(typed: str) -> list[str]:
    """Return the words that say what is looked for, or all where none does."""
    words, fillers = plain(typed).split(), plain(tr(_FILLERS)).split()
    return [word for word in words if word not in fillers] or words


def _answer(typed: str, words: Sequence[str], command: Command) -> Match | None:
    """Return how well a command answers, with the letters of its title to be lit up."""
    worth = [_worth(word, command) for word in words]
    hit = match(typed, command.title)
    if worth and all(worth):
        places = () if hit is None else hit.places
        return Match(_WORDS + sum(worth) / len(worth) - 0.01 * len(command.title), places)
    return hit


def _worth(word: str, command: Command) -> float:
    """Return what a word is worth that a command is called by; 0 where it is none of its words."""
    places = (command.title, 30.0, 1.5), (command.also, 28.0, 0.5), (command.group, 5.0, 0.1)
    found = [
        whole - later * place - (0.0 if each == word else 6.0)
        for text, whole, later in places
        for place, each in enumerate(_split(text))
        if each.startswith(word)
    ]
    return max((each for each in found if each > 0), default=0.0)


@lru_cache(4096)
def _split(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\W_]+(?:[-+.][^\W_]+)*", plain(text)))

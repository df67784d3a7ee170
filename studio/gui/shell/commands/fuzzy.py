"""Fuzzy search: "svas" finds "Save as…"."""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_AT_START, _AT_WORD, _NEXT, _GAP = 8.0, 6.0, 5.0, 0.2


@dataclass(frozen=True)
class Match:
    """The score of a match, and the matching letters.

    Attributes:
        score: The higher the better.
        places: Positions in the text, ascending.
    """

    score: float
    places: tuple[int, ...]


@lru_cache(4096)  # the same few hundred texts are searched at every letter
def plain(text: str) -> str:
    """Return a text in small letters without accents, letter by letter of the same length."""
    letters = []
    for letter in text:
        bare = unicodedata.normalize("NFKD", letter.casefold())[:1]
        letters.append(bare if bare and not bare.isspace() else letter)
    return "".join(letters)


def match(typed: str, text: str) -> Match | None:
    """Return a match; ``None`` if a typed word is not in the text in this order.

    Letters score where they begin the text or a word, and where they follow one another; skipped
    ones cost a little. Each word typed is looked for by itself, so that "dark theme" and
    "theme dark" both find.
    """
    places: set[int] = set()
    score = 0.0
    folded = plain(text)
    for word in plain(typed).split():
        found = _best(word, folded)
        if found is None:
            return None
        score += found.score
        places |= set(found.places)
    return Match(score - 0.01 * len(text), tuple(sorted(places)))


def _best(word: str, text: str) -> Match | None:
    """Return the best of the ways to find a word, by the highest score over all beginnings."""
    best: Match | None = None
    for begin, letter in enumerate(text):
        if letter != word[0]:
            continue
        found = _greedy(word, text, begin)
        if found is not None and (best is None or found.score > best.score):
            best = found
    return best


def _greedy(word: str, text: str, begin: int) -> Match | None:
    places = [begin]
    score = _worth(text, begin)
    for letter in word[1:]:
        last = places[-1]
        following = _place(letter, text, last + 1)
        if following < 0:
            return None
        skipped = following - last - 1
        score += _NEXT if not skipped else _worth(text, following) - _GAP * skipped
        places.append(following)
    return Match(score, tuple(places))


def _place(letter: str, text: str, start: int) -> int:
    """Return the letter's place: next to the last, else at a word's start, else anywhere."""
    first = text.find(letter, start)
    if first <= start:
        return first
    place = first
    while place >= 0:
        if not text[place - 1].isalnum():
            return place
        place = text.find(letter, place + 1)
    return first


def _worth(text: str, place: int) -> float:
    if place == 0:
        return _AT_START
    return _AT_WORD if not text[place - 1].isalnum() else 1.0

"""The guide's chapters, from ``docs/guide``, and the search in them."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from studio.assets import GUIDE
from studio.gui.shell.commands.fuzzy import plain

_HEADING = re.compile(r"^(#{1,3}) +(.+?) *$", re.MULTILINE)
_AROUND = 60


@dataclass(frozen=True)
class GuideSection:
    """A heading of a chapter and the text below it, up to the next heading."""

    chapter: str
    title: str
    text: str


@dataclass(frozen=True)
class Hit:
    """A section that holds what was looked for, and the words around the first place."""

    section: GuideSection
    excerpt: str


@cache
def chapters(folder: Path = GUIDE) -> dict[str, str]:
    """Return the chapters' texts (Markdown) by file name, in reading order."""
    return {path.name: path.read_text("utf-8") for path in sorted(folder.glob("[0-9]*.md"))}


def title(text: str) -> str:
    """Return a chapter's first heading."""
    found = _HEADING.search(text)
    return found[2] if found else ""


def sections(folder: Path = GUIDE) -> list[GuideSection]:
    """Return all sections of all chapters."""
    found = []
    for name, text in chapters(folder).items():
        places = list(_HEADING.finditer(text))
        ends = [place.start() for place in places[1:]] + [len(text)]
        found += [
            GuideSection(name, place[2], text[place.end() : end].strip())
            for place, end in zip(places, ends, strict=True)
        ]
    return found


def search(words: str, folder: Path = GUIDE) -> list[Hit]:
    """Return the sections that hold all words, those with a word in the heading first."""
    wanted = plain(words).split()
    if not wanted:
        return []
    hits: list[tuple[int, int, Hit]] = []
    for section in sections(folder):
        where = plain(f"{section.title}\n{section.text}")
        if all(word in where for word in wanted):
            in_title = sum(word in plain(section.title) for word in wanted)
            hits.append((-in_title, len(hits), Hit(section, _excerpt(section, wanted[0]))))
    return [hit for *_, hit in sorted(hits, key=lambda each: each[:2])]


def _excerpt(section: GuideSection, word: str) -> str:
    text = " ".join(re.sub(r"!\[[^\]]*\]\([^)]*\)|[*`#|]", "", section.text).split())
    place = max(0, plain(text).find(word))
    begin, end = max(0, place - _AROUND), place + _AROUND
    return ("…" if begin else "") + text[begin:end].strip() + ("…" if end < len(text) else "")

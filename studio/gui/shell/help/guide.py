"""Chapters of the guide, from ``docs/guide``."""

import re
from functools import cache
from pathlib import Path

from studio.assets import GUIDE

_HEADING = re.compile(r"^#{1,3} +(.+?) *$", re.MULTILINE)
_NUMBER = re.compile(r"^[\d.]+ +")


@cache
def load_chapters(folder: Path = GUIDE) -> dict[str, str]:
    """Return the chapters' texts (Markdown) by file name, in reading order."""
    return {path.name: path.read_text("utf-8") for path in sorted(folder.glob("[0-9]*.md"))}


def get_title(text: str) -> str:
    """Return a chapter's first heading."""
    match = _HEADING.search(text)
    return match[1] if match else ""


def list_headings() -> list[tuple[str, str]]:
    """Return each heading of the guide with its chapter's file name, in reading order."""
    return [
        (name, each[1])
        for name, text in load_chapters().items()
        for each in _HEADING.finditer(text)
    ]


def strip_number(heading: str) -> str:
    """Return a heading without its number."""
    return _NUMBER.sub("", heading)

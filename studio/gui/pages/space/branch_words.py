"""Words, quotes and marks of the text form of branches (:mod:`.branch_text`)."""

import json
import re
from typing import NamedTuple

from studio.errors import SpaceError
from studio.gui.pages.space.texts import number_text, parse_value
from studio.trial import Value

KEYWORDS = frozenset(
    [
        *(
            "value",
            "of",
            "number",
            "whole",
            "choice",
            "ordered",
            "yes",
            "no",
            "fixed",
            "to",
            "from",
        ),
        *("is", "or", "and", "at", "least", "most", "only", "if", "default", "sets", "note"),
        *("log", "linear", "active", "nothing", "true", "false"),
    ]
)
_PLAIN = re.compile(r"[\w.+\-/]+")
_TOKEN = re.compile(r'\s+|"(?:[^"\\]|\\.)*"|[:;,]|…|\.\.+|(?:(?!\.\.)[^\s:;,"…])+', re.DOTALL)
_CUT = 40


class Token(NamedTuple):
    """One word or mark.

    Attributes
    ----------
    text : str
        As it is meant, without quotes.
    raw : str
        As it stands.
    line : int
        Counted from 1, as the person sees the text.
    """

    text: str
    raw: str
    line: int

    @property
    def quoted(self) -> bool:
        """Whether it stood in quotes: then it is never a keyword."""
        return self.raw.startswith('"')


def name_word(name: str) -> str:
    """Write a name; in quotes where it would be read as something else."""
    plain = _PLAIN.fullmatch(name) and ".." not in name and name.lower() not in KEYWORDS
    return name if plain else json.dumps(name, ensure_ascii=False)


def value_word(value: Value) -> str:
    """Write a value so that :func:`value_of` reads it back."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, str):
        return number_text(value)
    word = name_word(value)
    return word if parse_value(word) == value else json.dumps(value, ensure_ascii=False)


def value_of(token: Token) -> Value:
    """Read a value; what stood in quotes is a word, whatever it looks like."""
    return token.text if token.quoted else parse_value(token.text)


def tokens(text: str, lines: list[tuple[int, int]]) -> list[Token]:
    """Cut a text into words and marks.

    Parameters
    ----------
    text : str
        Possibly put together from several lines.
    lines : list of (int, int)
        Where in the text each line begins, and its number.

    Raises
    ------
    SpaceError
        If a quote is not closed.
    """
    found: list[Token] = []
    at = 0
    while at < len(text):
        number = next(line for start, line in reversed(lines) if start <= at)
        match = _TOKEN.match(text, at)
        if match is None:
            raise at_line(number, f"a quotation mark is not closed, at {cut(text[at:])}")
        raw, at = match[0], match.end()
        if raw.isspace():
            continue
        word = raw
        if raw.startswith('"'):
            try:
                # A line that was wrapped within quotes has a real break there.
                word = json.loads(raw, strict=False)
            except ValueError:
                raise at_line(number, f"{cut(raw)} has a “\\” that means nothing") from None
        found.append(Token(word, raw, number))
    return found


def at_line(number: int, what: str) -> SpaceError:
    """Make the error for a text that cannot be read."""
    return SpaceError(f"Line {number}: {what}.")


def cut(text: str) -> str:
    """Quote a piece of what was pasted, cut short."""
    text = " ".join(text.split())
    return f"“{text if len(text) <= _CUT else text[:_CUT] + '…'}”"

"""The outcome of a case: reported in a sentence, unharmed, or a fault."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Literal, Protocol

from studio.cli.entry import BUG_MESSAGE

Kind = Literal["reported", "unharmed", "fault"]

LONGEST = 20_000
"""Maximum output of a command in characters: a foreign name of a megabyte is not a message."""

_COMMANDS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_WARNING = re.compile(r"\.py:\d+: \w*Warning")
_SENTENCE = re.compile(r"\w+ .*[.!?:)]")


@dataclass(frozen=True)
class Verdict:
    """The outcome of one attempt.

    Attributes:
        kind: Whether it ended with a message, continued unharmed, or neither.
        what: What was tried.
        why: The fault; empty without one.
    """

    kind: Kind
    what: str
    why: str = ""


class Try(Protocol):
    """Runs one case, determined by ``rng`` and its number, in an empty folder."""

    def __call__(self, folder: Path, rng: Random, number: int) -> Iterator[Verdict]:
        """Yield a verdict on each attempt."""


def judge_exit(what: str, code: int, printed: str, *, mute: bool = False) -> Verdict:
    """Return the verdict on the exit of a command.

    Args:
        what: What was tried.
        code: The exit code.
        printed: Its output.
        mute: Whether its output was closed, so that no message is expected.
    """
    lines = [line for line in printed.splitlines() if line.strip()]
    last = " / ".join(line.strip()[:300] for line in lines[-3:])
    if BUG_MESSAGE in printed or "Traceback (most recent" in printed:
        shown = [line for line in lines if line[0] not in " |+" and line != BUG_MESSAGE]
        where = [line.strip() for line in lines if line.lstrip().startswith("File ")]
        return Verdict("fault", what, f"{' / '.join(shown[-2:])[:600]} ({' < '.join(where[-3:])})")
    wrong = ""
    if code not in (0, 1, 2):
        wrong = f"it ended with code {code}: {last}"
    elif found := _COMMANDS.search(printed):
        wrong = f"it commanded the terminal with {found[0]!r}"
    elif found := _WARNING.search(printed):
        wrong = f"a library's warning was shown: {printed[found.start() :][:300]}"
    elif len(printed) > LONGEST:
        wrong = f"it printed {len(printed)} characters: {last}"
    elif code and not mute and not _SENTENCE.search(printed):
        wrong = f"it ended with code {code} and no sentence: {printed!r}"
    if wrong:
        return Verdict("fault", what, wrong)
    return Verdict("reported" if code else "unharmed", what)


def check_expected(what: str, found: object, wanted: object) -> Iterator[Verdict]:
    """Yield a fault if the result differs from the expected one."""
    if found != wanted:
        yield Verdict("fault", what, f"found {str(found)[:300]}; right is {str(wanted)[:300]}")

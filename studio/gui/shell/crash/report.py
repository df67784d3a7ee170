"""The text of a fault's report: what a developer needs, and nothing about people or their data."""

import contextlib
import getpass
import platform
import re
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import numpy as np
import PySide6

from studio.gui.shell.commands.trail import trail
from studio.version import VERSION

_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|«[^»\n]*»|“[^”\n]*”")
_NUMBER = re.compile(r"[-+]?\d[\d.,_]*(?:[eE][-+]?\d+)?")
_LONGEST_MESSAGE = 400


def head() -> str:
    """Return which program on which system."""
    return f"Ensemble Studio {VERSION}\n{beneath()}"


def beneath() -> str:
    """Return what the program runs on, in two lines."""
    return "\n".join(
        (
            f"Python {platform.python_version()}, PySide {PySide6.__version__}, NumPy "
            f"{np.__version__}",
            f"{platform.system()} {platform.release()}, {platform.machine()}",
        )
    )


def of_exception(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> str:
    """Return the report of an exception.

    What its message quotes, and every number in it, may be somebody's data and is left out.
    """
    lines = [f"{kind.__module__}.{kind.__qualname__}: {without_values(str(error))}"]
    lines += [_frame(each) for each in traceback.extract_tb(trace)]
    return assemble("\n".join(lines), trail().names)


def assemble(what: str, done: Sequence[str]) -> str:
    """Return a whole report: versions, the fault, what was done last."""
    actions = "\n".join(f"- {each}" for each in done) or "- nothing yet"
    return private(f"{head()}\n\nFault\n{what}\n\nLast actions, the newest last\n{actions}\n")


def without_values(message: str) -> str:
    """Return a message without what it quotes and without its numbers."""
    bare = _NUMBER.sub("#", _QUOTED.sub("'…'", message))
    return bare if len(bare) <= _LONGEST_MESSAGE else bare[:_LONGEST_MESSAGE] + "…"


def private(text: str) -> str:
    """Return a text with the home folder and the user's name replaced."""
    with contextlib.suppress(RuntimeError):  # a system that knows no home of this user
        home = str(Path.home())
        text = text.replace(home, "~") if len(home) > 1 else text
    name = _user()
    if len(name) > 1 and name != "root":
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "user", text)
    return text


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""  # a system that knows no name of this user has none to hide


def _frame(frame: traceback.FrameSummary) -> str:
    path = Path(frame.filename)
    place = "/".join(path.parts[-3:])
    return f"  {place}:{frame.lineno} in {frame.name}\n    {frame.line or ''}".rstrip()

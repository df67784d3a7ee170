"""What the runs have said, filtered: time, level, run and sentence of each message."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from studio.document.journal import Message
from studio.gui.base.language import mark, said, tr
from studio.gui.session.run_view import RunView

LEVELS = {
    "info": mark("note"),
    "warning": mark("warning"),
    "error": mark("error"),
}
"""Each level of a message; shown through ``tr``."""

_RANK = {"info": 0, "warning": 1, "error": 2}


@dataclass(frozen=True)
class Said:
    """A message with the run that it comes from."""

    message: Message
    run: str

    @property
    def time(self) -> str:
        """The local time of day, with the date."""
        moment = datetime.datetime.fromtimestamp(self.message.time).astimezone()
        return moment.strftime("%Y-%m-%d %H:%M:%S")

    @property
    def level(self) -> str:
        """The level in words."""
        return tr(LEVELS[self.message.level])

    @property
    def line(self) -> str:
        """The message as one line to copy, tabs between its parts."""
        return "\t".join((self.time, self.level, self.run, " ".join(self.text.split())))

    @property
    def text(self) -> str:
        """The sentence in the language in force."""
        return said(self.message.text)


def log(
    views: Sequence[RunView], run_id: int | None = None, level: str = "info", words: str = ""
) -> list[Said]:
    """Return the messages in the order in which they were said.

    Parameters
    ----------
    views : sequence of RunView
        The runs.
    run_id : int or None
        Only this run's; ``None`` for all.
    level : str
        This level and graver ones: "info", "warning" or "error".
    words : str
        Only messages in which all of these words occur, in the sentence or the run's name.
    """
    wanted = words.lower().split()
    found = [
        Said(message, view.row.name)
        for view in views
        if run_id in (None, view.row.id)
        for message in view.messages
        if _RANK[message.level] >= _RANK[level]
    ]
    if wanted:
        found = [
            each
            for each in found
            if all(word in f"{each.run} {each.text}".lower() for word in wanted)
        ]
    return sorted(found, key=lambda each: each.message.id)

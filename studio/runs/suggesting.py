"""Where the next suggestion comes from: asked for when it is needed, or while trials run."""

import dataclasses
import time
from dataclasses import dataclass

from studio.errors import ExhaustedError, OutOfTimeError
from studio.proposers.base import Search, Suggestion
from studio.runs.ahead import Ahead
from studio.runs.prepare import Prepared


@dataclass(frozen=True)
class Suggested:
    """A suggestion and what it rested on.

    Attributes
    ----------
    suggestion : Suggestion
        What to try.
    cpu : float
        Processor seconds that it took.
    seen : dict
        What it rested on, so that a plot can ask for it again (:func:`seen_by`).
    """

    suggestion: Suggestion
    cpu: float
    seen: dict[str, float | None]


def seen_by(search: Search) -> dict[str, float | None]:
    """Return what a suggestion rests on, for the document.

    The number of finished trials it comes ``after`` and of those ``started`` (finished or running),
    the ``budget``, and the ``seconds_left`` for its trial.
    """
    return {
        "after": len(search.history),
        "started": search.started,
        "budget": search.budget,
        "seconds_left": search.seconds_left,
    }


class Suggesting:
    """Asks a run's proposer, at once or ahead as that declares it.

    Parameters
    ----------
    prepared : Prepared
        The run.
    apart : bool
        Whether suggestions that are made ahead are computed by another process; else here, at the
        same place in the order of things.
    """

    def __init__(self, prepared: Prepared, *, apart: bool) -> None:
        self._proposer = prepared.method.proposer
        self._ahead = Ahead(prepared) if self._proposer.ahead and apart else None
        self._asked: Search | None = None
        self._known: Suggested | ExhaustedError | OutOfTimeError | None = None

    def look_ahead(self, search: Search) -> None:
        """Begin the suggestion for the trial after those that have begun."""
        if not self._proposer.ahead or self.is_begun:
            return
        if self._proposer.immediate(search):
            if self._ahead is not None:
                self._ahead.open()
            return
        if self._ahead is None:
            try:
                self._known = self.at_once(search)
            except (ExhaustedError, OutOfTimeError) as error:
                self._known = error
            return
        # The run's history grows before the answer comes.
        frozen = search.history.prefix(len(search.history))
        self._asked = dataclasses.replace(search, history=frozen)
        self._ahead.ask(self._asked)

    @property
    def is_begun(self) -> bool:
        """Whether the next suggestion was begun ahead, and not fetched yet."""
        return self._asked is not None or self._known is not None

    def is_awaited(self, timeout: float = 0.0) -> bool:
        """Whether the next suggestion is still being computed, after waiting for it so long."""
        if self._ahead is None or self._asked is None:
            return False
        return not self._ahead.is_ready(timeout)

    def begun(self) -> Suggested:
        """Return the suggestion that was begun ahead, waiting for it.

        Raises
        ------
        ExhaustedError, OutOfTimeError
            As the proposer raised them.
        """
        known, self._known = self._known, None
        if isinstance(known, Suggested):
            return known
        if known is not None:
            raise known
        search, self._asked = self._asked, None
        assert self._ahead is not None and search is not None, "it was begun"
        suggestion, cpu = self._ahead.take()
        return Suggested(suggestion, cpu, seen_by(search))

    def at_once(self, search: Search) -> Suggested:
        """Return a suggestion that is computed here and now.

        Raises
        ------
        ExhaustedError, OutOfTimeError
            As the proposer raises them.
        """
        begun, seen = time.process_time(), seen_by(search)
        suggestion = self._proposer.suggest(search)
        return Suggested(suggestion, time.process_time() - begun, seen)

    def close(self) -> None:
        """Give up what is being computed."""
        self._asked, self._known = None, None
        if self._ahead is not None:
            self._ahead.close()

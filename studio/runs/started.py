"""A trial in work, as the loop knows it."""

import dataclasses
from dataclasses import dataclass

from studio.document.journal import Running
from studio.runs import causes
from studio.runs.causes import Failure
from studio.runs.crew import NO_FOLD, Finished, Fold
from studio.runs.jobs import Refitted, TrialOutcome
from studio.runs.suggesting import Suggested


@dataclass(frozen=True)
class Started:
    """A trial in work.

    Attributes:
        suggested: What is tried, and what that rested on.
        seed: Of its training.
        since: Unix time of the start.
        timing: Seconds that the run had worked when a worker began to wait for the suggestion, and
            when the trial was started.
        limit: Wall seconds after which it is ended because of the run's own time.
    """

    suggested: Suggested
    seed: int
    since: float
    timing: tuple[float, float]
    limit: float | None

    def shown(self, slot: int, fold: Fold = NO_FOLD) -> Running:
        """Return what the document says of it while it trains a fold."""
        suggestion = self.suggested.suggestion
        return Running(slot, dict(suggestion.configuration), self.since, suggestion.origin, *fold)

    def result(self, finished: Finished) -> TrialOutcome | Failure:
        """Return its result; a failure for which the run's own time is to blame says so."""
        result = finished.result
        assert not isinstance(result, Refitted), "no refit was asked for"
        if self.limit is None or isinstance(result, TrialOutcome) or result.kind != "time":
            return result
        if result.fit_seconds < self.limit:
            return result
        late = causes.too_late(self.limit)
        return dataclasses.replace(result, cause=late.cause, remedy=late.remedy)

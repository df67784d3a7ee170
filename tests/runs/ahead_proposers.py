"""Proposers that suggest ahead, importable by both processes."""

import os
import sys
import zlib
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from studio.proposers.base import Proposer, Suggestion, SuggestionContext, suggest_random


@dataclass(frozen=True)
class HistoryHashProposer(Proposer):
    """Suggests by a hash of its input."""

    key: ClassVar[str] = "thoughtful"
    title: ClassVar[str] = "Thoughtful"
    summary: ClassVar[str] = "Draws at random."
    reference: ClassVar[str] = "The tests"
    ahead = True

    starts: int = 0
    dies: bool = False

    def is_immediate(self, context: SuggestionContext) -> bool:
        return context.n_started < self.starts

    def suggest(self, context: SuggestionContext) -> Suggestion:
        if self.dies and "studio.runs.suggester" in sys.modules:
            os._exit(1)
        search_state = [
            [(trial.loss, trial.number, trial.seed) for trial in context.history.trials],
            [sorted(each.items()) for each in context.pending],
            (context.seed, context.ensemble_seed, context.budget),
            [context.history.get_predictions(t.number).sum() for t in context.history.succeeded],
        ]
        seed = zlib.crc32(repr(search_state).encode())
        return suggest_random(replace(context, seed=seed), "thought")


def get_proposer(settings: Any, task: Any) -> Proposer:
    """Return the test proposer in place of the run's."""
    return HistoryHashProposer()

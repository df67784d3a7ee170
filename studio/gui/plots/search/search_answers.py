"""What the helper knows of the searches that are drawn: asked for run by run, kept as it comes."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from studio.analysis.answers.search_diversity import Agreement, LeastDiversity
from studio.gui.base.language import said
from studio.gui.plots.base.asking import Asker, Asks, Helper, Query
from studio.gui.plots.search.search_diversity_model import IterationCurve

LEAST, AGREEMENT = "search_diversity", "search_agreement"
"""The helper's two tasks."""


class SearchAnswers:
    """The answers about the runs of a document.

    Parameters
    ----------
    helper : Helper
        Who computes.
    key : str
        The plot's name, for the channels.
    arrived : callable
        Called when an answer or a refusal has come: ask again, there may be more.

    Attributes
    ----------
    least : dict
        How different from the ensemble the suggestions are, by run.
    taus : dict
        Kendall's tau by iteration, by run, as far as it was asked for.
    """

    def __init__(self, helper: Helper, key: str, arrived: Callable[[], None]) -> None:
        self._helper, self._key, self._arrived = helper, key, arrived
        self._document: Path | None = None
        self._askers: dict[tuple[str, int], Asker[Any]] = {}
        self._rounds: dict[tuple[str, int], int] = {}
        self._refusals: dict[tuple[str, int], str] = {}
        self._without: set[int] = set()
        self.least: dict[int, LeastDiversity] = {}
        self.taus: dict[int, IterationCurve] = {}

    def ask(self, task: str, document: Path, run_id: int, length: int) -> None:
        """Want a task's answer for a run of this many iterations."""
        if task == AGREEMENT and run_id in self._without:
            return
        place = (task, run_id)
        if place not in self._askers:
            self._askers[place] = self._asker(place)
        arguments: dict[str, Any] = {"path": str(document), "run_id": run_id}
        if task == AGREEMENT:
            arguments["iteration"] = length
        moment = (length, self._rounds.get(place, 0))
        self._askers[place].ask(Query(arguments, kind=run_id, moment=moment))

    def keep_to(self, document: Path | None) -> None:
        """Forget what is of another document than this one."""
        if document == self._document:
            return
        self._document = document
        for asker in self._askers.values():
            asker.forget()
        for known in (self._askers, self._rounds, self._refusals, self.least, self.taus):
            known.clear()
        self._without.clear()

    def refusal(self, task: str, run_id: int) -> str:
        """Return why a task cannot be done for a run; empty where it can, or was not tried."""
        return self._refusals.get((task, run_id), "")

    def is_without_surrogate(self, run_id: int) -> bool:
        """Whether the run's method is known to have no diversity surrogate."""
        return run_id in self._without

    def _asker(self, place: tuple[str, int]) -> Asker[Any]:
        (task, run_id), refused = place, partial(self._refused, place)
        asks = Asks(self._helper, f"{self._key}:{run_id}")
        if task == LEAST:
            return asks(task, LeastDiversity, partial(self._least_arrived, run_id), refused)
        return asks(task, Agreement, partial(self._agreement_arrived, run_id), refused)

    def _least_arrived(self, run_id: int, _: Query, answer: LeastDiversity) -> None:
        self.least[run_id] = answer
        self._answered((LEAST, run_id), more=answer.more)

    def _agreement_arrived(self, run_id: int, _: Query, answer: Agreement) -> None:
        # Qt crashes over a symbol whose place is not a number.
        known = np.isfinite(answer.taus)
        self.taus[run_id] = IterationCurve(answer.numbers[known], answer.taus[known])
        if not answer.applies:
            self._without.add(run_id)
        self._answered((AGREEMENT, run_id), more=answer.more)

    def _answered(self, place: tuple[str, int], *, more: bool) -> None:
        self._refusals.pop(place, None)
        if more:
            # A part at a time, so that other plots' questions are answered in between.
            self._rounds[place] = self._rounds.get(place, 0) + 1
        self._arrived()

    def _refused(self, place: tuple[str, int], message: str) -> None:
        self._refusals[place] = said(message)
        self._arrived()

"""Plots that draw one answer of the helper for a run at an iteration."""

from typing import Any, ClassVar, Generic, Protocol, TypeVar, cast

from studio.gui.plots.base.asking import Helper, Query
from studio.gui.plots.base.plot import PlotOf
from studio.gui.plots.base.subject import Subject
from studio.language import N_, tr, translate


class Answer(Protocol):
    """What a task answers; for many plots it is the picture itself."""

    @property
    def reason(self) -> str:
        """Why there is nothing to draw; empty where there is something."""


A = TypeVar("A", bound=Answer)
P = TypeVar("P")


class HelpedPlot(PlotOf[P], Generic[A, P]):
    """Base of plots whose numbers come from one task of the helper.

    Attributes:
        task: The task's name. It is asked with ``document``, ``run``, ``iteration`` and what
            :meth:`asked_for` adds.
        answer: What the task answers.
        waiting: What is said until the first answer is there.
        by_members: Whether the same ensemble has the same answer, whatever the iteration.
        picture: What the last answer means.
    """

    task: ClassVar[str] = ""
    answer: ClassVar[type[Any]]
    waiting: ClassVar[str] = N_("Computing…")
    by_members: ClassVar[bool] = False

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        self._answer: A | None = None
        self._kind: object = None
        self._trouble = ""
        self._asker = self.asks(
            self.task, cast(type[A], self.answer), self._answered, self._refused
        )

    # What a plot says of its answers --------------------------------------------------------

    def read(self, answer: A, subject: Subject) -> P:
        """Return what an answer means; by default it speaks for itself."""
        return cast(P, answer)

    def asked_for(self, subject: Subject) -> dict[str, Any] | None:
        """Return the task's further arguments; ``None`` where nothing can be asked."""
        return {}

    def impossible(self, subject: Subject) -> str:
        """Say why nothing can be asked."""
        return ""

    # Following -----------------------------------------------------------------------------

    def forget(self) -> None:
        """Forget the run before."""
        self._answer, self._trouble = None, ""
        self._asker.forget()

    def prepare(self, subject: Subject) -> None:
        """Read the last answer for this iteration."""
        if self._answer is not None:
            self.picture = self.read(self._answer, subject)

    def ask(self, subject: Subject) -> None:
        """Ask for this run at this iteration."""
        query = self._query(subject)
        if query is not None:
            self._asker.ask(query)

    def _query(self, subject: Subject) -> Query | None:
        more = None if subject.iteration < 1 else self.asked_for(subject)
        if more is None:
            return None
        kind = (*subject.identity, *more.values())
        moment = subject.members if self.by_members else subject.iteration
        return Query({**subject.asked, **more}, kind=kind, moment=moment)

    def missing(self, subject: Subject) -> str:
        """Say what is waited for, or why there is nothing."""
        impossible = self.impossible(subject)
        if impossible:
            return impossible
        if self._trouble:
            return translate(self._trouble)
        query = self._query(subject)
        # What answers another choice would contradict the chooser above it.
        if self._answer is None or (query is not None and query.kind != self._kind):
            return super().missing(subject) or tr(self.waiting)
        return translate(self._answer.reason)

    def _answered(self, query: Query, answer: A) -> None:
        self._answer, self._kind, self._trouble = answer, query.kind, ""
        self.draw_in_turn()

    def _refused(self, message: str) -> None:
        self.picture, self._answer, self._trouble = None, None, message
        self.say(translate(message))

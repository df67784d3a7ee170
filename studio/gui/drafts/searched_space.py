"""The part of the next run's space that keeps the constraints on columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from studio.data.column import Direction
from studio.errors import SpaceError, UsageError
from studio.gui.drafts.data_draft import DataDraft
from studio.gui.session.learner_names import format_named_value
from studio.language import ntr, tr, translate
from studio.phrases import join_quoted
from studio.space.base import Parameter
from studio.space.space import Space
from studio.trial import Value


@dataclass(frozen=True)
class SearchedSpace:
    """The searched part of a space.

    Attributes:
        space: The whole space if nothing is excluded, or nothing would remain.
        excluded: The excluded learners and operators, by their parameter's name.
        constraints: Direction of effect by column.
        reason: Why nothing would remain; empty if something does.
    """

    space: Space
    excluded: tuple[tuple[Parameter, Value], ...] = ()
    constraints: Mapping[str, Direction] = field(default_factory=dict)
    reason: str = ""

    def is_excluded(self, parameter: str, value: Value) -> bool:
        """Whether a parameter's value is not tried."""
        return any((each.name, other) == (parameter, value) for each, other in self.excluded)

    @property
    def remark(self) -> str:
        """Why an excluded value is not tried; empty without any."""
        if not self.excluded:
            return ""
        return tr("not tried: cannot keep the constraints on columns")

    @property
    def sentence(self) -> str:
        """The constraints on columns, and what is left out for them; empty without any."""
        texts = [
            _describe_effect(direction, columns)
            for direction in get_args(Direction)
            if (columns := [name for name, each in self.constraints.items() if each == direction])
        ]
        if not texts:
            return ""
        text = tr("Constraint: {effects}.", effects="; ".join(texts))
        if self.reason:
            return f"{text} {self.reason}"
        if not self.excluded:
            return text
        left_out = tr("Left out, as they cannot ensure this: {names}.", names=self._excluded_names)
        return f"{text} {left_out}"

    @property
    def _excluded_names(self) -> str:
        names = (format_named_value(parameter.sets, value) for parameter, value in self.excluded)
        return ", ".join(dict.fromkeys(names))


def _describe_effect(direction: Direction, columns: Sequence[str]) -> str:
    """Return a sentence, without its end, about columns with the same direction of effect."""
    names = translate(join_quoted(columns))
    if direction == "up":
        return ntr(
            "{columns} never lowers the prediction",
            "{columns} never lower the prediction",
            len(columns),
            columns=names,
        )
    return ntr(
        "{columns} never raises the prediction",
        "{columns} never raise the prediction",
        len(columns),
        columns=names,
    )


def find_searched_space(space: Space, draft: DataDraft) -> SearchedSpace:
    """Return the part of a space that a run on the draft's table would search."""
    constraints, task = draft.constraints, draft.resolved_task
    if not constraints or task == "multiclass":  # which the checks of the table reject
        return SearchedSpace(space)
    from studio.learners.monotone import list_non_monotone, select_monotone_part

    excluded = list_non_monotone(space)
    try:
        part = select_monotone_part(space, task or "regression")
    except SpaceError:  # an invalid space has no part; its errors are shown
        return SearchedSpace(space, excluded, constraints)
    except UsageError as error:
        return SearchedSpace(space, excluded, constraints, translate(str(error)))
    return SearchedSpace(part, excluded, constraints)

"""The part of the next run's space that keeps the constraints on columns."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from studio.data.column import Direction
from studio.errors import SpaceError, UsageError
from studio.gui.drafts.data_draft import DataDraft
from studio.gui.session.learner_names import get_learner_name
from studio.language import tr, translate
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
        if len(self.constraints) > 1:
            return tr("not tried: cannot keep the constraints on columns")
        ((column, direction),) = self.constraints.items()
        if direction == "up":
            return tr(
                "not tried: cannot ensure that “{column}” never lowers the prediction",
                column=column,
            )
        return tr(
            "not tried: cannot ensure that “{column}” never raises the prediction", column=column
        )

    @property
    def sentence(self) -> str:
        """What is not tried, and why; empty if all of it is."""
        if self.reason:
            return self.reason
        if not self.excluded:
            return ""
        names = dict.fromkeys(_get_name(str(value)) for _, value in self.excluded)
        text = tr("Not tried, as they cannot keep the constraints on {columns}: {names}.")
        if len(self.constraints) == 1:
            text = tr("Not tried, as they cannot keep the constraint on {columns}: {names}.")
        return text.format(columns=translate(join_quoted(self.constraints)), names=", ".join(names))


def _get_name(key: str) -> str:
    """Return the name of a learner or of an operator."""
    from studio.learners.operators.registry import REGISTRY

    titles = {each.key: each.title for each in REGISTRY}
    return translate(titles[key]) if key in titles else get_learner_name(key)


def find_searched_space(space: Space, draft: DataDraft) -> SearchedSpace:
    """Return the part of a space that a run on the draft's table would search."""
    constraints, task = draft.constraints, draft.resolved_task
    if not constraints or task == "multiclass":  # which the table's checks refuse
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

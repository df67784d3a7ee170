"""What only the columns of a table together show: copies of each other and of the target."""

import dataclasses
from collections.abc import Sequence

from studio.data import remedies, suspicions
from studio.data.coded import Coded
from studio.data.description import ColumnDescription, Finding
from studio.data.leaks import Answer, leak
from studio.data.reading import RawTable
from studio.phrases import phrase


def with_relations(
    raw: RawTable, described: Sequence[ColumnDescription], goal: int
) -> tuple[ColumnDescription, ...]:
    """Return columns with what they have to do with each other, and say which each finding is of.

    Parameters
    ----------
    raw : RawTable
        The table.
    described : sequence of ColumnDescription
        Each column by itself.
    goal : int
        The position of the one to predict.
    """
    twins = suspicions.twins(raw)
    target = described[goal]
    answer = Answer(target.name, Coded(raw.distinct(goal), target.kind), len(described))
    result = []
    for i, column in enumerate(described):
        findings, role = list(column.findings), column.role
        if i != goal and column.distinct:
            is_owner = any(each.kind == "group" for each in findings)
            found = leak(Coded(raw.distinct(i), column.kind), answer, is_owner=is_owner)
            if found is not None:
                findings.insert(0, found)
                role = role if found.remedies else "ignore"
            elif twins.get(i, goal) != goal and column.distinct > 1:
                sentence = phrase(
                    "It repeats the column {other!r}; one of them is enough.",
                    other=described[twins[i]].name,
                )
                findings.append(
                    Finding("repeated-column", "idea", sentence, (remedies.leave_out(),))
                )
        named = tuple(dataclasses.replace(each, columns=(column.name,)) for each in findings)
        result.append(dataclasses.replace(column, findings=named, role=role))
    return tuple(result)

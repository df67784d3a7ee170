"""What only the columns of a table together show: copies of each other and of the target."""

import dataclasses
from collections.abc import Sequence

from studio.data import remedies, suspicions
from studio.data.answer import Answer
from studio.data.description import ColumnDescription, Finding
from studio.data.leaks import leak
from studio.data.reading import RawTable
from studio.data.value_codes import ValueCodes
from studio.phrases import joined, phrase


def with_relations(
    raw: RawTable, described: Sequence[ColumnDescription], goal: int
) -> tuple[ColumnDescription, ...]:
    """Return columns with what they have to do with each other, and say which each finding is of.

    Args:
        raw: The table.
        described: Each column by itself.
        goal: The position of the one to predict.
    """
    twins = suspicions.twins(raw)
    target = described[goal]
    answer = Answer(target.name, ValueCodes(raw.distinct(goal), target.kind), len(described))
    result = []
    for i, column in enumerate(described):
        findings, role = list(column.findings), column.role
        if i != goal and column.distinct:
            is_owner = any(each.kind == "group" for each in findings)
            given = ValueCodes(raw.distinct(i), column.kind)
            found = leak(given, answer, is_owner=is_owner)
            if found is None and is_owner and leak(given, answer) is not None:
                findings = [_of_one_answer(each, target.name) for each in findings]
            elif found is not None:
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


def _of_one_answer(finding: Finding, target: str) -> Finding:
    """Return a finding about the owners of rows, all of one owner's with the same target."""
    if finding.kind != "group":
        return finding
    sentence = phrase(
        "All rows of one have the same {target!r}, so without that role tests tell nothing about "
        "new ones.",
        target=target,
    )
    return dataclasses.replace(
        finding, level="decide", sentence=joined((finding.sentence, sentence))
    )

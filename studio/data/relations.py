"""What only the columns of a table together show: copies of each other and of the target."""

import dataclasses

from studio.data import remedies
from studio.data.answer import Answer
from studio.data.description import ColumnDescription, Finding
from studio.data.distinct import Distinct
from studio.data.leaks import leak
from studio.data.value_codes import ValueCodes
from studio.phrases import joined, phrase


def related(
    column: ColumnDescription, cells: Distinct, answer: Answer, twin: str
) -> ColumnDescription:
    """Return a column with what it has to do with others, and say that each finding is of it.

    Args:
        column: The column by itself.
        cells: Its cells.
        answer: The column to predict.
        twin: The name of an earlier one with the same cells, other than that; "" if there is none.
    """
    findings, role = list(column.findings), column.role
    if role != "target" and column.distinct:
        is_owner = any(each.kind == "group" for each in findings)
        given = ValueCodes(cells, column.kind)
        found = leak(given, answer, is_owner=is_owner)
        if found is None and is_owner and leak(given, answer) is not None:
            findings = [_of_one_answer(each, answer.name) for each in findings]
        elif found is not None:
            findings.insert(0, found)
            role = role if found.remedies else "ignore"
        elif twin and column.distinct > 1:
            sentence = phrase("It repeats the column {other!r}; one of them is enough.", other=twin)
            findings.append(Finding("repeated-column", "idea", sentence, (remedies.leave_out(),)))
    named = tuple(dataclasses.replace(each, columns=(column.name,)) for each in findings)
    return dataclasses.replace(column, findings=named, role=role)


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

"""Advice to learn from the words of free text."""

from collections.abc import Container, Iterable

from studio.data.description import Finding
from studio.data.findings import list_unread_text_columns
from studio.phrases import count_phrase, join_quoted

_MAX_NAME_LENGTH = 80


def advise_on_texts(findings: Iterable[Finding], decided: Container[str] = ()) -> str:
    """Return the advice for the findings about a run's table as a phrase, or "" for none.

    There is none about columns for which the user made a choice.

    Args:
        decided: Columns about which the user made a choice.
    """
    names = [each for each in list_unread_text_columns(findings) if each not in decided]
    if not names:
        return ""
    return count_phrase(
        "Reading {listed} as text may help: the models have not learned from its words.",
        "Reading {listed} as text may help: the models have not learned from their words.",
        len(names),
        listed=join_quoted(name[:_MAX_NAME_LENGTH] for name in names),
    )

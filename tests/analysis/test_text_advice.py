"""Advice to learn from the words of free text."""

from dataclasses import replace

import pytest

from studio.analysis.text_advice import advise_on_texts
from studio.data.description import Finding

OPEN = Finding("free-text", "decide", "Most are different.", (), ("note",))
OTHER = replace(OPEN, columns=("reply",))


@pytest.mark.parametrize(
    ("findings", "is_single"), [([OPEN], True), ([OPEN, OTHER], False), ([OTHER, OPEN], False)]
)
def test_undecided_texts_are_named(findings: list[Finding], is_single: bool) -> None:
    advice = advise_on_texts(findings, {})
    for each in findings:
        assert f"'{each.columns[0]}'" in advice
    assert ("its" in advice.split()) is is_single


@pytest.mark.parametrize(
    "findings",
    [[], [replace(OPEN, level="done")], [replace(OPEN, kind="identifier")]],
    ids=["none", "left out by choice", "other kind"],
)
def test_other_findings_get_no_advice(findings: list[Finding]) -> None:
    assert not advise_on_texts(findings, {})


def test_text_of_chosen_kind_gets_no_advice() -> None:
    assert "note" not in advise_on_texts([OPEN, OTHER], {"note": "category"})
    assert not advise_on_texts([OPEN], {"note": "category"})

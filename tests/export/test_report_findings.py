"""The report says of each finding once what the user has not answered."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from studio.analysis.text_advice import advise_on_texts
from studio.data.findings import IGNORED_NOTE
from studio.document.store import Document
from studio.export.report.facts import gather_facts
from studio.export.report.page import render_page
from studio.language import translate
from studio.phrases import Phrase
from studio.runs.settings import TableSource
from tests.small_runs import finished_run, new_run, run_inline, small_table  # noqa: F401

ROWS, COPIES = 160, 12
END = "2024-06-08"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Return a CSV with dates until ``END``, copies of rows, and a column of free text."""
    rng = np.random.default_rng(3)
    dates = np.datetime64("2024-01-01") + np.arange(ROWS)
    texts = [" ".join(rng.choice(WORDS, 7)) for _ in range(ROWS)]
    lines = [
        f"{age},{day},{text},{'yes' if age + rng.normal(0, 10) > 45 else 'no'}"
        for age, day, text in zip(rng.integers(20, 70, ROWS), dates, texts, strict=True)
    ]
    path = tmp_path / "bank.csv"
    path.write_text("\n".join(["age,when,Branch,state", *lines, *lines[:COPIES]]) + "\n")
    return path


WORDS = list("abcdefghijklmnop")


@pytest.mark.slow
@pytest.mark.parametrize("keeps_date", [False, True])
def test_findings_are_reported_once_until_answered(
    finished_run: Callable[..., tuple[Path, int]],  # noqa: F811
    table: Path,
    keeps_date: bool,
) -> None:
    roles = {"when": "feature"} if keeps_date else {}
    path, run_id = finished_run(
        method="RS", budget=2, source=TableSource(path=str(table), roles=roles)
    )
    with Document.open(path, writable=False) as document:
        facts = gather_facts(document, run_id)
        page = render_page(facts)
    prepared = facts.prepared_run
    assert {each.kind for each in prepared.table.findings} >= {"duplicates", "free-text"}
    assert any(getattr(note, "template", "") == IGNORED_NOTE for note in prepared.notes)
    assert page.count(f"{COPIES} of {ROWS + COPIES}") == 1
    assert translate(Phrase(IGNORED_NOTE, {"listed": "“Branch”"})) not in page
    assert page.count("“Branch”") == 2, "a finding and its advice"
    assert page.count(translate(advise_on_texts(prepared.table.findings))) == 1
    assert (f"until {END}" in page) is not keeps_date

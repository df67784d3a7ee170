"""A finished run's answer, summary and report advise on undecided free text."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from studio.analysis.text_advice import advise_on_texts
from studio.cli.entry import main
from studio.data.findings import from_json
from studio.document.store import Document
from studio.gui.drafts.run_model import RunModel
from studio.gui.pages.results.page import ResultsPage
from studio.gui.pages.results.views.answer import AnswerView
from studio.gui.session.session import Session
from studio.language import translate
from studio.runs.settings import RunSettings, TableSource
from tests.small_runs import finished_run, new_run, small_table  # noqa: F401

pytestmark = pytest.mark.slow

ROWS = 90
WORDS = ["refund", "late", "parcel", "invoice", "login", "crash", "screen", "thanks"]

Finished = Callable[..., tuple[Path, int]]


def write_table(path: Path, distinct: int) -> Path:
    """Write a table with a column of free text: that many texts, some of them repeated."""
    rng = np.random.default_rng(5)
    texts = [" ".join(rng.choice(WORDS, 6)) for _ in range(distinct)]
    rows = [(texts[i % distinct], i * 7 % 31, "yn"[i % 3 > 0]) for i in range(ROWS)]
    path.write_text("note,size,team\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows), "utf-8")
    return path


def finish(finished: Finished, folder: Path, distinct: int, **choices: Any) -> tuple[Path, str]:
    """Return a finished run's document, and the advice on its texts."""
    table = write_table(folder / f"tickets-{distinct}.csv", distinct)
    path, run_id = finished(
        method="RS", budget=2, source=TableSource(path=str(table), target="team", **choices)
    )
    with Document.open(path, writable=False) as document:
        row = document.runs.get(run_id)
        table_id, decided = row.table_id, RunSettings.from_row(row).source.decided_columns
        assert table_id is not None
        findings = from_json(document.tables.describe(table_id)["findings"])
    return path, advise_on_texts(findings, decided)


CASES = pytest.mark.parametrize(
    ("distinct", "choices", "is_advised"),
    [
        (ROWS, {}, True),
        (60, {}, True),
        (60, {"kinds": {"note": "text"}}, False),
        (60, {"roles": {"note": "ignore"}}, False),
        (ROWS, {"kinds": {"note": "category"}}, False),
        (60, {"roles": {"note": "feature"}}, False),
        (60, {"treatments": {"note": "merge 10"}}, False),
    ],
    ids=[
        "left out",
        "whole values",
        "words",
        "left out by choice",
        "without words",
        "used by choice",
        "merged by choice",
    ],
)


@CASES
def test_answer_offers_the_words(
    finished_run: Finished,  # noqa: F811
    tmp_path: Path,
    session: Session,
    helper: Any,
    qtbot: QtBot,
    distinct: int,
    choices: dict[str, Any],
    is_advised: bool,
) -> None:
    path, advice = finish(finished_run, tmp_path, distinct, **choices)
    session.open(path)
    page = ResultsPage(session, RunModel(session, helper), helper)
    qtbot.addWidget(page)
    page.show()
    answer = page.views.get_view(AnswerView)
    qtbot.waitUntil(lambda: bool(answer.verdict_label.text()))
    assert answer.text_button.isVisible() is answer.text_label.isVisible() is is_advised
    assert answer.text_label.text() == translate(advice) and bool(advice) is is_advised
    if is_advised:
        with qtbot.waitSignal(answer.page_requested) as blocker:
            answer.text_button.click()
        assert blocker.args == ["data"]


@CASES
def test_summary_and_report_repeat_the_advice(
    finished_run: Finished,  # noqa: F811
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    distinct: int,
    choices: dict[str, Any],
    is_advised: bool,
) -> None:
    path, advice = finish(finished_run, tmp_path, distinct, **choices)
    assert bool(advice) is is_advised
    assert main(["show", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["text_advice"] == advice
    assert main(["show", str(path)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    report = tmp_path / "report.html"
    assert main(["export", str(path), "--format", "report", "-o", str(report)]) == 0
    for text, part in ((shown, advice), (report.read_text("utf-8"), translate(advice))):
        assert (part in text) if is_advised else ("learned from its" not in text)

"""Findings about a table: reported before a run, stored with it, and repeated with its result."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.data.splits import SplitPlan
from studio.document.store import Document
from studio.helper.tables import check_table
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool
from studio.runs.settings import RunSettings, TableSource
from tests.cli.test_commands import parse_last_json, studio

pytestmark = pytest.mark.slow

ROWS = 90


@pytest.fixture(scope="module")
def leaking_table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a table with a leak, two spellings of a label and an identifier."""
    path = tmp_path_factory.mktemp("tables") / "leaking.csv"
    lines = ["PassengerId,age,plan,closed,churn"]
    for i in range(ROWS):
        has_churned = i % 3 == 0
        closed = f"2024-02-{1 + i % 28:02d}" if has_churned else ""
        number = 1000 + 37 * i % ROWS
        plan = ("basic", "Basic", "plus")[i * 7 % 5 % 3]
        lines.append(f"{number},{20 + i * 7 % 31},{plan},{closed},{'yes' if has_churned else 'no'}")
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.fixture(scope="module")
def make_leak_run(leaking_table: Path) -> Callable[..., Path]:
    def make(**roles: str) -> Path:
        path = leaking_table.with_name(f"w{'-'.join(roles.values())}.studio")
        source = TableSource(path=str(leaking_table), target="churn", roles=roles)  # type: ignore[arg-type]
        settings = RunSettings(
            method="RS", budget=2, workers=1, source=source, plan=SplitPlan(0.6, 0.2)
        )
        with Document.create(path) as document:
            run_id = document.runs.add("test", settings.to_json())
            messages: list[str] = []
            engine = Engine(
                document, run_id, lambda each: messages.append(each.message), InlinePool
            )
            assert engine.execute_run() == "finished"
        path.with_suffix(".said").write_text("\n".join(messages))
        return path

    return make


@pytest.fixture(scope="module")
def run_with_leak(make_leak_run: Callable[..., Path]) -> Path:
    """Return a document with a run on the leaking column."""
    return make_leak_run()


@pytest.fixture(scope="module")
def run_without_leak(make_leak_run: Callable[..., Path]) -> Path:
    """Return a document with a run without the leaking column."""
    return make_leak_run(closed="ignore")


KEPT = "'closed' was kept although it may contain the answer. It is filled exactly where "


def get_first_line(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line.strip() for line in done.stdout.splitlines() if line.strip().startswith(KEPT)]


def test_run_prints_open_findings_before_start(run_with_leak: Path) -> None:
    messages = run_with_leak.with_suffix(".said").read_text().splitlines()
    assert messages[0].startswith("Stop: 'closed': ")
    assert any(line.startswith("Decide: 'plan': ") for line in messages)
    assert not any(line.startswith(("Done: ", "Idea: ")) for line in messages)
    assert any(line.startswith("Ignored: 'PassengerId'. ") for line in messages), "and why"


def test_run_repeats_overruled_findings(make_leak_run: Callable[..., Path]) -> None:
    messages = make_leak_run(closed="feature").with_suffix(".said").read_text().splitlines()
    assert messages[0].startswith(KEPT)
    assert not any(line.startswith("Stop: ") for line in messages)


def test_show_lists_open_and_overruled_findings(
    run_with_leak: Path, run_without_leak: Path
) -> None:
    content = parse_last_json(studio("show", run_with_leak, "--json"))
    findings = [(each["level"], each["kind"], each["columns"]) for each in content["findings"]]
    assert findings[0] == ("stop", "leak", ["closed"])
    assert ("decide", "alike-labels", ["plan"]) in findings
    assert ("done", "identifier", ["PassengerId"]) in findings
    assert len(content["overruled"]) == 1
    assert len(get_first_line(studio("show", run_with_leak))) == 1
    settled = parse_last_json(studio("show", run_without_leak, "--json"))
    assert settled["overruled"] == []
    assert "stop" not in {each["level"] for each in settled["findings"]}
    assert get_first_line(studio("show", run_without_leak)) == []


def test_predict_repeats_overruled_findings(
    run_with_leak: Path, run_without_leak: Path, leaking_table: Path
) -> None:
    output_path = leaking_table.with_name("out.csv")
    process = studio("predict", run_with_leak, leaking_table, "-o", output_path)
    assert f"note: {KEPT}" in process.stderr
    assert any(
        note.startswith(KEPT)
        for note in parse_last_json(
            studio("predict", run_with_leak, leaking_table, "-o", output_path, "--json")
        )["notes"]
    )
    assert check_table(run_with_leak, 1, leaking_table).notes[0].startswith(KEPT), (
        "in the window, before it does"
    )
    assert not any(
        "was kept" in each for each in check_table(run_without_leak, 1, leaking_table).notes
    )
    assert (
        "was kept"
        not in studio("predict", run_without_leak, leaking_table, "-o", output_path).stderr
    )


def test_report_starts_with_overruled_findings(run_with_leak: Path, run_without_leak: Path) -> None:
    pages = []
    for document in (run_with_leak, run_without_leak):
        page = document.with_suffix(".html")
        parse_last_json(studio("export", document, "--format", "report", "-o", page, "--json"))
        pages.append(page.read_text("utf-8"))
    _, body = pages[0].split("</header>", 1)
    warned = body.split("</section>", 1)[0]
    quoted = re.sub(r"'(\w+)'", r"“\1”", KEPT)
    assert quoted in warned.split("<div", 1)[0]
    advice = [page.split("What to do</h2>", 1)[1].split("</section>")[0] for page in pages]
    assert advice[0].startswith('<p class="warning">'), "the warning precedes the advice"
    assert "closed" in advice[0].split("</p>")[0] and "warning" not in advice[1]
    assert "<li>Stop: “closed”: " in body
    assert "<li>Ignored: “PassengerId”. " in body
    assert "<li>Done: “PassengerId”: " not in body, "it is reported once"
    assert "unchanged: “plan”: " in body and "Decide: " not in body
    assert "Stop: " not in pages[1]
    assert "“closed”. Left out" in pages[1]
    assert "was kept although" not in pages[1]


def test_fork_repeats_overruled_findings(run_with_leak: Path) -> None:
    process = studio(
        "fork", run_with_leak, "--at", 2, "--method", "RS-post", "--budget", 2, "--json"
    )
    assert len(parse_last_json(process)["overruled"]) == 1


def test_findings_of_other_version_are_skipped(run_with_leak: Path) -> None:
    def alter_findings(findings: list[dict[str, Any]]) -> list[Any]:
        return [
            {**findings[0], "kind": "a kind of tomorrow"},
            {**findings[0], "more": 1},
            {"kind": "leak"},
            "nothing",
        ]

    from studio.data.findings import from_json

    with Document.open(run_with_leak, writable=False) as document:
        (table,) = document.tables.list_all()
        findings = document.tables.describe(table.id)["findings"]
    assert len(from_json(alter_findings(findings))) == 1
    assert from_json(json.loads("{}")) == ()

"""The simulation of a next period: records, and how it continues."""

import json
from pathlib import Path

import pytest

from bench.next_period import ARMS, COUNTS, load_records, measure, summarise


@pytest.mark.slow
def test_benchmark_records_are_continued_and_summarised(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    lines = [json.dumps(each) for number in (0, 2) for each in measure("none", number)]
    path.write_text("\n".join([*lines, lines[0][:40]]), encoding="utf-8")
    records = load_records(path)  # the last line is truncated
    assert [each["arm"] for each in records] == [*ARMS, *ARMS]
    for each in records:
        widths = [each["counts"][str(count)][4] for count in COUNTS]
        assert widths == sorted(widths)
        assert bool(each["steady"]) == (each["arm"] != "no role")
    rows = [line for line in summarise(records).splitlines() if "| none |" in line]
    assert len(rows) == len(ARMS) + 2  # the folds share the test rows of the hold-out

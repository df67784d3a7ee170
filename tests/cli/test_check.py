"""``studio check``: its output as JSON and as text."""

import contextlib
import io
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from studio.cli.entry import main
from tests.facts import contains_facts

ROWS = 80


def run_check(path: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    argv = ["check", str(path), *map(str, arguments)]
    stdout, stderr = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        code = main(argv)
    return subprocess.CompletedProcess(argv, code, stdout.getvalue(), stderr.getvalue())


def as_json(path: Path, *arguments: object) -> dict[str, Any]:
    process = run_check(path, *arguments, "--json")
    assert process.returncode == 0, process.stderr
    (line,) = process.stdout.splitlines()
    content: dict[str, Any] = json.loads(line)
    return content


def saved(path: Path, **columns: list[Any]) -> Path:
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    churn_flags = [i % 3 == 0 for i in range(ROWS)]
    return saved(
        tmp_path / "t.csv",
        id=[(i * 37) % ROWS + 1 for i in range(ROWS)],
        age=[20 + (i * 7) % 31 for i in range(ROWS)],
        since=[f"20{10 + i % 9}-0{1 + i % 7}-1{i % 10}" for i in range(ROWS)],
        plan=["abc"[(i * 5) % 7 % 3] for i in range(ROWS)],
        closed=[
            f"2024-02-{1 + i % 28:02d}" if has_churned else ""
            for i, has_churned in enumerate(churn_flags)
        ],
        churn=["yes" if has_churned else "no" for has_churned in churn_flags],
    )


def test_check_prints_all_guesses_as_json(table: Path) -> None:
    content = as_json(table)
    assert (content["rows"], content["target"], content["task"]) == (ROWS, "churn", "binary")
    assert content["classes"] == ["no", "yes"]
    assert content["reasons"].keys() == {"target", "task"}
    assert content["reading"]["separator"] == ","
    columns = {each["name"]: each for each in content["columns"]}
    assert list(columns) == ["id", "age", "since", "plan", "closed", "churn"]
    assert {name: each["role"] for name, each in columns.items()} == {
        "id": "ignore", "age": "feature", "since": "feature", "plan": "feature",
        "closed": "feature", "churn": "target",
    }  # fmt: skip
    kinds = [each["kind"] for each in content["columns"]]
    assert kinds == ["number", "number", "date", "category", "date", "category"]
    assert [columns["age"][each] for each in ("min", "max", "distinct")] == [20, 50, 31]
    assert columns["closed"]["missing"] == sum(i % 3 != 0 for i in range(ROWS))
    assert (columns["closed"]["min"], columns["closed"]["max"]) == ("2024-02-01", "2024-02-28")
    assert columns["plan"]["min"] is None
    assert set(columns["age"]) == {
        "name", "role", "kind", "missing", "distinct", "min", "max", "format",
    }  # fmt: skip


def test_check_prints_iso_dates_in_json(tmp_path: Path) -> None:
    when = [f"{1 + i % 28:02}.{1 + i % 12:02}.2024" for i in range(ROWS)]
    table = saved(tmp_path / "t.csv", when=when, y=["ab"[i % 2] for i in range(ROWS)])
    column = next(each for each in as_json(table)["columns"] if each["name"] == "when")
    assert (column["kind"], column["min"]) == ("date", "2024-01-01")


def test_check_prints_times_at_midnight(tmp_path: Path) -> None:
    when = [f"2024-01-{1 + i % 28:02} {12 * (i % 2):02}:00" for i in range(ROWS)]
    table = saved(tmp_path / "t.csv", when=when, y=["ab"[i % 2] for i in range(ROWS)])
    column = next(each for each in as_json(table)["columns"] if each["name"] == "when")
    assert (column["min"], column["max"]) == ("2024-01-01 00:00:00", "2024-01-28 12:00:00")


def test_check_sorts_findings_by_level_and_exits_with_0(table: Path) -> None:
    findings = as_json(table)["findings"]
    levels = [each["level"] for each in findings]
    assert levels == sorted(levels, key=["stop", "decide", "done", "idea"].index)
    first = findings[0]
    assert (first["level"], first["kind"], first["columns"]) == ("stop", "leak", ["closed"])
    assert {"identifier", "time"} <= {each["kind"] for each in findings}
    assert all(each["text"] for each in findings)


def test_check_prints_findings_with_remedies(table: Path) -> None:
    output = run_check(table).stdout
    assert output.index("\nStop\n") < output.index("\nDone\n") < output.index("\nIdea\n")
    assert "--role closed=ignore" in output
    assert f"{ROWS} rows" in output
    for name in ("id", "age", "since", "plan", "closed", "churn"):
        assert f"\n  {name} " in output


def test_check_accepts_suggested_reading_options(tmp_path: Path) -> None:
    table = saved(tmp_path / "t.csv", a=["1.234", "5.678"] * 6, y=["x", "y", "y"] * 4)
    assert "--read a=thousands:point" in run_check(table).stdout
    content = as_json(table, "--read", "a=thousands:point")
    assert content["columns"][0]["max"] == 5678.0
    assert "unclear-numbers" not in {each["kind"] for each in content["findings"]}


def test_check_choices_resolve_their_findings(table: Path) -> None:
    content = as_json(
        table, "--role", "closed=ignore", "--kind", "age=category", "--target", "plan"
    )
    assert (content["target"], content["task"]) == ("plan", "multiclass")
    columns = {each["name"]: each for each in content["columns"]}
    assert (columns["closed"]["role"], columns["age"]["kind"]) == ("ignore", "category")
    settled = as_json(table, "--role", "closed=ignore")["findings"]
    assert [each["level"] for each in settled if each["kind"] == "leak"] == ["done"]
    content_with_id = as_json(table, "--role", "id=feature")
    assert content_with_id["columns"][0]["role"] == "feature"
    assert [
        each["level"] for each in content_with_id["findings"] if each["kind"] == "identifier"
    ] == ["idea"]


def test_check_rejects_unusable_table(tmp_path: Path, table: Path) -> None:
    one = saved(tmp_path / "one.csv", a=[1, 2, 3], y=["x", "x", "x"])
    process = run_check(one, "--json")
    assert (process.returncode, [*json.loads(process.stdout)]) == (1, ["error"])
    assert "'y'" in process.stderr
    assert run_check(table, "--target", "nobody").returncode == 2
    assert run_check(tmp_path / "nothing.csv").returncode == 2


def test_check_has_same_reading_options_as_run(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("größe|y\n1,5|ja\n2,5|nein\n3,5|ja\n".encode("cp1252"))
    content = as_json(path, "--sep", "|", "--encoding", "cp1252", "--decimal", ",")
    assert [each["name"] for each in content["columns"]] == ["größe", "y"]
    assert content["columns"][0]["max"] == 3.5
    assert content["reading"]["separator"] == "|"


def test_check_compares_second_table(tmp_path: Path) -> None:
    train = saved(
        tmp_path / "train.csv",
        number=[7 * i for i in range(40)],
        x=[f"{i / 10:.1f}" for i in range(40)],
        colour=["red", "blue"] * 20,
        gone=[i % 7 for i in range(40)],
        y=["a", "b", "b", "a"] * 10,
    )
    test = saved(
        tmp_path / "test.csv",
        x=["0.0", ".1", "9.5", "9.6"],
        number=[900, 901, 902, 903],
        colour=["red", "blue", "green", "red"],
        y=["a", "b", "a", ""],
    )
    options = ("--role", "gone=ignore", "--role", "number=ignore", "--test", test)
    comparison = as_json(train, *options)["test"]
    assert (comparison["rows"], comparison["usable"], comparison["repeated"]) == (4, 3, 2)
    assert any("'colour'" in note for note in comparison["notes"])
    comparison_with_gone = as_json(train, "--role", "number=ignore", "--test", test)["test"]
    assert any("'gone'" in note for note in comparison_with_gone["notes"])
    output = run_check(train, *options).stdout
    assert "3 of 4 rows" in output
    assert run_check(train, "--test", tmp_path / "none.csv").returncode == 2


def test_check_accepts_text_as_column_kind(tmp_path: Path) -> None:
    notes = [f"customer {i} called about the bill" for i in range(40)]
    path = saved(tmp_path / "t.csv", note=notes, x=[i % 7 for i in range(40)], y=["a", "b"] * 20)
    note, *_ = as_json(path)["columns"]
    assert (note["kind"], note["role"], note["min"]) == ("text", "ignore", None)


def test_check_rejects_unknown_kind_or_role(table: Path) -> None:
    for option in (("--kind", "age=colour"), ("--role", "age=colour"), ("--role", "age")):
        assert run_check(table, *option).returncode == 2


def test_check_prints_class_of_constraints(table: Path) -> None:
    options = ("--monotone", "age=up", "--monotone", "since=down")
    age, since = as_json(table, *options)["constraints"]
    assert contains_facts(age, "'age' never lowers", "'yes'")
    assert contains_facts(since, "'since' never raises", "'yes'")
    assert as_json(table)["constraints"] == []
    assert f"constraint   {age}" in run_check(table, *options).stdout
    assert run_check(table, "--monotone", "age=sideways").returncode == 2
    refused = run_check(table, "--monotone", "plan=up")
    assert (refused.returncode, "it holds words" in refused.stderr) == (1, True)


@pytest.mark.parametrize("cell", ["{},78 €", "€ {}.42", "1.{},05"])
def test_check_shows_numbers_in_file_format(tmp_path: Path, cell: str) -> None:
    cost_cells = [cell.format(100 + i) for i in range(ROWS)]
    path = tmp_path / "t.csv"
    rows = (f"{each};{'ab'[i % 2]}" for i, each in enumerate(cost_cells))
    path.write_text("\n".join(["cost;y", *rows]), "utf-8")
    assert any(each in run_check(path).stdout for each in cost_cells)

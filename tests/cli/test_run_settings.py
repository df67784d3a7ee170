import argparse
import dataclasses
import shlex
from pathlib import Path

import pytest

from studio.cli import run
from studio.cli.run import add_arguments, make_settings
from studio.data.column import ROLES
from studio.data.splits import PROTOCOLS, SplitPlan
from studio.document.user_tables import load_named_tables
from studio.errors import UsageError
from studio.export.report.sections import format_command
from studio.runs.choices import DeclaredSettings
from studio.runs.settings import RunSettings
from studio.setting import iter_settings
from tests.facts import about


@pytest.fixture
def settings(tmp_path):
    """Return the settings of a command line."""
    table = tmp_path / "t.csv"
    table.write_text("a,y\n1,x\n")

    def read(*words):
        parser = argparse.ArgumentParser()
        add_arguments(parser)
        return make_settings(parser.parse_args([str(table), "-o", "d.studio", *words]))

    return read


def test_run_accepts_row_roles(settings):
    roles = settings("--role", "a=group", "--role", "w=weight", "--role", "t=time").source.roles
    assert roles == {"a": "group", "w": "weight", "t": "time"}
    with pytest.raises(UsageError, match=", ".join(ROLES)):
        settings("--role", "a=cluster")


def test_run_repeats_treatments_of_values(settings):
    run_settings = settings("--treat", "a=limit 0..", "--treat", "b=merge 012")
    assert run_settings.source.treatments == {"a": "limit 0..", "b": "merge 12"}
    repeated_argv = shlex.split(format_command(run_settings, "t.csv", "sklearn-cash"))
    assert [each for each in repeated_argv if "=limit" in each or "=merge" in each] == [
        "a=limit 0..",
        "b=merge 12",
    ]
    with pytest.raises(UsageError, match="merge ROWS"):
        settings("--treat", "a=drop 3")


def test_run_repeats_reading_options(settings):
    run_settings = settings(
        "--decimal", ",", "--thousands", "", "--missing=-|k. A.",
        "--read", "a=decimal:point,missing:x=y|?", "--read", "b=c=dates:month-first",
        "--role=-d=ignore",
    )  # fmt: skip
    reading = {
        "decimal": ",",
        "thousands": "",
        "missing": ["-", "k. A."],
        "columns": {"a": "decimal:point,missing:x=y|?", "b=c": "dates:month-first"},
    }
    assert run_settings.source.reading == reading
    repeated_argv = shlex.split(format_command(run_settings, "t.csv", "sklearn-cash"))
    source_arguments = [
        each
        for index, each in enumerate(repeated_argv)
        if {"--decimal", "--thousands", "--read", "--role"} & {each, repeated_argv[index - 1]}
        or each.startswith(("--missing", "--role"))
    ]
    assert settings(*source_arguments).source == run_settings.source
    assert "--missing=-|k. A." in repeated_argv
    with pytest.raises(UsageError, match="COLUMN=HOW"):
        settings("--read", "a")


@pytest.mark.parametrize(
    ("command_line", "reading"),
    [
        ("--header 4", {"header_row": 4}),
        ("--header none", {"header": False}),
        ("--skip 2 --header 4", {"header_row": 4, "skip": 2}),
        ("--skip 3 --header yes", {"header": True, "skip": 3}),
    ],
)
def test_run_repeats_header_row(settings, command_line, reading):
    run_settings = settings(*command_line.split())
    assert run_settings.source.reading == reading
    repeated_argv = shlex.split(format_command(run_settings, "t.csv", "sklearn-cash"))
    assert (
        settings(*repeated_argv[repeated_argv.index("again.studio") + 1 :]).source.reading
        == reading
    )


@pytest.mark.parametrize(
    "command_line",
    ["--header perhaps", "--header 0", "--header -1", "--skip -1", "--skip 5 --header 3"],
)
def test_run_rejects_invalid_header_row(settings, command_line):
    with pytest.raises((UsageError, SystemExit)):
        settings(*command_line.split())


def test_run_uses_requested_split(settings):
    assert settings().plan == SplitPlan()
    assert settings("--folds", "4", "--seed", "3").plan == SplitPlan(folds=4, seed=3)
    capped = settings("--split", "50/25/25", "--cap", "5000").plan
    assert capped == SplitPlan(0.5, 0.25, 0.25, cap=5000)
    assert settings("--split", "thesis3").plan.cap == 5000, "a protocol's own"
    assert settings("--split", "50/0/50", "--folds", "9").plan == SplitPlan(0.5, 0, 0.5, folds=9)
    assert settings("--split", "EO", "--folds", "9").plan.shares[2] == 0.33
    with pytest.raises(UsageError, check=about(low="2", high="100", given="101")):
        settings("--folds", "101")
    with pytest.raises(UsageError, check=about(low="2", given="1")):
        settings("--cap", "1")


def test_run_settings_have_declared_defaults(settings):
    run_settings = settings("--method", "RS-post")
    assert all(
        getattr(run_settings, each.name) == each.default for each in iter_settings(DeclaredSettings)
    )
    assert not settings("--method", "best").refit
    assert not settings("--no-keep").keep


def make_other_value(declared):
    """Return an allowed value other than the default."""
    if declared.kind is bool:
        return not declared.default
    if declared.choices:
        return declared.choices[-1]
    return "f1-macro" if declared.kind is str else declared.kind((declared.low or 1) + 300.5)


@pytest.mark.parametrize(
    "plan",
    [SplitPlan(), *(each.plan for each in PROTOCOLS), SplitPlan(0.5, 0.2, 0.3, cap=90)],
    ids=str,
)
def test_report_command_reproduces_split(settings, plan):
    run_settings = dataclasses.replace(settings(), plan=plan)
    argv = shlex.split(format_command(run_settings, "t.csv", "sklearn-cash"))
    start = argv.index("--split")
    repeated_settings = settings(*argv[start : argv.index("--workers", start)])
    assert repeated_settings.plan == plan
    assert not repeated_settings.advised


@pytest.mark.parametrize("method", ["RS-post", "best"])
@pytest.mark.parametrize(
    "declared",
    [each for each in iter_settings(DeclaredSettings) if each.affects_result],
    ids=lambda each: each.name,
)
def test_report_command_reproduces_settings(settings, declared, method):
    source = settings().source
    for value in (declared.default, make_other_value(declared)):
        run = dataclasses.replace(
            RunSettings(method=method, source=source), **{declared.name: value}
        )
        argv = shlex.split(format_command(run, "t.csv", "sklearn-cash"))
        repeated_settings = settings(*argv[argv.index("--method") :])
        assert getattr(repeated_settings, declared.name) == value


def test_run_records_table_paths_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(run, "run_until_finished", lambda *_: 0)
    table = tmp_path / "t.csv"
    table.write_text("a,target\n1,x\n2,y\n")
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    run.run_command(parser.parse_args([str(table), "-o", str(tmp_path / "w.studio")]))
    run.run_command(parser.parse_args([str(table), "-o", str(tmp_path / "w.studio")]))
    assert load_named_tables() == (str(table.resolve()),)
    (tmp_path / "data" / "ensemble-studio" / "named-tables.json").write_text("{")
    assert load_named_tables() == ()

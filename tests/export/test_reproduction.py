"""The command that repeats a run, and whether it gives the same models."""

import argparse
import dataclasses
import shlex
from pathlib import Path

import pytest

from studio.cli import run
from studio.data.splits import SplitPlan, split_plan
from studio.export.report.sections import describe_reproduction, format_command
from studio.runs.settings import RunSettings, TableSource


def test_report_command_contains_all_settings() -> None:
    settings = RunSettings(
        method="EO-sqm",
        source=TableSource(path="/x/a b.csv", target="y", task="binary", roles={"id": "ignore"}),
        metric="error",
        budget=20,
        plan=split_plan("thesis5"),
        overrides={"ensemble.size": 7},
        refit=True,
        seed=4,
        workers=2,
    )
    line = format_command(settings, "a b.csv", "sklearn-cash")
    begun = ["studio", "run", "a b.csv", "-o", "again.studio", "--method", "EO-sqm"]
    assert shlex.split(line)[:7] == begun
    for piece in ("--split thesis5", "--role id=ignore", "--set ensemble.size=7", "--seed 4",
                  "--budget 20", "--target y"):  # fmt: skip
        assert piece in line
    assert "--no-refit" not in line
    # A split of that name would separate equal rows.
    ours = format_command(dataclasses.replace(settings, plan=SplitPlan(folds=5)), "a b.csv", "s")
    assert "--split 60/20/20 --folds 5" in ours


@pytest.mark.parametrize("name", ["-x.csv", "--help", "x.csv"])
def test_file_names_starting_with_dash_are_not_options(name: str) -> None:
    source = TableSource(path=name, target="-y", test_path=f"/somewhere/{name}")
    line = format_command(RunSettings(method="EO-sqm", source=source, seed=1), name, name)
    parser = argparse.ArgumentParser()
    run.add_arguments(parser)
    parsed = parser.parse_args(shlex.split(line)[2:])
    for argument in (parsed.table, parsed.test, parsed.space):
        assert Path(argument).name == name
    assert parsed.target == "-y"


@pytest.mark.parametrize(("workers", "exact"), [(1, True), (2, False)])
def test_report_states_exactness_of_command(workers: int, exact: bool) -> None:
    settings = RunSettings("RS", TableSource("t.csv"), budget=5, workers=workers)
    text = describe_reproduction(settings)
    assert ("give the" in text) == exact
    assert ("the members" in text) != exact
    timed = dataclasses.replace(settings, budget=None, seconds=9.0)
    for description in (
        describe_reproduction(timed),
        describe_reproduction(settings, not_finished=1),
    ):
        assert "the machine" in description
        assert "give the" not in description, "time never repeats itself exactly"
    assert "the machine" not in text


def test_report_of_fork_warns_about_differing_models() -> None:
    settings = RunSettings("RS", TableSource("t.csv"), budget=5, workers=1)
    fork = dataclasses.replace(settings, forked={"run": 3, "iteration": 2})
    assert describe_reproduction(fork) != describe_reproduction(settings)
    assert "run 3" in describe_reproduction(fork)
    assert "give the" not in describe_reproduction(fork)

"""A short part of the torture suite, and its detection of faults.

The short parts of its groups "learners", "kills" and "suspension" are test_pool.py, test_crash.py
and test_suspension.py in tests/runs.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from studio.cli.entry import BUG_MESSAGE, make_parser

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it limits and forks processes")

PACKAGING = Path(__file__).parents[2] / "packaging"

SHORT = {
    "encodings dialects values targets predictions spaces archives": 2,
    "documents writes interruptions limits window": 1,
    "journals logs links trust": 4,
    "places --first 6": 2,
    "dialogs": 6,
}
"""Groups and numbers of cases; the first ones have large tables."""


@pytest.mark.slow
@pytest.mark.parametrize("groups", SHORT)
def test_few_cases_of_each_group_pass(groups: str) -> None:
    command = [sys.executable, str(PACKAGING / "torture.py"), *groups.split()]
    process = subprocess.run(
        [*command, "--cases", str(SHORT[groups])], capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stdout + process.stderr[-2000:]
    figures = [line.split() for line in process.stdout.splitlines()[1:]]
    names = [word for word in groups.split() if word.isalpha()]
    assert [(each[0], int(each[1])) for each in figures] == [
        (name, SHORT[groups]) for name in names
    ]


def test_interrupted_commands_are_valid() -> None:
    from torture.interruptions import COMMANDS

    for command, arguments in COMMANDS.items():
        name = command.split(maxsplit=1)[0]
        assert make_parser([name]).parse_args([name, *arguments])


@pytest.mark.parametrize(
    ("code", "expected", "kind"),
    [
        (0, "Wrote 3 predictions to out.csv\n", "unharmed"),
        (1, "The table 'a' is empty. Choose another.\n", "reported"),
        (1, "Traceback (most recent call last):\nValueError: x\n", "fault"),
        (1, BUG_MESSAGE, "fault"),
        (-11, "", "fault"),
        (1, "", "fault"),
        (1, "The table '\x1b[2J' is empty.", "fault"),
        (0, "numpy/core.py:3: RuntimeWarning: overflow encountered", "fault"),
        (2, "There is no column " + "x" * 30_000 + ".", "fault"),
    ],
)
def test_messages_and_clean_exits_are_not_reported_as_faults(
    code: int, expected: str, kind: str
) -> None:
    from torture.verdict import judge_exit

    assert judge_exit("a case", code, expected).kind == kind


@pytest.mark.slow
def test_exceptions_hangs_and_leftover_resources_are_faults(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def misbehave(folder: Path, rng: Random, number: int) -> Iterator[Any]:
        if number == 0:
            raise ValueError("not told")
        if number == 1:
            while True:
                pass
        if number == 2:
            (Path(os.environ["TMPDIR"]) / "left").mkdir()
        if number == 3:
            # Only after exec: between fork and exec a process shows no environment.
            begun = "until grep -q sleep /proc/$!/comm; do :; done"
            subprocess.run(f"sleep 600 > /dev/null 2>&1 & {begun}", shell=True, check=True)
        yield from ()

    from torture import execution, suite
    from torture.registry import GROUPS, Group

    monkeypatch.setattr(execution, "REAP_TIMEOUT", 0.2)
    monkeypatch.setattr(suite, "LIMIT", 1 / 3)
    monkeypatch.setitem(GROUPS, "misbehaving", Group(lambda folder: misbehave, 4))
    *_, figures = suite.run_cases("misbehaving", 4, seed=0)
    assert figures.counts == {"fault": 4}
    fault_kinds = [line.partition(", ")[2].partition(":")[0] for line in figures.faults]
    assert fault_kinds == ["ValueError", "it hung", "folders left behind", "processes left behind"]


def test_case_is_determined_by_number_and_seed() -> None:
    from torture.grid import sound_table
    from torture.values import DAMAGES

    def cells(number: int) -> list[list[str]]:
        rng = Random(f"values 0 {number}")
        grid = sound_table(rng)
        grid.damaged(list(DAMAGES[:4]), rng)
        return grid.rows

    assert cells(3) == cells(3) != cells(4)

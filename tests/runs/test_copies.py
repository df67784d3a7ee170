"""A copy of the ``.studio`` file during a run contains all reported trials."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.document.follow import ChangeReader
from studio.document.store import Document
from studio.runs.engine import Engine
from studio.runs.inline import InlinePool

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("followed", [False, True])
def test_copied_file_contains_reported_trials(
    new_run: Callable[..., tuple[Path, int]],
    run_inline: Callable[..., str],
    tmp_path: Path,
    followed: bool,
) -> None:
    path, run = new_run(method="RS-post", budget=4)
    copies = []
    # An idle follower does not interfere; a reading window does so only for a moment.
    follower = ChangeReader(path) if followed else None

    def copied(progress: Any) -> None:
        copy_path = tmp_path / f"copy-{progress.trial.number}.studio"
        shutil.copyfile(path, copy_path)
        copies.append((progress.trial.number, copy_path))
        if follower is not None:
            follower.read_changes()

    assert run_inline(path, run, copied) == "finished"
    if follower is not None:
        follower.close()
    assert [number for number, _ in copies] == [1, 2, 3, 4]
    for number, copy in copies:
        with Document.open(copy) as document:
            assert document.trials.count(run) == number
            assert not document.owners.is_alive(run)
    assert run_inline(copies[1][1], run) == "finished"
    with Document.open(copies[1][1]) as one, Document.open(path) as other:
        configurations = [
            [trial.configuration for trial in each.trials.list_all(run)] for each in (one, other)
        ]
        assert configurations[0] == configurations[1]


def test_copy_of_open_file_contains_result(
    new_run: Callable[..., tuple[Path, int]], tmp_path: Path
) -> None:
    path, run = new_run(method="RS-post", budget=2)
    with Document.open(path) as document:
        assert Engine(document, run, lambda progress: None, InlinePool).execute_run() == "finished"
        shutil.copyfile(path, tmp_path / "copy.studio")
    with Document.open(tmp_path / "copy.studio") as copy:
        assert copy.runs.get(run).state == "finished"
        assert copy.runs.get(run).result is not None

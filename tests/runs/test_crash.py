"""Killed processes lose no reported trials and do not change the run.

Kills of the engine's process, of a worker (while a window's follower reads), and of a process that
follows the document as the window does: ``--kills 1000`` requests more kills than the default.
"""

import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a POSIX signal")

BUDGET = 30
Make = Callable[..., tuple[Path, int]]


@pytest.mark.slow
def test_kills_do_not_lose_or_change_trials(
    new_run: Make, finished_run: Make, hostile_path: None, request: pytest.FixtureRequest
) -> None:
    from killing import recorded, run_with_kills

    n_kills = request.config.getoption("kills")
    settings = {"method": "EO-post", "budget": BUDGET, "seed": 11}
    uninterrupted = recorded(*finished_run(**settings))
    rng = random.Random(5)
    kills = {"engine": 0, "worker": 0, "window": 0}
    while sum(kills.values()) < n_kills:
        path, run_id = new_run(**settings)
        sessions = run_with_kills(path, run_id, n_kills, rng, kills)
        for so_far in sessions:
            assert so_far == uninterrupted[: len(so_far)]
        assert sessions[-1] == uninterrupted
    assert min(kills.values()) >= n_kills // 4

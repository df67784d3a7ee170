"""Group of suspended engines: suspensions fail no trial."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from torture.test_modules import import_test_module
from torture.verdict import Try, Verdict

LIMIT_SECONDS = 3


def suspension(folder: Path) -> Try:
    """Return the cases with a pool suspended beyond the time limit of trials."""
    del folder
    return partial(_attempt, import_test_module("runs", "suspending"))


def _attempt(suspending: Any, folder: Path, rng: Random, number: int) -> Iterator[Verdict]:
    del number
    workers, whole = rng.randint(1, 2), rng.random() < 0.5
    away = rng.uniform(LIMIT_SECONDS + 0.5, 3 * LIMIT_SECONDS)
    what = f"{'a pool' if whole else 'an engine alone'} for {away:.1f} s, {workers} workers"
    found = suspending.run_suspended_trials(
        folder, workers=workers, limit=LIMIT_SECONDS, jobs=2 * workers, away=away, whole=whole
    )
    for cause, seconds in found.values():
        failed = cause or ("its seconds count the break" if seconds >= LIMIT_SECONDS else "")
        yield Verdict("fault" if failed else "unharmed", what, failed)

"""Time and memory for reading a large table, compared with ``pandas.read_csv``.

300,000 rows of 19 mixed columns, some 45 MB: numbers with and without fractions, words of few
levels, dates, identifiers. Each way works in separate processes, one after another, so that imports
and memory of one do not help another.
"""

import json
import subprocess
import time
from pathlib import Path
from statistics import median

import numpy as np

from studio.children import make_module_command
from studio.scratch import make_scratch_folder

ROWS = 300_000
REPEATS = 5
TARGET = "word 1"

WAYS = ("pandas", "read", "all")
"""``pandas.read_csv``; this program's reading; reading, analysing columns, and making the
matrix.
"""

Figures = dict[str, float | None]


def read() -> Figures:
    """Measure the ways to read a table, each several times in turn.

    Returns:
        CPU seconds ``read_s``, ``all_s`` and ``against`` (pandas), the median of each; the ratios
        to pandas; and the most megabytes that each process takes, ``read_mb``, ``all_mb`` and
        ``against_mb``, if known.
    """
    found: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    with make_scratch_folder() as folder:
        path = folder / "mixed.csv"
        write_table(path, ROWS)
        for _ in range(REPEATS):
            for way in WAYS:
                found[way].append(_measure_process(way, path))
    seconds = {way: median(cpu for cpu, _ in found[way]) for way in WAYS}
    megabytes = {way: max(peak for _, peak in found[way]) or None for way in WAYS}
    return {
        "read_s": seconds["read"],
        "all_s": seconds["all"],
        "against": seconds["pandas"],
        "read_ratio": seconds["read"] / seconds["pandas"],
        "all_ratio": seconds["all"] / seconds["pandas"],
        "read_mb": megabytes["read"],
        "all_mb": megabytes["all"],
        "against_mb": megabytes["pandas"],
    }


def write_table(path: Path, n_rows: int) -> None:
    """Write a table of 8 columns of fractions, 4 of integers, 5 of words, a date, an id."""
    import pandas as pd

    rng = np.random.default_rng(0)
    words = np.array(["north east", "south", "west central", "alpha", "beta", "gamma region", "x"])
    columns: dict[str, list[str]] = {}
    for i in range(8):
        values = rng.normal(size=n_rows) * 10.0 ** rng.integers(1, 4)
        columns[f"number {i + 1}"] = [
            f"{value:.5f}" if i % 2 else f"{value:.6g}" for value in values
        ]
    for i, most in enumerate((5, 100, 5000, 1_000_000)):
        columns[f"count {i + 1}"] = rng.integers(0, most, n_rows).astype(str).tolist()
    for i, levels in enumerate((2, 3, 5, 6, 7)):
        columns[f"word {i + 1}"] = words[rng.integers(0, levels, n_rows)].tolist()
    days = np.datetime64("2015-01-01") + rng.integers(0, 3000, n_rows)
    columns["day"] = days.astype(str).tolist()
    columns["id"] = [f"A{i:07d}" for i in rng.permutation(n_rows)]
    pd.DataFrame(columns).to_csv(path, index=False)


def main(way: str, path: str) -> int:
    """Run one measurement: print CPU seconds and peak megabytes."""
    from studio.system.memory import get_peak_memory

    work = {"pandas": _read_with_pandas, "read": _read_table, "all": _read_matrix}[way]
    with make_scratch_folder() as folder:
        small = folder / "small.csv"
        write_table(small, 200)
        work(small)  # excludes imports from the measurement
    begun = time.process_time()
    work(Path(path))
    spent = time.process_time() - begun
    print(json.dumps([spent, get_peak_memory() / 1e6]))
    return 0


def _measure_process(way: str, path: Path) -> tuple[float, float]:
    done = subprocess.run(
        make_module_command("bench.reading", way, str(path)),
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, megabytes = json.loads(done.stdout)
    return seconds, megabytes


def _read_with_pandas(path: Path) -> None:
    import pandas as pd

    pd.read_csv(path)


def _read_table(path: Path) -> None:
    from studio.data.reading import read as read_table

    read_table(path)


def _read_matrix(path: Path) -> None:
    from studio.data.problem import Problem
    from studio.data.reading import read as read_table
    from studio.data.table import Table

    Problem.from_table(Table.from_raw(read_table(path), target=TARGET))

"""Duration of a run relative to its time limit, and the time use of its workers."""

import csv
import json
import subprocess
import time
from pathlib import Path

from studio.children import make_process_environment, make_studio_command
from studio.scratch import make_scratch_folder

SECONDS = 30.0
METHODS = ("RS-post", "EO-sqm", "BO-post")
WORKERS = (1, 2)


def given_time() -> dict[str, float | None]:
    """Run ``studio run --seconds 30`` on scikit-learn's diabetes table, from start to end.

    Returns:
        For each method and number of workers ``…_time``: wall seconds of the whole command divided
        by its time limit; and ``…_training``, ``…_suggesting``, ``…_idle`` and
        ``…_finishing``: shares of its workers' time.
    """
    found: dict[str, float | None] = {"against": None}
    with make_scratch_folder() as folder:
        table = _write_table(folder)
        for method in METHODS:
            for workers in WORKERS:
                name = f"{method}_{workers}"
                wall, shares = _run(table, table.with_name(f"{name}.studio"), method, workers)
                found[f"{name}_time"] = wall / SECONDS
                found |= {f"{name}_{what}": share for what, share in shares.items()}
    return found


def _run(table: Path, document: Path, method: str, workers: int) -> tuple[float, dict[str, float]]:
    """Return a command's wall seconds and the shares of its workers' time."""
    begun = time.monotonic()
    done = subprocess.run(
        make_studio_command(
            *("run", table, "-o", document, "--target", "progression", "--method", method),
            *("--seconds", SECONDS, "--workers", workers, "--json", "--quiet"),
        ),
        env=make_process_environment(),
        capture_output=True,
        check=True,
        text=True,
    )
    return time.monotonic() - begun, json.loads(done.stdout)["utilisation"]


def _write_table(folder: Path) -> Path:
    """Write the table: 442 rows, 10 numbers, and a numeric target."""
    from sklearn.datasets import load_diabetes

    data = load_diabetes()
    path = folder / "diabetes.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*data.feature_names, "progression"])
        writer.writerows([*row, y] for row, y in zip(data.data, data.target, strict=True))
    return path

"""Record the run that the welcome page plays (``python packaging/make_demo.py``).

Ensemble optimisation beside plain Bayesian optimisation on the handwritten digits, one worker
each, so that the same seeds give the same recording on any machine (but for its times).
"""

import contextlib
import sqlite3
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = ROOT / "resources" / "demo" / "digits.studio"
RUNS = (("BO-best", "Best single model"), ("EO-sig", "Ensemble"))
BUDGET, SEED = 80, 0


def _forget_where_it_was_made() -> None:
    """Name the table by its file alone, and leave no older version of a page in the file."""
    from studio.document.store import Document

    with Document.open(OUTPUT) as document:
        for row in document.runs():
            source = dict(row.settings["source"])
            source["path"] = Path(source["path"]).name
            document.change_settings(row.id, {"source": source})
    with contextlib.closing(sqlite3.connect(OUTPUT)) as database:
        database.execute("VACUUM")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if str(ROOT).encode() in OUTPUT.read_bytes():
        sys.exit("The recording still names the folder in which it was made.")


def main() -> int:
    """Run both methods into a new document."""
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.unlink(missing_ok=True)
    for method, name in RUNS:
        command = [
            *(sys.executable, "-m", "studio", "run", "resources/samples/digits.csv"),
            *("--target", "digit", "--method", method, "--name", f"{name} ({method})"),
            *("--budget", str(BUDGET), "--seed", str(SEED), "--workers", "1"),
            *("-o", str(OUTPUT.relative_to(ROOT))),
        ]
        done = subprocess.run(command, cwd=ROOT, check=False)
        if done.returncode != 0:
            return done.returncode
    _forget_where_it_was_made()
    for leftover in OUTPUT.parent.glob("*.studio-*"):
        leftover.unlink()
    print(f"{OUTPUT.relative_to(ROOT)}: {OUTPUT.stat().st_size / 2**20:.1f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())

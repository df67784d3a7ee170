#!/usr/bin/env python3
"""Try out the program as built: sample job, predictions, a pickle, a picture, the window.

    python packaging/try_out.py FOLDER    which holds studio and ensemble-studio
    python packaging/try_out.py FOLDER --seconds 30 --window

Needs a Python with pandas and scikit-learn, which loads the pickle without this program.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

SAMPLE = Path(__file__).resolve().parents[1] / "resources" / "samples" / "breast_cancer.csv"
TARGET = "diagnosis"

LOAD = """
import pickle, sys, pandas
with open(sys.argv[1], "rb") as file:
    model = pickle.load(file)
assert not any(name.partition(".")[0] == "studio" for name in sys.modules)
table = pandas.read_csv(sys.argv[2])
right = (model.predict(table).astype(str) == table[sys.argv[3]].astype(str)).mean()
print(f"the pickle is right for {right:.0%} of the rows")
assert right > 0.9
"""


def try_out(folder: Path, seconds: int, *, window: bool) -> None:
    """Run the trial in a folder whose name has a blank and a non-ASCII letter.

    Raises:
        subprocess.CalledProcessError: If a step fails.
        AssertionError: If the result of a step is wrong.
    """
    ending = ".exe" if os.name == "nt" else ""
    studio = folder.resolve() / f"studio{ending}"
    with TemporaryDirectory(prefix="essai été ", ignore_cleanup_errors=True) as name:
        here = Path(name)
        # A foreign module beside the table, which must not be imported.
        (here / "json.py").write_text("raise SystemExit('imported from the current folder')\n")
        _step(here, studio, "--version")
        output = _step(here, studio, "run", SAMPLE, "--target", TARGET, "--seconds", seconds,
                     "--seed", 1, "-o", "sample.studio", "--json")  # fmt: skip
        found = json.loads(output.splitlines()[-1])
        assert found["state"] == "finished", found
        assert found["trials"] > found["failed"], found
        _step(here, studio, "predict", "sample.studio", SAMPLE, "-o", "predictions.csv")
        rows = len(SAMPLE.read_text("utf-8").splitlines())
        assert len((here / "predictions.csv").read_text("utf-8").splitlines()) == rows
        _step(here, studio, "export", "sample.studio", "--pickle", "model.pkl")
        _step(here, sys.executable, "-P", "-c", LOAD, here / "model.pkl", SAMPLE, TARGET)
        _step(here, studio, "picture", "sample.studio", "-o", "window.png")
        assert (here / "window.png").stat().st_size > 10_000
        if window:
            _stays_open(here, folder.resolve() / f"ensemble-studio{ending}", "sample.studio")


def _step(here: Path, *words: object) -> str:
    print("$", *words, flush=True)
    done = subprocess.run(
        [str(each) for each in words], cwd=here, check=True, stdout=subprocess.PIPE,
        encoding="utf-8", errors="replace",
    )  # fmt: skip
    print(done.stdout.rstrip(), flush=True)
    return done.stdout


def _stays_open(here: Path, *words: object) -> None:
    """Start the window, and check that it stays open."""
    print("$", *words, flush=True)
    process = subprocess.Popen([str(each) for each in words], cwd=here)
    time.sleep(15)
    assert process.poll() is None, f"the window ended with {process.returncode}"
    process.terminate()
    process.wait(30)
    print("the window stayed open until it was ended", flush=True)


def main() -> int:
    """Parse the command line and try."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=int, default=20, help="of the sample job")
    parser.add_argument("--window", action="store_true", help="also open the window")
    given = parser.parse_args()
    for stream in (sys.stdout, sys.stderr):  # Windows may not support every character
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try_out(given.folder, given.seconds, window=given.window)
    return 0


if __name__ == "__main__":
    sys.exit(main())

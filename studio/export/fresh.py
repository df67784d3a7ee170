"""Ask a fresh process, which knows nothing of this program, what a written file predicts."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from studio.arrays import AnyArray
from studio.children import code_command, surroundings
from studio.errors import ExportError
from studio.export.progress import Stopped, never
from studio.phrases import phrase
from studio.runs.final_models import StoppedError
from studio.system.signals import crash, was_killed

BLOCKED = """\
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "studio":
            raise ImportError("the file needs Ensemble Studio itself")
sys.meta_path.insert(0, Blocked())
"""
"""Keeps a process from importing this package."""

KEPT_AS = """
import numpy as np
def kept(predicted):
    predicted = np.asarray(predicted)
    return predicted.astype("U") if predicted.dtype == object else predicted
"""
"""Makes labels of any kind fit for a .npy file without pickles."""

ROWS = """
import json
import pandas as pd
def rows_of(path, dtype=None):
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)
    return pd.DataFrame(rows["cells"], columns=rows["names"], dtype=dtype)
"""
"""Reads the rows that :func:`keep_rows` wrote.

``pandas.read_json`` cannot do so: it takes names such as "2019" for numbers or dates, and then the
model does not know its columns any more.
"""


def keep_rows(frame: Any, path: Path) -> None:
    """Write rows for a fresh process: names and cells as they are, numbers to the last bit.

    Args:
        frame: Text (``None`` where missing) and numbers.
        path: The JSON file to write.
    """
    cells = frame.astype(object).to_numpy().tolist()
    path.write_text(json.dumps({"names": list(frame.columns), "cells": cells}), "ascii")


def ask_fresh_process(
    code: str, arguments: Sequence[str], folder: Path, stopped: Stopped = never
) -> dict[str, AnyArray]:
    """Run Python code that writes ``answer.npz`` into the folder, and return what is in it.

    Its arrays come by name, in the shapes that the code gives them.

    Args:
        code: Python; it cannot import this package.
        arguments: Its ``sys.argv[1:]``.
        folder: Its current folder.
        stopped: Asked several times a second whether to give up.

    Raises:
        ExportError: If it fails: the last line of its messages, else how it ended.
        StoppedError: If ``stopped`` said so.
    """
    answer = folder / "answer.npz"
    answer.unlink(missing_ok=True)
    complaints = folder / "complaints.txt"
    with complaints.open("wb") as said:
        process = subprocess.Popen(
            code_command(BLOCKED + KEPT_AS + code, *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            cwd=folder,
            env=surroundings(PYTHONDONTWRITEBYTECODE="1"),
        )
        try:
            while process.poll() is None:
                if stopped():
                    raise StoppedError("Stopped while the file was checked; nothing was written.")
                try:
                    process.wait(0.1)
                except subprocess.TimeoutExpired:
                    continue
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    if process.returncode or not answer.exists():
        lines = complaints.read_text("utf-8", "replace").strip().splitlines()
        last = lines[-1] if lines else _ending(process.returncode)
        raise ExportError(
            "Nothing was written: a fresh process could not use the file ({last}).", last=last
        )
    with np.load(answer, allow_pickle=False) as found:
        return {name: found[name] for name in found.files}


def differing(found: AnyArray, expected: AnyArray) -> int:
    """Return how many predictions differ: labels at all, values by more than 1e-9 of them.

    Args:
        found, expected: Shape (n,). Labels or values.
    """
    if found.shape != expected.shape:
        return len(expected)
    if expected.dtype.kind == "f":
        return int((~np.isclose(found, expected, rtol=1e-9, atol=0.0)).sum())
    return int((found.astype(str) != expected.astype(str)).sum())


def _ending(code: int) -> str:
    if was_killed(code):
        return phrase("the system killed it, most likely because the machine ran out of memory")
    if how := crash(code):
        return phrase("it crashed: {signal}", signal=how)
    return phrase("it ended with exit code {code} and without a message", code=code)

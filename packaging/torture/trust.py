"""Group of documents with foreign addresses and paths, which are never used."""

import contextlib
import os
import shutil
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random

from studio.document.store import Document
from torture.companion_files import commands, sound_document
from torture.execution import run_inline
from torture.verdict import Try, Verdict

RUNNING = ("resume", "refit", "fork")
"""Commands that would use the run's previous cluster."""


def trust(folder: Path) -> Try:
    """Return the cases with a foreign scheduler and trap paths."""
    return partial(_attempt, *sound_document(folder))


def _attempt(sound: Path, table: Path, folder: Path, rng: Random, number: int) -> Iterator[Verdict]:
    del number
    path, trap = folder / "stranger.studio", folder / "trap.csv"
    shutil.copyfile(sound, path)
    os.mkfifo(trap)  # reading it would never end
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        address = f"tcp://127.0.0.1:{listening.getsockname()[1]}"
        names_cluster = rng.random() < 0.7
        _ask_for(path, address if names_cluster else "", trap)
        name, arguments = rng.choice(list(commands(path, table, folder / "out").items()))
        what = f"{'a scheduler and ' if names_cluster else ''}a trap for a table: {name}"
        verdict, printed = run_inline(what, name, *arguments)
        yield verdict
        if names_cluster and name in RUNNING and f"--cluster {address}" not in printed:
            yield Verdict("fault", what, f"it did not ask for --cluster: {printed[-300:]}")
        with contextlib.suppress(BlockingIOError):
            listening.accept()[0].close()
            yield Verdict("fault", what, "it connected to the stranger")


def _ask_for(path: Path, cluster: str, trap: Path) -> None:
    with Document.open(path) as document:
        run = document.runs.list_all()[0]
        source = {**run.settings["source"], "path": str(trap), "test_path": str(trap)}
        document.runs.change_settings(run.id, {"cluster": cluster, "source": source})
        document.runs.set_state(run.id, "stopped")

"""Start of detached processes that outlive their parent, mainly engines."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from studio.children import make_process_environment, make_studio_command
from studio.system.processes import get_detached_options

if TYPE_CHECKING:
    import subprocess

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def limit_threads() -> None:
    """Limit numeric libraries to one thread; must run before numpy is imported.

    For the program's many small problems threads cost more than they gain, and they would compete
    with the workers for cores.
    """
    for name in THREAD_VARIABLES:
        os.environ.setdefault(name, "1")


def start_engine(document: Path, run_id: int, cluster: str = "") -> "subprocess.Popen[bytes]":
    """Start the engine, with a user-confirmed cluster if any, for a run and return at once."""
    arguments = ("--cluster", cluster) if cluster else ()
    return start_detached(make_studio_command("engine", document, "--run", run_id, *arguments))


def start_detached(command: list[str]) -> "subprocess.Popen[bytes]":
    """Start a process of this program that outlives this one, and return at once.

    It stays in the caller's POSIX session, because niceness only applies within a session (Linux
    groups processes by session); it ignores SIGHUP instead, to outlive the window. Its output is
    discarded; its messages are in the document.
    """
    import subprocess  # imported late, as callers limit threads before other imports

    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=make_process_environment(**dict.fromkeys(THREAD_VARIABLES, "1")),
        **get_detached_options(),
    )

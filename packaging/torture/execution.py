"""Commands, run in this process if safe and quick, or in a separate one.

In this process trials have no limit of time, so searches without a separate space use learners that
are quick on any table; limits of others are tested by another group.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO
from unittest import mock

import psutil

from studio.cli.entry import main as command
from studio.errors import StudioError
from studio.helper.answers import encode
from studio.helper.registry import run_task
from studio.runs import load, prepare
from studio.runs.inline import InlinePool
from studio.scratch import remove_stale_folders
from studio.space.parameters import Categorical
from studio.space.space import Space
from studio.system_faults import explain_system_error
from torture.verdict import Verdict, judge_exit

STUDIO = Path(sys.executable).with_name("studio")

LIMIT = 300.0
"""Wall seconds after which a process counts as hanging; it usually takes a few."""

REAP_TIMEOUT = 10.0


_CLASSIFIERS, _REGRESSORS = ("tree", "naive-bayes"), ("tree-regressor", "ridge")


def run_inline(
    what: str, *arguments: object, pool: type[InlinePool] = InlinePool
) -> tuple[Verdict, str]:
    """Perform ``studio WORD …`` and its trials in this process; return verdict and output."""
    octets = io.BytesIO()
    # As strict as a terminal: output that cannot be encoded is a fault.
    output = io.TextIOWrapper(octets, encoding="utf-8", newline="\n")
    code = perform_inline(arguments, output, pool)
    output.flush()
    text = octets.getvalue().decode()
    return judge_exit(what, code, text), text


def perform_inline(
    arguments: Sequence[object], output: TextIO, pool: type[InlinePool] = InlinePool
) -> int:
    """Perform a command in this process and return its exit code."""
    # Clear the caches, as each command is normally a new process.
    remove_stale_folders.cache_clear()
    load._get_cached_run.cache_clear()
    with (
        mock.patch("studio.runs.pool.start_early_workers", lambda *_: contextlib.nullcontext(pool)),
        mock.patch.object(prepare, "get_space", _quick_space),
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(output),
    ):
        try:
            return command([str(argument) for argument in arguments])
        except SystemExit as ended:
            return ended.code if isinstance(ended.code, int) else 1


def run_helper_task(what: str, task: str, **arguments: object) -> tuple[Verdict, Any]:
    """Run a task of the window's helper; return verdict and answer."""
    try:
        task_answer = run_task(task, json.loads(json.dumps(arguments)))
        encode(task_answer)
    except StudioError as error:
        return judge_exit(what, 1, str(error)), None
    except Exception as error:  # noqa: BLE001 - what is raised here the window calls a fault
        if message := explain_system_error(error):
            return judge_exit(what, 1, message), None
        return judge_exit(what, 1, "".join(traceback.format_exception(error))), None
    return Verdict("unharmed", what), task_answer


def _quick_space(method: str, task: str) -> Space:
    learners = _REGRESSORS if task == "regression" else _CLASSIFIERS
    return Space("quick", (Categorical("algorithm", learners, default=learners[0]),))


def run_process(
    what: str,
    arguments: Sequence[object],
    folder: Path,
    *,
    prepare: Callable[[], None] | None = None,
    mute: bool = False,
    **variables: str,
) -> tuple[Verdict, str]:
    """Run a command in a separate process.

    Args:
        what: What is tried.
        arguments: The command line; :data:`STUDIO` is this program.
        folder: Where it works.
        prepare: Called in the new process, e.g. to set limits.
        mute: Whether its output is closed, so that only the exit code reports.
        **variables: Of the environment.
    """
    process = subprocess.Popen(
        [str(argument) for argument in arguments],
        cwd=folder,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=prepare,  # noqa: PLW1509 - only sets limits
    )
    try:
        octets, _ = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        end_left_processes()
        octets, _ = process.communicate()
        return Verdict("fault", what, f"it hung: {octets[-300:]!r}"), ""
    text = octets.decode(errors="replace")
    return judge_exit(what, process.returncode, text, mute=mute), text


def end_left_processes() -> list[str]:
    """End the remaining processes of a case; return their command lines.

    They are identified by the temporary folder, which is separate for each case.
    """
    deadline = time.monotonic() + REAP_TIMEOUT
    while (remaining_processes := _find_case_processes()) and time.monotonic() < deadline:
        time.sleep(0.05)
    commands = []
    for process in remaining_processes:
        with contextlib.suppress(psutil.Error):
            commands.append(" ".join(process.cmdline())[:200])
            process.kill()
    return commands


def _find_case_processes() -> list[psutil.Process]:
    """Return the processes with the case's temporary folder.

    One that is just being replaced by its program (``exec``) has no environment for that moment,
    so a process without one is read a second time.
    """
    processes = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            variables = process.environ() or process.environ()
            zombie = process.status() == psutil.STATUS_ZOMBIE
            if variables.get("TMPDIR") == os.environ["TMPDIR"] and not zombie:
                processes.append(process)
    return processes

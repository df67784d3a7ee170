"""A worker process, which executes jobs one after another until its engine has ended.

It reads jobs from its original standard input and answers on its original standard output. Both are
moved first, so that input and output of a learner are discarded.
"""

import gc
import importlib
import os
import random
import sys
import threading
import warnings
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from studio.awake_clock import read_awake_seconds
from studio.deferred import defer_imports, hide_library
from studio.runs.limits import MEGABYTE, TrialLimits
from studio.scratch import enter_folder
from studio.system.memory import (
    get_peak_memory,
    get_private_memory,
    get_writable_memory,
    release_freed,
    reset_peak,
)
from studio.system.processes import limit_memory, tie_to_parent

if TYPE_CHECKING:
    from studio.runs.evaluate import FoldCallback
    from studio.runs.staging import TrialData

PRELOADED_MODULES = ("studio.learners.choice", "studio.runs.causes", "studio.runs.evaluate")
"""Modules required by every job, loaded in advance so that no trial includes their import."""

MAX_IDLE_MEMORY_GROWTH = 256 * MEGABYTE
"""Maximum memory growth of an idle worker before it is replaced."""

MAX_CARRIED_MEMORY = 96 * MEGABYTE
"""The same between runs; lazily loaded libraries take some 65 MB."""


def main(folder: str, learners: str, engine: int) -> None:
    """Run the worker.

    Args:
        learners: The module whose ``REGISTRY`` lists the learners, and whose ``PRELOADED`` the
            imports before the first job.
    """
    jobs, replies = redirect_pipes()
    tie_to_parent(engine)
    read_awake_seconds()  # its thread starts before the threads of learners are counted
    from studio.runs.messages import MessageError, read_message, write_message

    defer_imports()
    gc.disable()  # the objects of loaded libraries are permanent
    try:
        with hide_library("pandas"):
            loop = _JobLoop(Path(folder), learners)
    except Exception as error:  # noqa: BLE001 - any error must be reported to the engine
        write_message(replies, {"kind": "broken", "reason": f"{type(error).__name__}: {error}"})
        return
    gc.freeze()
    gc.enable()
    _silence_output(2)
    process_id = os.getpid()
    try:
        write_message(replies, {"kind": "ready"})
        while (message := read_message(jobs)) is not None:
            if loop.is_stale(message[0]["data"]):
                write_message(replies, {"kind": "stale"})
                break
            if (problem := loop.open_data(message[0]["data"])) is not None:
                write_message(replies, {"kind": "broken", "reason": problem})
                break
            write_message(replies, {"kind": "begun"})
            header, arrays = loop.execute_job(
                message[0], partial(_report_fold, replies, process_id)
            )
            if os.getpid() != process_id:
                # A learner has forked, and this is the child process; only the parent may reply.
                break
            write_message(replies, header, arrays)
    except (OSError, MessageError):
        os._exit(1)  # A learner has closed the pipes, or the engine has ended.
    os._exit(0)


def redirect_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Replace standard input and output, and return the original streams."""
    jobs = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    _silence_output(0)
    _silence_output(1)
    return jobs, replies


def _report_fold(replies: BinaryIO, process_id: int, fold: int, n_folds: int) -> None:
    from studio.runs.messages import write_message

    if os.getpid() == process_id:  # not in a forked child
        write_message(replies, {"kind": "fold", "fold": fold, "folds": n_folds})


def _silence_output(descriptor: int) -> None:
    devnull = os.open(os.devnull, os.O_RDWR)
    os.dup2(devnull, descriptor)
    os.close(devnull)


def _prepare_environment(folder: Path) -> tuple[Any, ...]:
    import numpy as np

    try:
        working_folder = Path.cwd()
    except FileNotFoundError:  # temporary files were removed meanwhile
        working_folder = folder / "execute_job"
    mask = os.umask(0o077)
    os.umask(mask)
    return working_folder, mask, sys.getrecursionlimit(), np.geterr()


def _restore(process_environment: tuple[Any, ...]) -> None:
    """Undo a learner's possible changes to the process."""
    import numpy as np

    folder, mask, recursion_limit, errors = process_environment
    os.umask(mask)
    enter_folder(folder)
    sys.setrecursionlimit(recursion_limit)
    np.seterr(**errors)


class _JobLoop:
    """A worker's state between jobs: data, learners, and initial memory."""

    def __init__(self, folder: Path, learners: str) -> None:
        registry = importlib.import_module(learners)
        for module in (*PRELOADED_MODULES, *registry.PRELOADED):
            importlib.import_module(module)
        self._folder = folder
        self._data: TrialData | None = None
        self._version: int | None = None
        self._registry = registry.REGISTRY
        self._environment = _prepare_environment(folder)
        self._threads = threading.active_count()
        self._memory = get_private_memory(os.getpid())
        self._writable = get_writable_memory()

    def is_stale(self, version: int) -> bool:
        """Return whether memory growth from trials on earlier data is too large."""
        if self._version in (None, version):
            return False
        self._data = None
        gc.collect()
        release_freed()
        return get_writable_memory() - self._writable > MAX_CARRIED_MEMORY

    def open_data(self, version: int) -> str | None:
        """Map this version of the data, once; return the error, if any."""
        from studio.runs.staging import TrialData, get_data_folder

        if version != self._version:
            try:
                self._data = TrialData.load(get_data_folder(self._folder, version))
            except Exception as error:  # noqa: BLE001 - any error must be reported to the engine
                return f"{type(error).__name__}: {error}"
            if self._version is None:  # later, memory of earlier data counts as leaked
                self._memory = get_private_memory(os.getpid())
                self._writable = get_writable_memory()
            self._version = version
        return None

    def execute_job(
        self, job: dict[str, Any], on_fold: "FoldCallback"
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Execute a job; return the answer's header and arrays."""
        import numpy as np

        from studio.learners.choice import choose_learner
        from studio.phrases import phrase
        from studio.runs.causes import make_exception_failure

        limits = TrialLimits(job["limits"]["seconds"], job["limits"]["memory"])
        title = phrase("The learner")
        header: dict[str, Any] = {"kind": "result", "job": job["id"]}
        arrays: dict[str, Any] = {}
        _restore(self._environment)
        random.seed(job["seed"])
        np.random.seed(job["seed"])  # noqa: NPY002 - for learners that draw from it unasked
        reset_peak()
        try:
            with limit_memory(limits.memory), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                learner, choice = choose_learner(job["configuration"], job["sets"], self._registry)
                title = learner.get_short_title()
                result, arrays = self._reply(job, learner, choice, on_fold)
            header["result"] = result
        except BaseException as error:  # noqa: BLE001 - a learner may raise anything at all
            header["failure"] = vars(make_exception_failure(title, error, limits))
        header["peak"] = get_peak_memory()
        header["retire"] = self._should_retire()
        return header, arrays

    def _reply(
        self, job: dict[str, Any], learner: Any, choice: Any, on_fold: "FoldCallback"
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        from studio.runs.evaluate import execute_job
        from studio.runs.jobs import TrialOutcome

        assert self._data is not None, "opened before the first job"
        # Trials train on arrays, but scikit-learn imports pandas to compare values with its NA.
        # Optional libraries may need it, also to load the models of several learners.
        may_need = learner.required_library is not None or job["kind"] in {"pack", "unpack"}
        with nullcontext() if may_need else hide_library("pandas"):
            result = execute_job(self._data, learner, choice, job, on_fold)
        if isinstance(result, TrialOutcome):
            return result.to_parts()
        arrays = {str(number): array for number, array in enumerate(result.predictions)}
        return {"measured": result.get_measured()}, arrays

    def _should_retire(self) -> bool:
        """Return whether the job has leaked threads, processes or memory."""
        from studio.system.processes import list_descendants

        if threading.active_count() > self._threads or list_descendants(os.getpid()):
            return True
        if get_private_memory(os.getpid()) - self._memory <= MAX_IDLE_MEMORY_GROWTH:
            return False
        gc.collect()
        release_freed()
        return get_private_memory(os.getpid()) - self._memory > MAX_IDLE_MEMORY_GROWTH

"""Cell workers: processes that run one cell after another, in parallel.

A cell worker reads run ids from its standard input, and reports their end on its standard
output, one JSON object per line. It ends at the end of its input, so it does not outlive the study
that started it.
"""

import json
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue

from studio.annotations import Reading
from studio.children import THREAD_VARIABLES, make_process_environment, make_studio_command
from studio.compare.outcomes import get_cached_measures
from studio.document.store import Document
from studio.errors import StudioError
from studio.phrases import phrase, phrase_to_json
from studio.plain_json import read_json
from studio.runs.engine import Engine
from studio.runs.pool import PoolMaker, WarmPool
from studio.system.signals import INTERRUPT, ignore_signals
from studio.system.threads import start_thread
from studio.system_faults import explain_system_error


def run_cell_worker(path: Path, n_cell_workers: int) -> None:
    """Execute the runs whose ids arrive on standard input; ``n_cell_workers`` share the memory."""
    run_ids: SimpleQueue[int | None] = SimpleQueue()
    cell_worker = _CellWorker(n_cell_workers)
    threading.Thread(target=cell_worker.listen, args=(run_ids,), daemon=True).start()
    # Ctrl+C is handled by the coordinator: it stops its cell workers gracefully.
    ignore_signals(INTERRUPT)
    with WarmPool() as pool:
        while (run_id := run_ids.get()) is not None:
            _report(run=run_id, **cell_worker.execute_run(path, run_id, pool.lease))


class _CellWorker:
    """A cell worker's current engine, and whether its input has ended."""

    def __init__(self, n_cell_workers: int) -> None:
        self._n_cell_workers = n_cell_workers
        self._engine: Engine | None = None
        self._ended = False

    def listen(self, run_ids: "SimpleQueue[int | None]") -> None:
        try:
            with suppress(ValueError):  # anything but a number counts as the end
                for line in sys.stdin:
                    run_ids.put(int(line))
        finally:
            self._ended = True
            if self._engine is not None:
                self._engine.stop()
            run_ids.put(None)

    def execute_run(self, path: Path, run_id: int, make_pool: PoolMaker) -> dict[str, str]:
        """Return the final state of the run, with the reason for a failure."""
        try:
            with Document.open(path) as document:
                engine = Engine(
                    document, run_id, lambda _: None, make_pool, at_once=self._n_cell_workers
                )
                self._engine = engine
                # The input may have ended just before the engine was created.
                state = "stopped" if self._ended else engine.execute_run()
                if state == "finished":
                    # Computed while other cell workers work; readers use the cached measures.
                    get_cached_measures(document, run_id)
        except StudioError as error:
            return {"state": "failed", "message": str(error)}
        except Exception as error:  # noqa: BLE001 - one cell's fault must not end the others
            message = explain_system_error(error) or f"{type(error).__name__}: {error}"
            return {"state": "failed", "message": message}
        return {"state": state, "message": ""}


def _report(**content: object) -> None:
    print(json.dumps(phrase_to_json(content)), flush=True)


def make_cell_worker_command(path: Path, n_cell_workers: int) -> list[str]:
    """Return the command line of one of several cell workers for a document."""
    return make_studio_command("lane", path, "--lanes", n_cell_workers)


@dataclass(frozen=True)
class CellWorkerReport:
    """A cell worker's report of the end of a run.

    Attributes:
        state: "finished", "stopped", "failed", or "lost" when the cell worker itself died.
        message: The reason for a failure.
    """

    cell_worker: int
    run: int
    state: str
    message: str = ""


_READER = Reading().find_reader(CellWorkerReport)


@dataclass
class _RunningEngine:
    process: "subprocess.Popen[str]"
    run: int | None = None


@dataclass
class LocalCellWorkers:
    """Several cell workers on one document; a context manager that stops them.

    Attributes:
        n_sharing_memory: Number of cells that share this machine's memory, if different; else 0.
    """

    path: Path
    count: int
    n_sharing_memory: int = 0
    _cell_workers: dict[int, _RunningEngine] = field(default_factory=dict)
    _reports: "SimpleQueue[CellWorkerReport | int]" = field(default_factory=SimpleQueue)

    def __enter__(self) -> "LocalCellWorkers":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the run of each cell worker gracefully, and wait."""
        for cell_worker in self._cell_workers.values():
            if cell_worker.process.stdin is not None:
                with suppress(OSError):  # a dead process cannot read the rest of its input
                    cell_worker.process.stdin.close()
        for cell_worker in self._cell_workers.values():
            cell_worker.process.wait()

    def has_idle_worker(self) -> bool:
        """Whether a cell worker is idle."""
        return sum(each.run is not None for each in self._cell_workers.values()) < self.count

    def is_busy(self) -> bool:
        """Whether any cell worker is busy."""
        return any(each.run is not None for each in self._cell_workers.values())

    def start(self, run_id: int) -> None:
        """Assign a run to an idle cell worker."""
        number = next((n for n, each in self._cell_workers.items() if each.run is None), None)
        if number is None:
            number = max(self._cell_workers, default=-1) + 1
            self._cell_workers[number] = self._open(number)
        cell_worker = self._cell_workers[number]
        cell_worker.run = run_id
        try:
            assert cell_worker.process.stdin is not None
            cell_worker.process.stdin.write(f"{run_id}\n")
            cell_worker.process.stdin.flush()
        except OSError:
            # The process has just ended; its reader thread will report the run as lost.
            return

    def wait(self, seconds: float) -> CellWorkerReport | None:
        """Return the next report, ``None`` after ``seconds`` without one."""
        try:
            worker_report = self._reports.get(timeout=seconds)
        except Empty:
            return None
        if isinstance(worker_report, int):
            cell_worker = self._cell_workers.pop(worker_report)
            code = cell_worker.process.wait()
            assert cell_worker.process.stdin is not None
            with suppress(OSError):  # the dead process cannot read the rest of its input
                cell_worker.process.stdin.close()
            if cell_worker.run is None:
                return None
            message = phrase("Its process ended with exit code {code}.", code=code)
            return CellWorkerReport(worker_report, cell_worker.run, "lost", message)
        self._cell_workers[worker_report.cell_worker].run = None
        return worker_report

    def _open(self, number: int) -> _RunningEngine:
        process = subprocess.Popen(
            make_cell_worker_command(self.path, self.n_sharing_memory or self.count),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env=make_process_environment(**dict.fromkeys(THREAD_VARIABLES, "1")),
        )
        reader = threading.Thread(target=self._read, args=(number, process), daemon=True)
        try:
            start_thread(reader)
        except OSError:
            process.kill()
            process.wait()
            raise
        return _RunningEngine(process)

    def _read(self, number: int, process: "subprocess.Popen[str]") -> None:
        assert process.stdout is not None
        try:
            with process.stdout:
                for line in process.stdout:
                    if line.startswith("{"):
                        self._reports.put(_READER({"cell_worker": number, **read_json(line)}, {}))
        except ValueError:  # also for output that is not text, not JSON, or not a report
            process.kill()
        finally:
            self._reports.put(number)

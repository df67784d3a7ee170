"""Connection to a Dask cluster, with checks that its workers run the same versions."""

import asyncio
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module, metadata
from logging import CRITICAL, getLogger
from typing import Any

from studio.awake_clock import read_awake_seconds
from studio.errors import RunError, UsageError
from studio.extras import make_install_command
from studio.runs.limits import get_worker_count
from studio.runs.trust import LOCAL_PREFIX
from studio.scratch import make_scratch_folder
from studio.version import VERSION

CONNECT_TIMEOUT = 10.0

NO_WORKER_TIMEOUT = 60.0
"""Seconds to wait for a cluster that has lost all workers."""

RESEND_DELAY = 0.1
"""Seconds until data lost with a worker are sent again."""

PACKAGE_NAME = "ensemble-studio"

EXACT_VERSION_PACKAGES = (PACKAGE_NAME, "numpy", "scipy", "scikit-learn", "lightgbm")
"""Packages whose version must be equal on all machines of a study."""


LOST_WORKER_ERRORS = {
    "KilledWorker",
    "CancelledError",
    "FutureCancelledError",
    "FuturesCancelledError",
}
"""Dask's errors if a job's worker, or its data, are lost."""


class Connection:
    """A client of a scheduler.

    Security is configured in Dask: for addresses that begin with ``tls://`` the client uses the
    keys of ``distributed.comm.tls`` (in a file, or as ``DASK_DISTRIBUTED__COMM__TLS__…``
    variables).

    Args:
        address: The scheduler's, such as ``tcp://127.0.0.1:8786``, or ``local:N`` for N workers (at
            most this machine's capacity) as threads of this process. Dask unpickles the scheduler's
            messages, so it must be trusted by a user of this machine (:mod:`studio.runs.trust`); an
            address named only in a document is never used.
        pinned: Libraries whose version on all workers must equal the local one.

    Raises:
        UsageError: If Dask is not installed here, or the address is invalid.
        RunError: If the cluster cannot be reached or its versions differ.
    """

    def __init__(self, address: str, pinned: Iterable[str] = (PACKAGE_NAME,)) -> None:
        distributed = import_distributed()
        for name in ("distributed", "distributed.client"):
            # Dask prints whole tracebacks when a scheduler is lost; a message follows.
            getLogger(name).setLevel(CRITICAL)
        self.address = address
        self._no_worker_since: float | None = None
        self._exit_stack = ExitStack()
        target: Any = address
        try:
            if address.startswith(LOCAL_PREFIX):
                target = self._exit_stack.enter_context(_start_local_cluster(distributed, address))
            else:
                asyncio.run(_check_reachable(distributed, address))
            self.client: Any = self._exit_stack.enter_context(
                distributed.Client(
                    target, timeout=CONNECT_TIMEOUT, set_as_default=False, name="ensemble-studio"
                )
            )
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            self._exit_stack.close()
            raise RunError(
                "The cluster at {address} cannot be reached ({error}). Check that its "
                "scheduler is running and that the address is right (for tls:// also Dask's "
                "TLS settings), or train on this machine.",
                address=address,
                error=error,
            ) from error
        try:
            self.await_worker()
            self._check_versions(tuple(pinned))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Disconnect from the cluster, ignoring errors of a lost one."""
        with suppress(OSError):
            self._exit_stack.close()

    @property
    def is_alive(self) -> bool:
        """Whether the connection is open, as far as known."""
        return bool(self.client.status == "running")

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Translate errors of a lost scheduler inside this context to a clear message."""
        try:
            yield
        except (OSError, TimeoutError, CancelledError) as error:
            raise _make_connection_lost_error() from error

    def await_worker(self) -> None:
        """Wait for a worker; raise RunError after a minute, or if the scheduler is gone."""
        with self.translate_errors():
            try:
                self.client.wait_for_workers(1, timeout=NO_WORKER_TIMEOUT)
            except TimeoutError as error:
                raise _make_no_workers_error() from error

    def count_threads(self) -> dict[str, int]:
        """Return each worker's threads by address; raise RunError if the scheduler is gone."""
        if not self.is_alive:
            raise _make_connection_lost_error()
        with self.translate_errors():
            threads_by_worker: dict[str, int] = self.client.nthreads()
        return threads_by_worker

    def require_workers(self) -> dict[str, int]:
        """Return the workers' threads by address; raise RunError after a minute without any."""
        threads_by_worker = self.count_threads()
        if threads_by_worker:
            self._no_worker_since = None
        elif self._no_worker_since is None:
            self._no_worker_since = read_awake_seconds()
        elif read_awake_seconds() - self._no_worker_since > NO_WORKER_TIMEOUT:
            raise _make_no_workers_error()
        return threads_by_worker

    def scatter(self, data: Any) -> Any:
        """Send data to a worker, or to another one if that worker is lost.

        Other workers fetch it from there when a job needs it. A broadcast to all workers may never
        end, as Dask's scheduler keeps retrying lost ones.

        Raises:
            RunError: If the scheduler is gone, or there is no worker for a minute.
        """
        deadline = read_awake_seconds() + NO_WORKER_TIMEOUT
        while True:
            self.count_threads()
            self.await_worker()
            try:
                return self.client.scatter(data, hash=False)
            except (OSError, TimeoutError, KeyError, CancelledError) as error:
                # The scheduler chose a lost worker that it still listed.
                if read_awake_seconds() > deadline:
                    raise _make_connection_lost_error() from error
            time.sleep(RESEND_DELAY)

    def get_versions(self, names: tuple[str, ...], workers: list[str]) -> dict[str, Any]:
        """Return the versions of distributions on the remaining workers, by address."""
        with self.translate_errors():
            versions_by_worker: dict[str, Any] = self.client.run(
                get_versions, names, workers=workers, on_error="ignore"
            )
        return versions_by_worker

    def _check_versions(self, names: tuple[str, ...]) -> None:
        try:
            versions_by_worker = self.client.run(get_versions, names)
        except Exception as error:
            raise RunError(
                "The workers of the cluster at {address} cannot load this package ({fault}: "
                "{error}). Install version {known} on all of them.",
                address=self.address,
                fault=type(error).__name__,
                error=error,
                known=VERSION,
            ) from error
        local_versions = get_versions(names)
        for name in names:
            other_versions = sorted(
                {each[name] for each in versions_by_worker.values()} - {local_versions[name]}
            )
            if other_versions:
                raise RunError(
                    "The workers of the cluster at {address} have version {found} of {name}; here "
                    "it is {known}. Install the same version everywhere.",
                    address=self.address,
                    found=", ".join(other_versions),
                    name=name,
                    known=local_versions[name],
                )


def import_distributed() -> Any:
    """Return the untyped package ``distributed``; raise UsageError if it is not installed."""
    try:
        return import_module("distributed")
    except ImportError as error:
        raise UsageError(
            "Training on a cluster needs Dask, which is not installed. Install it ({command}), "
            "or leave the address empty.",
            command=make_install_command("cluster"),
        ) from error


def get_versions(names: tuple[str, ...]) -> dict[str, str]:
    """Return the versions of distributions in this process; "none" if not installed."""
    result = {}
    for name in names:
        try:
            result[name] = VERSION if name == PACKAGE_NAME else metadata.version(name)
        except metadata.PackageNotFoundError:
            result[name] = "none"
    return result


async def _check_reachable(distributed: Any, address: str) -> None:
    """Open and close a connection first: a client that cannot connect is slow to close."""
    secured = distributed.Security().get_connection_args("client")
    # A listener that never answers would block forever.
    async with asyncio.timeout(CONNECT_TIMEOUT):
        comm = await distributed.comm.connect(address, timeout=CONNECT_TIMEOUT, **secured)
        await comm.close()


@contextmanager
def _start_local_cluster(distributed: Any, address: str) -> Iterator[Any]:
    """Yield a cluster of threads in this process, inaccessible to other processes."""
    count = address.removeprefix(LOCAL_PREFIX)
    if not count.isdigit() or int(count) < 1:
        raise UsageError(
            "{address} is not a cluster address: after “local:” comes the number of workers, "
            "such as local:4.",
            address=address,
        )
    # Dask's dashboard cannot be disabled; it is restricted to localhost.
    settings: dict[str, object] = {
        f"distributed.{each}.http.routes": [] for each in ("scheduler", "worker")
    }
    # Profiling would interrupt this process a hundred times a second.
    settings["distributed.worker.profile.enabled"] = False
    with (
        make_scratch_folder() as folder,
        import_module("dask").config.set({**settings, "temporary-directory": str(folder)}),
        distributed.LocalCluster(
            n_workers=get_worker_count(int(count)),
            threads_per_worker=1,
            processes=False,
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address="127.0.0.1:0",
            silence_logs=CRITICAL,
            memory_limit=0,
        ) as cluster,
    ):
        yield cluster


def _make_connection_lost_error() -> RunError:
    return RunError(
        "The connection to the cluster is lost; everything so far is kept. Continue when the "
        "cluster is back."
    )


def _make_no_workers_error() -> RunError:
    return RunError(
        "The cluster has had no workers for {seconds:.0f} seconds; everything so far "
        "is kept. Start workers and continue the run.",
        seconds=NO_WORKER_TIMEOUT,
    )

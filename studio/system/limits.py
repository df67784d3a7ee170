"""Resource limits of processes, none of which exist on Windows."""

import contextlib
import sys
from collections.abc import Iterator


def get_address_limit() -> int | None:
    """Return the remaining address space in bytes under a limit; ``None`` without one."""
    if sys.platform == "win32":
        return None
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


@contextlib.contextmanager
def limit_memory(limit: int | None) -> Iterator[None]:
    """Limit this process's private writable memory in bytes, if supported.

    By ``RLIMIT_DATA`` and not ``RLIMIT_AS``, as numeric libraries reserve far more address space
    than they use on machines with many cores. macOS accepts the limit but does not enforce it.
    """
    if sys.platform != "linux" or limit is None:
        yield
        return
    import resource

    limits_before = resource.getrlimit(resource.RLIMIT_DATA)
    hard_limit = limits_before[1]
    new_limit = min(limit, sys.maxsize if hard_limit == resource.RLIM_INFINITY else hard_limit)
    resource.setrlimit(resource.RLIMIT_DATA, (new_limit, hard_limit))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, limits_before)


def disable_core_dumps() -> None:
    """Disable core dumps of this process."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

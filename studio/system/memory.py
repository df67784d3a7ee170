"""Memory use of processes, and release of unused memory."""

import contextlib
import os
import sys
from pathlib import Path

import psutil

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Options of the C library (``malloc.h``)."""

_MAX_UNUSED_BYTES = 2**25
"""The largest array, in bytes, whose memory is kept for reuse."""


def get_private_memory(pid: int) -> int:
    """Return the bytes of anonymous, shared and swapped-out memory of a process.

    Pages of mapped files are excluded (except on macOS), as the system can drop them at any time
    and workers share the pages of the data. The result is 0 for a dead process.
    """
    if sys.platform == "linux":
        fields = _parse_fields(Path(f"/proc/{pid}/status"))
        return sum(fields.get(name, 0) for name in ("RssAnon", "RssShmem", "VmSwap"))
    else:  # noqa: RET505 - the type checker leaves out the other systems' branch only so
        try:
            memory_use = psutil.Process(pid).memory_info()
            return int(getattr(memory_use, "private", memory_use.rss))  # exists on Windows only
        except (psutil.Error, OSError):
            return 0


def get_tree_memory(pid: int, children: list[int]) -> int:
    """Return the bytes of a process and its descendants, counting shared pages once."""
    if not children:
        return get_private_memory(pid)
    if sys.platform != "linux":
        return get_private_memory(pid) + sum(get_private_memory(child) for child in children)
    total = 0
    for each in (pid, *children):
        fields = _parse_fields(Path(f"/proc/{each}/smaps_rollup"))
        total += sum(fields.get(name, 0) for name in ("Pss_Anon", "Pss_Shmem", "SwapPss"))
    return total


def get_writable_memory() -> int:
    """Return the bytes committed by this process, as limited on Linux, if available."""
    if sys.platform == "linux":
        return _parse_fields(Path("/proc/self/status")).get("VmData", 0)
    else:  # noqa: RET505 - as above
        return get_private_memory(os.getpid())


def reset_peak() -> None:
    """Reset this process's memory peak, if supported."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")


def get_peak_memory() -> int:
    """Return peak resident bytes since :func:`reset_peak` (a reset needs Linux); 0 if unknown."""
    if sys.platform == "linux":
        return _parse_fields(Path("/proc/self/status")).get("VmHWM", 0)
    else:  # noqa: RET505 - as above
        return 0


def release_freed() -> None:
    """Release freed memory to the system, if the C library can."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(AttributeError):  # only in glibc
            ctypes.CDLL(None).malloc_trim(0)


def reuse_freed() -> None:
    """Keep up to 64 MiB of freed memory for reuse by arrays, if the C library can.

    By default the C library only does so after an array of 32 MiB has been freed. Until then,
    larger arrays are requested from the system, which clears them page by page, taking a tenth of
    the time for a table.
    """
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(AttributeError):  # only in glibc
            library = ctypes.CDLL(None)
            library.mallopt(_TRIM_THRESHOLD, 2 * _MAX_UNUSED_BYTES)
            library.mallopt(_MMAP_THRESHOLD, _MAX_UNUSED_BYTES)


def _parse_fields(path: Path) -> dict[str, int]:
    """Parse lines like ``RssAnon: 1234 kB`` as bytes; empty for a dead process."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return {}
    fields = {}
    for line in lines:
        name, _, value = line.partition(":")
        if value.endswith(" kB"):
            fields[name] = int(value[:-3]) * 1024
    return fields

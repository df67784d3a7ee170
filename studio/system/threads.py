"""Start of threads, with lack of memory as an ordinary system error."""

import errno
import os
import threading


def start_thread(thread: threading.Thread) -> None:
    """Start a daemon thread; raise OSError if memory is insufficient."""
    try:
        thread.start()
    except RuntimeError as error:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM)) from error

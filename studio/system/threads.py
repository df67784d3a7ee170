"""Start of threads, in which a lack of memory is an ordinary system error."""

import errno
import os
import threading


def start_thread(thread: threading.Thread) -> None:
    """Start a thread that serves a process.

    Raises:
        OSError: If there is no memory for it, as where there is none for the process.
    """
    try:
        thread.start()
    except RuntimeError as error:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM)) from error

"""Start options of processes, according to their lifetime."""

import sys
from typing import Any


def get_process_tree_options() -> dict[str, Any]:
    """Return ``Popen`` options for a process tree without Ctrl+C, to be killed as a whole.

    It gets a separate process group, but no new session, as niceness only applies within a session.
    """
    if sys.platform == "win32":
        import subprocess

        return {"creationflags": subprocess.CREATE_NO_WINDOW}
    return {"process_group": 0}


def get_detached_options() -> dict[str, Any]:
    """Return ``Popen`` options of a process that outlives this one.

    It stays in this process's POSIX session, for the same reason, and must ignore
    :data:`studio.system.signals.HANG_UP` instead.
    """
    if sys.platform == "win32":
        import subprocess

        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return {}

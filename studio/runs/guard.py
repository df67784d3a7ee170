"""A small process that outlives a killed engine by a moment, to end what it left behind.

Workers die with the engine by themselves where the system offers it (PR_SET_PDEATHSIG). The
processes that a learner has started do not, and other systems than Linux do not offer it at all.
"""

import signal
import sys

from studio.runs.processes import kill_marked


def main(mark: str) -> None:
    """Wait until standard input ends, as it does when the engine is gone, then kill the marked."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    while sys.stdin.buffer.read(4096):
        pass
    kill_marked(mark)

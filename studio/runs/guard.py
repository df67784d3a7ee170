"""A small process that cleans up after a killed engine.

On Linux, workers die with the engine (PR_SET_PDEATHSIG), but processes started by a learner do not;
other systems lack that option.
"""

import sys

from studio.system.processes import kill_marked
from studio.system.signals import HANG_UP, INTERRUPT, TERMINATE, ignore_signals


def main(mark: str) -> None:
    """Wait for the end of standard input, that is, of the engine, and kill the marked processes."""
    ignore_signals(INTERRUPT, TERMINATE, HANG_UP)
    while sys.stdin.buffer.read(4096):
        pass
    kill_marked(mark)

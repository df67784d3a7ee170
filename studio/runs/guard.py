"""A small process that cleans up after a killed engine.

Workers die with the engine by themselves where the system offers it (PR_SET_PDEATHSIG). The
processes that a learner has started do not, and other systems than Linux do not offer it at all.
"""

import sys

from studio.system.processes import kill_marked
from studio.system.signals import END, HANG_UP, INTERRUPT, ignore


def main(mark: str) -> None:
    """Wait for the end of standard input, that is, of the engine, and kill the marked processes."""
    ignore(INTERRUPT, END, HANG_UP)
    while sys.stdin.buffer.read(4096):
        pass
    kill_marked(mark)

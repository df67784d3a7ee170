#!/usr/bin/env python3
"""Try to break the program, group by group, and print the figures.

    .venv/bin/python packaging/torture.py [GROUP …] [--cases N] [--seed N] [--first N]

Groups are those of ``torture/registry.py``; without a name, all. Every case is made from the seed,
the group and its number: ``--first 17 --cases 1`` tries case 17 again. A fault is anything except a
message or a correct result: a traceback, a hang, a command to the terminal, a leftover process or
folder. Exit code 1 if there was one.
"""

import argparse
import os
import sys

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from torture.registry import GROUPS
from torture.suite import HEAD, run_cases


def main() -> int:
    """Run the requested groups."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--cases", type=int, help="how many of each group (default: a release's)")
    parser.add_argument("--seed", type=int, default=0, help="another seed, other cases")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    arguments = parser.parse_args()
    unknown = set(arguments.groups) - set(GROUPS)
    if unknown:
        parser.error(f"there is no group {sorted(unknown)[0]!r}; there are {', '.join(GROUPS)}")
    lines, n_faults = [HEAD], 0
    for name in arguments.groups or GROUPS:
        n_cases = GROUPS[name].cases if arguments.cases is None else arguments.cases
        printed = 0
        for line_figures in run_cases(name, n_cases, arguments.seed, arguments.first):
            for line in line_figures.faults[printed:]:
                print(f"{name}: {line}", flush=True)
            printed = len(line_figures.faults)
        lines.append(line_figures.line())
        n_faults += printed
    print("\n".join(lines))
    return 1 if n_faults else 0


if __name__ == "__main__":
    sys.exit(main())

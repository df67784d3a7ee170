#!/usr/bin/env python3
"""Try to break the program, group by group, and print what came of it.

    python packaging/torture.py [GROUP …] [--cases N] [--seed N]

Groups: ``documents`` (values of sound documents are changed, checksums made right again, and what
reads them is asked to; a fault is anything but a sentence). Exit code 1 if there was a fault.
"""

import argparse
import random
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from torture_documents import try_documents

GROUPS = {"documents": try_documents}


def main() -> int:
    """Run the groups that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--cases", type=int, default=200, help="how many of each group")
    parser.add_argument("--seed", type=int, default=0, help="another seed, other cases")
    arguments = parser.parse_args()
    unknown = set(arguments.groups) - set(GROUPS)
    if unknown:
        parser.error(f"there is no group {sorted(unknown)[0]!r}; there are {', '.join(GROUPS)}")
    faults = 0
    for name in arguments.groups or GROUPS:
        with TemporaryDirectory() as folder:
            found = GROUPS[name](Path(folder), arguments.cases, random.Random(arguments.seed))
        for line in found.faults:
            print(f"{name}: {line}")
        print(f"{name}: {found.cases} cases, {found.told} told in a sentence, "
              f"{found.unharmed} unharmed, {len(found.faults)} faults")  # fmt: skip
        faults += len(found.faults)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

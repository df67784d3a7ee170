"""Run benchmarks: CPU seconds, compared with a plain implementation.

    .venv/bin/python packaging/bench [NAME ...] [--json]

Without names all but the slow ones run, a minute or two.
"""

import argparse
import os
import sys
from pathlib import Path

# Child processes of measurements find ``bench`` on this path, without the current folder
# (studio/children.py).
sys.path[0] = str(Path(__file__).resolve().parents[1])
os.chdir(Path(__file__).resolve().parents[2])

from bench.registry import BENCHMARKS, LONG
from studio.cli.output import print_json


def main() -> int:
    """Run the named benchmarks one after another and print each result."""
    known = {**BENCHMARKS, **LONG}
    parser = argparse.ArgumentParser(
        prog="python packaging/bench", description=(__doc__ or "").split("\n", maxsplit=1)[0]
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(known))
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in known]
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]!r}; there are {', '.join(known)}")
    figures = {}
    for name in arguments.names or BENCHMARKS:
        measured = figures[name] = known[name]()
        if not arguments.json:
            shown = "  ".join(
                f"{key} {value:.4g}" for key, value in measured.items() if value is not None
            )
            print(f"{name:24} {shown}", flush=True)
    if arguments.json:
        print_json(figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())

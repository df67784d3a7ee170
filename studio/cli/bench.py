"""``studio bench``: how fast the program's own computations are, as CPU seconds and ratios."""

import argparse

from studio.cli.output import print_json
from studio.errors import UsageError

HELP = "Measure the program's own computations: CPU seconds, and the plain way beside them."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help="which ones (default: all but the slow ones)")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")


def perform(arguments: argparse.Namespace) -> int:
    """Run the benchmarks one after another and print each as it comes."""
    from studio.bench.registry import BENCHMARKS, LONG

    known = {**BENCHMARKS, **LONG}
    unknown = [name for name in arguments.names if name not in known]
    if unknown:
        raise UsageError(
            f"There is no benchmark called {unknown[0]!r}; available: {', '.join(known)}."
        )
    figures = {}
    for name in arguments.names or BENCHMARKS:
        measured = known[name]()
        figures[name] = measured
        if not arguments.json:
            shown = "  ".join(
                f"{key} {value:.4g}" for key, value in measured.items() if value is not None
            )
            print(f"{name:24} {shown}", flush=True)
    if arguments.json:
        print_json(figures)
    return 0

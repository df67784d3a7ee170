#!/usr/bin/env python3
"""Simulate the program's statistics, and write docs/studies/honesty.md.

    python packaging/honesty.py [SECTION …] [--quick] [-o FILE]

Without names all sections are written (some twenty minutes on one core); with names the others stay
as they are. ``--quick`` takes a tenth of the samples. Seeds are fixed: the same figures each time.
The sections are in packaging/bench/honesty.
"""

import argparse
import os
import sys
import time
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # as in a run

from bench.honesty.page import page
from bench.honesty.registry import SECTIONS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "studies" / "honesty.md"


def main() -> int:
    """Run the requested sections."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--quick", action="store_true", help="a tenth of the samples")
    parser.add_argument("-o", "--output", type=Path, default=PAGE, help="the page")
    arguments = parser.parse_args()
    unknown = set(arguments.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"there is no section {sorted(unknown)[0]!r}; there are {', '.join(SECTIONS)}")
    for key in arguments.sections or SECTIONS:
        start = time.process_time()
        text = SECTIONS[key].text(quick=arguments.quick)
        # A new file starts as a copy of the page, including its handwritten text.
        previous_page = arguments.output if arguments.output.exists() else PAGE
        arguments.output.write_text(page({key: text}, previous_page.read_text("utf-8")), "utf-8")
        print(f"{key}: {time.process_time() - start:.0f} CPU seconds", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

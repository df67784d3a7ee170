#!/usr/bin/env python3
"""Simulate the program's statements about rows of a next period, with or without drift.

    python packaging/next_period.py RECORDS.jsonl [--tables 200] [--table]

Continues where it was stopped: every finished table is a line for each kind of split in RECORDS.
``--table`` only writes the tables of existing records. The study is docs/studies/next-period.md.
"""

import argparse
import json
import os
import sys
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # as in a run

from bench.next_period import ARMS, WORLDS, load_records, measure, summarise


def main() -> int:
    """Run the missing tables, and print the measurements."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("records", type=Path, help="a file of records, continued if it exists")
    parser.add_argument("--tables", type=int, default=200, help="of each world")
    parser.add_argument("--table", action="store_true", help="simulate nothing")
    arguments = parser.parse_args()
    records = load_records(arguments.records)
    done = [(each["world"], each["number"]) for each in records]
    for number in range(0 if arguments.table else arguments.tables):
        for key in WORLDS:
            if done.count((key, number)) >= len(ARMS):
                continue
            lines = [json.dumps(each) + "\n" for each in measure(key, number)]
            with arguments.records.open("a", encoding="utf-8") as file:
                file.write("".join(lines))
    unique = {(each["world"], each["number"], each["arm"]): each
              for each in load_records(arguments.records)}  # fmt: skip
    print(summarise(unique.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())

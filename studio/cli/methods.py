"""``studio methods``: every method by name."""

import argparse

from studio.cli.output import print_json

NAME = "methods"
HELP = "List the methods, with the parts that they are made of."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def perform(arguments: argparse.Namespace) -> int:
    """Print the list."""
    from studio.proposers.catalogue import methods, parts

    if arguments.json:
        print_json({"methods": methods(), "parts": parts()})
        return 0
    family = ""
    for method in methods():
        if method["family"] != family:
            family = method["family"]
            print(f"\n{family}")
        print(f"  {method['name']:10} {method['summary']}")
    return 0

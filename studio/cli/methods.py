"""``studio methods``: every method by name."""

import argparse

from studio.cli.output import print_json

HELP = "List the methods by family; with --json also all parts and their options."


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def perform(arguments: argparse.Namespace) -> int:
    """Print the list."""
    from studio.proposers.catalogue import absent, methods, parts

    if arguments.json:
        print_json({"methods": methods(), "parts": parts()})
        return 0
    family, listed = "", methods()
    width = max(len(method["name"]) for method in listed)
    for method in listed:
        if method["family"] != family:
            family = method["family"]
            print(f"\n{family}")
        print(f"  {method['name']:{width}} {method['summary']}")
    if missing := [method["name"] for method in absent()]:
        print('\nOf other libraries, with pip install "ensemble-studio[peers]" (or one of them)')
        print(f"  {', '.join(missing)}")
    return 0

"""``studio methods``: list of all methods."""

import argparse

from studio.cli.output import print_json

HELP = "List the methods by family; with --json also all parts and their options."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run_command(arguments: argparse.Namespace) -> int:
    """Print the list."""
    from studio.extras import make_install_command
    from studio.helper.answers import encode
    from studio.proposers.method import get_declarations, list_methods, list_unavailable_methods

    if arguments.json:
        parts, _ = encode(get_declarations())
        print_json({"methods": [each.to_json() for each in list_methods()], "parts": parts})
        return 0
    family, all_methods = "", list_methods()
    width = max(len(method.key) for method in all_methods)
    for method in all_methods:
        if method.family != family:
            family = method.family
            print(f"\n{family}")
        print(f"  {method.key:{width}} {method.summary}")
    if unavailable := [method.key for method in list_unavailable_methods()]:
        print(f"\nOf other libraries, with {make_install_command('optuna')}")
        print(f"  {', '.join(unavailable)}")
    return 0

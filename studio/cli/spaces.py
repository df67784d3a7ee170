"""``studio spaces``: the search spaces that come with the program."""

import argparse

from studio.cli.output import print_json

HELP = "List the search spaces that come with the program."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run_command(arguments: argparse.Namespace) -> int:
    """Print the list."""
    from studio.space.library import list_shipped_spaces, load

    entries = []
    for entry in list_shipped_spaces():
        space = load(entry.key)
        entries.append(
            {
                "name": entry.key,
                "title": entry.title,
                "summary": entry.summary,
                "tasks": list(entry.tasks),
                "dimensions": space.dimensions,
            }
        )
    if arguments.json:
        print_json({"spaces": entries})
        return 0
    for item in entries:
        print(f"  {item['name']:26} {item['dimensions']:3} dimensions  {item['title']}")
    return 0

"""``studio fork``: continuation of a run with another method, from any iteration."""

import argparse

from studio.cli.foreground import add_run_output_arguments, run_until_finished
from studio.cli.output import add_run_arguments, open_document
from studio.cli.settings import add_settings_arguments, get_given_values
from studio.cli.table_arguments import parse_pairs
from studio.runs.choices import SearchSettings

HELP = "Continue a run with another method from one of its iterations, as a new run."

_OPTION_HELPS = {
    "budget": "trials in all, including those taken over",
    "seconds": "seconds of work in all",
    "seed": "another seed from there on",
    "workers": "parallel trials",
    "cluster": "a Dask scheduler that you trust; '' for none",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_run_arguments(parser)
    parser.add_argument("--at", type=int, metavar="N",
                        help="number of trials to copy (default: all)")  # fmt: skip
    parser.add_argument("--method", help="see 'studio methods' (default: the run's own)")
    parser.add_argument("--set", action="append", default=[], dest="overrides",
                        metavar="PART.OPTION=VALUE",
                        help="such as ensemble.size=25, or PART=KEY; may be repeated")  # fmt: skip
    parser.add_argument("--space", help="another space that contains the run's trials")
    add_settings_arguments(parser, SearchSettings, _OPTION_HELPS)
    parser.add_argument("--name", default="", help="a name for the fork")
    add_run_output_arguments(parser)


def run_command(arguments: argparse.Namespace) -> int:
    """Create the fork and work until it is finished."""
    from studio.runs.create import fork_run
    from studio.runs.requests import choose_run
    from studio.runs.trust import resolve_resume_settings
    from studio.space.library import load

    changes = get_given_values(arguments, ("method", *_OPTION_HELPS))
    if arguments.overrides:
        changes["overrides"] = parse_pairs(arguments.overrides, "PART.OPTION=VALUE")
    if arguments.space:
        changes["space"] = load(arguments.space).to_json()
    with open_document(arguments.document) as document:
        row = choose_run(document, arguments.run)
        source_run_id = row.id
        changes = resolve_resume_settings(str(row.settings.get("cluster", "")), changes)
        iteration = document.trials.count(source_run_id) if arguments.at is None else arguments.at
        run_id = fork_run(document, source_run_id, iteration, changes, arguments.name)
    return run_until_finished(arguments.document, run_id, arguments)

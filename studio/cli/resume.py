"""``studio resume``: continuation of an interrupted run."""

import argparse
import sys

from studio.cli.foreground import add_run_output_arguments, run_until_finished
from studio.cli.output import add_run_arguments, open_document
from studio.cli.settings import add_settings_arguments, get_given_values
from studio.runs.choices import SearchSettings

HELP = "Continue a stopped or killed run; a finished one is only shown."

_OPTION_HELPS = {
    "budget": "new budget in trials",
    "seconds": "new budget in seconds",
    "workers": "number of parallel trials from now on; for a cluster's run: on this computer",
    "cluster": "continue on the workers of this Dask scheduler, which you trust; '' for none",
}

_NO_TRIAL_NOTE = (
    "No trial was added: a run ends at the first of its limits, --budget or --seconds. Raise the "
    "one that it has reached."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_run_arguments(parser)
    add_settings_arguments(parser, SearchSettings, _OPTION_HELPS)
    add_run_output_arguments(parser)


def run_command(arguments: argparse.Namespace) -> int:
    """Claim the run and work until it is finished."""
    from studio.compare.study_notes import check_not_compared
    from studio.runs.requests import change_settings, choose_run
    from studio.runs.trust import resolve_resume_settings

    with open_document(arguments.document) as document:
        row = choose_run(document, arguments.run)
        run_id = row.id
        changes = get_given_values(arguments, _OPTION_HELPS)
        if changes or row.state != "finished":
            changes = resolve_resume_settings(str(row.settings.get("cluster", "")), changes)
        if row.table_id is None:
            # Show which local file is read by a run that another user created.
            path = row.settings.get("source", {}).get("path", "")
            print(f"The table is read from {path}.", file=sys.stderr, flush=True)
        if changes.keys() - {"workers", "cluster"}:
            check_not_compared(document, row)
        if changes:
            change_settings(document, run_id, changes)
        n_earlier = document.trials.count(run_id)
    code = run_until_finished(arguments.document, run_id, arguments)
    is_exhausted = row.result is not None and bool(row.result.exhausted)
    is_extension = row.state == "finished" and bool(changes.keys() & {"budget", "seconds"})
    if code == 0 and is_extension and not is_exhausted:
        with open_document(arguments.document, writable=False) as document:
            if document.trials.count(run_id) == n_earlier:
                print(_NO_TRIAL_NOTE, file=sys.stderr)
    return code

"""``studio refit``: refit of a run's selected models on all rows except the test rows."""

import argparse

from studio.cli.output import (
    add_progress_arguments,
    add_run_arguments,
    handle_sigterm,
    make_reporter,
    open_document,
)
from studio.cli.settings import add_settings_arguments, get_given_values
from studio.runs.choices import SearchSettings

_OPTION_HELPS = {
    "workers": "number of parallel models; for a cluster's run: on this computer",
    "cluster": "refit on the workers of this Dask scheduler, which you trust; '' for none",
}

HELP = "Refit the selected models of an ended run on all rows except the test rows, and test them."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_run_arguments(parser)
    add_settings_arguments(parser, SearchSettings, _OPTION_HELPS)
    add_progress_arguments(parser)


def run_command(arguments: argparse.Namespace) -> int:
    """Refit and test the models, and store the result."""
    from studio.analysis.summary import summarise_run
    from studio.cli.foreground import print_summary
    from studio.compare.study_notes import check_not_compared
    from studio.export.progress import TRAINING
    from studio.runs.finish import refit_run
    from studio.runs.requests import choose_run
    from studio.runs.settings import RunSettings

    report = make_reporter(arguments)
    with open_document(arguments.document) as document, handle_sigterm():
        row = choose_run(document, arguments.run)
        run_id = row.id
        if not RunSettings.from_row(row).refit:
            check_not_compared(document, row)
        refit_run(
            document,
            run_id,
            progress=lambda done, of: report.report_progress(TRAINING, done, of),
            resources=get_given_values(arguments, _OPTION_HELPS),
        )
        content = summarise_run(document, run_id)
    print_summary(content, arguments)
    return 0

"""``studio learning-curve``: the error of a run's ensemble by number of rows."""

import argparse
import dataclasses

from studio.cli.output import (
    add_progress_arguments,
    add_run_arguments,
    handle_sigterm,
    make_reporter,
    open_document,
    print_json,
    print_line,
)

HELP = "Train a run's ensemble on growing shares of the rows: would more of them help?"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_run_arguments(parser, "the newest with a result")
    add_progress_arguments(parser)


def run_command(arguments: argparse.Namespace) -> int:
    """Train and evaluate the ensemble, and print the conclusion."""
    from studio.analysis.answers.learning_curve import describe_last_step
    from studio.analysis.learning_curve.curve import compute_learning_curve
    from studio.analysis.learning_curve.storage import store_curve
    from studio.export.progress import TRAINING
    from studio.runs.requests import choose_run, describe_run_choice

    report = make_reporter(arguments)
    with open_document(arguments.document, writable=None) as document, handle_sigterm():
        row = choose_run(document, arguments.run, with_result=True)
        run_id, resolved_run_id = row.id, describe_run_choice(document, row, arguments.run)
        curve = compute_learning_curve(
            document, run_id, progress=lambda done, of: report.report_progress(TRAINING, done, of)
        )
        if document.writable:
            store_curve(document, run_id, curve)
    if arguments.json:
        print_json(dataclasses.asdict(curve))
        return 0
    print(f"{'rows':>10}  {curve.metric} on the {curve.on} rows (95 % interval)")
    for n_rows, loss, low, high in zip(
        curve.rows, curve.losses, curve.low, curve.high, strict=True
    ):
        interval_text = "" if low is None or high is None else f" ({low:.4g} to {high:.4g})"
        print(f"{n_rows:>10,}  {loss:.4g}{interval_text}")
    for note in filter(None, (*curve.notes, resolved_run_id)):
        print_line(f"note: {note}")
    print_line(" ".join(filter(None, (curve.sentence, describe_last_step(curve)))))
    return 0

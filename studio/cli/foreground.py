"""An engine in the foreground: progress for users, one JSON object for programs."""

import argparse
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from studio.cli.output import format_size, print_json, print_line
from studio.measure import (
    format_duration,
    format_loss,
    format_quantity,
    format_threshold,
    strip_unit_mark,
)
from studio.numerals import NumeralFormat, format_number
from studio.system.signals import HANG_UP, INTERRUPT, TERMINATE, handle_signals

if TYPE_CHECKING:
    from studio.analysis.summary import RunSummary
    from studio.document.decision import Decision
    from studio.document.store import Document
    from studio.runs.progress import Progress

STOPPED_EXIT_CODE = 130


def add_run_output_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments about progress reports."""
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")
    parser.add_argument("--quiet", action="store_true", help="no progress")


def run_until_finished(path: Path, run_id: int, arguments: argparse.Namespace) -> int:
    """Execute a run until it finishes or is stopped; return the exit code."""
    from studio.document.store import Document
    from studio.runs.limits import limit_workers

    with Document.open(path) as document:
        if limit_note := limit_workers(document, run_id, arguments.cluster or ""):
            print(limit_note, file=sys.stderr, flush=True)
        state, content = _run_engine(document, run_id, arguments)
    print_summary(content, arguments)
    if state == "stopped":
        print(f"Stopped; everything is kept. Continue with: studio resume {path}", file=sys.stderr)
        return STOPPED_EXIT_CODE
    return 0


def _run_engine(
    document: "Document", run_id: int, arguments: argparse.Namespace
) -> tuple[str, "RunSummary"]:
    """Run the engine on a run until it ends; return the run's state and summary."""
    from studio.runs.clock import get_process_start
    from studio.runs.pool import start_early_workers

    cluster = arguments.cluster or ""
    with start_early_workers(document, run_id, cluster) as make_pool:
        # Imported while the workers import their own modules.
        from studio.analysis.summary import summarise_run
        from studio.runs.engine import Engine

        def report(progress: "Progress") -> None:
            if not arguments.quiet:
                print_line(progress.format_line(), sys.stderr if arguments.json else sys.stdout)

        engine = Engine(
            document, run_id, report, make_pool, started=get_process_start(), cluster=cluster
        )
        # a hang-up is that of the terminal
        restore_signals = handle_signals(lambda *_: engine.stop(), INTERRUPT, TERMINATE, HANG_UP)
        try:
            state = engine.execute_run()
        finally:
            restore_signals()
        return state, summarise_run(document, run_id)


def print_summary(content: "RunSummary", arguments: argparse.Namespace) -> None:
    """Print a run's summary, or with --json as a JSON object."""
    if arguments.json:
        print_json(asdict(replace(content, unit=strip_unit_mark(content.unit))))
    else:
        _print_summary(content)


def _print_summary(content: "RunSummary") -> None:
    from studio.compare.cell_names import get_displayed_name
    from studio.data.metrics.registry import find_metric

    print()
    method = "" if content.name == content.method else f" {content.method},"
    print_line(f"{get_displayed_name(content.name)}:{method} {content.state}")
    if content.message and content.state in {"failed", "interrupted"}:
        print_line(f"  {content.message}")
    advice = content.text_advice, content.more_time
    for sentence in filter(None, (content.verdict, content.headline, *advice, *content.overruled)):
        print_line(f"  {sentence}")
    counts = ((content.ended_early, "ended early"), (content.not_finished, "not finished"))
    exception_texts = "".join(f"{count} {sentence}, " for count, sentence in counts if count)
    print(f"  trials                   {content.trials} ({exception_texts}{content.failed} failed)")
    print(f"  time                     {format_duration(content.seconds)}")
    if (metric := find_metric(content.metric)) is not None:
        print_line(f"  metric                   {metric.title}; lower is better")
    if content.monotone:
        constraints_text = ", ".join(
            f"{name}={direction}" for name, direction in content.monotone.items()
        )
        print_line(f"  monotone                 {constraints_text}")
    _print_losses(content, _name_constant(content))
    if content.training:
        print_line(f"  final models             {content.training}")
    if content.members:
        members = ", ".join(
            f"trial {member.trial} ({format_number(100 * member.weight, '.0f')} %)"
            for member in content.members
        )
        print(f"  members                  {members}")
    if content.decision:
        print_line(
            f"  decision                 {_describe_decision(content.decision, content.currency)}"
        )
    if content.decision_note:
        print_line(f"  note: {content.decision_note}")
    size = format_size(content.document_bytes)
    print(f"  document                 {size}{_describe_stored_ensemble(content)}")
    for note in (each for each in content.notes if each not in content.headline):
        print_line(f"  note: {note}")


def _name_constant(content: "RunSummary") -> str:
    """Name the constant prediction whose loss is printed."""
    from studio.data.metrics.registry import find_metric

    metric = find_metric(content.metric)
    if metric is None or content.task != "regression":
        return "guessing"
    return "constant" if metric.constant == "value" else metric.constant


def _print_losses(content: "RunSummary", constant: str) -> None:
    """Print the losses of the models and of a constant prediction, named ``constant``."""
    losses = {
        "validation, best single": content.best_validation_loss,
        "validation, ensemble": content.ensemble_validation_loss,
        "test, best single": content.test_error_single,
        "test, ensemble": content.test_error_ensemble,
        "test, before the refit": content.test_error_before_refit,
        f"test, {constant}": content.test_error_guess,
    }
    if content.test_error_before_refit is None:
        del losses["test, before the refit"]
    loss_format = NumeralFormat.for_losses([each for each in losses.values() if each is not None])
    for title, loss in losses.items():
        print(f"  {title:<24} {format_loss(loss, content.unit, loss_format)}")


def _describe_decision(decision: "Decision", currency: str = "") -> str:
    """Describe the decision, and its costs in a currency, or capacity."""
    text = (
        f"“{decision.looked_for}” from a probability of {format_threshold(decision.threshold)} on"
    )
    miss, alarm = decision.miss_cost, decision.alarm_cost
    if decision.capacity is not None:
        return f"{text} (for a capacity of {format_threshold(decision.capacity)} of the rows)"
    if miss is None or alarm is None:
        return text
    miss_text, alarm_text = (format_quantity(each, currency, 6) for each in (miss, alarm))
    return f"{text} (a miss costs {miss_text}, a false alarm {alarm_text})"


def _describe_stored_ensemble(content: "RunSummary") -> str:
    """Describe the trained ensemble's size in the document, or why it is missing."""
    if content.kept_bytes:
        return f", {format_size(content.kept_bytes)} of it the trained ensemble"
    return f". {content.kept_reason}" if content.kept_reason else ""

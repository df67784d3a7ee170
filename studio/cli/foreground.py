"""An engine in the foreground: progress for users, one JSON object for programs."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

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
    from studio.runs.engine import Engine
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
    from studio.runs.pool_makers import start_early_workers

    cluster = arguments.cluster or ""
    with start_early_workers(document, run_id, cluster) as make_pool:
        # Imported while the workers import their own modules.
        from studio.analysis.summary import summarise_run
        from studio.runs.engine import Engine

        report = (
            _ignore_progress
            if arguments.quiet
            else _make_reporter(sys.stderr if arguments.json else None)
        )
        engine = Engine(
            document, run_id, report, make_pool, started=get_process_start(), cluster=cluster
        )
        restore_signals = _stop_on_signals(engine)
        try:
            state = engine.execute_run()
        finally:
            restore_signals()
        return state, summarise_run(document, run_id)


def _stop_on_signals(engine: "Engine") -> Callable[[], None]:
    """Stop the run gracefully on Ctrl+C, SIGTERM and a hang-up of the terminal."""

    def stop(number: int, frame: FrameType | None) -> None:
        engine.stop()

    return handle_signals(stop, INTERRUPT, TERMINATE, HANG_UP)


def _ignore_progress(progress: "Progress") -> None:
    """Report nothing."""


def _make_reporter(stream: Any) -> Callable[["Progress"], None]:
    """Return a function that prints a line per trial (or message) to the stream."""
    output = stream or sys.stdout

    def report(progress: "Progress") -> None:
        print_line(progress.format_line(), output)

    return report


def print_summary(content: "RunSummary", arguments: argparse.Namespace) -> None:
    """Print a run's summary, or with --json as a JSON object."""
    if arguments.json:
        print_json(asdict(replace(content, unit=strip_unit_mark(content.unit))))
    else:
        _print_summary(content)


def _print_summary(content: "RunSummary") -> None:
    from studio.data.metrics.registry import find_metric

    print()
    method = "" if content.name == content.method else f" {content.method},"
    print_line(f"{content.name}:{method} {content.state}")
    if content.message and content.state in {"failed", "interrupted"}:
        print_line(f"  {content.message}")
    for sentence in filter(None, (content.verdict, content.headline)):
        print_line(f"  {sentence}")
    for sentence in filter(None, (content.text_advice, content.more_time)):
        print_line(f"  {sentence}")
    for sentence in content.overruled:
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
    constant = "guessing" if metric is None or content.task != "regression" else metric.constant
    _print_losses(content, constant)
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


def _print_losses(content: "RunSummary", constant: str) -> None:
    """Print the losses of the models and of a constant prediction, named ``constant``."""
    losses = (
        content.best_validation_loss,
        content.ensemble_validation_loss,
        content.test_error_single,
        content.test_error_ensemble,
        content.test_error_guess,
        content.test_error_before_refit,
    )
    loss_format = NumeralFormat.for_losses([each for each in losses if each is not None])

    def format_value(value: float | None) -> str:
        return format_loss(value, content.unit, loss_format)

    for rows, single, ensemble in (
        ("validation", content.best_validation_loss, content.ensemble_validation_loss),
        ("test", content.test_error_single, content.test_error_ensemble),
    ):
        print(f"  {f'{rows}, best single':<24} {format_value(single)}")
        print(f"  {f'{rows}, ensemble':<24} {format_value(ensemble)}")
    if content.test_error_before_refit is not None:
        print(f"  {'test, before the refit':<24} {format_value(content.test_error_before_refit)}")
    print(f"  {f'test, {constant}':<24} {format_value(content.test_error_guess)}")


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

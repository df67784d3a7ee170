"""Shared output of commands: documents and their runs, progress, printing."""

import argparse
import json
import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, TextIO

from studio.children import PHRASES_VARIABLE
from studio.errors import StudioError
from studio.export.progress import SILENT_REPORTER, ProgressReporter
from studio.phrases import Phrase, phrase_to_json
from studio.printable import sanitise_line
from studio.system.signals import TERMINATE, handle_signals

if TYPE_CHECKING:
    from studio.document.store import Document


def print_json(content: dict[str, Any]) -> None:
    """Print the object on one line of standard output, with NaN and infinities as null."""
    serialised = phrase_to_json(content) if _should_emit_phrases() else content
    print(
        json.dumps(_replace_non_finite(serialised), ensure_ascii=False, allow_nan=False), flush=True
    )


def print_line(text: str, stream: TextIO | None = None) -> None:
    """Print a sanitised line."""
    print(sanitise_line(text), file=stream or sys.stdout, flush=True)


def get_error_line(message: str) -> str:
    """Return the last line of output of a failed command: a sentence."""
    if isinstance(message, Phrase) and _should_emit_phrases():
        return json.dumps(phrase_to_json(message))
    return message


def _should_emit_phrases() -> bool:
    """Whether the output is read and translated by the window."""
    return PHRASES_VARIABLE in os.environ


def _replace_non_finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _replace_non_finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_replace_non_finite(item) for item in value]
    return value


def format_size(n_bytes: int) -> str:
    """Format a number of bytes: "3.4 MB"; small ones as "12 kB"."""
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e5 else f"{max(1, round(n_bytes / 1e3))} kB"


def add_progress_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments about progress and output."""
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")
    parser.add_argument(
        "--progress",
        action="store_true",
        help="with --json: also print a JSON object for each step",
    )


def make_reporter(arguments: argparse.Namespace) -> ProgressReporter:
    """Return a reporter, as configured by the arguments."""
    if not arguments.json:
        return _TextReporter()
    return _JsonReporter() if arguments.progress else SILENT_REPORTER


class _TextReporter(ProgressReporter):
    def report_progress(self, step: str, done: int, total: int) -> None:
        if step.endswith("…"):  # a phase, whose progress is a share
            print_line(f"{step} {100 * done / total:.0f} %" if total else step, sys.stderr)
        else:
            print_line(f"{step}: {done} of {total}" if total else f"{step} …", sys.stderr)

    def report_note(self, sentence: str) -> None:
        print_line(f"note: {sentence}", sys.stderr)


class _JsonReporter(ProgressReporter):
    def report_progress(self, step: str, done: int, total: int) -> None:
        print_json({"progress": step, "done": done, "of": total})

    def report_note(self, sentence: str) -> None:
        print_json({"note": sentence})


@contextmanager
def handle_sigterm() -> Iterator[None]:
    """Treat SIGTERM like Ctrl+C in the context, to remove scratch folders and workers."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    restore = handle_signals(interrupt, TERMINATE)
    try:
        yield
    finally:
        restore()


def add_run_arguments(parser: argparse.ArgumentParser, default: str = "the newest") -> None:
    """Add the arguments that identify a document and a run."""
    parser.add_argument("document", type=Path, metavar="FILE.studio")
    parser.add_argument("--run", type=int, help=f"which run (default: {default})")


@contextmanager
def open_document(path: Path, *, writable: bool | None = True) -> "Iterator[Document]":
    """Open a document during a command, and report its damage at the end, unless an error does.

    ``writable`` as for :meth:`Document.open`.
    """
    from studio.document.damage import describe_damaged_records
    from studio.document.store import Document

    with Document.open(path, writable=writable) as document:
        error_text = ""
        try:
            yield document
        except StudioError as error:
            error_text = str(error)
            raise
        finally:
            for sentence in describe_damaged_records(document.damaged_records):
                if sentence not in error_text:
                    print_line(sentence, sys.stderr)

"""Entry point: parses the command line, runs one command, reports errors as an exit code.

Exit codes: 0 done, 1 failed, 2 wrong use, 130 stopped with everything kept.
"""

import argparse
import gc
import importlib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn, Protocol, TextIO, cast

from studio import __version__
from studio.children import clean_bundle_env, exclude_user_folders, limit_threads
from studio.cli.output import get_error_line, print_json
from studio.errors import StudioError, UsageError
from studio.printable import sanitise
from studio.system_faults import explain_system_error, make_address_space_message

FAILED, USAGE_ERROR, STOPPED = 1, 2, 130

BUG_MESSAGE = "This is a bug in the program. Finished work is kept; please report the lines above."
"""The last line of output after an unexpected exception."""


_NUMBER_ERROR = re.compile(
    r"argument (?P<option>[^:]*): invalid (?P<kind>int|float) value: '(?P<given>.*)'"
)
"""The parser's message about text in place of a number."""


class _Parser(argparse.ArgumentParser):
    """An argument parser with readable messages about invalid numbers and unknown options.

    Options cannot be abbreviated, as ``--json`` also determines how errors are reported before it
    is parsed. With ``emits_json`` (of the class, as subparsers are others), errors are also a JSON
    object.
    """

    emits_json = False

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"allow_abbrev": False, **options})

    def parse_known_args(self, *args: Any, **options: Any) -> Any:
        """Parse arguments; exit with a message about the first unknown long option."""
        namespace, extras = super().parse_known_args(*args, **options)
        unknown = next((each for each in extras if each.startswith("--") and each != "--"), None)
        if unknown is not None:
            self.error(self._describe_unknown_option(unknown.partition("=")[0]))
        return namespace, extras

    def _describe_unknown_option(self, name: str) -> str:
        known = list(self._option_string_actions)
        similar = [each for each in known if each.startswith(name)]
        similar = similar or get_close_matches(name, known, n=1)
        if not similar:
            return f"there is no option {name}"
        return f"there is no option {name}; did you mean {' or '.join(similar)}?"

    def error(self, message: str) -> NoReturn:
        match = _NUMBER_ERROR.fullmatch(message)
        if match is not None:
            number = "whole number" if match["kind"] == "int" else "number"
            message = (
                f"{match['option']} needs a {number}, such as "
                f"{'20' if match['kind'] == 'int' else '0.5'}; {match['given']!r} is none."
            )
        if self.emits_json:
            print_json({"error": message})
        super().error(message)


def make_parser(names: Iterable[str] | None = None) -> argparse.ArgumentParser:
    """Return the parser of all public or of some commands; internal ones have no help line."""
    top_parser = _Parser(
        prog="studio",
        description="Automatic machine learning of ensembles. Without a command the window opens.",
    )
    top_parser.add_argument("--version", action="version", version=f"Ensemble Studio {__version__}")
    commands = top_parser.add_subparsers(dest="command", metavar="COMMAND")
    for name in COMMANDS if names is None else names:
        module = load_command(name)
        if names is None and not module.HELP:
            continue
        help_options: dict[str, Any] = {"help": module.HELP} if module.HELP else {}
        command_parser = commands.add_parser(name, description=module.HELP, **help_options)
        module.add_arguments(command_parser)
        command_parser.set_defaults(run_command=module.run_command)
    return top_parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    limit_threads()
    argv = list(sys.argv[1:] if arguments is None else arguments)
    with _use_safe_streams() as listener:
        try:
            code = _check_environment() or _run_command(argv)
        except SystemExit:  # the parser has printed its message
            listener.flush()
            if not listener.rejection:
                raise
            code = FAILED
        listener.flush()
        if listener.rejection:
            print(
                f"The output of this command could not be written ({listener.rejection}). Its "
                "results are kept: redirect the output elsewhere, or free some space there.",
                file=sys.stderr,
            )
            return code or FAILED
    return code


def _check_environment() -> int:
    """Return 0, or an exit code after an error message."""
    rejection_message = make_address_space_message()
    if rejection_message:
        print(get_error_line(rejection_message), file=sys.stderr)
    return USAGE_ERROR if rejection_message else 0


def _run_command(argv: Sequence[str]) -> int:
    """Run a command and return the exit code; errors are printed as a sentence.

    With ``--json``, they are also printed as the last line of standard output.
    """
    _Parser.emits_json = "--json" in argv
    try:
        arguments = _insert_default_command(argv)
        # Imports only the named command, so that the window does not wait for the others' imports.
        command_parser = make_parser(arguments[:1]) if arguments[0] in COMMANDS else make_parser()
        parsed = command_parser.parse_args(arguments)
        return int(parsed.run_command(parsed))
    except UsageError as error:
        _print_error(str(error))
        return USAGE_ERROR
    except StudioError as error:
        _print_error(str(error))
        return FAILED
    except KeyboardInterrupt:
        print("Stopped; what was finished is kept.", file=sys.stderr)
        return STOPPED
    except Exception as error:  # noqa: BLE001 - printed in full, then as a sentence
        if (reason := explain_system_error(error)) is not None:
            _print_error(reason)
            return FAILED
        import traceback

        traceback.print_exc()
        _print_error(BUG_MESSAGE)
        return FAILED


def _print_error(message: str) -> None:
    if _Parser.emits_json:
        print_json({"error": message})
    print(get_error_line(message), file=sys.stderr)


def entry() -> NoReturn:
    """Run the ``studio`` command."""
    _isolate_from_user_modules()
    code = main()
    gc.freeze()  # at exit, Python would search the objects of all loaded libraries for cycles
    sys.exit(code)


def entry_window() -> NoReturn:
    """Run the ``ensemble-studio`` program: the window, optionally with a file to open."""
    _isolate_from_user_modules()
    arguments = sys.argv[1:]
    sys.exit(main(arguments if arguments == ["--version"] else ["open", *arguments]))


def _isolate_from_user_modules() -> None:
    """Isolate from the user's modules, and clean the environment for child processes."""
    exclude_user_folders()
    clean_bundle_env()


def _insert_default_command(argv: Sequence[str]) -> list[str]:
    """Insert "open" before a single file argument, as passed by file managers.

    Raises:
        UsageError: If it looks like a missing file: the list of commands would be misleading.
    """
    if not argv or argv[0].startswith("-") or argv[0] in COMMANDS:
        return list(argv) or ["open"]
    file = Path(argv[0])
    if file.is_file():
        return ["open", *argv]
    if file.suffix or len(file.parts) > 1:
        raise UsageError(f"There is no file '{file}'. 'studio --help' lists the commands.")
    return list(argv)


def _escape_unencodable(text: str, encoding: str | None) -> str:
    """Replace characters missing in an encoding, such as that of pipes on Windows."""
    codec = encoding or "utf-8"
    return text.encode(codec, "backslashreplace").decode(codec)


class SafeStream:
    """An output stream that discards text after its first error.

    Attributes:
        rejection: The write error, except for a closed pipe; "" if there was none.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.rejection = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write text, with control characters in names and messages escaped."""
        escaped = _escape_unencodable(sanitise(text), self._stream.encoding)
        try:
            return self._stream.write(escaped)
        except OSError as error:
            self._handle_write_error(error)
        return len(text)

    def flush(self) -> None:
        """Flush the stream."""
        try:
            self._stream.flush()
        except OSError as error:
            self._handle_write_error(error)

    def _handle_write_error(self, error: OSError) -> None:
        if not isinstance(error, BrokenPipeError):
            self.rejection = error.strerror or str(error)
        # Buffered output of the program and of libraries also goes there.
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, self._stream.fileno())
        os.close(devnull)


@contextmanager
def _use_safe_streams() -> Iterator[SafeStream]:
    """Make ``print`` tolerate closed pipes within the context; yield the standard output stream."""
    _reopen_closed_streams()
    original_streams = sys.stdout, sys.stderr
    out, err = SafeStream(original_streams[0]), SafeStream(original_streams[1])
    sys.stdout, sys.stderr = out, err
    try:
        yield out
    finally:
        out.flush()
        err.flush()
        sys.stdout, sys.stderr = original_streams


def _reopen_closed_streams() -> None:
    """Replace closed standard streams, before a document reuses their file descriptors."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115


class CommandModule(Protocol):
    """Interface of a command's module."""

    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments."""

    def run_command(self, arguments: argparse.Namespace) -> int:
        """Run the command; return the exit code."""


COMMANDS: Mapping[str, str] = {
    "open": "open_window",
    "run": "run",
    "resume": "resume",
    "fork": "fork",
    "compare": "compare",
    "check": "check",
    "show": "show",
    "refit": "refit",
    "remove": "remove",
    "decide": "decide",
    "predict": "predict",
    "export": "export",
    "learning-curve": "learning_curve",
    "methods": "methods",
    "spaces": "spaces",
    "picture": "picture",
    "engine": "engine",
    "conduct": "conduct",
    "lane": "lane",
    "helper": "helper",
}
"""The module of each command, in the order of ``studio --help``."""


def load_command(name: str) -> CommandModule:
    """Return a command, importing only its module."""
    return cast(CommandModule, importlib.import_module(f"studio.cli.{COMMANDS[name]}"))

"""Reporting of errors to the user where they occur."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from studio.errors import StudioError
from studio.language import translate


@contextmanager
def reporting_errors(report: Callable[[str], object]) -> Iterator[None]:
    """Report an error that ends the block, by its message in the user's language."""
    try:
        yield
    except StudioError as error:
        report(translate(str(error)))

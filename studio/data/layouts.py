"""How a text is written: which signs are between its cells, with evidence for every guess."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from studio.data import comments, dialect
from studio.data.extent import Start
from studio.data.line_forms import (
    LineForm,
    escaped,
    escaped_separators,
    fixed_widths,
    line_form,
    lines,
)
from studio.data.number_guess import rough_format
from studio.data.numbers import NumberFormat
from studio.data.read_options import ReadOptions
from studio.data.rows import Layout
from studio.errors import DataError
from studio.phrases import counted, joined, phrase


@dataclass(frozen=True)
class Written:
    """How a text is written.

    Attributes:
        layout: The text and how it is cut.
        start: What is known of where the table begins.
        separator: The separator that people see; ``None`` if there is none.
        evidence: By option of reading, the sentence that says how it is known.
        above: Lines that were taken off the beginning.
    """

    layout: Layout
    start: Start
    separator: str | None
    evidence: dict[str, str]
    above: tuple[str, ...]


def written(text: str, name: str, options: ReadOptions) -> Written:
    """Find out how a text is written.

    Args:
        text: The whole text.
        name: The file's name, for messages.
        options: What is known of it.

    Raises:
        DataError: If the table is to begin below the last line.
    """
    evidence: dict[str, str] = {}
    named, start = dialect.sep_line(text)
    above = [text[:start]] * (start > 0)
    passed = max(options.skip or 0, (options.header_row or 1) - 1) - len(above)
    for line in itertools.islice(lines(text, start, name), max(passed, 0)):
        above.append(line)
        start += len(line)
    if passed > 0 and start == len(text):
        raise DataError(
            counted(
                "{name!r} has only 1 row, so the table cannot begin in row {row:,}.",
                "{name!r} has only {count:,} rows, so the table cannot begin in row {row:,}.",
                len(above),
                name=name,
                row=1 + max(options.skip or 0, (options.header_row or 1) - 1),
            )
        )
    sample = dialect.sample_lines(text, start, comments.LINES)
    leading = comments.leading(sample)
    if options.header_row is not None:
        leading = leading.first(sample)
    above += leading.lines
    start += leading.length
    sample = comments.without(dialect.sample_lines(text, start), leading.mark)
    form = line_form(sample, options.separator)
    quote, separator, is_sure = _signs(_rewritten(sample, form), named, form, options, evidence)
    own = None if is_sure else fixed_widths(sample, lines(text, start, name))
    if form is None and own is None and not any(quote in line for line in sample if quote):
        own = escaped_separators(sample, separator)
    if own is not None:
        form, quote, separator = own, "", own.separator
        evidence["separator"] = own.evidence
    rows = dialect.reader(iter(_rewritten(sample, form)), separator, quote)
    filled = [row for row in rows if any(map(str.strip, row))]
    number_format = _number_format(filled, options, evidence)
    begin = Start(
        header=options.header,
        header_row=options.header_row,
        first_row=1 + len(above),
        mark=leading.mark,
        comments=leading.lines,
        commented=_commented(leading, separator, quote),
    )
    return Written(
        Layout(
            text,
            start,
            separator,
            quote,
            name,
            number_format,
            begin.first_row,
            None if form is None else form.rewrite,
        ),
        begin,
        form.shown if form is not None and form.separator else separator,
        evidence,
        tuple(above),
    )


def _rewritten(sample: Sequence[str], form: LineForm | None) -> list[str]:
    return list(sample) if form is None else list(map(form.rewrite, sample))


def _signs(
    sample: Sequence[str],
    named: str,
    form: LineForm | None,
    options: ReadOptions,
    evidence: dict[str, str],
) -> tuple[str, str, bool]:
    """Return the quote, the separator, and whether it cuts lines better than fixed widths may."""
    if form is not None and form.separator:
        evidence["separator"] = form.evidence
        return "", form.separator, True
    quote = _resolve("quote", options.quote, evidence, lambda: dialect.guess_quote(sample))
    if quote and any(f"\\{quote}" in line for line in sample):
        sample = list(map(escaped(quote), sample))
    if options.separator is not None:
        evidence["separator"] = phrase("You chose that.")
        return quote, options.separator, True
    if named:
        evidence["separator"] = phrase("The first line says so: sep={named}", named=named)
        return quote, named, True
    guess = dialect.guess_separator(sample, quote)
    evidence["separator"] = guess.evidence
    if form is not None:
        evidence["separator"] = joined((form.evidence, guess.evidence))
    return quote, guess.value, guess.is_sure


def _commented(above: comments.Leading, separator: str, quote: str) -> tuple[str, ...]:
    """Return the last line of comments as cells, the mark in the first one: it may be the names."""
    last = next((line for line in reversed(above.lines) if line), "")
    if not last:
        return ()
    rest = last.removeprefix(above.mark)
    first, *others = next(dialect.reader(iter([rest]), separator, quote), None) or [""]
    return (above.mark + " " * rest.startswith(" ") + first, *others)


def _resolve(
    name: str, given: str | None, evidence: dict[str, str], guess: Callable[[], dialect.Guess]
) -> str:
    """Return what the user chose, else the guess, and note how it is known."""
    if given is not None:
        evidence[name] = phrase("You chose that.")
        return given
    guessed = guess()
    evidence[name] = guessed.evidence
    return guessed.value


def _number_format(
    sample: list[list[str]], options: ReadOptions, evidence: dict[str, str]
) -> NumberFormat:
    """Return how numbers seem to be written: names are told from numbers by it, no more."""
    for mark in ("decimal", "thousands"):
        if getattr(options, mark) is not None:
            evidence[mark] = phrase("You chose that.")
    return rough_format((cell for row in sample for cell in row), options)

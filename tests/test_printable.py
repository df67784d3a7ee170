"""Foreign names are escaped in terminals, tables and files."""

import contextlib
import csv
import io
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from studio.cli.entry import main
from studio.cli.output import _TextReporter
from studio.compare.results import render_report
from studio.compare.study import Study
from studio.compare.study_notes import StudyMethod
from studio.compare.tables.table import (
    ResultTable,
    TableCell,
    render_csv,
    render_latex,
    render_markdown,
)
from studio.document.store import Document
from studio.document.trials import Iteration, TrialRow
from studio.export.formats.registry import format_trials_as_csv as trials_table
from studio.figures.shapes import Diagram, TextLabel, render_inline_svg, render_svg
from studio.gui.plots.base.frame import format_csv
from studio.printable import escape_markup, sanitise, sanitise_line
from studio.trial import Trial

BAD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f\u2028\ud800]")
NAMES = (
    "\x1b[2J\x1b]0;owned\x07", "a\u202egnp.exe", "a\nb\r\nc", "a\tb", "\u2066a\u2069", "a\x00b",
    "a\u2028b", "\x9b31m", "a\ud800b",
)  # fmt: skip


def table(name: str) -> ResultTable:
    cell = TableCell(name, note=name)
    return ResultTable("t", name, name, (name, "error"), ((cell, cell), (cell, cell)), (name,))


def diagram(name: str) -> Diagram:
    return Diagram("d", name, name, 100, 40, (TextLabel(5, 5, name),))


def page(name: str) -> str:
    study = Study(
        data=(name,), methods=(StudyMethod(name, "RS", {"a.b": name}),), budget=2,
        title=name, summary=name, reference=name,
    )  # fmt: skip
    failures = {name: name}
    return render_report(
        study, [table(name)], failures, [diagram(name)], "pictures", conclusions=[name, name]
    )


def list_trials(name: str) -> str:
    return trials_table([trial_row(name), trial_row(name)], {1: 1.0})


def trial_row(name: str) -> TrialRow:
    trial = Trial(1, {name: name}, seed=0, loss=None, origin=name, cause=name)
    return TrialRow(1, trial, Iteration(1))


def get_terminal_text(name: str) -> str:
    with contextlib.redirect_stderr(io.StringIO()) as error_stream:
        for what, of in ((name, 0), (name, 3), (f"{name}.", 0)):
            _TextReporter().report_progress(what, 1, of)
    return error_stream.getvalue()


WRITERS: dict[str, Callable[[str], str]] = {
    "Markdown": lambda name: render_markdown(table(name)),
    "LaTeX": lambda name: render_latex(table(name)),
    "CSV": lambda name: render_csv(table(name)),
    "report": page,
    "trials": list_trials,
    "progress": get_terminal_text,
    "SVG": lambda name: render_svg(diagram(name)),
    "SVG in a page": lambda name: render_inline_svg(diagram(name), lambda role: role),
    "HTML": escape_markup,
    "terminal": sanitise,
}


def test_control_characters_in_names_are_escaped() -> None:
    assert sanitise_line("Größe 🦉 مرحبا <&>") == "Größe 🦉 مرحبا <&>"
    assert sanitise_line("a\x1b[2J\n\u202eb") == r"a\u001b[2J\u000a\u202eb"
    assert sanitise("a\tb\nc\x1b") == "a\tb\nc\\u001b"
    assert escape_markup("<b>\x1b") == r"&lt;b&gt;\u001b"


@pytest.mark.parametrize("name", NAMES, ids=ascii)
@pytest.mark.parametrize("kind", WRITERS)
def test_writers_escape_control_sequences(kind: str, name: str) -> None:
    control_sequence = BAD.search(WRITERS[kind](name))
    assert control_sequence is None, control_sequence


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_control_characters_do_not_add_rows(name: str) -> None:
    plain = table("name")
    for write in (render_markdown, render_latex, render_csv):
        assert len(write(table(name)).splitlines()) == len(write(plain).splitlines())
    assert len(list_trials(name).splitlines()) == len(get_terminal_text(name).splitlines()) == 3
    assert {len(row) for row in csv.reader(io.StringIO(render_csv(table(name))))} == {4}
    assert len(page(name).splitlines()) == len(page("name").splitlines())
    ElementTree.fromstring(render_svg(diagram(name)))


def test_markdown_escapes_names() -> None:
    text = page("![x](http://example.org/x.png) `a` &#x202e; a\\|b <img>")
    assert "](http" not in text and "&#x" not in text and "<img" not in text
    assert r"\`a\`" in text and r"a\\\|b" in text


def test_latex_rows_do_not_start_with_bracket() -> None:
    rows = render_latex(table("[2cm]")).splitlines()
    assert not any(row.startswith(("[", "*")) for row in rows)


def test_run_name_does_not_add_output_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = []
    for name in ("plain", "a\nfinished: 0 % error\x1b[2J"):
        path = tmp_path / f"{len(outputs)}.studio"
        with Document.create(path) as document:
            document.runs.add(name, {"method": "RS", "budget": 9})
        assert main(["show", str(path)]) == 0
        outputs.append(capsys.readouterr().out)
    assert len(outputs[0].splitlines()) == len(outputs[1].splitlines())
    assert r"a\u000afinished" in outputs[1]


def test_plot_csv_escapes_text_and_keeps_numbers() -> None:
    rows = list(
        csv.reader(io.StringIO(format_csv(["a\nb"], [["=1+1"], [-2.5], ["\u202ex"]]).decode()))
    )
    assert rows == [[r"a\u000ab"], ["'=1+1"], ["-2.5"], [r"\u202ex"]]

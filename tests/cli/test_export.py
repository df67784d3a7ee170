"""``studio export``: formats, exit codes, and progress."""

import json
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

from studio.cli.entry import main
from studio.cli.output import make_reporter
from studio.document.atomic_files import write_file
from studio.document.store import Document
from studio.document.trials import Iteration
from studio.export.formats import registry
from studio.export.formats.base import ExportJob, ExportResult
from studio.export.formats.registry import TrialsFormat
from studio.runs.settings import RunSettings
from studio.trial import Trial


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "w.studio"
    with Document.create(path) as new_document:
        run = new_document.runs.add("r", RunSettings(method="RS").to_json())
        new_document.trials.add(
            run,
            Trial(1, {"algorithm": "knn"}, 0, 0.05),
            np.zeros((4, 2), np.float16),
            None,
            Iteration(1, 1, 0.05, None, 0.05, None, ((1, 1.0),)),
        )
    return path


def test_export_prints_progress_then_one_json_line(
    document: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output_path = tmp_path / "t.csv"
    arguments = ["export", str(document), "--format", "trials", "-o", str(output_path)]
    assert main([*arguments, "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["path"] == str(output_path)
    assert json.loads(line)["format"] == "trials"
    assert main(arguments) == 0
    assert f"Wrote {output_path}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "code", "expected"),
    [
        (["--format", "space"], 2, "--format FORMAT -o FILE"),
        (["-o", "x"], 2, "--format FORMAT -o FILE"),
        (["--pickle", "x", "--format", "space"], 2, "leave those out"),
        (["--format", "space", "-o", "x", "--run", "9"], 2, "no run 9"),
        (["--format", "trials", "-o", "nowhere/x.csv"], 1, "be written"),
    ],
)
def test_export_exit_code_distinguishes_usage_error_and_failure(
    document: Path,
    given: list[str],
    code: int,
    expected: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(document.parent)
    assert main(["export", str(document), *given]) == code
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize("key", ["word", "onnx", "script"])
def test_unknown_export_format_is_rejected_by_parser(key: str, document: Path) -> None:
    with pytest.raises(SystemExit) as exit_info:
        main(["export", str(document), "--format", key, "-o", "x"])
    assert exit_info.value.code == 2


def test_export_progress_is_json_for_window(capsys: pytest.CaptureFixture[str]) -> None:
    steps = {"progress": "Training the members", "done": 2, "of": 3}
    for progress, expected_lines in ((True, [steps, {"note": "It takes a while"}]), (False, [])):
        reporter = make_reporter(Namespace(json=True, progress=progress))
        reporter.report_progress("Training the members", 2, 3)
        reporter.report_note("It takes a while")
        assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == expected_lines


def test_export_progress_distinguishes_steps_and_notes(capsys: pytest.CaptureFixture[str]) -> None:
    reporter = make_reporter(Namespace(json=False))
    reporter.report_note("It takes a while")
    reporter.report_progress("Reading approx.", 0, 0)
    reporter.report_progress("Reading", 2, 3)
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["note: It takes a while", "Reading approx. …", "Reading: 2 of 3"]


def test_export_never_replaces_document(document: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(document), "--format", "trials", "-o", str(document)]) == 1
    assert "it is a document" in capsys.readouterr().err
    assert main(["show", str(document)]) == 0


def test_non_utf8_file_name_is_written_and_printed(
    document: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    output_path = tmp_path / "t\udcff.csv"
    assert main(["export", str(document), "--format", "trials", "-o", str(output_path)]) == 0
    assert output_path.exists() and r"t\udcff.csv" in capfd.readouterr().out
    write_file(output_path, f"of {output_path.name}")
    assert output_path.read_text() == "of t?.csv"


class _TwoFileFormat(TrialsFormat):
    """Writes two files, as exports of models do, without training any."""

    companion_suffixes = (".json",)

    def write(self, job: ExportJob) -> ExportResult:
        for each in (job.path, *self.list_companion_files(job.path)):
            write_file(each, "ours")
        return ExportResult(job.path, self.list_companion_files(job.path))


def test_companion_file_does_not_replace_existing_file(
    document: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "REGISTRY", (_TwoFileFormat(),))
    output_path, other, beside = (tmp_path / name for name in ("b1.csv", "b1.json", "b1.csv.json"))
    for each in (other, beside):
        each.write_text("precious")
    arguments = ["export", str(document), "--format", "trials", "-o", str(output_path)]
    assert main(arguments) == 1
    error_output = capsys.readouterr().err
    assert str(beside) in error_output and "--replace" in error_output
    assert beside.read_text() == "precious" and not output_path.exists()
    assert main([*arguments, "--replace"]) == 0
    assert beside.read_text() == "ours" and other.read_text() == "precious"
    assert main(arguments) == 0, "the file is named, and its companions belong to it"

"""The command line in a separate process: exit codes, messages, JSON output."""

import argparse
import contextlib
import importlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from studio import __version__
from studio.children import make_code_command
from studio.cli import open_window
from studio.cli.entry import main
from studio.document.store import Document
from studio.measure import format_loss
from tests.facts import contains_facts

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
ALONE = ("--workers", "1", "--json")


Done = subprocess.CompletedProcess[str]


def started(*arguments: object) -> Done:
    """Run a command in a separate process."""
    return subprocess.run(
        [sys.executable, "-m", "studio", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )


def studio(*arguments: object) -> Done:
    """Run a command in this process, for speed."""
    argv = list(map(str, arguments))
    stdout, stderr = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        code = main(argv)
    return Done(argv, code, stdout.getvalue(), stderr.getvalue())


def parse_last_json(done: Done) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    content: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return content


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "t.csv"
    rows = [f"{i % 7},{(i * 5) % 11},{'ab'[(i % 7) > 3]}" for i in range(80)]
    path.write_text("p,q,target\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture(scope="module")
def document(table: Path) -> Path:
    path = table.with_name("w.studio")
    process = started("run", table, "--method", "RS-post", "--budget", 4, *ALONE, "-o", path)
    content = parse_last_json(process)
    assert content["method"] == "RS-post"
    assert content["trials"] == 4
    return path


def test_show_repeats_output_of_run(document: Path) -> None:
    content = parse_last_json(studio("show", document, "--json"))
    expected_keys = {
        "method", "trials", "failed", "best_validation_loss", "test_error_single",
        "test_error_ensemble", "members", "seconds", "kept_reason",
    }  # fmt: skip
    assert expected_keys <= set(content)
    assert set(content["members"][0]) == {"trial", "weight"}
    assert 0 < content["kept_bytes"] < content["document_bytes"]
    assert "the trained ensemble" in studio("show", document, "--run", 1).stdout


def test_resuming_finished_run_exits_with_0(document: Path) -> None:
    assert parse_last_json(studio("resume", document, "--json"))["state"] == "finished"


def test_exit_does_not_search_loaded_libraries_for_garbage() -> None:
    code = (
        "import atexit, gc, sys\n"
        "atexit.register(lambda: print(len(gc.get_objects()) < 100 < gc.get_freeze_count()))\n"
        "sys.argv = ['studio', 'methods', '--json']\n"
        "from studio.cli import entry\n"
        "entry()"
    )
    done = subprocess.run(make_code_command(code), capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "True"


def test_predict_writes_one_prediction_per_row(document: Path, table: Path) -> None:
    output_path = table.with_name("out.csv")
    content = parse_last_json(studio("predict", document, table, "-o", output_path, "--json"))
    lines = output_path.read_text().splitlines()
    assert lines[0].split(",")[0] == "prediction"
    assert len(lines) == content["rows"] + 1 == 81


def test_predict_does_not_overwrite_table_or_document(document: Path, table: Path) -> None:
    bytes_before = table.read_bytes()
    for output in (table, document, table.parent / "." / table.name):
        process = studio("predict", document, table, "-o", output)
        assert process.returncode == 2
        assert "another name for" in process.stderr
    assert table.read_bytes() == bytes_before
    assert studio("show", document).returncode == 0


def test_pickle_is_loaded_only_if_trusted(document: Path, table: Path) -> None:
    model = table.with_name("m.pkl")
    assert parse_last_json(studio("export", document, "--pickle", model, "--json"))["sha256"]
    output_path = table.with_name("out2.csv")
    refused = studio("predict", model, table, "-o", output_path)
    assert refused.returncode == 2
    assert "--trust" in refused.stderr
    assert not output_path.exists()
    unknown = studio("predict", model, table, "-o", output_path, "--trust", "--interval", "0.9")
    assert "intervals" in unknown.stderr
    assert studio("predict", model, table, "-o", output_path, "--trust").returncode == 0
    assert len(output_path.read_text().splitlines()) == 81


def test_methods_and_spaces_are_listed_as_json() -> None:
    names = [method["name"] for method in parse_last_json(studio("methods", "--json"))["methods"]]
    assert {"RS", "RS-post", "BO-best", "BO-post", "EO-sqm", "EO-post", "EO-mse"} <= set(names)
    spaces = {space["name"] for space in parse_last_json(studio("spaces", "--json"))["spaces"]}
    assert {"sklearn-cash", "sklearn-cash-regression", "svm-rbf", "svr"} <= spaces


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--method", "EO-sqn"], "no method"),
        (["--budget", "0"], "one trial"),
        (["--split", "half"], "60/20/20"),
        (["--set", "surrogate"], "PART.OPTION=VALUE"),
        (["--role", "p=colour"], "feature, target, ignore"),
        (["--space", "no-such-space"], "no-such-space"),
        (["--target", "nobody"], "nobody"),
        (["--metric", "rmse"], "does not apply"),
        (["--method", "EO-mse"], "for binary"),
        (["--task", "regression"], "target"),
        (["--cluster", "nowhere"], "host and port"),
    ],
)
def test_usage_error_is_last_line(
    table: Path,
    tmp_path: Path,
    arguments: list[str],
    expected: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["run", str(table), "-o", str(tmp_path / "w.studio"), *arguments]) in {1, 2}
    complaints = capsys.readouterr().err
    assert expected in complaints.strip().splitlines()[-1]
    assert "Traceback" not in complaints


def test_study_with_invalid_address_is_not_started(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "w.studio"
    arguments = ["compare", "against-others", "-o", str(output), "--cluster", "nowhere"]
    assert main(arguments) == 2
    assert "host and port" in capsys.readouterr().err
    assert not output.exists()


def test_missing_table_is_usage_error(tmp_path: Path) -> None:
    process = studio("run", tmp_path / "gone.csv", "-o", tmp_path / "w.studio")
    assert process.returncode == 2
    assert contains_facts(process.stderr, "no file", "gone.csv")
    assert not (tmp_path / "w.studio").exists()


def test_non_document_file_is_reported(table: Path) -> None:
    process = studio("show", table)
    assert process.returncode == 1
    assert "Traceback" not in process.stderr
    assert process.stderr.strip().endswith((".", "?"))


def test_interrupted_run_saves_results_and_exits_with_130(table: Path) -> None:
    path = table.with_name("stopped.studio")
    process = subprocess.Popen(
        [sys.executable, "-m", "studio", "run", str(table), "--method", "RS",
         "--budget", "100000", "--workers", "1", "-o", str(path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip().startswith("3/"):
            break
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130, errors
    assert "everything is kept" in errors
    content = parse_last_json(studio("show", path, "--json"))
    assert content["state"] == "stopped"
    assert content["trials"] >= 3


def test_killed_run_is_interrupted_and_can_be_resumed(table: Path) -> None:
    path = table.with_name("killed.studio")
    process = subprocess.Popen(
        [sys.executable, "-m", "studio", "run", str(table), "--method", "RS",
         "--budget", "40", "--workers", "1", "-o", str(path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip().startswith("3/"):
            break
    process.kill()
    process.communicate()
    content = parse_last_json(studio("show", path, "--json"))
    assert content["state"] == "interrupted"
    assert content["trials"] >= 3
    resumed = parse_last_json(studio("resume", path, "--budget", 44, "--json"))
    assert resumed["state"] == "finished"
    assert resumed["trials"] == 44


def test_run_is_added_to_existing_document(document: Path, table: Path) -> None:
    process = studio("run", table, "--method", "RS", "--budget", 1, *ALONE, "-o", document)
    assert parse_last_json(process)["run"] == 2
    assert parse_last_json(studio("show", document, "--run", "1", "--json"))["method"] == "RS-post"


def test_window_without_display_suggests_alternatives() -> None:
    hidden = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    process = subprocess.run(
        [sys.executable, "-m", "studio"],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    if sys.platform.startswith("linux"):
        assert process.returncode == 1
        assert "no screen" in process.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="names an X display")
def test_unreachable_display_is_reported_without_abort() -> None:
    display_variables = {"DISPLAY": "nowhere:0", "QT_QPA_PLATFORM": "xcb", "WAYLAND_DISPLAY": ""}
    process = subprocess.run(
        [sys.executable, "-m", "studio"],
        capture_output=True,
        text=True,
        env={**os.environ, **display_variables},
        check=False,
    )
    assert process.returncode == 1
    assert "no screen" in process.stderr.splitlines()[-1]


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("run", "resume", "compare", "show", "predict", "export", "methods", "open")
    for command in names:
        with pytest.raises(SystemExit) as ended:
            main([command, "--help"])
        assert ended.value.code == 0
        assert len(capsys.readouterr().out) > 100


def test_single_file_argument_opens_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def perform(arguments: argparse.Namespace) -> int:
        opened.append(arguments.file)
        return 0

    monkeypatch.setattr(open_window, "run_command", perform)
    table = tmp_path / "a.csv"
    table.touch()
    assert main([str(table)]) == 0
    assert opened == [str(table)]


def test_missing_file_is_not_reported_as_unknown_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["nowhere.csv"]) == 2
    assert contains_facts(capsys.readouterr().err, "no file", "nowhere.csv")
    with pytest.raises(SystemExit):
        main(["nowhere"])


def test_unknown_command_lists_public_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["frob"])
    error_output = capsys.readouterr().err
    assert "learning-curve" in error_output
    assert not [
        name for name in ("engine", "conduct", "lane", "helper") if f"'{name}'" in error_output
    ]


def test_non_numeric_argument_gives_message(capsys: pytest.CaptureFixture[str]) -> None:
    for argv in (["resume", "w.studio", "--budget", "abc"], ["decide", "x", "--miss-cost", "abc"]):
        with pytest.raises(SystemExit) as end:
            main(argv)
        assert end.value.code == 2
        last = capsys.readouterr().err.splitlines()[-1]
        assert contains_facts(last, argv[2], "abc")
        assert "invalid" not in last, "the parser's own words"


def test_missing_run_is_usage_error_for_every_command(document: Path) -> None:
    for command in ("show", "remove", "decide"):
        process = studio(command, document, "--run", 12)
        assert process.returncode == 2, command
        assert "12" in process.stderr


def test_undefined_precision_is_shown_as_dash(document: Path) -> None:
    assert studio("decide", document, "--class", "a", "--threshold", 1).returncode == 0
    lines = studio("decide", document).stdout.splitlines()
    assert not any("nan" in line for line in lines)
    assert studio("decide", document, "--clear").returncode == 0


def test_run_named_after_method_is_shown_once(document: Path) -> None:
    (line,) = [
        each
        for each in studio("show", document, "--run", 1).stdout.splitlines()
        if "finished" in each
    ]
    assert line.count("RS-post") == 1


def test_invalid_study_gives_message_without_usage(table: Path, tmp_path: Path) -> None:
    process = studio("compare", table, "-o", tmp_path / "c.studio")
    assert process.returncode == 2
    assert contains_facts(process.stderr, table.name)
    assert "char 0" not in process.stderr
    (tmp_path / "s.json").write_text('{"data": [],\n oops}')
    assert contains_facts(studio("compare", tmp_path / "s.json").stderr, "s.json", "2")


def test_missing_data_sets_are_reported_once_per_folder(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    process = studio(
        "compare", "smbeo-svr", "--data", tmp_path / "empty", "-o", tmp_path / "c.studio"
    )
    assert process.returncode == 1
    assert process.stderr.count("--data") == 1
    assert contains_facts(process.stderr.splitlines()[-1], "empty", "servo")


def test_losses_in_one_column_share_format() -> None:
    assert [format_loss(each, "") for each in (34169.04, 107980.2)] == ["34,169", "107,980"]


REFUSED = {
    "target": ["--target", "nope"],
    "metric": ["--metric", "rmse", "--target", "target"],
    "weights": ["--role", "p=weight", "--role", "q=weight", "--target", "target"],
    "groups": ["--role", "p=group", "--folds", "50", "--target", "target"],
    "second file": ["--target", "target", "--test", "other.csv"],
}


def count_runs_and_tables(path: Path) -> tuple[int, int]:
    with Document.open(path, writable=False) as opened:
        return len(opened.runs.list_all()), len(opened.tables.list_all())


@pytest.mark.parametrize("reason", REFUSED)
def test_rejected_run_leaves_no_files(
    table: Path, document: Path, tmp_path: Path, reason: str
) -> None:
    other = tmp_path / "other.csv"
    other.write_text("s,target\n1,a\n")
    argv = [other if each == "other.csv" else each for each in REFUSED[reason]]
    path = tmp_path / "new.studio"
    process = studio("run", table, *argv, "--budget", 2, *ALONE, "-o", path)
    assert process.returncode != 0
    assert process.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["other.csv"]
    shutil.copyfile(document, path)
    before = count_runs_and_tables(path)
    assert studio("run", table, *argv, "--budget", 2, *ALONE, "-o", path).returncode != 0
    assert count_runs_and_tables(path) == before
    assert path.stat().st_size == document.stat().st_size
    assert sorted(each.name for each in tmp_path.iterdir()) == ["new.studio", "other.csv"]


def test_failed_run_is_shown_with_cause(table: Path, tmp_path: Path) -> None:
    path = tmp_path / "failed.studio"
    space = tmp_path / "space.json"
    parameters = [{"name": "algorithm", "type": "constant", "value": "nobody"}]
    space.write_text(json.dumps(
        {"format": "ensemble-studio-space", "version": 1, "name": "s", "parameters": parameters}
    ))  # fmt: skip
    argv = ("--method", "RS", "--space", space, "--budget", 1, *ALONE, "-o", path)
    process = studio("run", table, "--target", "target", *argv)
    assert process.returncode != 0
    with Document.open(path, writable=False) as document:
        (row,) = document.runs.list_all()
    assert row.state == "failed"
    assert row.message
    assert row.message in studio("show", path).stdout


@pytest.mark.parametrize(
    "arguments",
    [["show", "missing.studio"], ["check", "missing.csv"], ["show"], ["decide", "x", "--run", "a"]],
)
def test_error_is_json_object_on_request(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [str(tmp_path / each) if "missing" in each else each for each in arguments]
    for is_json in (True, False):
        try:
            code = main([*arguments, "--json"] if is_json else arguments)
        except SystemExit as error:
            code = error.code
        shown = capsys.readouterr()
        assert code in {1, 2}
        if is_json:
            message = json.loads(shown.out.splitlines()[-1])["error"]
            assert message and message in shown.err
        else:
            assert shown.out == ""


@pytest.mark.parametrize(
    ("arguments", "similar"),
    [
        (["show", "a.studio", "--js"], "--json"),
        (["run", "a.csv", "-o", "a.studio", "--tarjet=y"], "--target"),
    ],
)
def test_options_cannot_be_abbreviated(
    arguments: list[str], similar: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as raised:
        main(arguments)
    assert raised.value.code == 2
    given = arguments[-1].partition("=")[0]
    last = capsys.readouterr().err.splitlines()[-1]
    assert contains_facts(last, f"{given};", f"{similar}?")


def test_window_program_shows_version(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entry_module = importlib.import_module("studio.cli.entry")
    monkeypatch.setattr(entry_module, "_isolate_from_user_modules", lambda: None)
    monkeypatch.setattr(sys, "argv", ["ensemble-studio", "--version"])
    with pytest.raises(SystemExit) as ended:
        entry_module.entry_window()
    assert ended.value.code == 0
    assert __version__ in capsys.readouterr().out


def test_choices_of_marks_are_described_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["check", "--help"])
    options = capsys.readouterr().out
    assert "--decimal MARK" in options and "--thousands MARK" in options
    assert "{.,,}" not in options

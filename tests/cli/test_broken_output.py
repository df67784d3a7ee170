"""Closed pipes and full disks of the output: the command still completes and reports."""

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from studio import children
from studio.cli.entry import SafeStream, main
from studio.document.atomic_files import write_file
from studio.document.store import Document
from studio.system_faults import MIN_ADDRESSES

pytestmark = pytest.mark.slow

FULL = Path("/dev/full")
NAME = "x" * 300


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "t.csv"
    rows = [f"{i % 7},{(i * 5) % 11},{'ab'[(i % 7) > 3]}" for i in range(60)]
    path.write_text("p,q,target\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture(scope="module")
def document(table: Path) -> Path:
    path = table.with_name("w.studio")
    arguments = ["run", str(table), "--method", "RS", "--budget", "2", "--workers", "1", "--quiet"]
    assert main([*arguments, "-o", str(path)]) == 0
    return path


def start_run(table: Path, path: Path) -> list[str]:
    return children.make_studio_command(
        *("run", table, "--method", "RS", "--budget", 2, "--workers", 1, "--no-refit", "-o", path)
    )


def test_unencodable_characters_are_escaped_in_output() -> None:
    buffer = io.BytesIO()
    stream = io.TextIOWrapper(buffer, encoding="cp1252", newline="")
    SafeStream(stream).write(json.dumps({"metric": "1 − R²", "name": "été"}, ensure_ascii=False))
    stream.flush()
    text = buffer.getvalue().decode("cp1252")
    assert "été" in text
    assert json.loads(text) == {"metric": "1 − R²", "name": "été"}


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_run_continues_after_closed_pipe(table: Path, tmp_path: Path) -> None:
    path = tmp_path / "w.studio"
    with subprocess.Popen(
        start_run(table, path), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        complaints = process.stderr.read().decode()
    assert (process.returncode, complaints) == (0, "")
    with Document.open(path, writable=False) as opened:
        assert (opened.runs.get(1).state, opened.trials.count(1)) == ("finished", 2)


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
def test_run_with_full_output_device_finishes_with_error(table: Path, tmp_path: Path) -> None:
    path = tmp_path / "w.studio"
    with FULL.open("w") as full:
        process = subprocess.run(
            start_run(table, path), stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert process.returncode == 1
    assert "(No space left" in process.stderr.splitlines()[0]
    with Document.open(path, writable=False) as opened:
        assert opened.runs.get(1).state == "finished"


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    ("command_line", "both"),
    [
        *((each, False) for each in ("--version", "show {document}")),
        *((each, True) for each in ("show {document}", "--help")),
    ],
)
def test_full_output_device_causes_no_traceback(
    command_line: str, both: bool, document: Path
) -> None:
    command = children.make_studio_command(*command_line.format(document=document).split())
    with FULL.open("w") as full:
        stderr_target = full if both else subprocess.PIPE
        process = subprocess.run(command, stdout=full, stderr=stderr_target, text=True, check=False)
    assert process.returncode == 1
    assert both or len(process.stderr.splitlines()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="descriptors of POSIX")
def test_closed_standard_streams_are_not_reused_for_files(document: Path) -> None:
    # Files opened next would reuse their descriptors, and libraries that print would write to them.
    line = "exec " + " ".join(children.make_studio_command("show", document)) + " <&- >&- 2>&-"
    assert subprocess.run(["sh", "-c", line], check=False).returncode == 0


COMMANDS = [
    "{name}.studio",
    "show {name}.studio",
    "run {name}.csv -o w.studio",
    "run {table} -o {name}.studio",
    "run {table} -o w.studio --test {name}.csv",
    "run {table} -o w.studio --space {name}",
    "resume {name}.studio",
    "fork {name}.studio",
    "refit {name}.studio",
    "predict {name}.studio {table} -o p.csv",
    "predict {document} {name}.csv -o p.csv",
    "predict {document} {table} -o {name}.csv",
    "export {name}.studio --pickle m.pkl",
    "export {document} --format report -o {name}.html",
    "export {document} --format trials -o {name}.csv",
    "export {document} --format space -o {name}.json",
    "compare {name}",
    "compare {folder} -o {name}.studio",
    "compare {folder} --data {name}",
]


@pytest.mark.parametrize("arguments", COMMANDS)
def test_overlong_name_prints_message(
    arguments: str,
    table: Path,
    document: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    command_line = arguments.format(name=NAME, table=table, document=document, folder=table.parent)
    assert main(command_line.split()) in {1, 2}
    error_output = capsys.readouterr().err
    assert "Traceback" not in error_output
    assert error_output.strip().endswith(".")
    assert not list(tmp_path.iterdir())


def test_longest_allowed_name_is_accepted(tmp_path: Path) -> None:
    longest = os.pathconf(tmp_path, "PC_NAME_MAX") if hasattr(os, "pathconf") else 200
    path = tmp_path / ("x" * longest)
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    write_file(path, b"content")
    assert path.read_bytes() == b"content"


LIMITED = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]),) * 2)
os.execv(sys.argv[2], sys.argv[2:])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="a limit of addresses, as Linux holds it")
@pytest.mark.parametrize(
    ("megabytes", "command_template"),
    [
        (300, "show {document}"),  # it is rejected before any command is parsed
        (700, "resume {document} --budget 3 --workers 1 --quiet"),
        (700, "predict {document} {table} -o p.csv"),
        (700, "export {document} --pickle m.pkl"),
        (
            700,
            "compare {folder} --methods RS --budget 2 --repetitions 1 --workers 1 -o c.studio "
            "--quiet",
        ),
    ],
)
def test_memory_shortage_gives_message(
    command_template: str, megabytes: int, table: Path, document: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.studio"
    copy.write_bytes(document.read_bytes())
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "t.csv").write_bytes(table.read_bytes())
    arguments = command_template.format(
        table=table, document=copy, folder=tmp_path / "tables"
    ).split()
    limited = [sys.executable, "-c", LIMITED, str(megabytes << 20)]
    process = subprocess.run(
        [*limited, *children.make_studio_command(*arguments)],
        capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert "Traceback" not in process.stderr
    if megabytes < MIN_ADDRESSES:
        assert process.returncode == 2, process.stderr
        assert f"{megabytes} MB" in process.stderr
    else:
        assert process.returncode in {0, 1}, process.stderr
        assert process.returncode == 0 or process.stderr.strip().endswith(".")


def test_foreign_text_cannot_control_terminal(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, wicked = tmp_path / "d.studio", "\x1b[2J\x1b]0;mine\x07 \u202eexe.gpj"
    with Document.create(path) as document:
        document.runs.add(wicked, {"method": "RS", "budget": 1, "source": {"path": str(table)}})
        document.runs.set_state(1, "failed", wicked)
    assert main(["show", str(path)]) == 0
    output = capsys.readouterr().out
    assert "\x1b" not in output
    assert "\u202e" not in output
    assert "\\u001b[2J" in output
    assert main(["show", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["name"] == wicked

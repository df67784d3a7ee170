"""The single file for Linux: start, installation, and detection of damage."""

import importlib
import os
import platform
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENTRY = "io.github.ensemblestudio.Studio.desktop"
ENTRY_PLACE = Path("applications", ENTRY)
USED = (
    "cat chmod cp dirname find grep head ln ls mkdir mktemp mv readlink rm rmdir sed sh sha256sum "
    "sort tail tar uname wc xz"
)
pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux")
    or platform.machine() != "x86_64"
    or not all(map(shutil.which, USED.split())),
    reason="it is for Linux on x86-64",
)


@pytest.fixture(scope="module")
def run_file_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the single file of a small program."""
    build_folder = tmp_path_factory.mktemp("made")
    folder, share = build_folder / "dist" / "ensemble-studio", build_folder / "share"
    folder.mkdir(parents=True)
    (share / "icons").mkdir(parents=True)
    (share / "icons" / "icon.svg").write_text("<svg/>")
    (share / "applications").mkdir()
    shutil.copy(
        ROOT / "packaging" / "linux" / "share" / "applications" / ENTRY, share / ENTRY_PLACE
    )
    (folder / "studio").write_text('#!/bin/sh\necho "started $*"\n')
    (folder / "studio").chmod(0o755)
    (folder / "ensemble-studio").symlink_to("studio")
    (folder / "library").write_bytes(random.Random(0).randbytes(300_000))
    with pytest.MonkeyPatch.context() as patch:
        run_file = importlib.import_module("bundle.run_file")
        places = {"DIST": folder.parent, "FOLDER": folder, "SHARE": share, "BUILD": build_folder}
        for name, where in places.items():
            patch.setattr(run_file, name, where)
        program_file: Path = run_file.build(0)
    assert {each.name for each in build_folder.iterdir()} == {"dist", "share"}
    return program_file.read_bytes()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return an empty home folder with only the required programs."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in USED.split():
        (programs / name).symlink_to(shutil.which(name) or "")
    folder = tmp_path / "home of a user"
    folder.mkdir()
    return folder


def start(
    content: bytes, home: Path, *words: str, programs: Path | None = None
) -> subprocess.CompletedProcess[str]:
    programs = programs or home.parent / "bin"
    file = programs.parent / "ensemble-studio.run"
    file.write_bytes(content)
    return subprocess.run(
        ["/bin/sh", str(file), *words],
        env={"HOME": str(home), "PATH": str(programs)},
        cwd=home,
        check=False,
        capture_output=True,
        text=True,
    )


def replace(home: Path, name: str, script: str) -> None:
    """Replace a program by a script, with the path of the program in ``$real``."""
    program = home.parent / "bin" / name
    real = program.resolve()
    program.unlink()
    program.write_text(f"#!/bin/sh\nreal={real}\n{script}\n")
    program.chmod(0o755)


WAYS = (["--studio", "--version"], ["document.studio"], ["--install"], ["--extract", "out"])


@pytest.mark.slow
def test_run_file_starts_installs_and_uninstalls(run_file_bytes: bytes, home: Path) -> None:
    first = start(run_file_bytes, home, "--studio", "run", "a b.csv")
    assert (first.returncode, first.stdout) == (0, "started run a b.csv\n")
    assert "once" in first.stderr
    repeated = start(run_file_bytes, home, "document.studio")
    assert (repeated.returncode, repeated.stdout, repeated.stderr) == (
        0,
        "started document.studio\n",
        "",
    )
    for _ in range(2):  # the second replaces the first
        installed = start(run_file_bytes, home, "--install")
        assert installed.returncode == 0, installed.stderr
        assert (home / ".local" / "bin" / "studio").exists()
        assert (home / ".local" / "share" / "icons" / "icon.svg").exists()
    assert start(run_file_bytes, home, "--extract", "out").returncode == 0
    assert (home / "out" / "share" / "icons" / "icon.svg").exists()
    shutil.rmtree(home / "out")
    assert start(run_file_bytes, home, "--uninstall").returncode == 0
    assert [each for each in home.rglob("*") if not each.is_dir()] == []
    assert not (home / ".local").exists()


@pytest.mark.parametrize(
    "name",
    ["Zoë's", "R&D", "100%", "a=b", 'a "b"', "a b|c", r"a\1\nb", "$HOME", "`x`", "a;b#c", "plain"],
)
def test_menu_entry_starts_program_from_any_folder(
    run_file_bytes: bytes, home: Path, name: str
) -> None:
    def value(key: str) -> str:
        (line,) = [each for each in entry.splitlines() if each.startswith(f"{key}=")]
        # Without line ends, only the backslash must be escaped.
        return line.removeprefix(f"{key}=").replace("\\\\", "\\")

    start_folder = home / name
    start_folder.mkdir()
    process = start(run_file_bytes, start_folder, "--install", programs=home.parent / "bin")
    assert (process.returncode, process.stderr) == (0, "")
    program = start_folder / ".local" / "bin" / "ensemble-studio"
    installed = start_folder / ".local" / "share" / ENTRY_PLACE
    entry = installed.read_text("utf-8")
    assert value("TryExec") == str(program)
    entry_output = subprocess.run(
        ["/bin/sh", "-c", f"printf '%s\\n' {value('Exec')}"],
        check=True,
        capture_output=True,
        text=True,
    )
    *through, command, argument = entry_output.stdout.splitlines()
    assert (command, argument) == (str(program).replace("%", "%%"), "%f")
    # By the specification no program has = in its name, and GLib finds none with %.
    assert through == (["sh", "-c", 'exec "$0" "$@"'] if set("%=") & set(name) else [])
    original = (ROOT / "packaging" / "linux" / "share" / ENTRY_PLACE).read_text("utf-8")
    changed_lines = [line for line in entry.splitlines() if line not in original.splitlines()]
    assert [line.partition("=")[0] for line in changed_lines] == ["Exec", "TryExec"]
    assert {each.name for each in installed.parent.iterdir()} == {ENTRY}


@pytest.mark.parametrize("argv", WAYS, ids=lambda words: words[0])
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_damaged_file_is_not_unpacked_or_started(
    run_file_bytes: bytes, home: Path, part: float, argv: list[str]
) -> None:
    damaged = bytearray(run_file_bytes)
    begin = run_file_bytes.index(b"\xfd7zXZ")
    offset = begin + int(part * (len(run_file_bytes) - begin))
    for index in range(offset, offset + 3):
        damaged[index] ^= 0x55
    for _ in range(2):
        process = start(bytes(damaged), home, *argv)
        assert (process.returncode, process.stdout) == (1, "")
        assert "damaged" in process.stderr and "Download it again" in process.stderr
        assert list(home.iterdir()) == []


@pytest.mark.parametrize("missing", [1, 1000, 200_000])
def test_truncated_file_is_reported_as_damaged(
    run_file_bytes: bytes, home: Path, missing: int
) -> None:
    process = start(run_file_bytes[:-missing], home, "--install")
    assert process.returncode == 1
    assert "damaged" in process.stderr
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("argv", WAYS, ids=lambda words: words[0])
@pytest.mark.parametrize(
    ("program", "script"),
    [
        # Truncated after some members, as by a kill: tar takes that for the end.
        ("xz", '"$real" "$@" | head -c 10240; exit 137'),
        ("tar", '"$real" "$@"; exit 2'),
        ("tail", '"$real" "$@"; exit 1'),
    ],
    ids=["xz", "tar", "tail"],
)
def test_failure_of_any_unpacking_step_is_reported(
    run_file_bytes: bytes, home: Path, program: str, script: str, argv: list[str]
) -> None:
    replace(home, program, script)
    process = start(run_file_bytes, home, *argv)
    assert (process.returncode, process.stdout) == (1, "")
    assert "Unpacking failed" in process.stderr and " 0 MB " in process.stderr
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("argv", WAYS, ids=lambda words: words[0])
def test_missing_decompressor_leaves_no_files(
    run_file_bytes: bytes, home: Path, argv: list[str]
) -> None:
    (home.parent / "bin" / "xz").unlink()
    process = start(run_file_bytes, home, *argv)
    assert (process.returncode, process.stdout) == (1, "")
    assert "Install xz-utils." in process.stderr
    assert list(home.iterdir()) == []


def test_python_unpacks_run_file_without_xz(run_file_bytes: bytes, home: Path) -> None:
    (home.parent / "bin" / "xz").unlink()
    (home.parent / "bin" / "python3").symlink_to(os.path.realpath(sys.executable))
    process = start(run_file_bytes, home, "--studio", "--version")
    assert (process.returncode, process.stdout) == (0, "started --version\n")


def test_file_is_not_unpacked_into_existing_folder(run_file_bytes: bytes, home: Path) -> None:
    (home / "out").mkdir()
    process = start(run_file_bytes, home, "--extract", "out")
    assert process.returncode == 1
    assert " out already." in process.stderr
    assert list((home / "out").iterdir()) == []

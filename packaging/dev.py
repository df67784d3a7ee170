#!/usr/bin/env python3
"""Set everything up and do one job: ``run``, ``test`` or ``setup``.

    python3 packaging/dev.py run      the window; without a screen, the sample job and a picture
    python3 packaging/dev.py test     linter, types and all tests
    python3 packaging/dev.py test --quick     the same without slow tests, for the edit loop
    python3 packaging/dev.py test --covered   the same, and what the tests cover; half as long again
    python3 packaging/dev.py setup    only the set-up

Only the standard library is needed to start. Everything is installed into ``.venv`` beside this
folder; on Debian and Ubuntu missing system libraries are installed if permitted, otherwise listed.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

MIN_PYTHON = (3, 11)
if sys.version_info < MIN_PYTHON:  # checked first, as older versions may fail below
    sys.exit(f"Python 3.11 or later is needed; this is {sys.version.split()[0]}.")

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))

from studio.system.shared_libraries import (  # needs no installed packages
    LIGHTGBM_LIBRARIES,
    QT_LIBRARIES,
    find_missing_libraries,
)

VENV = ROOT / ".venv"
CONSTRAINTS = ROOT / "packaging" / "constraints.txt"
CATALOGUES = ROOT / "resources" / "translations"
OUT = ROOT / "out"

# Minimum coverage of lines and branches by tests in their own process, in percent. It is only ever
# raised; code in separate processes (the engine, real windows) is not measured.
MIN_COVERAGE = {"gui": 94, "all other packages": 95}
# Programs needed by the real-window tests: program → package.
WINDOW_PROGRAMS = {"Xvfb": "xvfb", "xdotool": "xdotool", "openbox": "openbox"}

MEMORY, ROOM = Path("/dev/shm"), 8 << 30
"""Folder in memory, and its free bytes required by the tests."""

_UNREACHABLE = ("NewConnectionError", "NameResolutionError", "ConnectTimeoutError", "ProxyError")
"""pip's errors on a machine without network."""


def log(text: str) -> None:
    """Print a line, flushed to keep the order of a log."""
    print(text, flush=True)


def run_command(command: list[str], **extra: object) -> int:
    """Run a command, showing it, and return its exit code."""
    log("$ " + " ".join(command))
    return subprocess.run(command, cwd=ROOT, check=False, **extra).returncode  # type: ignore[call-overload]


def require_writable_folder() -> None:
    """Exit if this folder is not writable."""
    if not os.access(ROOT, os.W_OK):
        sys.exit(f"The folder {ROOT} is read-only: copy it to one that you may write to.")


def apt(packages: list[str]) -> None:
    """Install Debian packages if permitted, skipping unavailable ones."""
    if not packages or shutil.which("apt-get") is None:
        return
    prefix: list[str] = []
    if os.geteuid() != 0:
        sudo = shutil.which("sudo")
        if (
            sudo is None
            or subprocess.run([sudo, "-n", "true"], check=False, capture_output=True).returncode
        ):
            return
        prefix = [sudo, "-n"]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}

    def succeeds(*words: str) -> bool:
        command = [*prefix, "apt-get", "-qq", *words]
        return not subprocess.run(
            command, check=False, capture_output=True, env=environment
        ).returncode

    install = ("install", "-y", "--no-install-recommends")
    log("Installing system packages: " + " ".join(packages))
    if succeeds(*install, *packages) or not succeeds("-o", "APT::Update::Error-Mode=any", "update"):
        return
    if not succeeds(*install, *packages):
        for each in packages:
            succeeds(*install, each)


def missing_packages(environment: Path, *, for_tests: bool = False) -> list[str]:
    """Return the Debian packages missing for an environment."""
    absent = []
    if find_spec("ensurepip") is None and not is_usable(environment):
        absent.append(f"python{sys.version_info[0]}.{sys.version_info[1]}-venv")
    if sys.platform.startswith("linux"):
        libraries = {**LIGHTGBM_LIBRARIES, **QT_LIBRARIES}
        absent += [libraries[each] for each in find_missing_libraries(libraries)]
        if not list(Path("/usr/share/fonts").glob("**/*.[to]tf")):
            absent.append("fonts-dejavu-core")
        if for_tests:
            absent += [WINDOW_PROGRAMS[each] for each in WINDOW_PROGRAMS if not shutil.which(each)]
    return absent


def format_missing_packages(packages: list[str]) -> str:
    """Return a message about missing system packages."""
    return "Missing system packages; on Debian and Ubuntu: sudo apt install " + " ".join(packages)


def get_python(environment: Path = VENV) -> str:
    """Return the interpreter of an environment."""
    return str(environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))


def is_usable(environment: Path) -> bool:
    """Return whether an environment is complete and of this Python version."""
    if not Path(get_python(environment)).exists():
        return False
    probe = subprocess.run(
        [
            get_python(environment),
            "-c",
            "import sys, pip._internal.cli.main; print(*sys.version_info[:2])",
        ],
        check=False,
        capture_output=True,
        text=True,
    )
    return probe.stdout.split() == [str(number) for number in sys.version_info[:2]]


def make_environment(environment: Path) -> None:
    """Create an environment, unless a usable one exists."""
    if is_usable(environment):
        return
    shutil.rmtree(environment, ignore_errors=True)
    log(f"Creating {environment.name} with Python {sys.version.split()[0]}")
    # In a new process, as this one may have cached that ensurepip is missing.
    if run_command([sys.executable, "-m", "venv", str(environment)]):
        sys.exit("The environment could not be created; the lines above say why.")


def run_pip(environment: Path, *words: str) -> None:
    """Run pip in an environment, or exit with a message."""
    command = [get_python(environment), "-m", "pip", *words, "--disable-pip-version-check"]
    log("$ " + " ".join(command))
    process = subprocess.run(command, cwd=ROOT, check=False, stderr=subprocess.PIPE, text=True)
    unreachable = any(each in process.stderr for each in _UNREACHABLE)
    if process.returncode and unreachable and "No matching distribution found" in process.stderr:
        sys.exit("The packages cannot be downloaded: connect to the internet, then try again.")
    print(process.stderr, end="", file=sys.stderr)
    if process.returncode:
        sys.exit("The packages could not be installed; the lines above say why.")


def install(*, for_tests: bool) -> None:
    """Install the pinned packages and this project, unless up to date."""
    # Catalogues are built with the project, so a changed one requires a new build.
    decisive = [ROOT / "pyproject.toml", CONSTRAINTS, *sorted(CATALOGUES.glob("*.po"))]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in decisive)).hexdigest()
    stamp = VENV / ("stamp-test" if for_tests else "stamp-run")
    if stamp.exists() and stamp.read_text() == digest:
        return
    requirement = ".[dev]" if for_tests else "."
    # Only a tenth of the installed modules are ever imported; they are compiled then.
    run_pip(
        VENV, "install", "-q", "--no-compile", "-c", str(CONSTRAINTS), "--editable", requirement
    )
    stamp.write_text(digest)


def setup(*, for_tests: bool) -> list[str]:
    """Set up the environment; return missing system packages."""
    require_writable_folder()
    missing = missing_packages(VENV, for_tests=for_tests)
    if any(each.endswith("-venv") for each in missing):  # the environment needs it
        apt(missing)
        missing = missing_packages(VENV, for_tests=for_tests)
        if any(each.endswith("-venv") for each in missing):
            sys.exit(format_missing_packages(missing))
        missing = []
    with ThreadPoolExecutor() as background:
        installing = background.submit(apt, missing)
        make_environment(VENV)
        install(for_tests=for_tests)
        installing.result()
    still_missing = missing_packages(VENV, for_tests=for_tests)
    if still_missing:
        log(format_missing_packages(still_missing))
    return still_missing


def has_screen() -> bool:
    """Return whether a window can be shown."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def run() -> int:
    """Open the window, or do the sample job without a screen."""
    setup(for_tests=False)
    studio = [get_python(), "-m", "studio"]
    if has_screen():
        return run_command([*studio, "open"])
    log("There is no screen here, so the sample job runs without a window.")
    OUT.mkdir(exist_ok=True)
    document = OUT / "sample.studio"
    document.unlink(missing_ok=True)
    sample = ROOT / "resources" / "samples" / "digits.csv"
    code = run_command(
        [*studio, "run", str(sample), "--target", "digit", "--method", "EO-sqm",
         "--budget", "60", "-o", str(document)]
    )  # fmt: skip
    if code:
        return code
    picture = OUT / "window.png"
    code = run_command([*studio, "picture", str(document), "-o", str(picture)])
    if code == 0:
        log(
            f"The run is in {document.relative_to(ROOT)}, a picture of the window with it in "
            f"{picture.relative_to(ROOT)}."
        )
    return code


def check_coverage() -> int:
    """Print the coverage of the tests; return 1 if it is below a minimum."""
    n_below = 0
    packages = [each.name for each in (ROOT / "studio").iterdir() if each.is_dir()]
    patterns = ",".join(
        ["studio/*.py", *(f"studio/{each}/*" for each in packages if each != "gui")]
    )
    for package, floor in MIN_COVERAGE.items():
        files = "studio/gui/*" if package == "gui" else patterns
        process = subprocess.run(
            [get_python(), "-m", "coverage", "report", "--format=total", f"--include={files}"],
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        )
        coverage = int(process.stdout)
        log(f"Covered of {package}: {coverage} % (at least {floor} %)")
        if coverage > floor:
            log(f"Raise that floor to {coverage} in packaging/dev.py, so that it stays.")
        n_below |= coverage < floor
    return n_below


def test(arguments: list[str], *, quick: bool, measured: bool) -> int:
    """Run the checks of CI: linter, types, tests.

    Args:
        arguments: More for pytest.
        quick: Leave out the tests marked slow.
        measured: Also report coverage.
    """
    still_missing = setup(for_tests=True)
    # In memory, as tests would otherwise wait for the disk after every record of a document.
    roomy = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM
    with tempfile.TemporaryDirectory(
        prefix="studio-tests-", dir=MEMORY if roomy else None, ignore_cleanup_errors=True
    ) as temporary:
        Path(temporary).chmod(0o1777)  # like /tmp, as some tests drop their privileges
        # Without the tests that wait for processes two workers keep two cores busy.
        selection = ["-m", "not slow and not window", "-n", "2"] if quick else []
        measuring = ["--cov", "--cov-report="] if measured else []
        code = run_checks([*selection, *measuring, *arguments], temporary)
    if measured and not code:
        code = check_coverage()
    if still_missing and not code:
        log("Real-window tests were skipped where these were missing: " + " ".join(still_missing))
    return code


def run_checks(arguments: list[str], temporary: str) -> int:
    """Run linter, types and tests in a temporary folder; return the failures."""
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "OMP_NUM_THREADS": "1",
        "TMPDIR": temporary,
    }
    # Allow cached bytecode, so that hundreds of processes need not compile the program.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    # Engines and workers run at low priority, and tests wait for them: without an equally low
    # priority of all processes, a run of six trials would take minutes.
    if hasattr(os, "nice"):
        os.nice(19)
    for step in (["ruff", "check", "."], ["ruff", "format", "--check", "."]):
        code = run_command([get_python(), "-m", *step], env=environment)
        if code:
            return code
    # Many tests wait for their subprocesses, so three workers keep two cores busy, and types can be
    # checked in parallel.
    types = subprocess.Popen(
        [get_python(), "-m", "mypy"], cwd=ROOT, stdout=subprocess.PIPE, text=True, env=environment
    )
    if not (ROOT / "tests" / "__pycache__").is_dir():
        # Otherwise each of the three workers would compile the tests of a fresh checkout.
        preparing = [get_python(), "-m", "pytest", "-q", "--collect-only"]
        subprocess.run(preparing, cwd=ROOT, check=False, stdout=subprocess.DEVNULL, env=environment)
    pytest_options = ["-q", "--durations=10", "-n", "3", "--dist", "worksteal"]
    code = run_command([get_python(), "-m", "pytest", *pytest_options, *arguments], env=environment)
    output, _ = types.communicate()
    log(output.rstrip())
    return code or types.returncode


def main() -> int:
    """Parse the command line and do the job."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("job", choices=("run", "test", "setup"))
    parser.add_argument("--quick", action="store_true", help="test: without slow tests")
    parser.add_argument("--covered", action="store_true", help="test: say what the tests cover")
    options, remaining = parser.parse_known_args()
    if remaining and options.job != "test":
        parser.error(f"unexpected: {' '.join(remaining)}")
    if options.job == "run":
        return run()
    if options.job == "test":
        return test(remaining, quick=options.quick, measured=options.covered)
    return 1 if setup(for_tests=False) else 0


if __name__ == "__main__":
    sys.exit(main())

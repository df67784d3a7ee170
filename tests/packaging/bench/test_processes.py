"""The modules that benchmarks start as separate processes exist."""

import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bench

FOLDER = Path(bench.__file__).parent
STARTED = sorted(
    {
        (name, len(re.findall(r",", rest)))
        for path in FOLDER.rglob("*.py")
        for name, rest in re.findall(
            r"(?<!runpy\.)(?:run_module|module_command)\(\s*\"([\w.]+)\"([^)]*)\)",
            path.read_text("utf-8"),
        )
    }
)


def test_benchmark_modules_are_found() -> None:
    assert len(STARTED) >= 6


@pytest.mark.parametrize(("module", "arguments"), STARTED, ids=str)
def test_module_started_by_benchmark_can_be_started(module: str, arguments: int) -> None:
    main = importlib.import_module(module).main
    call_arguments = inspect.signature(main).bind(*["1"] * arguments).args
    assert len(call_arguments) == arguments


@pytest.mark.slow
def test_started_process_finds_benchmarks(tmp_path: Path) -> None:
    code = (
        "import runpy, sys; from studio.children import make_safe_path; runpy.run_path(sys.argv[1])"
    )
    command = [sys.executable, "-c", f"{code}; print(*make_safe_path(), sep='\\n')", str(FOLDER)]
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert str(FOLDER.parent) in process.stdout.splitlines()

"""What benchmarks start in processes of their own: that there is something to start."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

import studio.bench

FOLDER = Path(studio.bench.__file__).parent
STARTED = sorted(
    {
        (name, len(re.findall(r",", rest)))
        for path in FOLDER.rglob("*.py")
        for name, rest in re.findall(
            r"(?:printed_by|module_command)\(\s*\"([\w.]+)\"([^)]*)\)", path.read_text("utf-8")
        )
    }
)


def test_they_are_found() -> None:
    assert len(STARTED) >= 6


@pytest.mark.parametrize(("module", "arguments"), STARTED, ids=str)
def test_a_module_that_a_benchmark_starts_can_be_started(module: str, arguments: int) -> None:
    main = importlib.import_module(module).main
    taken = inspect.signature(main).bind(*["1"] * arguments).args
    assert len(taken) == arguments

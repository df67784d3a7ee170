"""Drivers shared with the tests."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

TESTS = Path(__file__).parents[2] / "tests"


def import_test_module(package: str, name: str) -> ModuleType:
    """Return a module of a folder of tests, which may import ``tests`` and its neighbours."""
    for folder in (TESTS / package, TESTS.parent):
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
    return importlib.import_module(f"tests.{package}.{name}")

"""Drivers shared with the tests."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

TESTS = Path(__file__).parents[2] / "tests"


def import_test_module(package: str, name: str) -> ModuleType:
    """Return a module of a room of the tests."""
    package_path = str(TESTS / package)
    if package_path not in sys.path:
        sys.path.append(package_path)
    return importlib.import_module(name)

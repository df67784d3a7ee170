"""Drivers shared with the tests."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

TESTS = Path(__file__).parents[2] / "tests"


def import_test_module(room: str, name: str) -> ModuleType:
    """Return a module of a room of the tests."""
    place = str(TESTS / room)
    if place not in sys.path:
        sys.path.append(place)
    return importlib.import_module(name)

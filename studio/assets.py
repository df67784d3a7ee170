"""Paths of ``resources/`` and the guide, in a checkout or an installed package."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

_INSTALLED = Path(__file__).parent / "_resources"
_CHECKOUT = Path(__file__).parents[1] / "resources"

RESOURCES: Path = _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT
"""The folder that holds ``spaces/``, ``samples/``, ``icons/``."""

_INSTALLED_GUIDE = Path(__file__).parent / "_guide"
_CHECKOUT_GUIDE = Path(__file__).parents[1] / "docs" / "guide"

GUIDE: Path = _INSTALLED_GUIDE if _INSTALLED_GUIDE.is_dir() else _CHECKOUT_GUIDE
"""The folder of the guide's chapters (Markdown) and their pictures."""


def load_index(name: str, make: Callable[..., T]) -> tuple[T, ...]:
    """Return a folder's items as listed in its JSON index, made from entry and ``path``."""
    folder = RESOURCES / name
    entries = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))[name]
    return tuple(make(path=folder / each.pop("file"), **each) for each in entries)

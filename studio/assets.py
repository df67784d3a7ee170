"""Where the files of ``resources/`` are: beside the package, or inside it when installed."""

from pathlib import Path

_INSTALLED = Path(__file__).parent / "_resources"
_CHECKOUT = Path(__file__).parents[1] / "resources"

RESOURCES: Path = _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT
"""The folder that holds ``spaces/``, ``samples/``, ``icons/``."""

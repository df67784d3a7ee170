"""Where ``resources/`` and the guide are: beside the package, or inside it when installed."""

from pathlib import Path

_INSTALLED = Path(__file__).parent / "_resources"
_CHECKOUT = Path(__file__).parents[1] / "resources"

RESOURCES: Path = _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT
"""The folder that holds ``spaces/``, ``samples/``, ``icons/``."""

_INSTALLED_GUIDE = Path(__file__).parent / "_guide"
_CHECKOUT_GUIDE = Path(__file__).parents[1] / "docs" / "guide"

GUIDE: Path = _INSTALLED_GUIDE if _INSTALLED_GUIDE.is_dir() else _CHECKOUT_GUIDE
"""The folder of the guide's chapters (Markdown) and their pictures."""

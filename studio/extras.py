"""Optional libraries with their install commands, and cached model weights."""

import os
import re
from pathlib import Path

from studio.children import get_pip_command

EXTRAS = {
    "cnn": ("torch>=2.6",),
    "xgboost": ("xgboost>=3.1,<4",),
    "catboost": ("catboost>=1.2.9,<2",),
    "tabicl": ("tabicl>=2.2,<3", "torch>=2.6"),
    "cluster": ("distributed>=2025.1",),
    "parquet": ("pyarrow>=22",),
    "excel": ("openpyxl>=3.1.5",),
    "skops": ("skops>=0.13",),
    "optuna": ("optuna>=5,<6",),
}
"""Requirements of the optional extras of ``pyproject.toml``."""


def list_libraries(extra: str) -> tuple[str, ...]:
    """Return the names of the libraries of an optional extra."""
    return tuple(re.split("[<>=]", each)[0] for each in EXTRAS[extra])


def make_install_command(*extras: str) -> str:
    """Return the shell command that installs the libraries of optional extras.

    The libraries are named directly, as the program is in no package registry, and installed with
    the pip of the running interpreter.
    """
    required_names = dict.fromkeys(name for extra in extras for name in EXTRAS[extra])
    return " ".join([get_pip_command(), "install", *(f'"{name}"' for name in required_names)])


def find_cached_weights(repository: str, name: str) -> Path | None:
    """Return a file of weights in this user's Hugging Face cache; ``None`` if it is missing.

    The cache is ``HF_HUB_CACHE``, else ``HF_HOME/hub``, else the default folder. It is read
    directly: the library takes seconds to import and may download files.
    """
    try:
        caches = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
        cache_folder = os.environ.get("HF_HOME") or f"{caches}/huggingface"
        hub = os.environ.get("HF_HUB_CACHE") or f"{cache_folder}/hub"
        folder = Path(os.path.expandvars(hub)).expanduser()
        folder /= f"models--{repository.replace('/', '--')}"
        commit = (folder / "refs" / "main").read_text(encoding="utf-8").strip()
        path = folder / "snapshots" / commit / name
        return path if path.is_file() else None
    except (OSError, RuntimeError, ValueError):  # an unreadable file, no home folder, or not text
        return None

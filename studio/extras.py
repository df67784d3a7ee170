"""Optional libraries, and how to install them."""

import re

from studio.children import pip

EXTRAS = {
    "cnn": ("torch>=2.4",),
    "xgboost": ("xgboost>=3.1,<4",),
    "catboost": ("catboost>=1.2.9,<2",),
    "cluster": ("distributed>=2025.1",),
    "parquet": ("pyarrow>=22",),
    "excel": ("openpyxl>=3.1.5",),
    "skops": ("skops>=0.13",),
    "optuna": ("optuna>=5,<6",),
}
"""Requirements of the optional extras of ``pyproject.toml``."""


def libraries(extra: str) -> tuple[str, ...]:
    """Return the names of the libraries of an optional extra."""
    return tuple(re.split("[<>=]", each)[0] for each in EXTRAS[extra])


def install_command(*extras: str) -> str:
    """Return the shell command that installs the libraries of optional extras.

    They are named themselves, since the program is in no registry of packages, and installed by
    the pip of the interpreter that runs it.
    """
    named = dict.fromkeys(name for extra in extras for name in EXTRAS[extra])
    return " ".join([pip(), "install", *(f'"{name}"' for name in named)])

"""The content of a bundle, and what is excluded or left to the system.

Names of files are those inside the bundle, with forward slashes.
"""

import re

EXTRAS = ("parquet", "excel", "skops", "cluster")
"""Optional parts of the program that are in every bundle."""

LAZY = (
    "studio",
    "sklearn",  # documents name the classes of their models
    "skops.io",
)
"""Packages with modules imported dynamically, so all of them are included."""

ALONE = (
    "distributed",
    "lightgbm",
    "openpyxl",
    "pyarrow.parquet",
    # In a folder without __init__.py, so collecting skops.io does not find them.
    "skops.io.old._general_v0",
    "skops.io.old._numpy_v0",
    "skops.io.old._numpy_v1",
)
"""Modules imported by name, or only if installed."""

ABSENT = (
    "IPython",
    "PySide6.QtDBus",
    "PySide6.QtNetwork",
    "PySide6.QtOpenGL",
    "PySide6.QtOpenGLWidgets",
    "PySide6.QtPrintSupport",
    "PySide6.QtTest",
    "curses",
    "dask.array",
    "dask.bag",
    "dask.dataframe",
    "nis",
    "pydoc_data",
    "pip",
    "readline",
    "setuptools",
    "tkinter",
)
"""Optional imports of others that are not needed."""

_QT = (
    r"lib/libQt6(Core|Gui|Widgets|Svg|DBus|XcbQpa|WaylandClient|WlShellIntegration)\.so.*",
    r"lib/libicu.*",
    r"plugins/platforms/libq(xcb|wayland|offscreen)\.so",
    r"plugins/(iconengines|imageformats)/libqsvg(icon)?\.so",
    r"plugins/platforminputcontexts/lib(compose|ibus).*",
    r"plugins/platformthemes/libqxdgdesktopportal\.so",
    r"plugins/wayland-shell-integration/libxdg-shell\.so",
    r"plugins/wayland-decoration-client/.*",
    r"translations/qtbase_fr\.qm",
)
"""Included files of Qt."""

_SYSTEM = (
    r"lib(python3|ffi|sqlite3|bz2|gomp).*",
    # Small libraries that Qt needs and desktops often lack.
    r"libxcb-(?!glx).*",
    r"libxkbcommon.*",
)
"""Included libraries of the building system.

The others are on every desktop, where drivers and settings belong to them (``libX11``,
``libfontconfig``, ``libGL``, ``libstdc++``), or are kept safe by it (``libssl``).
"""

_UNWANTED = (
    r"pyarrow/libarrow_(flight|s3|substrait|dataset|acero)\..*",
    r"pyarrow/libarrow_python(_\w+)?\.so(\.\d+\.\d+\.\d+)?",  # duplicates of .so.NUMBER
    r"pyarrow/libarrow_python_\w+\..*",
    r"pyarrow/_(dataset|acero|csv|json|orc|feather|flight|substrait|\w+fs|\w*encryption)\..*",
    r"pyarrow/_dataset_\w+\..*",
    r"pyarrow/(include|includes|src|tests)/.*",
    r"scipy/io/_fast_matrix_market/_fmm_core\..*",
    r"sklearn/datasets/(data|descr|images)/.*",
    r"pyqtgraph/(examples|icons)/.*",
    r"distributed/(dashboard|http/static|http/templates)/.*",
    r"yaml/_yaml\..*",  # optional C accelerator
    r"studio/_resources/translations/.*\.po",
    r".*\.(pyx|pxd|pxi|pyi|h|hpp|cc|cpp|c|proto|build|in|lib|a)",
    r".*(^|/)tests?/.*",
    r".*\.dist-info/.*",
)
"""Files for developers, or for functions not used by the program."""

UNUSED_LIBRARIES = ("libarrow_acero.so.*", "libarrow_dataset.so.*", "libarrow_substrait.so.*")
"""Libraries named by others without being used; if excluded, they must not be named."""


def is_kept(name: str, *, from_system: bool) -> bool:
    """Return whether a file belongs in the bundle.

    Args:
        name: Its path from the folder of the bundle's libraries.
        from_system: Whether it comes from the building system, and not from a package or Python
            itself.
    """
    if from_system:
        return _is_any(name, _SYSTEM)
    if _is_any(name, _UNWANTED):
        return False
    head, of_qt, rest = name.partition("PySide6/Qt/")
    return bool(head) or not of_qt or _is_any(rest, _QT)


def _is_any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(re.fullmatch(each, name) for each in patterns)

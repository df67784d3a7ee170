"""The program's dependencies: installed versions and licences."""

import re
from dataclasses import dataclass
from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata, requires, version

_PACKAGE_NAME = "ensemble-studio"
_NAME = re.compile(r"[\w.-]+")
_TOOLS = re.compile(r"extra\s*==\s*['\"]dev['\"]")


@dataclass(frozen=True)
class InstalledLibrary:
    """An installed library; the licence is empty if unknown."""

    name: str
    version: str
    licence: str


def get_version(name: str) -> str:
    """Return the version of a distribution; empty if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def list_libraries() -> tuple[InstalledLibrary, ...]:
    """Return the installed required and optional libraries.

    They are the libraries listed in ``pyproject.toml``, in its order, without development tools.
    The result is empty if the program itself is not installed.
    """
    try:
        requirements = requires(_PACKAGE_NAME) or []
    except PackageNotFoundError:
        return ()
    names = [
        each[0] for line in requirements if not _TOOLS.search(line) and (each := _NAME.match(line))
    ]
    return tuple(library for name in dict.fromkeys(names) if (library := _find_library(name)))


def _find_library(name: str) -> InstalledLibrary | None:
    try:
        metadata_found = metadata(name)
    except PackageNotFoundError:
        return None
    return InstalledLibrary(
        metadata_found["Name"], metadata_found["Version"], get_licence(metadata_found)
    )


def get_licence(package: PackageMetadata) -> str:
    """Return a distribution's short licence name from any of its fields; empty if undeclared."""
    for field in ("License-Expression", "License"):
        for licence in package.get_all(field) or ():
            # The older field may contain the full text.
            if licence and "\n" not in licence:
                return str(licence)
    classifiers = (each.split(" :: ") for each in package.get_all("Classifier") or ())
    return ", ".join(each[-1] for each in classifiers if each[0] == "License")

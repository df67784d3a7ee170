"""The list of installed libraries: names, versions and licences."""

import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from studio import libraries as module
from studio.libraries import get_version, list_libraries
from studio.version import VERSION


def test_library_list_excludes_developer_dependencies() -> None:
    libraries = {each.name.replace("_", "-"): each for each in list_libraries()}
    assert next(iter(libraries)) == "PySide6-Essentials"
    assert {"numpy", "scipy", "scikit-learn", "pandas", "lightgbm"} <= set(libraries)
    assert not {"pytest", "ruff", "mypy"} & set(libraries)
    for each in libraries.values():
        assert each.version == version(each.name)
        assert 0 < len(each.licence) < 90, each
    assert "LGPL" in libraries["PySide6-Essentials"].licence


def test_library_list_is_empty_without_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PACKAGE_NAME", "no-such-distribution")
    assert list_libraries() == ()
    assert get_version("no-such-distribution") == ""


def test_version_is_defined_once() -> None:
    root = Path(__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text())
    assert project["project"]["dynamic"] == ["version"]
    heading = next(
        line for line in (root / "CHANGELOG.md").read_text().splitlines() if line.startswith("## ")
    )
    assert heading.split()[1] == VERSION, "the newest heading of the changelog is this version"

"""Version bounds in pyproject.toml, and their agreement with the tested versions."""

import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = {
    extra: [Requirement(each) for each in listed]
    for extra, listed in PROJECT["project"]["optional-dependencies"].items()
}
NEEDED = [Requirement(each) for each in PROJECT["project"]["dependencies"]]
DIRECT = [*NEEDED, *(each for listed in EXTRAS.values() for each in listed)]


def read_pins() -> dict[str, str]:
    """Return the version of every package in the constraints."""
    lines = (ROOT / "packaging" / "constraints.txt").read_text().splitlines()
    pairs = (line.split("==") for line in lines if not line.startswith("#"))
    return {canonicalize_name(name): version for name, version in pairs}


def test_every_dependency_has_lower_bound() -> None:
    build = [Requirement(each) for each in PROJECT["build-system"]["requires"]]
    assert not [
        str(each)
        for each in [*build, *DIRECT]
        if not any(part.operator == ">=" for part in each.specifier)
    ]


def test_dependency_has_same_bounds_everywhere() -> None:
    bounds: dict[str, set[str]] = {}
    for each in DIRECT:
        bounds.setdefault(each.name, set()).add(str(each.specifier))
    assert not {name: several for name, several in bounds.items() if len(several) > 1}


def test_constraints_satisfy_bounds() -> None:
    versions = read_pins()
    for each in DIRECT:
        version = versions.get(canonicalize_name(each.name))
        assert version is None or each.specifier.contains(version), f"{each}: {version}"


def test_all_dependencies_are_constrained() -> None:
    versions = read_pins()
    needed = [*NEEDED, *EXTRAS["dev"]]
    assert not [each.name for each in needed if canonicalize_name(each.name) not in versions]

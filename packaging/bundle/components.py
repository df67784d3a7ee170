"""Third-party components of a bundle, with versions, licences and licence texts."""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path

from bundle.freezing import inside
from bundle.paths import ROOT, VENV, get_site_packages
from studio.libraries import get_licence

_COMMON = Path("/usr/share/common-licenses")
_DOCUMENTS = Path("/usr/share/doc")
_TEXT = re.compile(r"(licen[cs]e|copying|notice|authors|third.?party)", re.IGNORECASE)


@dataclass(frozen=True)
class Component:
    """A third-party component.

    Args:
        name, version: As named by its authors.
        licence: Short, as stated by its authors; an SPDX expression if ``spdx``.
        spdx: Whether it is one.
        purl: Its origin, as a package URL.
        texts: Its licences and notices.
    """

    name: str
    version: str
    licence: str
    spdx: bool
    purl: str
    texts: tuple[Path, ...]


def components() -> list[Component]:
    """Return all of them, by name.

    Raises:
        ValueError: If one has no text of its licence.
    """
    listed = inside()
    wanted_names = {*listed["distributions"], "pyinstaller"} - {"ensemble-studio"}
    distribution_components = [
        _make_from_distribution(each)
        for each in distributions(path=[str(get_site_packages())])
        if each.name in wanted_names
    ]
    sources = {Path(source) for source in dict(listed["libraries"]).values()}
    python = next(each for each in sources if each.name.startswith("libpython"))
    distribution_components += [
        _make_python(python),
        typeface(),
        *_iterate_system_packages(sources - {python}),
    ]
    for each in distribution_components:
        if not each.texts:
            raise ValueError(f"{each.name} has no text of its licence: add it to components.py")
    return sorted(distribution_components, key=lambda each: each.name.lower())


def _make_from_distribution(distribution: Distribution) -> Component:
    licence = get_licence(distribution.metadata)
    if "LGPL" in licence:  # Qt, whose packages contain no licence texts
        texts = [_COMMON / "LGPL-3", _COMMON / "GPL-3"]
    else:
        texts = [
            Path(str(distribution.locate_file(file)))
            for file in distribution.files or []
            if _TEXT.search(file.name) and file.suffix not in {".py", ".pyc", ".so", ".html"}
        ]
    purl = f"pkg:pypi/{distribution.name.lower().replace('_', '-')}@{distribution.version}"
    spdx = "License-Expression" in distribution.metadata
    return Component(distribution.name, distribution.version, licence, spdx, purl, tuple(texts))


def _make_python(library: Path) -> Component:
    """Return the component of Python, with its licence."""
    settings = (VENV / "pyvenv.cfg").read_text("utf-8")
    (version,) = re.findall(r"^version = ([\d.]+)", settings, re.MULTILINE)
    minor = version.rpartition(".")[0]
    candidates = (library.parent / f"python{minor}" / "LICENSE.txt",
              _DOCUMENTS / f"python{minor}" / "copyright")  # fmt: skip
    texts = tuple(each for each in candidates if each.exists())[:1]
    return Component("Python", version, "PSF-2.0", True, f"pkg:generic/python@{version}", texts)


def typeface() -> Component:
    """Return the window's typeface, which is in the package itself."""
    folder = ROOT / "resources" / "fonts"
    (version,) = re.findall(r"inter-ui@([\d.]+)", (folder / "README.md").read_text("utf-8"))
    purl = f"pkg:npm/inter-ui@{version}"
    return Component("Inter", version, "OFL-1.1", True, purl, (folder / "LICENSE.txt",))


def _iterate_system_packages(libraries: set[Path]) -> Iterator[Component]:
    """Yield the Debian packages of libraries."""
    # The path of a package's file may be a symbolic link to the library, or its target.
    names = sorted({str(path) for each in libraries for path in (each, each.resolve())})
    names += [each.replace("/lib/", "/usr/lib/", 1) for each in names if each.startswith("/lib/")]
    owners = subprocess.run(
        ["dpkg-query", "--search", *names], check=False, capture_output=True, text=True
    ).stdout
    for package in sorted({line.partition(":")[0] for line in owners.splitlines()}):
        version = subprocess.run(
            ["dpkg-query", "--show", "--showformat=${Version}", package],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        text = _DOCUMENTS / package / "copyright"
        spoken = re.findall(r"^License: *(\S.*)$", text.read_text("utf-8"), re.MULTILINE)
        licence = ", ".join(dict.fromkeys(spoken)) or "see its text"
        yield Component(
            package, version, licence, False, f"pkg:deb/debian/{package}@{version}", (text,)
        )

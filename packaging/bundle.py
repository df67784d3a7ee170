#!/usr/bin/env python3
"""Make what people on Linux download, into ``dist/``, or prove that it works.

    python3 packaging/bundle.py                 the folder, the Debian package, the single file
    python3 packaging/bundle.py folder          only the folder, with licences
    python3 packaging/bundle.py pack            the other two, of the folder that is there
    python3 packaging/bundle.py prove [SUITE]   try the package where there is nothing else

Needs Python 3.11 or later with its shared library, and for the first step the package index.
Programs that are missing are installed where that is allowed.
"""

import argparse
import hashlib
import shutil
import sys

from bundle import deb, freezing, licences, run_file, sbom
from bundle.components import components
from bundle.places import DIST, FOLDER, need_linux
from bundle.proof import SUITES, prove
from dev import apt

from studio.version import VERSION

_PROGRAMS = {"strip": "binutils", "objdump": "binutils", "xz": "xz-utils", "dpkg-deb": "dpkg"}


def folder() -> None:
    """Make the folder, with the licences of what is in it, and the list of that."""
    freezing.make_environment()
    freezing.freeze()
    parts = components()
    licences.write(parts, FOLDER / "licences")
    sbom.write(parts, FOLDER / "sbom.cdx.json", VERSION, freezing.last_change())


def pack() -> None:
    """Make the package and the single file of the folder, and the sums of all that is released."""
    for old in DIST.glob("ensemble-studio[-_]*"):
        old.unlink()
    seconds = freezing.last_change()
    files = [deb.build(seconds), run_file.build(seconds)]
    bill = DIST / f"ensemble-studio-{VERSION}.cdx.json"
    shutil.copyfile(FOLDER / "sbom.cdx.json", bill)
    sums = "".join(
        f"{hashlib.sha256(each.read_bytes()).hexdigest()}  {each.name}\n" for each in [*files, bill]
    )
    (DIST / "SHA256SUMS").write_text(sums, "ascii")
    for each in files:
        print(f"{each.name}: {each.stat().st_size / 1e6:.0f} MB")


def main() -> int:
    """Parse the command line and do the job."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("job", nargs="?", choices=("all", "folder", "pack", "prove"), default="all")
    parser.add_argument("suite", nargs="*", help=f"of Debian: {', '.join(SUITES)}")
    given = parser.parse_args()
    need_linux()
    missing = sorted({package for name, package in _PROGRAMS.items() if not shutil.which(name)})
    if missing and not apt(missing):
        sys.exit(f"Install these first: {' '.join(missing)}")
    if given.job in ("all", "folder"):
        folder()
    if given.job in ("all", "pack"):
        pack()
    if given.job == "prove":
        return prove(given.suite or SUITES)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Make the downloads for Linux in ``dist/``, or test them.

    python3 packaging/bundle.py                 the folder, the Debian package, the single file
    python3 packaging/bundle.py folder          the folder only, with licences
    python3 packaging/bundle.py pack            the other two, from the existing folder
    python3 packaging/bundle.py prove [SUITE]   test the package in a minimal system

Needs Python 3.11 or later with its shared library, and for the first step a network. Missing Debian
packages are installed if permitted, otherwise listed.
"""

import argparse
import hashlib
import shutil
import sys
import sysconfig
from pathlib import Path

import dev  # exits if Python is too old for the imports below
from bundle import deb, freezing, licences, run_file, sbom
from bundle.components import components
from bundle.debian_test import SUITES, prove
from bundle.paths import DIST, FOLDER, ROOT, VENV, require_linux
from studio.version import VERSION

_PROGRAMS = {"strip": "binutils", "objdump": "binutils", "xz": "xz-utils", "dpkg-deb": "dpkg"}
_PROOF = {"debootstrap": "debootstrap", "unshare": "util-linux"}


def missing_packages(job: str) -> list[str]:
    """Return the missing Debian packages of a job.

    Raises:
        SystemExit: If this Python can never be bundled.
    """
    programs = {**_PROGRAMS, **(_PROOF if job == "prove" else {})}
    if (ROOT / ".git").exists():
        programs["git"] = "git"
    missing = sorted({programs[each] for each in programs if not shutil.which(each)})
    if job in ("pack", "prove"):
        return missing
    version = sysconfig.get_python_version()
    if not Path(sysconfig.get_config_var("LIBDIR"), f"libpython{version}.so.1.0").exists():
        if not sysconfig.get_config_var("Py_ENABLE_SHARED"):
            sys.exit(
                f"{sys.executable} has no shared library, which a bundle needs: use the system's "
                "python3, or build Python with --enable-shared."
            )
        missing.append(f"libpython{version}")
    return missing + dev.missing_packages(VENV)


def check(job: str) -> None:
    """Install a job's missing dependencies, or exit with a message."""
    require_linux()
    dev.require_writable_folder()
    dev.apt(missing_packages(job))
    missing = missing_packages(job)
    if missing:
        sys.exit(dev.format_missing_packages(missing))
    freezing.last_change()


def folder() -> None:
    """Make the folder with licences and bill of materials."""
    freezing.make_environment()
    freezing.freeze()
    freezing.write_manual()
    all_components = components()
    licences.write(all_components, FOLDER / "licences")
    sbom.write(all_components, FOLDER / "sbom.cdx.json", VERSION, freezing.last_change())


def pack() -> None:
    """Make package, single file and checksums of the release."""
    for old_file in DIST.glob("ensemble-studio[-_]*"):
        old_file.unlink()
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
    options = parser.parse_args()
    check(options.job)
    if options.job in ("all", "folder"):
        folder()
    if options.job in ("all", "pack"):
        pack()
    if options.job == "prove":
        return prove(options.suite or SUITES)
    return 0


if __name__ == "__main__":
    sys.exit(main())

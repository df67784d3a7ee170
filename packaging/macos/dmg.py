#!/usr/bin/env python3
"""Make the disk image for macOS from PyInstaller's application.

    python packaging/macos/dmg.py "dist/Ensemble Studio.app" -o dist/ensemble-studio.dmg

The application is signed ad hoc (no certificate of a developer, no notarisation): it is valid, but
macOS asks before its first start. It needs no administrator: other users drag it into their own
Applications folder.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

VOLUME = "Ensemble Studio"


def make(app: Path, output: Path) -> None:
    """Write the image.

    Raises:
        SystemExit: If a program of macOS fails; its output is shown.
    """
    if not (app / "Contents" / "Info.plist").is_file():
        sys.exit(f"{app} is no application. Name the .app that PyInstaller made.")
    output.parent.mkdir(parents=True, exist_ok=True)
    # Signed again, as macOS reports an app that was changed after signing as damaged.
    _run("codesign", "--force", "--deep", "--sign", "-", app)
    _run("codesign", "--verify", "--deep", "--strict", app)
    with TemporaryDirectory() as name:
        display_name = Path(name)
        _run("ditto", app, display_name / app.name)
        (display_name / "Applications").symlink_to("/Applications")
        _run("hdiutil", "create", "-volname", VOLUME, "-srcfolder", display_name, "-fs", "HFS+",
             "-format", "UDZO", "-ov", output)  # fmt: skip


def _run(*words: object) -> None:
    if subprocess.run([str(each) for each in words], check=False).returncode:
        sys.exit(f"The disk image was not made: {words[0]} failed, as the lines above say.")


def main() -> int:
    """Parse the command line and make the image."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("app", type=Path, help="the .app that PyInstaller made")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    make(options.app, options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())

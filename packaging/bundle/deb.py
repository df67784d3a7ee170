"""The Debian package: the folder in ``/usr/lib``, two commands, and desktop integration.

There are no scripts in it: menus, icons, file types and manual pages are updated by the triggers of
their packages.
"""

import gzip
import os
import shutil
import subprocess
from pathlib import Path

from bundle.paths import BUILD, DIST, FOLDER, SHARE
from bundle.system_libraries import packages
from studio.version import VERSION

_MAINTAINER = "The makers of Ensemble Studio <ensemblestudio@users.noreply.github.com>"

_CONTROL = """\
Package: ensemble-studio
Version: {version}
Architecture: amd64
Maintainer: {maintainer}
Installed-Size: {kilobytes}
Depends: {depends}
Recommends: desktop-file-utils, hicolor-icon-theme, shared-mime-info, xdg-utils
Section: science
Priority: optional
Homepage: https://github.com/ensemblestudio/studio
Description: find the best prediction for a table, and see why
 Ensemble Studio searches for models that predict a column of a table from the
 others, builds an ensemble of them while one watches, explains it, and writes
 it as a file that runs without this program.
"""

_CHANGES = """\
ensemble-studio ({version}) stable; urgency=medium

  * See CHANGELOG.md of the source for what is new.

 -- {maintainer}  {date}
"""

_OVERRIDES = """\
# The program brings its libraries along, so that one package suits every release.
ensemble-studio: embedded-library *
ensemble-studio: custom-library-search-path *
ensemble-studio: library-not-linked-against-libc *
ensemble-studio: shared-library-lacks-prerequisites *
# Its executable carries the program after its end, which strip would cut off; libraries of
# wheels that were moved about do not survive it.
ensemble-studio: unstripped-binary-or-object *
"""


def build(seconds: int) -> Path:
    """Package the folder in ``dist/`` and return the package.

    Args:
        seconds: Time of the source's last change, since 1970.
    """
    root = BUILD / "deb"
    shutil.rmtree(root, ignore_errors=True)
    _fill(root, seconds)
    file = DIST / f"ensemble-studio_{VERSION}_amd64.deb"
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, file],
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(seconds)},
    )
    shutil.rmtree(root)
    return file


def _fill(root: Path, seconds: int) -> None:
    usr = root / "usr"
    # Hard links suffice, as the files are only read.
    shutil.copytree(FOLDER, usr / "lib" / "ensemble-studio", symlinks=True, copy_function=os.link)
    shutil.copytree(SHARE, usr / "share")
    (usr / "bin").mkdir()
    for name in ("studio", "ensemble-studio"):
        (usr / "bin" / name).symlink_to(f"../lib/ensemble-studio/{name}")
    for page in (usr / "share" / "man").rglob("*.[1-8]"):
        _compress(page)
    documents = usr / "share" / "doc" / "ensemble-studio"
    documents.mkdir(parents=True)
    # Debian requires a single file; its page links to the texts.
    terms = (FOLDER / "licences" / "README.md").read_text("utf-8")
    licence = (FOLDER / "licences" / "ensemble-studio" / "LICENSE").read_text("utf-8")
    head = "The links lead from /usr/lib/ensemble-studio/licences. The LGPL and GPL are in\n"
    head += "/usr/share/common-licenses/LGPL-3 and /usr/share/common-licenses/GPL-3, too.\n\n"
    (documents / "copyright").write_text(f"{head}{terms}\n{licence}", "utf-8")
    values = {"version": VERSION, "maintainer": _MAINTAINER}
    date = subprocess.run(
        ["date", "-u", "-R", "-d", f"@{seconds}"], check=True, capture_output=True, text=True
    ).stdout.strip()
    changes = documents / "changelog"
    changes.write_text(_CHANGES.format(**values, date=date), "utf-8")
    _compress(changes)
    overrides = usr / "share" / "lintian" / "overrides" / "ensemble-studio"
    overrides.parent.mkdir(parents=True)
    overrides.write_text(_OVERRIDES, "utf-8")
    for each in usr.rglob("*"):
        if not each.is_symlink():
            each.chmod(0o755 if each.is_dir() or each.name == "studio" else 0o644)
    kilobytes = sum(each.lstat().st_size for each in usr.rglob("*")) // 1024
    control = root / "DEBIAN" / "control"
    control.parent.mkdir()
    depends = ", ".join(packages(FOLDER))
    control.write_text(_CONTROL.format(**values, kilobytes=kilobytes, depends=depends), "utf-8")


def _compress(file: Path) -> None:
    """Replace a file by a compressed copy without a date."""
    packed = gzip.compress(file.read_bytes(), 9, mtime=0)
    file.with_name(f"{file.name}.gz").write_bytes(packed)
    file.unlink()

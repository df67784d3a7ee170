"""Test of the package in minimal Debian systems, as an ordinary user without network.

Needs to be root, and the programs ``debootstrap`` and ``unshare``. The systems are kept in
``build/bundle/roots`` (or where ``STUDIO_ROOTS`` says), as they take long to make.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bundle.paths import BUILD, DIST, ROOT
from studio.version import VERSION

SUITES = ("bookworm", "trixie")
_MIRROR = "http://deb.debian.org/debian"
_TOOLS = (
    "xvfb xdotool openbox imagemagick xdg-utils desktop-file-utils shared-mime-info "
    "hicolor-icon-theme libglib2.0-bin man-db appstream xz-utils lintian procps util-linux"
)


def prove(suites: Sequence[str]) -> int:
    """Test the package in several releases of Debian; return 1 on a failure."""
    (package,) = DIST.glob("*.deb")
    (run_file,) = DIST.glob("*.run")
    failed = [each for each in suites if not _test_in_release(each, package, run_file)]
    print(f"failed in: {', '.join(failed)}" if failed else "Proved.")
    return 1 if failed else 0


def _test_in_release(suite: str, package: Path, run_file: Path) -> bool:
    root = Path(os.environ.get("STUDIO_ROOTS", BUILD / "roots")) / suite
    if not (root / "etc").is_dir():
        root.parent.mkdir(parents=True, exist_ok=True)
        _run("debootstrap", "--variant=minbase", suite, root, _MIRROR)
    shutil.copyfile("/etc/resolv.conf", root / "etc" / "resolv.conf")
    stage = root / "proof"
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir()
    shutil.copyfile(package, stage / "new.deb")
    _make_older_package(package, stage / "old.deb")
    shutil.copyfile(run_file, stage / "single.run")
    (stage / "single.run").chmod(0o755)
    for each in ("breast_cancer.csv", "digits.csv"):
        shutil.copyfile(ROOT / "resources" / "samples" / each, stage / each)
    for each in ("as_root.sh", "as_user.sh"):
        shutil.copyfile(Path(__file__).with_name("proving") / each, stage / each)
    depends = subprocess.run(
        ["dpkg-deb", "--field", package, "Depends"], check=True, capture_output=True, text=True
    ).stdout
    package_names = " ".join(
        each.split("|")[0].split("(")[0].strip() for each in depends.split(",")
    )
    _run_in_root(root, f"apt-get update -qq && apt-get install -y -qq --no-install-recommends "
                   f"{package_names} {_TOOLS} >/dev/null")  # fmt: skip
    code = _run_in_root(root, f"sh /proof/as_root.sh {VERSION}", "--net", check=False)
    pictures = BUILD / "pictures" / suite
    shutil.rmtree(pictures, ignore_errors=True)
    pictures.mkdir(parents=True)
    for picture in stage.glob("*.png"):
        shutil.copyfile(picture, pictures / picture.name)
    print(f"{suite}: {'failed' if code else 'all is well'}; pictures in {pictures}", flush=True)
    return code == 0


def _make_older_package(package: Path, older_package: Path) -> None:
    """Make the same package of an earlier version."""
    files = BUILD / "older"
    shutil.rmtree(files, ignore_errors=True)
    _run("dpkg-deb", "--raw-extract", package, files)
    control = files / "DEBIAN" / "control"
    control.write_text(
        control.read_text("utf-8").replace(f"Version: {VERSION}", "Version: 0.0.1"), "utf-8"
    )
    _run("dpkg-deb", "--root-owner-group", "-Znone", "--build", files, older_package)
    shutil.rmtree(files)


def _run_in_root(root: Path, command: str, *spaces: str, check: bool = True) -> int:
    """Run a shell command in a system, isolated from other processes."""
    mounts = "mount -t proc proc /proc && mount -t tmpfs tmpfs /tmp && mount -t devtmpfs dev /dev"
    return _run(
        *("unshare", "--mount", "--pid", "--fork", *spaces, "chroot", root),
        *("env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"),
        *("DEBIAN_FRONTEND=noninteractive", "sh", "-c", f"{mounts} && {command}"),
        check=check,
    )


def _run(*command: object, check: bool = True) -> int:
    code = subprocess.run([str(each) for each in command], check=False).returncode
    if code and check:
        sys.exit(f"This step failed: {' '.join(map(str, command))}")
    return code

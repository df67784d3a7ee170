"""The single file: ``head.sh`` with its answers, followed by the folder and ``share``, packed."""

import subprocess
from pathlib import Path

from bundle.places import DIST, FOLDER, SHARE
from studio.version import VERSION


def build(seconds: int) -> Path:
    """Make the file of the folder in ``dist/`` and return it.

    Parameters
    ----------
    seconds : int
        When the source was last changed, since 1970.
    """
    file = DIST / f"ensemble-studio-{VERSION}-linux-x86_64.run"
    size = sum(each.lstat().st_size for each in FOLDER.rglob("*")) // 1_000_000
    head = Path(__file__).with_name("head.sh").read_text("utf-8")
    head = head.replace("@VERSION@", VERSION).replace("@MEGABYTES@", str(size))
    head = head.replace("@BUILD@", str(seconds)).replace("@LINES@", str(head.count("\n")))
    pack = ["tar", "--create", "--sort=name", f"--mtime=@{seconds}", "--owner=0", "--group=0",
            "--numeric-owner", "--mode=u+rwX,go=rX",
            f"--directory={FOLDER.parent}", FOLDER.name,
            f"--directory={SHARE.parent}", SHARE.name]  # fmt: skip
    with file.open("wb") as out:
        out.write(head.encode())
        out.flush()
        packing = subprocess.Popen(pack, stdout=subprocess.PIPE)
        subprocess.run(["xz", "-9", "--threads=0"], check=True, stdin=packing.stdout, stdout=out)
    if packing.wait():
        raise subprocess.CalledProcessError(packing.returncode, pack)
    file.chmod(0o755)
    return file

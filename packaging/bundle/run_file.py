"""The single file: ``head.sh`` with its answers, followed by the folder and ``share``, packed."""

import hashlib
import shutil
import subprocess
from pathlib import Path

from bundle.paths import BUILD, DIST, FOLDER, SHARE
from studio.version import VERSION


def build(seconds: int) -> Path:
    """Make the single file of the folder in ``dist/`` and return its path.

    Args:
        seconds: Time of the source's last change, since 1970.
    """
    payload = BUILD / "payload.tar.xz"
    # tar itself checks whether xz succeeded.
    pack = ["tar", "--create", "--sort=name", f"--mtime=@{seconds}", "--owner=0", "--group=0",
            "--numeric-owner", "--mode=u+rwX,go=rX",
            "--use-compress-program=xz -9 --threads=0", "--force-local", f"--file={payload}",
            f"--directory={FOLDER.parent}", FOLDER.name,
            f"--directory={SHARE.parent}", SHARE.name]  # fmt: skip
    subprocess.run(pack, check=True)
    size = sum(each.lstat().st_size for each in FOLDER.rglob("*")) // 1_000_000
    head = Path(__file__).with_name("head.sh").read_text("utf-8")
    head = head.replace("@VERSION@", VERSION).replace("@MEGABYTES@", str(size))
    head = head.replace("@BUILD@", str(seconds)).replace("@LINES@", str(head.count("\n")))
    file = DIST / f"ensemble-studio-{VERSION}-linux-x86_64.run"
    with payload.open("rb") as packed, file.open("wb") as output:
        head = head.replace("@SUM@", hashlib.file_digest(packed, "sha256").hexdigest())
        packed.seek(0)
        output.write(head.encode())
        shutil.copyfileobj(packed, output)
    payload.unlink()
    file.chmod(0o755)
    return file

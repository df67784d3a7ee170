"""Make the guide's pictures: real runs on the shipped samples, the program's own window.

python packaging/guide_pictures.py
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from small_png import shrink

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs" / "guide" / "pictures"
STUDIO = [sys.executable, "-m", "studio"]
SAMPLE = ROOT / "resources" / "samples" / "digits.csv"
PAGES = ("data", "space", "run", "live", "results")


def main() -> int:
    """Compute the runs in a temporary folder, and keep the pictures."""
    OUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        home_variables = {"XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder}
        environment = {**os.environ, **home_variables, "QT_QPA_PLATFORM": "offscreen"}
        document = Path(folder) / "digits.studio"
        for method in ("BO-best", "EO-sig"):
            run = [*STUDIO, "run", str(SAMPLE), "--target", "digit", "--method", method]
            # The gallery's run, so that both show the same numbers.
            common_options = ["--budget", "60", "--seed", "1", "--workers", "1"]
            finish = [*common_options, "--quiet", "-o", str(document)]
            subprocess.run([*run, *finish], check=True, env=environment)
        for page in PAGES:
            picture = [*STUDIO, "picture", str(document), "--page", page]
            size = ["--width", "1280", "--height", "800"]
            output = ["-o", str(OUT / f"{page}.png")]
            subprocess.run([*picture, *size, *output], check=True, env=environment)
            shrink(OUT / f"{page}.png")
        dark = [*STUDIO, "picture", str(document), "--dark", "--width", "1280", "--height", "800"]
        output = ["-o", str(OUT / "live-dark.png")]
        subprocess.run([*dark, *output], check=True, env=environment)
        shrink(OUT / "live-dark.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())

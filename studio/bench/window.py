"""From starting the process to the first painted window."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import psutil

RUNS = 5


def first_window() -> dict[str, float | None]:
    """Measure ``RUNS`` starts after one warm-up.

    Returns
    -------
    dict
        ``wall_s``: median wall seconds from starting the process to the first painted window;
        ``cpu_s``: median CPU seconds of the process until it ended; ``memory_mb``: resident memory
        of its process just after the paint; ``offscreen``: 1 where there was no screen.
    """
    with tempfile.TemporaryDirectory(prefix="studio-bench-") as home:
        # Nobody's settings and recent files: what a newcomer's first start does.
        environment = {**os.environ, "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home}
        screen = bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))
        if sys.platform.startswith("linux") and not screen:
            environment["QT_QPA_PLATFORM"] = "offscreen"
        _start(environment)
        measured = [_start(environment) for _ in range(RUNS)]
    return {
        "wall_s": statistics.median(wall for wall, _, _ in measured),
        "cpu_s": statistics.median(cpu for _, cpu, _ in measured),
        "against": None,
        "memory_mb": statistics.median(memory for _, _, memory in measured) / 2**20,
        "offscreen": float(environment.get("QT_QPA_PLATFORM") == "offscreen"),
    }


def _start(environment: dict[str, str]) -> tuple[float, float, float]:
    """Return wall seconds, CPU seconds and bytes of one start."""
    before = psutil.Process().cpu_times()
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "studio.gui.first_paint"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    after = psutil.Process().cpu_times()
    told = json.loads(done.stdout.strip().splitlines()[-1])
    cpu = after.children_user + after.children_system
    cpu -= before.children_user + before.children_system
    return told["painted"] - begun, cpu, told["memory"]

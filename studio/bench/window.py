"""From starting the process to the first painted window."""

import json
import statistics
import subprocess
import sys
import time

import psutil

from studio.children import module_command, surroundings
from studio.scratch import scratch_folder

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
    with scratch_folder() as home:
        environment = _environment_of(str(home))
        _start(environment)
        measured = [_start(environment) for _ in range(RUNS)]
    return {
        "wall_s": statistics.median(wall for wall, _, _ in measured),
        "cpu_s": statistics.median(cpu for _, cpu, _ in measured),
        "against": None,
        "memory_mb": statistics.median(memory for _, _, memory in measured) / 2**20,
        "offscreen": _is_offscreen(environment),
    }


def event_loop() -> dict[str, float | None]:
    """Measure the event loop's delays while two runs work and six plots are open.

    Returns
    -------
    dict
        ``spare_p50_ms``, ``spare_p99_ms``, ``spare_max_ms``: delays of 2,000 beats, 10 ms apart,
        with the window on one core and all else on the others (only Linux keeps processes to
        cores; elsewhere, and on one core, this is the same as the other); ``full_…``: with
        everything on all cores;
        ``trials``: models that the runs tried meanwhile; ``plots``; ``offscreen``: 1 where there
        was no screen.
    """
    found: dict[str, float | None] = {"against": None}
    for cores in ("spare", "full"):
        told = told_by("studio.bench.gui.heartbeat", cores)
        found |= {f"{cores}_{name}": told[name] for name in ("p50_ms", "p99_ms", "max_ms")}
        found[f"{cores}_trials"] = told["trials"]
        found["plots"] = told["plots"]
        found["offscreen"] = told["offscreen"]
    return found


def compare_page() -> dict[str, float | None]:
    """Measure the event loop's delays on the Compare page while a study of 200 cells works.

    Returns
    -------
    dict
        ``p50_ms``, ``p99_ms``, ``max_ms``: delays of 2,000 beats, 10 ms apart; ``cells`` of the
        study, and those ``finished_meanwhile``; ``offscreen``.
    """
    return {"against": None, **told_by("studio.bench.gui.compare_heartbeat")}


def told_by(module: str, *arguments: str) -> dict[str, float | None]:
    """Run a module in a process and home of its own; return the numbers of its last line.

    ``offscreen`` is added: 1 where there was no screen.
    """
    with scratch_folder() as home:
        environment = _environment_of(str(home))
        done = subprocess.run(
            module_command(module, *arguments),
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
    told: dict[str, float | None] = json.loads(done.stdout.strip().splitlines()[-1])
    return {**told, "offscreen": _is_offscreen(environment)}


def _environment_of(home: str) -> dict[str, str]:
    """Return the surroundings of a newcomer's first start: nobody's settings and recent files."""
    environment = surroundings(XDG_CONFIG_HOME=home, XDG_DATA_HOME=home)
    screen = bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))
    if sys.platform.startswith("linux") and not screen:
        environment["QT_QPA_PLATFORM"] = "offscreen"
    return environment


def _is_offscreen(environment: dict[str, str]) -> float:
    return float(environment.get("QT_QPA_PLATFORM") == "offscreen")


def _start(environment: dict[str, str]) -> tuple[float, float, float]:
    """Return wall seconds, CPU seconds and bytes of one start."""
    before = psutil.Process().cpu_times()
    begun = time.monotonic()
    done = subprocess.run(
        module_command("studio.bench.gui.first_paint"),
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

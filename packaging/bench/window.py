"""From starting the process to the first painted window."""

import json
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from studio.children import make_code_command, make_module_command, make_process_environment
from studio.scratch import make_scratch_folder
from studio.system.screen import has_screen

RUNS = 7

_Start = dict[str, float]


def first_window() -> dict[str, float | None]:
    """Measure ``RUNS`` starts of the program after one warm-up, and of a bare Qt window in turn.

    Returns:
        ``wall_s``, ``cpu_s``: median seconds from starting ``studio`` without arguments to its
        first painted window, and the CPU seconds of its process until then; ``against``: the CPU
        seconds of a bare window (:mod:`bench.gui.bare_window`), ``bare_wall_s`` its wall seconds;
        ``wall_ratio``, ``cpu_ratio``: how many times as long the program takes, median of the
        pairs; ``ready_s``: wall seconds until the window takes input; ``memory_mb``: resident
        memory of its process then; ``offscreen``: 1 without a screen.
    """
    with make_scratch_folder() as home:
        environment = _make_environment(str(home))
        ours = make_module_command("bench.gui.first_paint")
        plain = make_code_command(
            (Path(__file__).parent / "gui" / "bare_window.py").read_text("utf-8")
        )
        pairs = [(_start(ours, environment), _start(plain, environment)) for _ in range(1 + RUNS)]
    del pairs[0]

    def median(of: Callable[[_Start, _Start], float]) -> float:
        return statistics.median(of(own, bare) for own, bare in pairs)

    return {
        "wall_s": median(lambda own, _: own["painted"]),
        "cpu_s": median(lambda own, _: own["cpu"]),
        "against": median(lambda _, bare: bare["cpu"]),
        "bare_wall_s": median(lambda _, bare: bare["painted"]),
        "wall_ratio": median(lambda own, bare: own["painted"] / bare["painted"]),
        "cpu_ratio": median(lambda own, bare: own["cpu"] / bare["cpu"]),
        "ready_s": median(lambda own, _: own["ready"]),
        "memory_mb": median(lambda own, _: own["memory"]) / 2**20,
        "offscreen": _is_offscreen(environment),
    }


def event_loop() -> dict[str, float | None]:
    """Measure the event loop's delays while two runs work and six plots are open.

    Returns:
        ``spare_p50_ms``, ``spare_p99_ms``, ``spare_max_ms``: delays of 2,000 beats, 10 ms apart,
        with the window on one core and all else on the others (only Linux keeps processes to cores;
        elsewhere, and on one core, this is the same as the other); ``full_…``: with everything on
        all cores; ``trials``: models that the runs tried meanwhile; ``plots``; ``offscreen``: 1
        where there was no screen.
    """
    numbers: dict[str, float | None] = {"against": None}
    for cores in ("spare", "full"):
        printed = run_module("bench.gui.heartbeat", cores)
        numbers |= {f"{cores}_{name}": printed[name] for name in ("p50_ms", "p99_ms", "max_ms")}
        numbers[f"{cores}_trials"] = printed["trials"]
        numbers["plots"] = printed["plots"]
        numbers["offscreen"] = printed["offscreen"]
    return numbers


def compare_page() -> dict[str, float | None]:
    """Measure the event loop's delays on the Compare page while a study of 200 cells works.

    Returns:
        ``p50_ms``, ``p99_ms``, ``max_ms``: delays of 2,000 beats, 10 ms apart; ``cells`` of the
        study, and those ``finished_meanwhile``; ``offscreen``.
    """
    return {"against": None, **run_module("bench.gui.compare_heartbeat")}


def results_page() -> dict[str, float | None]:
    """Measure the event loop's delays on the Results page of a finished run.

    Returns:
        ``p50_ms``, ``p99_ms``, ``max_ms``: delays of beats 10 ms apart, over all questions;
        ``…_max_ms``: the longest at each question, the first time with building its view;
        ``offscreen``.
    """
    return {"against": None, **run_module("bench.gui.results_heartbeat")}


def run_module(module: str, *arguments: str) -> dict[str, float | None]:
    """Run a module in a separate process and home; return the numbers of its last line.

    ``offscreen`` is added: 1 without a screen.
    """
    with make_scratch_folder() as home_folder:
        environment = _make_environment(str(home_folder))
        process = subprocess.run(
            make_module_command(module, *arguments),
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
    printed: dict[str, float | None] = json.loads(process.stdout.strip().splitlines()[-1])
    return {**printed, "offscreen": _is_offscreen(environment)}


def _make_environment(home: str) -> dict[str, str]:
    """Return the environment of a first start, without settings and recent files."""
    environment = make_process_environment(XDG_CONFIG_HOME=home, XDG_DATA_HOME=home)
    if not has_screen(environment):
        environment["QT_QPA_PLATFORM"] = "offscreen"
    return environment


def _is_offscreen(environment: dict[str, str]) -> float:
    return float(environment.get("QT_QPA_PLATFORM") == "offscreen")


def _start(command: list[str], environment: dict[str, str]) -> _Start:
    """Start a window and return its printed times in seconds since the start."""
    start = time.monotonic()
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    printed: _Start = json.loads(process.stdout.strip().splitlines()[-1])
    return {
        name: value - start if name in {"painted", "ready"} else value
        for name, value in printed.items()
    }

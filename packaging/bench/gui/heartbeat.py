"""Measure delays of the window's event loop during two runs with six open plots.

``python packaging/bench event-loop`` starts this in a separate process, with ``spare`` to
leave one core to the window and ``full`` to let the runs take all.
"""

import json
import time
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path

import psutil
from PySide6.QtCore import QObject, Qt, QTimer

from studio.gui.app import make_app
from studio.scratch import make_scratch_folder

BEAT_SECONDS = 0.01
BEATS = 2000
PLOTS = ("progress", "slice", "membership", "diversity", "algorithms", "resources")
"""The six plots: those of the overview, and two more that change with every trial."""

_METHOD = "EO-sqm"
"""On the task's space: short trials, and many."""

_BUDGET = 5000
_FIRST_TRIALS = 12
_PATIENCE_SECONDS = 120.0


class LoopMonitor(QObject):
    """Records the delay of a timer with a hundred ticks per second."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.late: list[float] = []
        self._due = time.perf_counter() + BEAT_SECONDS
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(round(1000 * BEAT_SECONDS))
        self._timer.timeout.connect(self._beat)
        self._timer.start()

    def _beat(self) -> None:
        now = time.perf_counter()
        self.late.append(max(0.0, now - self._due))
        self._due = now + BEAT_SECONDS


def quantiles(late: list[float]) -> dict[str, float]:
    """Return the delays' median, 99 % quantile and maximum in milliseconds."""
    ranked = sorted(late)
    return {
        "p50_ms": 1000 * ranked[len(ranked) // 2],
        "p99_ms": 1000 * ranked[int(0.99 * len(ranked))],
        "max_ms": 1000 * ranked[-1],
    }


class Script(QObject):
    """Runs a generator in the window's thread, waiting for each yielded condition."""

    def __init__(self, play: Generator[Callable[[], object]], ended: Callable[[], None]) -> None:
        super().__init__()
        self._play, self._ended = play, ended
        self._condition: Callable[[], object] = lambda: True
        self._since = time.monotonic()
        self._timer = QTimer(self, interval=50)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def _look(self) -> None:
        if not self._condition():
            if time.monotonic() - self._since > _PATIENCE_SECONDS:
                self._timer.stop()
                self._ended()
            return
        self._since = time.monotonic()
        try:
            self._condition = next(self._play)
        except StopIteration:
            self._timer.stop()
            self._ended()


def _measure(cores: str, folder: Path) -> Generator[Callable[[], object]]:
    """Start two runs of a sample with six plots, and print the measured delays."""
    from studio.data.samples import list_samples
    from studio.gui.pages.live.page import LivePage
    from studio.gui.shell.window import MainWindow
    from studio.proposers.spaces import get_space

    window = MainWindow()
    window.resize(1920, 1080)
    window.show()
    session = window.session
    session.create(folder / "bench.studio")
    sample = list_samples()[0]
    window.data.open_file(sample.path, sample.target, sample.title)
    yield lambda: window.data.is_ready and not window.data.busy
    session.space.replace(get_space(_METHOD, "multiclass"), "")
    everything = _cores()
    if cores == "spare":
        _set_affinity(everything[1:])  # inherited by engines, workers and helpers
    for number in (1, 2):
        window.run.change(method=_METHOD, budget=_BUDGET, seconds=None, seed=number)
        window.starter.start()
        yield lambda number=number: len(session.runs.views) == number  # type: ignore[misc]
        yield lambda: len(session.runs.views[-1].trials) >= _FIRST_TRIALS
    window.show_page("live")
    page = window.get_page_widget("live")
    assert isinstance(page, LivePage)
    page.show_temporarily(PLOTS)
    yield lambda: all(page.get_plot(key).empty_text == "" for key in PLOTS)
    if cores == "spare":
        # Set after the plots have started the helper's processes, which keep the other cores.
        _set_affinity(everything[:1])
    before = sum(len(view.trials) for view in session.runs.views)
    heart = LoopMonitor(window)
    yield lambda: len(heart.late) >= BEATS
    found: dict[str, object] = dict(quantiles(heart.late[:BEATS]))
    found["trials"] = sum(len(view.trials) for view in session.runs.views) - before
    found["plots"] = len(PLOTS)
    print(json.dumps(found), flush=True)
    for view in session.runs.views:
        session.control.send_request(view.row.id, "stop")
    yield lambda: all(view.has_ended for view in session.runs.views)
    session.close()
    window.helper.close()


def _cores() -> list[int]:
    """Return the cores available to this process; empty if unknown."""
    process = psutil.Process()
    return list(process.cpu_affinity() or ()) if hasattr(process, "cpu_affinity") else []


def _set_affinity(cores: list[int]) -> None:
    if cores:
        psutil.Process().cpu_affinity(cores)


def play_measurement(measure: Callable[[Path], Generator[Callable[[], object]]]) -> int:
    """Play a measurement, which is given a scratch folder, in a window of this process."""
    app = make_app()
    with make_scratch_folder() as folder:
        script = Script(measure(folder), app.quit)
        code = app.exec()
        script.deleteLater()
    return code


def main(cores: str) -> int:
    """Measure with "spare" or "full" cores; return the exit code."""
    return play_measurement(partial(_measure, cores))

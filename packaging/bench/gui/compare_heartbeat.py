"""Measure delays of the window's event loop during a study of two hundred cells.

``python packaging/bench compare-page`` starts this in a separate process.
"""

import json
from collections.abc import Callable, Generator
from pathlib import Path

import numpy as np

from bench.gui.heartbeat import BEATS, LoopMonitor, play_measurement, quantiles

TABLES, METHODS, REPETITIONS = 10, ("RS", "RS-post", "EO-sqm", "BO-best"), 5
"""10 × 4 × 5 = 200 cells."""

_BUDGET, _ROWS, _FIRST_CELLS = 10, 120, 4


def _tables(folder: Path) -> list[Path]:
    """Write small tables with two classes, and return their paths."""
    found = []
    for number in range(TABLES):
        draws = np.random.default_rng(number).normal(size=(_ROWS, 3))
        lines = [f"{a:.4f},{b:.4f},{'yes' if a * b + 0.3 * c > 0 else 'no'}" for a, b, c in draws]
        found.append(folder / f"table{number}.csv")
        found[-1].write_text("\n".join(["a,b,target", *lines]) + "\n", encoding="utf-8")
    return found


def _measure(folder: Path) -> Generator[Callable[[], object]]:
    """Start the study in the window, measure delays, and print them."""
    from studio.compare.study_notes import StudyMethod
    from studio.gui.pages.compare.page import ComparePage
    from studio.gui.pages.compare.targets import make_data_entry_from_file
    from studio.gui.shell.window import MainWindow

    window = MainWindow()
    window.resize(1920, 1080)
    window.show()
    window.session.create(folder / "bench.studio")
    window.show_page("compare")
    page = window.get_page_widget("compare")
    assert isinstance(page, ComparePage)
    page.setup.add([make_data_entry_from_file(path) for path in _tables(folder)])
    for name in METHODS:
        page.setup.set_draft(page.setup.draft.with_method(StudyMethod(name, name), True))
    page.setup.change(budget=_BUDGET, repetitions=REPETITIONS, spaces=("svm-rbf",), workers=2)
    page.start()
    model = page.model
    yield lambda: model.grid.count("finished") >= _FIRST_CELLS and model.results.finished
    page.study_view.show_tab("ranks")  # its tables change with every finished repetition
    before = model.grid.count("finished")
    heart = LoopMonitor(window)
    yield lambda: len(heart.late) >= BEATS
    found: dict[str, object] = dict(quantiles(heart.late[:BEATS]))
    found["cells"] = model.grid.n_planned_runs
    found["finished_meanwhile"] = model.grid.count("finished") - before
    print(json.dumps(found), flush=True)
    model.stop()
    yield lambda: not model.is_alive
    window.session.close()
    window.helper.close()


def main() -> int:
    """Measure; return the exit code."""
    return play_measurement(_measure)

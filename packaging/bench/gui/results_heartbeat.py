"""Measure delays of the window's event loop on the Results page.

``python packaging/bench results-page`` starts this in a separate process.
"""

import json
from collections.abc import Callable, Generator
from pathlib import Path

from bench.gui.heartbeat import LoopMonitor, play_measurement, quantiles

ROUNDS = 3
"""Number of times each question is opened; the first time builds its view."""

_BEATS = 150
"""A second and a half at a question: answers come in slices meanwhile."""

_METHOD, _BUDGET = "EO-sqm", 20


def _measure(folder: Path) -> Generator[Callable[[], object]]:
    """Finish a run of a sample, open each question, and print the measured delays."""
    from studio.data.samples import list_samples
    from studio.gui.pages.results.page import ResultsPage
    from studio.gui.pages.results.views.registry import QUESTIONS
    from studio.gui.shell.window import MainWindow
    from studio.proposers.spaces import get_space

    window = MainWindow()
    window.resize(1920, 1080)
    window.show()
    session = window.session
    session.create(folder / "bench.studio")
    sample = next(each for each in list_samples() if each.key == "breast_cancer")
    window.data.open_file(sample.path, sample.target, sample.title)
    yield lambda: window.data.is_ready and not window.data.busy
    session.space.replace(get_space(_METHOD, "binary"), "")
    window.run.change(method=_METHOD, budget=_BUDGET, seconds=None)
    window.starter.start()
    yield lambda: session.runs.views and session.runs.views[-1].row.result is not None
    window.show_page("results")
    page = window.get_page_widget("results")
    assert isinstance(page, ResultsPage)
    late: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for question in QUESTIONS:
            heart = LoopMonitor(window)
            page.views.open(question.key)
            yield lambda heart=heart: len(heart.late) >= _BEATS  # type: ignore[misc]
            late.setdefault(question.key, []).extend(heart.late[:_BEATS])
            heart.deleteLater()
    found = quantiles([each for of_one in late.values() for each in of_one])
    worst = {f"{key}_max_ms": 1000 * max(of_one) for key, of_one in late.items()}
    print(json.dumps({**found, **worst}), flush=True)
    session.close()
    window.helper.close()


def main() -> int:
    """Measure; return the exit code."""
    return play_measurement(_measure)

"""Measure the memory growth of the Live page over a simulated hour.

``python packaging/bench live-hour`` starts this in a separate process. The run is that of
:mod:`bench.gui.stress`: 1,000 trials, 300 members at the end.
"""

import json
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from bench.gui.stress import InProcessHelper, make_document, state
from studio.gui.app import make_app
from studio.gui.pages.live.bar import INITIAL_PLOTS
from studio.gui.pages.live.page import LivePage
from studio.gui.session.session import Session
from studio.scratch import make_scratch_folder

REDRAWS = 36_000
"""An hour of four plots, each drawn two and a half times per second."""

_LAST = 7
"""Iterations between which the finished run alternates, each with separate members."""

_SIZE = (1280, 800)


def follow_to_end(page: LivePage, session: Session, path: Path, redraws: int) -> dict[str, float]:
    """Follow a run to its end and stay there, until its plots were redrawn ``redraws`` times.

    Args:
        page: Shown, without open plots.
        session: That of the page.
        path: The document with the run.
        redraws: How often plots are redrawn and painted in all; at least as often as on the way to
            the end.

    Returns:
        ``start_mb``, ``trials_mb``, ``end_mb``: resident memory before the document is opened, when
        its last trial was followed, and at the end; ``growth_mb``, ``growth_objects``: from the
        last trial to the end; ``redraws``, and ``plots`` that were open.
    """
    app = make_app()
    app.processEvents()
    start, _ = state()
    session.open(path)
    page.show_temporarily(INITIAL_PLOTS)
    length = session.runs.views[-1].iterations[-1].number
    done = 0

    def follow(iteration: int) -> None:
        nonlocal done
        session.run_selection.choose_iteration(iteration)
        done += page.scheduler.draw_all()
        app.processEvents()

    for iteration in range(1, length + 1):
        follow(iteration)
    for back in range(2 * _LAST):
        follow(length - back % _LAST)
    trials, objects = state()
    for turn in range(redraws):
        if done >= redraws:
            break
        follow(length - turn % _LAST)
    end, left = state()
    return {
        "start_mb": start,
        "trials_mb": trials,
        "end_mb": end,
        "growth_mb": end - trials,
        "growth_objects": float(left - objects),
        "redraws": float(done),
        "plots": float(len(page.area.visible_keys)),
    }


def main(redraws: int | str = REDRAWS) -> int:
    """Run the measured process; an argument sets the number of redraws."""
    with make_scratch_folder() as folder:
        # In another process, so that creating the document does not count as the window's work.
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=spawn) as other:
            path = other.submit(make_document, folder).result()
        app = make_app()
        session = Session()
        page = LivePage(session, InProcessHelper())
        page.resize(*_SIZE)
        page.show()
        print(json.dumps(follow_to_end(page, session, path, int(redraws))), flush=True)
        session.close()
        page.close()
        app.processEvents()
    return 0

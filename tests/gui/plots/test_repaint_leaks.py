"""Repainting live plots does not leak."""

import gc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from studio.gui.pages.live.registry import REGISTRY
from studio.gui.plots.base.plot import Plot
from studio.gui.plots.base.subjects import Subject

pytestmark = pytest.mark.slow

WARM, REPAINTS = 3, 6


@pytest.fixture(scope="module", autouse=True)
def untracked_old_objects() -> Iterator[None]:
    """Exclude all existing objects, which take much longer to collect and count than the new ones.

    They stay excluded, like the collected tests: without garbage, it makes no difference.
    """
    gc.collect()
    gc.freeze()
    yield


@pytest.mark.parametrize("make", REGISTRY, ids=lambda plot: plot.key)
def test_repainting_does_not_leak(
    qtbot: Any,
    qapp: QApplication,
    plot_helper: Any,
    make_subject: Callable[..., Subject],
    make: type[Plot],
) -> None:
    plot = make(plot_helper)
    qtbot.addWidget(plot)
    plot.resize(560, 300)
    plot.show()
    subjects = [make_subject(20, iteration) for iteration in (None, 6, 13)]

    def repaint(times: int) -> tuple[int, int]:
        for number in range(times):
            plot.follow(subjects[number % len(subjects)])
            plot.canvas.viewport().repaint()
            qapp.processEvents()
        plot_helper.asked.clear()
        gc.collect()
        return len(gc.get_objects()), len(plot.canvas.scene().items())

    objects, items = repaint(WARM)
    objects_later, items_later = repaint(REPAINTS)
    assert items_later == items
    # One object per repaint would be a leak; caches may grow slightly.
    assert objects_later - objects < REPAINTS

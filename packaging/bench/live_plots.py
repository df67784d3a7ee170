"""Drawing time of the live plots in a large run, and memory growth over hours."""

from bench.window import run_module


def live_plots() -> dict[str, float | None]:
    """Measure every plot in a simulated run of 1,000 trials with 300 members.

    Returns:
        For each plot, by its key: ``…_made_ms``, ``…_draw_ms`` and ``…_draw_max_ms`` (bringing it
        up to date), ``…_paint_ms``; ``…_drawn``: 0 if there was nothing to draw. ``growth_mb`` and
        ``growth_objects``: what 3,000 repaints of all of them left behind.
    """
    return {"against": None, **run_module("bench.gui.stress")}


def live_hour() -> dict[str, float | None]:
    """Measure the window's memory over 1,000 trials and an hour of four plots: 36,000 redraws.

    Returns:
        Those of :func:`bench.gui.endurance.follow_to_end`.
    """
    return {"against": None, **run_module("bench.gui.endurance")}

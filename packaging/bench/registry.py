"""The list of benchmarks; a new one is one function and one line here."""

from collections.abc import Callable, Mapping

from bench import (
    divbo,
    diversity_surrogates,
    ensembles,
    esmbo,
    given_time,
    live_plots,
    reading,
    scale,
    suggest,
    suggest_grid,
    window,
)
from bench.honesty.comparisons import honesty_comparisons

BENCHMARKS: Mapping[str, Callable[[], dict[str, float | None]]] = {
    "suggest-cash14-200": suggest.suggest_cash14_200,
    "eo-losses": ensembles.eo_losses,
    "greedy-20000x2": ensembles.greedy_20000x2,
    "greedy-20000x26": ensembles.greedy_20000x26,
    "esmbo-75": esmbo.esmbo_75,
    "divbo-cash14-250": divbo.divbo_cash14_250,
    "read": reading.read,
    "first-window": window.first_window,
    "event-loop": window.event_loop,
    "compare-page": window.compare_page,
    "results-page": window.results_page,
    "live-plots": live_plots.live_plots,
}
"""Benchmarks run by ``python packaging/bench``: a minute or two in total."""

LONG: Mapping[str, Callable[[], dict[str, float | None]]] = {
    "suggest-grid": suggest_grid.suggest_grid,
    "diversity-surrogates": diversity_surrogates.diversity_surrogates,
    "given-time": given_time.given_time,
    "live-hour": live_plots.live_hour,
    "honesty-comparisons": honesty_comparisons,
    "scale": scale.scale,
    "scale-10000": scale.scale_10000,
}
"""Benchmarks run only by name."""

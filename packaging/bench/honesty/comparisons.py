"""Error rate and power of comparisons.

``python packaging/bench honesty-comparisons`` gives the main figures; ``PYTHONPATH=packaging python
-m bench.honesty.comparisons`` prints the section of ``docs/studies`` with all of them.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from bench.honesty import datasets, repetitions
from bench.honesty.repetitions import Scenario
from studio.arrays import Floats
from studio.compare.statistics.intervals import MIN_REPETITIONS

Figures = dict[str, float | None]

TIMES = 4000
"""Simulated studies behind a figure: its standard error is 0.3 points at 5 %."""

ALIKE = (
    Scenario("RMSE, 100 rows", 100, labels=False, worth=(1.0, 1.0)),
    Scenario("RMSE, 400 rows", 400, labels=False, worth=(1.0, 1.0)),
    Scenario("error, 100 rows", 100, labels=True, worth=(1.0, 1.0)),
    Scenario("error, 400 rows", 400, labels=True, worth=(1.0, 1.0)),
)

BETTER = (
    Scenario("RMSE, 100 rows", 100, labels=False, worth=(1.0, 0.5)),
    Scenario("RMSE, 400 rows", 400, labels=False, worth=(1.0, 0.5)),
    Scenario("error, 100 rows", 100, labels=True, worth=(1.0, 0.5)),
    Scenario("error, 400 rows", 400, labels=True, worth=(1.0, 0.5)),
)

BY_TIME = (
    Scenario("RMSE, 100 rows", 100, labels=False, worth=(1.0, 1.0), by_time=True),
    Scenario("RMSE, 400 rows", 400, labels=False, worth=(1.0, 1.0), by_time=True),
    Scenario("error, 100 rows", 100, labels=True, worth=(1.0, 1.0), by_time=True),
    Scenario("error, 400 rows", 400, labels=True, worth=(1.0, 1.0), by_time=True),
)

FOUR = Scenario("four methods", 200, labels=False, worth=(1.0, 1.0, 1.0, 1.0))

REPETITIONS = (2, 3, 4, 5, 6, 8, 10)
DATA_SETS = (3, 5, 8, 12, 20)


def honesty_comparisons(times: int = TIMES // 4) -> Figures:
    """Measure the worst figures of each kind, at the default number of repetitions.

    Returns:
        ``level``: how often chance alone is reported as a difference on a data set; ``power``: how
        often a real difference is; ``coverage``: of the intervals of differences and means;
        ``rank_coverage``; ``family``: any pair of four methods.
    """
    rng = np.random.default_rng(0)
    n = 5
    null = [repetitions.draw_table_errors(world, times, rng) for world in ALIKE]
    real = [repetitions.draw_table_errors(world, times, rng) for world in BETTER]
    four = repetitions.draw_table_errors(FOUR, times, rng)
    return {
        "level": max(repetitions.count_decided(each, n) for each in null),
        "power": float(np.mean([repetitions.count_decided(each, n) for each in real])),
        "family": repetitions.count_any_decided(four, n),
        "coverage": min(
            repetitions.coverage(each[..., 0], n, each[..., 0].mean()) for each in null
        ),
        "rank_coverage": min(
            datasets.rank_coverage(draw, count, lead, times, rng)
            for draw in (datasets.values, datasets.counts)
            for count in DATA_SETS
            for lead in (0.0, 3.0)
        ),
    }


def section(times: int = TIMES) -> str:
    """Return the section as Markdown, every figure in per cent."""
    rng = np.random.default_rng(0)
    return "\n\n".join([*_render_repetitions(times, rng), *_render_datasets(times, rng)]) + "\n"


def _render_repetitions(times: int, rng: np.random.Generator) -> Iterable[str]:
    errors_of_equal = {
        world.name: repetitions.draw_table_errors(world, times, rng) for world in ALIKE
    }
    errors_of_better = {
        world.name: repetitions.draw_table_errors(world, times, rng) for world in BETTER
    }
    errors_of_four = repetitions.draw_table_errors(FOUR, times, rng)
    headers = ["", *(f"n = {n}" for n in REPETITIONS)]
    yield "### Decided by chance alone (5 or less is right)"
    rows = [
        [f"{name}, bootstrap (as before)"]
        + [
            _format_percent(repetitions.count_decided_by_bootstrap(each[:1000], n, rng))
            for n in REPETITIONS
        ]
        for name, each in errors_of_equal.items()
    ]
    rows += [
        [name, *(_format_percent(repetitions.count_decided(each, n)) for n in REPETITIONS)]
        for name, each in errors_of_equal.items()
    ]
    rows.append(
        [
            "any of 6 pairs of four methods, with Holm",
            *(
                _format_percent(repetitions.count_any_decided(errors_of_four, n))
                for n in REPETITIONS
            ),
        ]
    )
    # A separate generator, so that the other figures stay what they were.
    errors_by_time = {
        world.name: repetitions.draw_table_errors(world, times, np.random.default_rng(1))
        for world in BY_TIME
    }
    rows += [
        [f"{name}, same test rows each time (as before)"]
        + [_format_percent(repetitions.count_decided(each, n)) for n in REPETITIONS]
        for name, each in errors_by_time.items()
    ]
    yield _render_table(headers, rows)
    yield "### A real difference is decided"
    yield _render_table(
        ["", "difference / spread of a repetition", *headers[1:]],
        [
            [name, f"{_compute_size(each):.1f}"]
            + [_format_percent(repetitions.count_decided(each, n)) for n in REPETITIONS]
            for name, each in errors_of_better.items()
        ],
    )
    yield "### Intervals over repetitions hold the true value (95 is right)"
    shown = [n for n in REPETITIONS if n >= MIN_REPETITIONS]
    kinds = [("mean error", errors_of_equal, _get_first), ("difference", errors_of_equal, _get_gap)]
    kinds.append(("real difference", errors_of_better, _get_gap))
    yield _render_table(
        ["", *(f"n = {n}" for n in shown)],
        [
            [f"{kind}, {name}"]
            + [_format_percent(repetitions.coverage(of(each), n, of(each).mean())) for n in shown]
            for kind, worlds, of in kinds
            for name, each in worlds.items()
        ],
    )


def _render_datasets(times: int, rng: np.random.Generator) -> Iterable[str]:
    heads = ["", *(f"{n} data sets" for n in DATA_SETS)]
    for title, lead in (
        ("Tests over data sets where all four methods are equally good", 0.0),
        ("The same where the first method is better (by 2 of its spreads between data sets)", 2.0),
    ):
        yield f"### {title}"
        for name, draw in (("values", datasets.values), ("shares with ties", datasets.counts)):
            found = [datasets.tests(draw, n, lead, times, rng) for n in DATA_SETS]
            yield f"Errors: {name}."
            yield _render_table(
                heads, [[key, *(_format_percent(f[key]) for f in found)] for key in found[0]]
            )
    yield "### Intervals of mean ranks hold the true mean rank (95 is right)"
    yield _render_table(
        heads,
        [
            [f"{name}, lead {lead:g}"]
            + [
                _format_percent(datasets.rank_coverage(draw, n, lead, times, rng))
                for n in DATA_SETS
            ]
            for name, draw in (("values", datasets.values), ("shares", datasets.counts))
            for lead in (0.0, 1.0, 3.0, 8.0)
        ],
    )
    yield "### Marks of the Poisson-binomial probability where neither method is better"
    yield _render_table(
        ["", *heads[1:]],
        [
            [f"{mark}, {words}, {r} repetitions", *(_format_percent(f[mark]) for f in found)]
            for words, spread in (("alike on each", 0.0), ("better on half of them", 0.15))
            for r in (1, 5)
            for found in [
                [datasets.poisson_binomial(n, spread, r, times // 2, rng) for n in DATA_SETS]
            ]
            for mark in found[0]
        ],
    )


def _get_first(errors: Floats) -> Floats:
    return errors[..., 0]


def _get_gap(errors: Floats) -> Floats:
    return errors[..., 0] - errors[..., 1]


def _compute_size(errors: Floats) -> float:
    gap = _get_gap(errors)
    return abs(float(gap.mean())) / float(gap.std())


def _format_percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _render_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |".replace("*", "\\*") for cells in lines)


if __name__ == "__main__":
    print(section(), end="")

"""What a study is made of, and what was left out of it, in words."""

from collections.abc import Mapping

from studio.gui.base.language import ntr, tr
from studio.gui.pages.compare.grid_view import GridView


def size_words(data: int, spaces: int, methods: int, repetitions: int, budget: int) -> str:
    """Say how large it is: "6 data sets × 4 methods × 5 repetitions = 120 runs, each of 50 trials".

    Parameters
    ----------
    data, spaces, methods, repetitions : int
        How many of each; a single space is not counted.
    budget : int
        Trials of a run.
    """
    parts = [ntr("{count} data set", "{count} data sets", data)]
    if spaces > 1:
        parts.append(ntr("{count} space", "{count} spaces", spaces))
    parts.append(ntr("{count} method", "{count} methods", methods))
    parts.append(ntr("{count} repetition", "{count} repetitions", repetitions))
    runs = data * spaces * methods * repetitions
    return tr(
        "{product} = {runs}, each of {trials}",
        product=" × ".join(parts),
        runs=ntr("{count} run", "{count} runs", runs),
        trials=ntr("{count} trial", "{count} trials", budget),
    )


def failures_of(grid: GridView, failures: Mapping[str, str]) -> dict[str, str]:
    """Return what was left out, with its reason: what the conductor reported, and failed runs."""
    found = dict(failures)
    for row in grid.rows:
        for method, cell in zip(grid.methods, row.cells, strict=True):
            for each in cell.segments:
                if each.state == "failed":
                    name = f"{row.name} · {method} · {each.repetition}"
                    found.setdefault(name, each.message)
    return found

"""Find where the candidates of optional learners belong among the proven starts."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from portfolio_learning import (
    BASE,
    PORTFOLIOS,
    SEED,
    THRIFT,
    Tried,
    costs,
    ends_early,
    files,
    mean_seconds,
    ordered,
    selected,
    tables_of,
    versions,
)

from studio.arrays import Floats
from studio.proposers.portfolio import Joining, joining

MOST = 2
"""Starts of one library."""


@dataclass(frozen=True)
class Earned:
    """Where candidates earned a place.

    Attributes
    ----------
    starts : list of (int, int)
        How many shipped starts are before it, and the candidate's place.
    gains : array, shape (tables,)
        Log ratio of the test losses of all starts without and with them.
    """

    starts: list[tuple[int, int]]
    gains: Floats


def join(work: Path, known: dict[str, list[dict[str, Any]]]) -> None:
    """Write the starts of each optional library that was installed in the trials."""
    for key in BASE:
        own = files(key, len(known[key]))
        text = (PORTFOLIOS / f"{key}.json").read_text(encoding="utf-8")
        order = ordered(tables_of(key, work, own), len(own), len(json.loads(text)["starts"]))
        for each in joining(key):
            some = known[each.space]
            names = [*own, *files(each.space, len(some))]
            tables = tables_of(key, work, names)
            if tables:
                found = earned(tables, order, range(len(own), len(names)))
                _tell(each.space, tables, found)
                _write(key, each, tables, found, dict(enumerate(some, start=len(own))))


def earned(tables: list[Tried], order: list[int], optional: Sequence[int]) -> Earned:
    """Merge candidates into an order, each before the first start that gives less for its seconds.

    Worth is reckoned as the order itself was (:func:`portfolio_learning.ordered`).
    """
    seconds = mean_seconds(tables, len(tables[0].seconds))
    before = np.ones(len(tables))
    waiting, chosen, found = list(order), [], list[tuple[int, int]]()
    while waiting:
        taken = {place for _, place in found}
        others = [place for place in optional if place not in taken] if len(found) < MOST else []
        losses, worth = {}, {}
        for place in (waiting[0], *others):
            losses[place] = _losses(tables, [*chosen, place])
            gain = float(np.mean(np.log(before / losses[place])))
            worth[place] = gain / max(seconds[place], 0.3) ** THRIFT
        best = max(worth, key=lambda place: worth[place])
        if best == waiting[0] or worth[best] <= 0:
            best = waiting.pop(0)
        else:
            found.append((len(order) - len(waiting), best))
        chosen.append(best)
        before = losses[best]
    return Earned(found, np.log(_losses(tables, order) / before))


def _losses(tables: list[Tried], among: list[int]) -> Floats:
    return np.array([table.loss(selected(table, among)) for table in tables])


def _tell(space: str, tables: list[Tried], found: Earned) -> None:
    each = ", ".join(f"{t.name} {g:+.3f}" for t, g in zip(tables, found.gains, strict=True))
    error = found.gains.std(ddof=1) / len(tables) ** 0.5
    print(f"{space}: {found.starts}; gain {found.gains.mean():+.4f} ± {error:.4f} ({each})")


def _write(
    key: str, each: Joining, tables: list[Tried], found: Earned, some: dict[int, dict[str, Any]]
) -> None:
    made = {
        "format": "ensemble-studio-portfolio",
        "version": 1,
        "joins": key,
        "space": each.space,
        "module": each.module,
        "tables": [table.name for table in tables],
        "seed": SEED,
        "made_with": versions(each.module),
        "starts": [
            {
                "after": after,
                "configuration": some[place],
                "log_seconds": costs(tables, place),
                "elastic": ends_early(some[place]),
            }
            for after, place in found.starts
        ],
    }
    text = json.dumps(made, indent=1) + "\n"
    (PORTFOLIOS / f"{each.space}.json").write_text(text, encoding="utf-8")

"""Find where optional learners belong among the proven starts."""

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
    selected,
    tables_of,
    versions,
)

from studio.arrays import Floats
from studio.proposers.portfolio import Joining, joining

SURE = 2.0
"""Standard errors above which a gain counts: below, a library's start is tried last."""


@dataclass(frozen=True)
class Placed:
    """Where a library's best candidate belongs.

    Attributes
    ----------
    after : int
        How many shipped starts are tried before it.
    candidate : int
        Its place among all candidates.
    gains : array, shape (tables,)
        Log ratio of the test losses of all starts without and with it.
    """

    after: int
    candidate: int
    gains: Floats


def join(work: Path, known: dict[str, list[dict[str, Any]]]) -> None:
    """Write the start of each optional library that was installed in the trials."""
    for key in BASE:
        own = files(key, len(known[key]))
        shipped = json.loads((PORTFOLIOS / f"{key}.json").read_text(encoding="utf-8"))["starts"]
        order = [_nearest(each["configuration"], known[key]) for each in shipped]
        for each in joining(key):
            some = known[each.space]
            names = [*own, *files(each.space, len(some))]
            tables = tables_of(key, work, names)
            if tables:
                found = placed(tables, order, range(len(own), len(names)))
                chosen = some[found.candidate - len(own)]
                _tell(each.space, tables, found, chosen)
                _write(key, each, tables, found, chosen)


def _nearest(configuration: dict[str, Any], some: list[dict[str, Any]]) -> int:
    """Return the place of the candidate with most values in common.

    Forests are shipped with fewer trees than they were tried with.
    """
    return max(range(len(some)), key=lambda place: len(configuration.items() & some[place].items()))


def placed(tables: list[Tried], order: list[int], optional: Sequence[int]) -> Placed:
    """Return where one of the candidates belongs in an order.

    It stands before the first start that gives less for its seconds, reckoned as the order itself
    was (:func:`portfolio_learning.ordered`), if the whole order is better with it beyond doubt.
    Else the one that adds most to all starts is tried last: so the search knows its branch.
    """
    seconds = mean_seconds(tables, len(tables[0].seconds))
    before = np.ones(len(tables))
    for after, start in enumerate(order):
        losses = {each: _losses(tables, [*order[:after], each]) for each in (start, *optional)}
        worth = {
            each: float(np.mean(np.log(before / found))) / max(seconds[each], 0.3) ** THRIFT
            for each, found in losses.items()
        }
        best = max(worth, key=lambda each: worth[each])
        if best != start and _is_sure(gains := _gains(tables, order, best)):
            return Placed(after, best, gains)
        before = losses[start]
    best = max(optional, key=lambda each: float(_gains(tables, order, each).mean()))
    return Placed(len(order), best, _gains(tables, order, best))


def _gains(tables: list[Tried], order: list[int], more: int) -> Floats:
    gains: Floats = np.log(_losses(tables, order) / _losses(tables, [*order, more]))
    return gains


def _is_sure(gains: Floats) -> bool:
    return bool(len(gains) > 1 and gains.mean() > SURE * _error(gains))


def _error(gains: Floats) -> float:
    return float(gains.std(ddof=1) / len(gains) ** 0.5) if len(gains) > 1 else float("inf")


def _losses(tables: list[Tried], among: list[int]) -> Floats:
    return np.array([table.loss(selected(table, among)) for table in tables])


def _tell(space: str, tables: list[Tried], found: Placed, configuration: dict[str, Any]) -> None:
    each = ", ".join(f"{t.name} {g:+.3f}" for t, g in zip(tables, found.gains, strict=True))
    print(f"{space} after {found.after} starts: {json.dumps(configuration)}")
    print(f"  gain {found.gains.mean():+.4f} ± {_error(found.gains):.4f} ({each})")


def _write(
    key: str, each: Joining, tables: list[Tried], found: Placed, chosen: dict[str, Any]
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
                "after": found.after,
                "configuration": chosen,
                "log_seconds": costs(tables, found.candidate),
                "elastic": ends_early(chosen),
            }
        ],
    }
    text = json.dumps(made, indent=1) + "\n"
    (PORTFOLIOS / f"{each.space}.json").write_text(text, encoding="utf-8")

"""Configurations that are known to do well, and what they cost."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from studio.assets import RESOURCES
from studio.errors import SpaceError
from studio.proposers.base import TableSize
from studio.space.space import Space
from studio.trial import Configuration


@dataclass(frozen=True)
class Start:
    """One configuration of a portfolio.

    Attributes
    ----------
    configuration : Configuration
        Of the portfolio's space.
    cost : (float, float, float, float)
        Log seconds of one fit on the machine of the study: a constant, and what a factor of e
        more rows, columns and classes adds.
    elastic : bool
        Whether its learner ends its training early where there is less time than that.
    """

    configuration: Configuration
    cost: tuple[float, float, float, float]
    elastic: bool = False

    def seconds(self, size: TableSize) -> float:
        """Return the seconds that a trial would have taken on the machine of the study."""
        constant, rows, columns, classes = self.cost
        return size.fits * math.exp(
            constant
            + rows * math.log(max(2, size.rows))
            + columns * math.log(max(1, size.columns))
            + classes * math.log(max(2, size.classes))
        )


def starts_for(space: Space, *, regression: bool) -> tuple[Start, ...]:
    """Return the starts that are in a space, in the order in which they are tried.

    A space that was edited, or is another one altogether, has fewer of them, or none.

    Parameters
    ----------
    space : Space
        Where the search looks.
    regression : bool
        Whether numbers are predicted: they have a portfolio of their own.
    """
    return tuple(start for start in _shipped(regression) if _is_in(space, start))


def _is_in(space: Space, start: Start) -> bool:
    try:
        space.validate(start.configuration)
    except SpaceError:
        return False
    return True


@dataclass(frozen=True)
class Joining:
    """The space of one learner that joins another space where its library is installed.

    Attributes
    ----------
    space : str
        Its key.
    module : str
        What the library is imported as.
    starts : tuple of (int, Start)
        Each with the number of the other space's starts that are tried before it.
    """

    space: str
    module: str
    starts: tuple[tuple[int, Start], ...]


@cache
def joining(key: str) -> tuple[Joining, ...]:
    """Return what joins the space of a key, installed or not, in the order of its keys."""
    paths = sorted((RESOURCES / "portfolios").glob("*.json"))
    return tuple(
        Joining(
            given["space"],
            given["module"],
            tuple((int(each["after"]), _start(each)) for each in given["starts"]),
        )
        for given in map(_read, paths)
        if given.get("joins") == key
    )


@cache
def _shipped(regression: bool) -> tuple[Start, ...]:
    """Return the starts of the base installation with those of all that joins its space."""
    key = "best-regression" if regression else "best"
    own = _read(RESOURCES / "portfolios" / f"{key}.json")["starts"]
    placed = [(place, _start(each)) for place, each in enumerate(own, start=1)]
    placed += [pair for each in joining(key) for pair in each.starts]
    # Sorting is stable: behind the same start, optional ones follow in the order of their keys.
    return tuple(start for _, start in sorted(placed, key=lambda pair: pair[0]))


def _read(path: Path) -> Mapping[str, Any]:
    given: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return given


def _start(given: Mapping[str, Any]) -> Start:
    return Start(given["configuration"], tuple(given["log_seconds"]), bool(given["elastic"]))

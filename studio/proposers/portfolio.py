"""Configurations that are known to do well, and what they cost."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
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


def starts_for(space: Space, rows: int, *, regression: bool) -> tuple[Start, ...]:
    """Return the starts that are in a space, in the order in which they are tried.

    A space that was edited, or is another one altogether, has fewer of them, or none.

    Parameters
    ----------
    space : Space
        Where the search looks.
    rows : int
        Training rows of a fit: large tables have a portfolio of their own.
    regression : bool
        Whether numbers are predicted: they have portfolios of their own, too.
    """
    found = max((each for each in _shipped(regression) if each.least_rows <= rows), key=_least_rows)
    return tuple(start for start in found.starts if _is_in(space, start))


def _is_in(space: Space, start: Start) -> bool:
    try:
        space.validate(start.configuration)
    except SpaceError:
        return False
    return True


@dataclass(frozen=True)
class _Portfolio:
    """Starts for tables of at least so many training rows."""

    least_rows: int
    starts: tuple[Start, ...]


def _least_rows(portfolio: _Portfolio) -> int:
    return portfolio.least_rows


_SHIPPED = {
    False: ("best.json", "best-large.json"),
    True: ("best-regression.json", "best-regression-large.json"),
}
"""Files by whether numbers are predicted."""


@cache
def _shipped(regression: bool) -> tuple[_Portfolio, ...]:
    return tuple(_read(name) for name in _SHIPPED[regression])


def _read(name: str) -> _Portfolio:
    text = (RESOURCES / "portfolios" / name).read_text(encoding="utf-8")
    given: Mapping[str, Any] = json.loads(text)
    return _Portfolio(
        int(given["least_rows"]),
        tuple(
            Start(each["configuration"], tuple(each["log_seconds"]), bool(each["elastic"]))
            for each in given["starts"]
        ),
    )

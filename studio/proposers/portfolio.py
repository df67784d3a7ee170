"""Portfolio of generally good configurations, and their costs."""

import json
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from studio.assets import RESOURCES
from studio.errors import SpaceError
from studio.extras import find_cached_weights
from studio.space.choices import Categorical, Constant
from studio.space.space import Space
from studio.trial import Configuration, Value

if TYPE_CHECKING:
    from studio.proposers.base import TableSize

_OPERATOR_STAGES = ("balancer", "target")
"""Stages added to a method's own space for a table or a metric; the portfolio's starts have none.
"""

_LINEAR = "ridge"
"""The learner whose choices of an added stage are all tried at once: a line on the logarithm of the
target is another model than a line on the target, and takes hardly any time, whereas other learners
can bend (docs/studies/metric-and-target.md).
"""


@dataclass(frozen=True)
class StartConfiguration:
    """One configuration of a portfolio.

    Attributes:
        cost: Coefficients of the log seconds of one fit on the study's machine: a constant, and the
            slopes in log rows, log columns and log classes.
        elastic: Whether its learner can shorten its training to fit the available time.
        most_columns, most_classes: Limits of the learner's tables; ``None``: any number.
    """

    configuration: Configuration
    cost: tuple[float, float, float, float]
    elastic: bool = False
    most_columns: int | None = None
    most_classes: int | None = None

    @property
    def learner(self) -> Value:
        """The learner's key."""
        return self.configuration["algorithm"]

    def predict_seconds(self, size: "TableSize") -> float:
        """Predict a trial's seconds on the study's machine; infinite beyond learners' limits."""
        limits = (self.most_columns, size.n_columns), (self.most_classes, size.n_classes)
        if any(limit is not None and count > limit for limit, count in limits):
            return math.inf
        constant, rows, columns, classes = self.cost
        return size.n_fits * math.exp(
            constant
            + rows * math.log(max(2, size.n_rows))
            + columns * math.log(max(1, size.n_columns))
            + classes * math.log(max(2, size.n_classes))
        )


@dataclass(frozen=True)
class SpeedRatios:
    """Ratios of actual to predicted times of the finished starts, by learner.

    Tables unlike those of the study slow down learners by different factors: text slows forests,
    many rows slow neighbours (docs/studies/large-tables.md).
    """

    ratios: Mapping[Value, Sequence[float]]

    def has_ratio_for(self, start: StartConfiguration) -> bool:
        """Return whether a start of the same learner has finished."""
        return start.learner in self.ratios

    def get_time_ratio(self, start: StartConfiguration) -> float:
        """Return the time ratio for a start: the median, shrunk towards its learner's; else 1.

        With one trial of its learner, the two count equally.
        """
        if not self.ratios:
            return 1.0
        overall_ratio = statistics.median(
            each for learner_ratios in self.ratios.values() for each in learner_ratios
        )
        library_ratios = self.ratios.get(start.learner)
        if not library_ratios:
            return overall_ratio
        library_weight = len(library_ratios) / (len(library_ratios) + 1)
        return float(
            overall_ratio ** (1.0 - library_weight)
            * statistics.median(library_ratios) ** library_weight
        )


def list_starts(space: Space, n_rows: int, *, regression: bool) -> tuple[StartConfiguration, ...]:
    """Return the starts valid in a space, in the order of trials.

    An edited or different space has fewer valid starts, or none. Starts of optional learners come
    last: they are valid only in a space extended by these learners. If the space has several target
    scales, all starts are tried on the first scale before the next, so that no learner waits for
    another's second trial (docs/studies/metric-and-target.md); only linear models are tried on all
    scales at once. Class weights are added likewise.

    Args:
        n_rows: Training rows per fit: large tables have a separate portfolio.
    """
    portfolio = max(
        (each for each in _load_shipped(regression) if each.min_rows <= n_rows),
        key=attrgetter("min_rows"),
    )
    optional = [
        start for each in find_joined_spaces(_get_space(regression)) for start in each.starts
    ]
    starts = _expand_operators(space, (*portfolio.starts, *optional))
    return tuple(start for start in starts if _is_valid_start(space, start))


def _expand_operators(
    space: Space, starts: Sequence[StartConfiguration]
) -> Sequence[StartConfiguration]:
    added = next((each for each in space.parameters if each.sets in _OPERATOR_STAGES), None)
    if not isinstance(added, Categorical | Constant):
        return starts
    first, *others = added.choices

    def choose(start: StartConfiguration, choice: Value) -> StartConfiguration:
        return replace(start, configuration={**start.configuration, added.name: choice})

    expanded = []
    for start in starts:
        expanded.append(choose(start, first))
        if start.learner == _LINEAR:
            expanded += [choose(start, each) for each in others]
    curved = [start for start in starts if start.learner != _LINEAR]
    return [*expanded, *(choose(start, each) for each in others for start in curved)]


def _is_valid_start(space: Space, start: StartConfiguration) -> bool:
    try:
        space.validate(start.configuration)
    except SpaceError:
        return False
    return True


@dataclass(frozen=True)
class JoinedSpace:
    """The space of an optional learner that extends another space if its library is installed.

    Attributes:
        weights: The repository and file of the library's weights; empty without weights.
    """

    space: str
    module: str
    starts: tuple[StartConfiguration, ...]
    weights: tuple[str, ...] = ()

    def is_available(self) -> bool:
        """Return whether the library is installed, and its weights are on this machine."""
        if find_spec(self.module) is None:
            return False
        return not self.weights or find_cached_weights(*self.weights) is not None


@cache
def find_joined_spaces(key: str) -> tuple[JoinedSpace, ...]:
    """Return the branches for a space's key, installed or not, sorted by key."""
    portfolios = [_read_portfolio(path.name) for path in sorted(_FOLDER.glob("*.json"))]
    return tuple(
        JoinedSpace(
            portfolio["space"],
            portfolio["module"],
            _parse_starts(portfolio),
            tuple(portfolio.get("weights", ())),
        )
        for portfolio in portfolios
        if portfolio.get("joins") == key
    )


@dataclass(frozen=True)
class _Portfolio:
    """Starts for tables with at least a given number of training rows."""

    min_rows: int
    starts: tuple[StartConfiguration, ...]


_FOLDER = RESOURCES / "portfolios"

_SHIPPED = {
    False: ("best.json", "best-large.json"),
    True: ("best-regression.json", "best-regression-large.json"),
}
"""Files, by whether the task is regression."""


def _get_space(regression: bool) -> str:
    space: str = _read_portfolio(_SHIPPED[regression][0])["space"]
    return space


@cache
def _load_shipped(regression: bool) -> tuple[_Portfolio, ...]:
    portfolios = [_read_portfolio(name) for name in _SHIPPED[regression]]
    return tuple(
        _Portfolio(int(portfolio["least_rows"]), _parse_starts(portfolio))
        for portfolio in portfolios
    )


@cache
def _read_portfolio(name: str) -> Mapping[str, Any]:
    portfolio_json: Mapping[str, Any] = json.loads((_FOLDER / name).read_text(encoding="utf-8"))
    return portfolio_json


def _parse_starts(portfolio_json: Mapping[str, Any]) -> tuple[StartConfiguration, ...]:
    return tuple(
        StartConfiguration(
            each["configuration"],
            tuple(each["log_seconds"]),
            bool(each["elastic"]),
            each.get("most_columns"),
            each.get("most_classes"),
        )
        for each in portfolio_json["starts"]
    )

"""How many columns a tree looks at in each split."""

from typing import TypeVar

from studio.learners.domains import GIVEN, Clash
from studio.learners.facts import TableFacts
from studio.learners.values import Values

Default = TypeVar("Default")

COLUMNS_TWICE = Clash(max_features=GIVEN, features_power=GIVEN)
"""Both would say how many columns a split looks at."""


def columns_per_split(values: Values, facts: TableFacts, default: Default) -> int | Default:
    """Return the number of columns drawn for each split, at least 1.

    ``max_features`` is a share s of the d columns, round(s d) (SMBEO 6.1); ``features_power`` an
    exponent v in [0, 1], the whole part of d**v (DivBO's space). A space gives one of the two.
    """
    columns = max(1, facts.n_columns)
    if "max_features" in values:
        return max(1, round(values.number("max_features", 1.0) * columns))
    if "features_power" in values:
        return max(1, int(columns ** values.real("features_power", 0.5)))
    return default

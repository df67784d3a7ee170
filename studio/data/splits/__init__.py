"""Splits into training, validation, selection and test rows: hold-out or folds, from a seed.

Implemented with numpy only, so that a split never changes with a library's version.
"""

from studio.data.split_plan import PROTOCOLS, Protocol, SplitPlan, find_protocol, split_plan
from studio.data.splits.split import Folds, Split
from studio.data.splits.splitter import make_split, make_strata, reshuffle_folds

__all__ = [
    "PROTOCOLS",
    "Folds",
    "Protocol",
    "Split",
    "SplitPlan",
    "find_protocol",
    "make_split",
    "make_strata",
    "reshuffle_folds",
    "split_plan",
]

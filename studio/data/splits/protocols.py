"""How the papers divide their rows, by name (docs/methods/presets.md)."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.data.split_plan import SplitPlan
from studio.errors import UsageError
from studio.phrases import phrase


@dataclass(frozen=True)
class Protocol:
    """A split of rows with a name.

    Attributes:
        key: As a study or ``--split`` names it.
        title: For people.
        summary: One plain sentence: what it is good for.
        reference: The paper.
        plan: With seed 0, equal rows apart.
    """

    key: str
    title: str
    summary: str
    reference: str
    plan: SplitPlan


def _parts(train: float, validation: float, test: float) -> SplitPlan:
    return SplitPlan(train, validation, test, equal_rows="apart")


def _folds(k: int, test: float, cap: int | None = None) -> SplitPlan:
    return SplitPlan(1 - test, 0.0, test, folds=k, cap=cap, equal_rows="apart")


PROTOCOLS: tuple[Protocol, ...] = (
    Protocol(
        "DivBO",
        "60 / 20 / 20",
        phrase(
            "One part to learn from, one to compare by, one for the final test; quick on any table."
        ),
        "DivBO, section 4.1",
        _parts(0.6, 0.2, 0.2),
    ),
    Protocol(
        "SMBEO",
        "40 / 30 / 30",
        phrase("More rows to compare by, so that resamples of them can distinguish models."),
        "SMBEO, section 6",
        _parts(0.4, 0.3, 0.3),
    ),
    Protocol(
        "thesis5",
        "5 folds, 20 % test",
        phrase(
            "Every row but the test rows is used once to compare models; steadier on small "
            "tables, five times the work."
        ),
        "Lévesque 2018, section 5.5",
        _folds(5, 0.2),
    ),
    Protocol(
        "EO",
        "5 folds, 33 % test",
        phrase("As above, with more rows for the final test."),
        "EO, section 4.1",
        _folds(5, 0.33),
    ),
    Protocol(
        "thesis3",
        "5 folds, a third for the test, at most 5,000 rows to learn from",
        phrase("Speeds up large tables: rows beyond the limit compare models instead."),
        "Lévesque 2018, section 3.3",
        _folds(5, 1 / 3, 5000),
    ),
)


def protocol_of(plan: SplitPlan) -> Protocol | None:
    """Return the protocol whose shares, folds and cap a plan has; ``None`` if it is none."""
    for each in PROTOCOLS:
        known = each.plan
        # With folds only the test's share counts.
        shares = (
            zip(plan.shares, known.shares, strict=True)
            if known.folds is None
            else ((plan.test, known.test),)
        )
        if (plan.folds, plan.cap) == (known.folds, known.cap) and all(
            math.isclose(share, other, abs_tol=1e-9) for share, other in shares
        ):
            return each
    return None


def split_plan(given: str | Mapping[str, Any], **others: Any) -> SplitPlan:
    """Return the plan that is asked for, with seed 0 where none is given.

    Args:
        given: "60/20/20", the name of a protocol, or a :class:`SplitPlan` as JSON; with folds,
            train and validation may be left out.
        others: Folds, seed and cap in place of those.

    Raises:
        UsageError: If it is none of these, or not possible.
    """
    if isinstance(given, str):
        named = next((each.plan for each in PROTOCOLS if each.key == given), None)
        return dataclasses.replace(named, **others) if named else _parsed(given, others)
    completed = {**given, **others}
    if "folds" in completed and "train" not in completed:
        completed["validation"] = completed.get("validation", 0.0)
        completed["train"] = 1 - completed["validation"] - completed.get("test", 0.2)
    return SplitPlan.from_json(completed)


def _parsed(text: str, others: Mapping[str, Any]) -> SplitPlan:
    try:
        return SplitPlan.parse(text, **others)
    except UsageError as error:
        names = ", ".join(each.key for each in PROTOCOLS)
        raise UsageError("{error} Protocols are: {names}.", error=error, names=names) from error

"""Plan of a split: shares or folds, and the seed.

The papers' splits have names (docs/methods/presets.md).
"""

import dataclasses
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from studio.errors import UsageError
from studio.phrases import phrase
from studio.setting import iter_settings, setting

_share = partial(setting, unit="%", form_unit_factor=0.01)


EqualRows = Literal["together", "apart"]


@dataclass(frozen=True)
class SplitPlan:
    """The plan of a split.

    ``train``, ``validation`` and ``test`` are shares in [0, 1] that sum to one; with ``folds`` only
    ``test`` is used, and without them the split is a hold-out. Rows beyond ``cap`` go to the
    validation and selection rows (thesis 3.3: 5,000); with folds, every fold's training part is cut
    to it. With ``equal_rows`` "together" copies of a row (:mod:`studio.data.duplicates`) stay on
    one side of every split; "apart", as in the papers, treats them like all other rows.
    """

    train: float = _share(0.6, title="Train", help="Rows that models learn from")
    validation: float = _share(
        0.2, title="Validate",
        help="Rows for comparing models and building the ensemble",
    )  # fmt: skip
    test: float = _share(
        0.2, title="Test",
        help="Rows never used for decisions; they give the final error",
    )  # fmt: skip
    folds: int | None = setting(
        None, kind=int, optional=True, low=2, high=100,
        error_message="The number of folds must be from {low} to {high}; {given} was given.",
        title="Folds (k)", help="Number of folds; each is used once for validation",
        flag="cross-validate with K folds of the rows that --split does not keep for the test",
        metavar="K",
    )  # fmt: skip
    seed: int = setting(
        0, low=0, high=2**31 - 1,
        error_message="The seed must not be negative; {given} was given.",
        title="Seed", help="The same seed gives the same split",
    )  # fmt: skip
    cap: int | None = setting(
        None, kind=int, optional=True, low=2, high=10**9,
        error_message="Training needs at least {low} rows; a limit of {given} was given. "
        "Raise it or leave it out.",
        title="Max training rows", unit=phrase("rows"), empty=phrase("no limit"),
        help="Speeds up large tables; rows beyond the limit compare models. Empty: no limit",
        flag="max training rows of a trial", metavar="N",
    )  # fmt: skip

    equal_rows: EqualRows = "together"

    def __post_init__(self) -> None:
        if not all(share >= 0 for share in self.shares) or abs(sum(self.shares) - 1) > 1e-6:
            raise UsageError(
                "The shares of training, validation and test rows must not be negative and "
                "sum to 100 %; {shares} was given.",
                shares=_format_percent(self.shares),
            )
        if self.folds is None and (self.train <= 0 or self.validation <= 0):
            raise UsageError(
                "Training and validation both need rows; {shares} leaves one of them without.",
                shares=_format_percent(self.shares),
            )
        if self.folds is not None and self.test >= 1:
            raise UsageError("With all rows kept for the test there are none to train on.")
        for each in iter_settings(SplitPlan):
            if sentence := each.find_problem(getattr(self, each.name)):
                raise UsageError(sentence)
        if self.equal_rows not in {"together", "apart"}:
            raise UsageError(
                "Equal rows are kept “together” or split “apart”; {given!r} was given.",
                given=self.equal_rows,
            )

    @property
    def shares(self) -> tuple[float, float, float]:
        """The shares of training, validation and test rows."""
        return self.train, self.validation, self.test

    @classmethod
    def parse(cls, text: str, **others: Any) -> "SplitPlan":
        """Read "60/20/20" (training, validation, test; per cent or shares) or "80/20" (no test).

        ``others`` are the plan's folds, seed and cap.

        Raises:
            UsageError: If the text has another form, or the shares are invalid.
        """
        numbers = re.fullmatch(r"\s*([0-9.]+)\s*/\s*([0-9.]+)\s*(?:/\s*([0-9.]+)\s*)?", text)
        try:
            shares = [float(each or 0) for each in numbers.groups()] if numbers else []
        except ValueError:
            shares = []
        if not shares:
            raise UsageError(
                "A split is written like 60/20/20 (training, validation, test); {text!r} was "
                "given.",
                text=text,
            )
        if sum(shares) > 1.5:
            shares = [share / 100 for share in shares]
        train, validation, test = shares
        return cls(train, validation, test, **others)

    def to_json(self) -> dict[str, Any]:
        """Return the plan as a JSON object."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "SplitPlan":
        """Parse a plan from JSON, with defaults for missing fields, or raise UsageError."""
        field_names = {each.name for each in dataclasses.fields(cls)}
        unknown = sorted(set(content) - field_names)
        if unknown:
            raise UsageError(
                "A split has no setting {unknown!r}; available: {known}.",
                unknown=unknown[0],
                known=", ".join(field_names),
            )
        return cls(**content)


def _format_percent(shares: Sequence[float]) -> str:
    return "/".join(f"{100 * share:g}" for share in shares)


@dataclass(frozen=True)
class Protocol:
    """A split with a name in a study or ``--split``; seed 0, equal rows apart."""

    key: str
    title: str
    summary: str
    reference: str
    plan: SplitPlan


_make_plan = partial(SplitPlan, equal_rows="apart")


PROTOCOLS: tuple[Protocol, ...] = (
    Protocol(
        "DivBO",
        "60 / 20 / 20",
        phrase(
            "One part for training, one for comparison, one for the final test; quick on any table."
        ),
        "DivBO, section 4.1",
        _make_plan(0.6, 0.2, 0.2),
    ),
    Protocol(
        "SMBEO",
        "40 / 30 / 30",
        phrase("More validation rows, so that resamples of them can distinguish models."),
        "SMBEO, section 6",
        _make_plan(0.4, 0.3, 0.3),
    ),
    Protocol(
        "thesis5",
        "5 folds, 20 % test",
        phrase(
            "Every row except the test rows is used once to compare models; steadier on small "
            "tables, five times the work."
        ),
        "Lévesque 2018, section 5.5",
        _make_plan(0.8, 0.0, 0.2, folds=5),
    ),
    Protocol(
        "EO",
        "5 folds, 33 % test",
        phrase("As above, with more rows for the final test."),
        "EO, section 4.1",
        _make_plan(1 - 0.33, 0.0, 0.33, folds=5),
    ),
    Protocol(
        "thesis3",
        "5 folds, a third for the test, at most 5,000 training rows",
        phrase("Speeds up large tables: rows beyond the limit compare models instead."),
        "Lévesque 2018, section 3.3",
        _make_plan(1 - 1 / 3, 0.0, 1 / 3, folds=5, cap=5000),
    ),
)


def find_protocol(plan: SplitPlan) -> Protocol | None:
    """Return the protocol with a plan's shares, folds and cap; ``None`` if there is none."""
    for each in PROTOCOLS:
        protocol_plan = each.plan
        # With folds only the test's share matters.
        shares = (
            zip(plan.shares, protocol_plan.shares, strict=True)
            if protocol_plan.folds is None
            else ((plan.test, protocol_plan.test),)
        )
        if (plan.folds, plan.cap) == (protocol_plan.folds, protocol_plan.cap) and all(
            math.isclose(share, other_share, abs_tol=1e-9) for share, other_share in shares
        ):
            return each
    return None


def split_plan(description: str | Mapping[str, Any], **others: Any) -> SplitPlan:
    """Return the requested plan, by default with seed 0.

    Args:
        description: "60/20/20", the name of a protocol, or a :class:`SplitPlan` as JSON; with
            folds, train and validation may be left out.
        others: Folds, seed and cap that override those of the description.

    Raises:
        UsageError: If it is none of these, or invalid.
    """
    if isinstance(description, str):
        protocol_plan = next(
            (protocol.plan for protocol in PROTOCOLS if protocol.key == description), None
        )
        if protocol_plan is not None:
            return dataclasses.replace(protocol_plan, **others)
        try:
            return SplitPlan.parse(description, **others)
        except UsageError as error:
            names = ", ".join(each.key for each in PROTOCOLS)
            raise UsageError(
                "{error} Available protocols: {names}.", error=error, names=names
            ) from error
    completed = {**description, **others}
    if "folds" in completed and "train" not in completed:
        completed["validation"] = completed.get("validation", 0.0)
        completed["train"] = 1 - completed["validation"] - completed.get("test", 0.2)
    return SplitPlan.from_json(completed)

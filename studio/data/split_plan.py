"""How rows are to be divided: shares or folds, and the seed of the draw."""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from studio.errors import UsageError
from studio.phrases import phrase
from studio.setting import setting, settings_of

_share = partial(setting, unit="%", per=0.01)


@dataclass(frozen=True)
class SplitPlan:
    """How the rows are divided.

    ``train``, ``validation`` and ``test`` are shares in [0, 1] that sum to one; with ``folds`` only
    ``test`` counts, and without them there is a hold-out. Rows beyond ``cap`` go to the validation
    and selection rows (thesis 3.3: 5,000); with folds, every fold's training part is cut to it.
    With ``equal_rows`` "together" copies of a row (:mod:`studio.data.duplicates`) stay on one side
    of every split; "apart", as the papers have it, deals them like all other rows.
    """

    train: float = _share(0.6, title="Train", help="Rows that models learn from")
    validation: float = _share(
        0.2, title="Validate",
        help="Rows by which models are compared and the ensemble is built",
    )  # fmt: skip
    test: float = _share(
        0.2, title="Test",
        help="Rows that are never used for choosing; they give the final error",
    )  # fmt: skip
    folds: int | None = setting(
        None, kind=int, optional=True, low=2, high=100,
        wrong="The number of folds must be from {low} to {high}; {given} was given.",
        title="Folds (k)", help="Number of folds; each is used once for validation",
        flag="cross-validate with K folds of the rows that --split does not keep for the test",
        metavar="K",
    )  # fmt: skip
    seed: int = setting(
        0, low=0, high=2**31 - 1,
        wrong="The seed must not be negative; {given} was given.",
        title="Seed", help="The same seed gives the same split",
    )  # fmt: skip
    cap: int | None = setting(
        None, kind=int, optional=True, low=2, high=10**9,
        wrong="Training needs at least {low} rows; a limit of {given} was given. Raise it or leave "
              "it out.",
        title="Max training rows", unit=phrase("rows"), empty=phrase("no limit"),
        help="Speeds up large tables; rows beyond the limit compare models. Empty: no limit",
        flag="max training rows of a trial", metavar="N",
    )  # fmt: skip

    equal_rows: Literal["together", "apart"] = "together"

    def __post_init__(self) -> None:
        if not all(share >= 0 for share in self.shares) or abs(sum(self.shares) - 1) > 1e-6:
            raise UsageError(
                "The shares of training, validation and test rows must not be negative and "
                "sum to 100 %; {shares} was given.",
                shares=_percent(self.shares),
            )
        if self.folds is None and (self.train <= 0 or self.validation <= 0):
            raise UsageError(
                "Training and validation both need rows; {shares} leaves one of them without.",
                shares=_percent(self.shares),
            )
        if self.folds is not None and self.test >= 1:
            raise UsageError("With all rows kept for the test there are none to train on.")
        for each in settings_of(SplitPlan):
            if sentence := each.problem(getattr(self, each.name)):
                raise UsageError(sentence)
        if self.equal_rows not in {"together", "apart"}:
            raise UsageError(
                "Equal rows are kept “together” or dealt “apart”; {given!r} was given.",
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
            UsageError: If it is something else, or the shares are not possible.
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
    def from_json(cls, given: Mapping[str, Any]) -> "SplitPlan":
        """Make a plan from a JSON object; what it does not name has its default.

        Raises:
            UsageError: If it names something unknown or is not possible.
        """
        known = {each.name for each in dataclasses.fields(cls)}
        unknown = sorted(set(given) - known)
        if unknown:
            raise UsageError(
                "A split has no setting {unknown!r}; it has: {known}.",
                unknown=unknown[0],
                known=", ".join(known),
            )
        return cls(**given)


def _percent(shares: Sequence[float]) -> str:
    return "/".join(f"{100 * share:g}" for share in shares)

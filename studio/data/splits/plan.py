"""How rows are to be divided: shares or folds, and the seed of the draw."""

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from studio.errors import UsageError

MAX_FOLDS = 100


@dataclass(frozen=True)
class SplitPlan:
    """How the rows are divided.

    Attributes
    ----------
    train, validation, test : float
        Shares in [0, 1] that sum to one. With folds only ``test`` counts.
    folds : int or None
        Number of folds of cross-validation (2 to 100); ``None`` for hold-out.
    seed : int
        Of the draw; not negative.
    cap : int or None
        Most rows that a model is trained on in a trial (at least 2). What is beyond goes to the
        validation and selection rows (thesis 3.3: 5,000); with folds, every fold's training part
        is cut to it. ``None``: no limit.
    """

    train: float = 0.6
    validation: float = 0.2
    test: float = 0.2
    folds: int | None = None
    seed: int = 0
    cap: int | None = None

    def __post_init__(self) -> None:
        shares = (self.train, self.validation, self.test)
        if not all(share >= 0 for share in shares) or abs(sum(shares) - 1) > 1e-6:
            raise UsageError(
                "The shares of training, validation and test rows must not be negative and "
                "sum to 100 %; {shares} was given.",
                shares=_percent(shares),
            )
        if self.folds is None and (self.train <= 0 or self.validation <= 0):
            raise UsageError(
                "Training and validation both need rows; {shares} leaves one of them without.",
                shares=_percent(shares),
            )
        if self.folds is not None and not 2 <= self.folds <= MAX_FOLDS:
            raise UsageError(
                "The number of folds must be from 2 to {max_folds}; {folds} was given.",
                max_folds=MAX_FOLDS,
                folds=self.folds,
            )
        if self.folds is not None and self.test >= 1:
            raise UsageError("With all rows kept for the test there are none to train on.")
        if self.seed < 0:
            raise UsageError("The seed must not be negative; {seed} was given.", seed=self.seed)
        if self.cap is not None and self.cap < 2:
            raise UsageError(
                "Training needs at least 2 rows; a limit of {cap} was given. Raise it or "
                "leave it out.",
                cap=self.cap,
            )

    @classmethod
    def parse(cls, text: str, folds: int | None = None, seed: int = 0) -> "SplitPlan":
        """Read "60/20/20" (training, validation, test; per cent or shares) or "80/20" (no test).

        Raises
        ------
        UsageError
            If it is something else, or the shares are not possible.
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
        return cls(train, validation, test, folds, seed)

    def to_json(self) -> dict[str, Any]:
        """Return the plan as a JSON object."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> "SplitPlan":
        """Make a plan from a JSON object; what it does not name has its default.

        Raises
        ------
        UsageError
            If it names something unknown or is not possible.
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

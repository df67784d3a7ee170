"""One row that an ensemble is asked about."""

import math
from dataclasses import dataclass
from typing import Literal

from studio.analysis.answers.empty import floats
from studio.arrays import Floats
from studio.data.dates import Order

Value = float | str | None
"""A number; a category's label or a date as text; ``None`` where it is missing."""


@dataclass(frozen=True)
class RowColumn:
    """A column of the table that the ensemble looks at.

    Attributes:
        name: As the table has it.
        kind: What its values are.
        low, high: Smallest and largest number of the rows that were learned from; NaN for others.
        whole: Whether all numbers are whole.
        labels: Of a category; of a date the first and the last one.
        rest: Whether a category has more labels, which are rarer.
        typical: The median, the most frequent label or the middle date.
        decimal, thousands: How its numbers are written in the table
            (:class:`studio.data.numbers.NumberFormat`).
        units: Signs and words beside its numbers that may be typed too.
        order, words: How its dates may be written (:class:`studio.data.dates.DateFormat`).
    """

    name: str
    kind: Literal["number", "category", "date", "text"]
    low: float = math.nan
    high: float = math.nan
    whole: bool = False
    labels: tuple[str, ...] = ()
    rest: bool = False
    typical: Value = None
    decimal: str = "."
    thousands: str = ""
    units: tuple[str, ...] = ()
    order: Order = "year-first"
    words: bool = False


@dataclass(frozen=True)
class RowForm:
    """What can be said of a row.

    Attributes:
        columns: The fields.
        rows: Rows of the run's own table.
        target: The column that is predicted.
        classes: Empty for numbers.
        looked_for: Which of two classes is looked for; ``None`` where there are not two.
        amount: A change of a predicted number that is worth a word: half of the errors are smaller.
        decision: How labels are decided, in a sentence; empty: as the ensemble has them.
        votes: Whether the probabilities of classes are shares of votes.
        reason: Why nothing can be asked; empty where it can.
    """

    columns: tuple[RowColumn, ...] = ()
    rows: int = 0
    target: str = ""
    classes: tuple[str, ...] = ()
    looked_for: int | None = None
    amount: float = math.nan
    decision: str = ""
    votes: bool = False
    reason: str = ""


@dataclass(frozen=True)
class OwnRow:
    """A row of the run's own table.

    Attributes:
        values: One a field.
        truth: The target's value in that row.
        seen: Whether models were trained or chosen by it.
    """

    values: tuple[Value, ...]
    truth: Value
    seen: bool


@dataclass(frozen=True)
class RowPrediction:
    """What the ensemble says of a row.

    Attributes:
        shares: Shape (C,). The probability of each class; empty for numbers.
        answer: The predicted class' code; -1 for numbers.
        value, low, high: The predicted number, and between what the true one lies; NaN for classes,
            and where there are too few rows for an interval.
        share: How often such intervals hold the truth.
        held, of: For numbers: how many intervals of rows that were not learned from held their true
            value. For classes: of those rows to which the ensemble gave a similar probability of
            the predicted class, how many are of that class.
        sure: Between what that probability lay for those.
        tested: Whether they are test rows (else validation rows).
    """

    shares: Floats = floats()
    answer: int = -1
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    share: float = math.nan
    held: int = 0
    of: int = 0
    sure: tuple[float, float] = (0.0, 1.0)
    tested: bool = False


@dataclass(frozen=True)
class NearestChange:
    """The nearest value of one column that changes the answer.

    Attributes:
        column: Which field.
        value: The value; of a category the most frequent label that does it.
        answer: The class that is predicted then; -1 for numbers.
        said: The number that is predicted then, or the probability of that class.
        others: Other labels that change the answer, too.
    """

    column: int
    value: float | str
    answer: int
    said: float
    others: int = 0


@dataclass(frozen=True)
class RowReasons:
    """Why the ensemble says it of a row, as far as that is known.

    Attributes:
        base: Shape (C,) or (1,). Mean probabilities, or value, of the rows that represent "not
            known".
        adds, errors: Shape (m, C) or (m, 1). What each field adds, and the standard error of that.
            The base and what all add are the prediction.
        draws: Pairs of orders that were drawn.
        changes: Nearest first, in relation to each column's range; categories last.
        tried: Fields for which that is known.
        done: Whether no more comes; until then ask again.
    """

    base: Floats = floats()
    adds: Floats = floats(0, 0)
    errors: Floats = floats(0, 0)
    draws: int = 0
    changes: tuple[NearestChange, ...] = ()
    tried: int = 0
    done: bool = False

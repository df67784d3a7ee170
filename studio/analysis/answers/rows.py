"""Records about predicted rows: one row, a table of predictions, new rows."""

import itertools
import math
from dataclasses import dataclass
from typing import Literal

from studio.analysis.answers.empty import floats
from studio.arrays import AnyArray, Floats, Integers
from studio.data.dates import Order
from studio.phrases import phrase

Value = float | str | None
"""A number; a category or a date as text; ``None`` if missing."""


@dataclass(frozen=True)
class RowColumn:
    """A column of the table used by the ensemble.

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
    """The prediction of a row, and its explanation.

    Attributes:
        columns: The fields.
        rows: Rows of the run's own table.
        target: The column that is predicted.
        classes: Empty for numbers.
        unit: The unit of the target's cells; empty for none, and for classes.
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
    unit: str = ""
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
    """The ensemble's prediction of a row.

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
    """Reasons for the ensemble's prediction of a row, as far as computed.

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


@dataclass(frozen=True)
class OwnColumn:
    """A column of the predicted table, its texts sorted by value.

    Attributes:
        name: The column.
        codes: Shape (n,). Which text each row has; they sort as the values do, and empty cells come
            last.
        octets: Shape (b,). The texts as written, in UTF-8 one after another.
        ends: Shape (k,). Where each of them ends.
        right: Whether they are numbers.
        aliases: Other names of the column.
        code, values, dates: How it is written into a workbook
            (:class:`studio.export.workbook.SheetColumn`).
    """

    name: str
    codes: AnyArray
    octets: AnyArray
    ends: AnyArray
    right: bool = False
    aliases: tuple[str, ...] = ()
    code: str = ""
    values: Floats = floats()
    dates: bool = False

    def text(self, code: int) -> str:
        """Return a text by index."""
        start = self.ends[code - 1] if code else 0
        return self.octets[start : self.ends[code]].tobytes().decode()

    def cell(self, row: int) -> str:
        """Return a row's value in a column."""
        return self.text(int(self.codes[row]))

    def texts(self) -> list[str]:
        """Return all values."""
        whole, starts = self.octets.tobytes(), [0, *self.ends.tolist()]
        return [whole[start:end].decode() for start, end in itertools.pairwise(starts)]


@dataclass(frozen=True)
class UnseenRows:
    """Predictions of an ensemble for unseen rows.

    Attributes:
        predicted: Shape (m, C) or (m,). Probabilities of the classes, or values.
        truth: Shape (m,). Class codes, or values.
        weights: Shape (m,), or None. How much each row counts.
        units: Shape (m,), or None. Which rows may be off together.
    """

    predicted: Floats
    truth: AnyArray
    weights: Floats | None = None
    units: Integers | None = None


@dataclass(frozen=True)
class PredictedRows:
    """The rows of a new table with their predictions.

    Attributes:
        own: The table's columns.
        answers: Shape (n,). Codes of the predicted classes, or values.
        classes: Empty for numbers.
        shares: Shape (n, C). The probability of each class; (n, 0) for numbers.
        ends: Shape (n, 2). Between what each true value lies; (n, 0) where that is not known.
        share: How often it does.
        unseen: By what is known how far that is right; ``None``: by nothing.
        unknown: Why nothing is known; empty where something is.
        together: Shape (n,), or None. Codes of rows that may be off together.
        looked_for: The class that is looked for.
        lacking: The columns that the table lacks, and how important they are; empty for none.
        caution: Why the expected outcome may be wrong; empty for no reason.
        separator, decimal: How the table is written.
        table: Its name, as a sheet has it.
        unit: In what the target's cells are written; empty for none, and for classes.
    """

    own: tuple[OwnColumn, ...] = ()
    answers: AnyArray = floats()
    classes: tuple[str, ...] = ()
    shares: Floats = floats(0, 0)
    ends: Floats = floats(0, 0)
    share: float = math.nan
    unseen: UnseenRows | None = None
    unknown: str = ""
    together: Integers | None = None
    looked_for: int = 0
    lacking: str = ""
    caution: str = ""
    separator: str = ","
    decimal: str = "."
    table: str = ""
    unit: str = ""

    def ranked_by(self, looked_for: int) -> Floats:
        """Return the ranking score, (n,): a class probability, or the value."""
        return self.shares[:, looked_for] if self.classes else self.answers


@dataclass(frozen=True)
class Expected:
    """The expected total outcome of selected rows.

    Attributes:
        count: How many rows are chosen.
        mean, low, high: Hits among them, or what they add up to: the expectation, and the ends of
            its interval.
        share: How often such an interval holds the true number.
        usual: The expectation of as many rows drawn at random.
        label: The class that is looked for; empty for numbers.
        summed: What the rows' predictions add up to, as the table shows them.
        unit: Of what is added up; empty for none, and for hits.
    """

    count: int
    mean: float
    low: float
    high: float
    share: float
    usual: float
    label: str = ""
    summed: float = math.nan
    unit: str = ""


_MAX_SHOWN = 6
"""Maximum number of changed columns that are named."""


GUESSING = 0.5
"""The AUC of a random model."""


@dataclass(frozen=True)
class ColumnChange:
    """A column with a changed distribution.

    Attributes:
        name: The column.
        size: How large the change is: the largest difference of two shares, in [0, 1].
        words: What has changed, in a sentence.
    """

    name: str
    size: float
    words: str


@dataclass(frozen=True)
class NewRows:
    """Comparison of new rows with the training rows.

    Attributes:
        changed: Columns that have changed by more than chance explains, the largest change first.
        auc: Share of the pairs, one row of each kind, in which a model of all columns recognises
            the new one; 0.5 is guessing. NaN where that was not tried.
        low, high: Its 95 % interval.
        verdict: The whole in one sentence; empty where there is nothing to say.
        reason: Why nothing was tested; empty where it was.
    """

    changed: tuple[ColumnChange, ...] = ()
    auc: float = math.nan
    low: float = math.nan
    high: float = math.nan
    verdict: str = ""
    reason: str = ""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The verdict, the changed columns and the overall test; empty if rows are alike."""
        more = len(self.changed) - _MAX_SHOWN
        words = (
            self.verdict,
            *(each.words for each in self.changed[:_MAX_SHOWN]),
            phrase("other columns that have changed: {count:,}", count=more) if more > 0 else "",
            phrase(
                "as a whole: a model tells new rows from training rows in {share:.0f} of 100 cases "
                "(guessing: 50)",
                share=100 * self.auc,
            )
            if self.low > GUESSING
            else "",
        )
        return tuple(filter(None, words))

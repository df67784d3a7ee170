"""Records about predicted rows: one row, a table of predictions, new rows."""

import itertools
import math
from dataclasses import dataclass
from typing import Literal

from studio.analysis.answers.array_fields import float_field
from studio.arrays import AnyArray, Floats, Integers
from studio.data.dates import ORDERS, DateFormat
from studio.phrases import phrase

Value = float | str | None
"""A number; a category or a date as text; ``None`` if missing."""


_YEAR_FIRST = DateFormat(ORDERS[0])


@dataclass(frozen=True)
class RowColumn:
    """A column of the table used by the ensemble.

    Attributes:
        low, high: Smallest and largest number in training; NaN for other columns.
        labels: The labels of a category; for dates, the first and the last one.
        has_rare_labels: Whether a category has further, rarer labels.
        default_value: The median, most frequent label, middle date or most typical text.
        decimal, thousands: Its number marks (:class:`studio.data.numbers.NumberFormat`).
        date_format: Of dates alone.
    """

    name: str
    kind: Literal["number", "category", "date", "text"]
    low: float = math.nan
    high: float = math.nan
    is_integer: bool = False
    labels: tuple[str, ...] = ()
    has_rare_labels: bool = False
    default_value: Value = None
    decimal: str = "."
    thousands: str = ""
    units: tuple[str, ...] = ()
    leading: bool = False
    date_format: DateFormat = _YEAR_FIRST


@dataclass(frozen=True)
class RowForm:
    """The prediction of a row, and its explanation.

    Attributes:
        classes: Empty for numbers.
        unit: The unit of the target's cells; empty without one, and for classes.
        positive_code: The positive class of two; ``None`` otherwise.
        notable_change: Change of a predicted number that counts as notable: the median error.
        decision: The decision rule, in a sentence; empty for the ensemble's own labels.
        threshold: Its lowest probability for the label of the positive class; NaN without one.
        has_vote_shares: Whether the probabilities of classes are shares of votes.
        probability_note: Why probabilities differ from true shares; empty otherwise.
        reason: Why no row can be predicted; empty otherwise.
    """

    columns: tuple[RowColumn, ...] = ()
    rows: int = 0
    target: str = ""
    classes: tuple[str, ...] = ()
    unit: str = ""
    positive_code: int | None = None
    notable_change: float = math.nan
    decision: str = ""
    threshold: float = math.nan
    has_vote_shares: bool = False
    probability_note: str = ""
    reason: str = ""


@dataclass(frozen=True)
class TableRow:
    """A row of a table, one value per field.

    Attributes:
        is_seen: Whether the row was used in training or selection.
        name: The cell of the table's identifier; empty without one.
        unknown: For each field of a new row, a category that does not occur in training and counts
            as missing; else empty.
    """

    values: tuple[Value, ...]
    truth: Value
    is_seen: bool
    name: str = ""
    unknown: tuple[str, ...] = ()


MIN_SIMILAR_ROWS = 20
"""Minimum number of rows with a similar probability for checking a prediction."""

_Z_95 = 1.96
"""Standard errors of an interval with a coverage of 95 %."""


@dataclass(frozen=True)
class RowPrediction:
    """The ensemble's prediction of a row.

    Attributes:
        probabilities: Shape (C,). The probability of each class; empty for numbers.
        class_code: The predicted class' code; -1 for numbers.
        value, low, high: The predicted number, and its interval; NaN for classes, and with too few
            rows for an interval.
        has_equal_margins: Whether rows were too few to learn both ends of the interval separately.
        n_covered, n_similar: For numbers: the number of intervals of unseen rows that contain the
            true value.
            For classes: among unseen rows with a similar probability of the predicted class, the
            number of rows of that class.
        probability_range: Their lowest and highest probability, including the prediction's.
        is_test: Whether they are test rows (else validation rows).
    """

    probabilities: Floats = float_field()
    class_code: int = -1
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    coverage: float = math.nan
    has_equal_margins: bool = False
    n_covered: int = 0
    n_similar: int = 0
    probability_range: tuple[float, float] = (0.0, 1.0)
    is_test: bool = False

    @property
    def observed_interval(self) -> tuple[float, float]:
        """The 95 % interval of the share of covered rows (Wilson 1927)."""
        n, share, z2 = self.n_similar, self.n_covered / self.n_similar, _Z_95**2
        centre = (share + z2 / (2 * n)) / (1 + z2 / n)
        margin = math.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n**2))) / (1 + z2 / n)
        return max(0.0, centre - margin), min(1.0, centre + margin)


@dataclass(frozen=True)
class NearestChange:
    """The nearest value of one column that changes the prediction.

    Attributes:
        value: For a category, the most frequent label that changes the prediction.
        class_code: The new class; -1 for numbers.
        new_value: The new number, or the probability of the new class.
    """

    column: int
    value: float | str
    class_code: int
    new_value: float
    n_other_labels: int = 0


@dataclass(frozen=True)
class RowReasons:
    """Reasons for the ensemble's prediction of a row, possibly incomplete.

    Attributes:
        base: Shape (C,) or (1,). Mean probabilities, or value, of the background rows.
        contributions, standard_errors: Shape (m, C) or (m, 1). Each field's contribution, and its
            standard error. The base and all contributions sum to the prediction.
        draws: Number of permutation pairs drawn.
        changes: Nearest first, relative to each column's range; categories last.
        n_searched_fields: Number of fields searched for changes.
        is_complete: Whether the explanation is complete; otherwise call again.
    """

    base: Floats = float_field()
    contributions: Floats = float_field(0, 0)
    standard_errors: Floats = float_field(0, 0)
    draws: int = 0
    changes: tuple[NearestChange, ...] = ()
    n_searched_fields: int = 0
    is_complete: bool = False


@dataclass(frozen=True)
class TableColumn:
    """A column of the predicted table, its texts sorted by value.

    Attributes:
        codes: Shape (n,). The index of each row's text; codes are ordered by value, empty cells
            last.
        content: Shape (b,). The texts as written, concatenated in UTF-8.
        text_ends: Shape (k,). The end of each text.
        is_numeric: Whether the values are numbers.
        aliases: Other names of the column.
        code, values, holds_dates: Its form in a workbook
            (:class:`studio.export.workbook.SheetColumn`).
    """

    name: str
    codes: AnyArray
    content: AnyArray
    text_ends: AnyArray
    is_numeric: bool = False
    aliases: tuple[str, ...] = ()
    code: str = ""
    values: Floats = float_field()
    holds_dates: bool = False

    def get_text(self, code: int) -> str:
        """Return a text by index."""
        start = self.text_ends[code - 1] if code else 0
        return self.content[start : self.text_ends[code]].tobytes().decode()

    def get_cell(self, row: int) -> str:
        """Return a row's value in a column."""
        return self.get_text(int(self.codes[row]))

    def list_texts(self) -> list[str]:
        """Return all values."""
        all_text, starts = self.content.tobytes(), [0, *self.text_ends.tolist()]
        return [all_text[start:end].decode() for start, end in itertools.pairwise(starts)]


@dataclass(frozen=True)
class UnseenRows:
    """Predictions of an ensemble for unseen rows.

    Attributes:
        predictions: Shape (m, C) or (m,). Probabilities of the classes, or values.
        truth: Shape (m,). Class codes, or values.
        weights: Shape (m,).
        units: Shape (m,). Units of rows with dependent errors.
        by_time: Whether the units are blocks of time before the new rows.
    """

    predictions: Floats
    truth: AnyArray
    weights: Floats | None = None
    units: Integers | None = None
    by_time: bool = False


@dataclass(frozen=True)
class PredictedRows:
    """The rows of a new table with their predictions.

    Attributes:
        predictions: Shape (n,). Codes of the predicted classes, or values.
        classes: Empty for numbers.
        probabilities: Shape (n, C). The probability of each class; (n, 0) for numbers.
        intervals: Shape (n, 2). The interval of each true value; (n, 0) if unknown.
        unseen_rows: Predictions for estimating the accuracy, if any.
        no_estimate_reason: Why there are none; empty otherwise.
        unit_codes: Shape (n,). Codes shared by rows with dependent errors.
        missing_columns_note: Missing and unreadable columns with their importance; empty for none.
        caution: Why the expected outcome may be wrong; empty otherwise.
        separator, decimal: The separator and decimal mark of the table's file.
        unit: The unit of the target's cells; empty without one, and for classes.
        deciding_columns: The most important columns if they are empty in these rows, which prevents
            a forecast.
        decimals: Of values in files; -1: all.
        observed: Shape (n,), or (0,). The table's own targets: class codes or values; NaN: unknown.
        observed_note: The run's metric on these rows.
        target: The target's name.
        probability_note: Why probabilities differ from true shares; empty otherwise.
    """

    table_columns: tuple[TableColumn, ...] = ()
    predictions: AnyArray = float_field()
    classes: tuple[str, ...] = ()
    probabilities: Floats = float_field(0, 0)
    intervals: Floats = float_field(0, 0)
    coverage: float = math.nan
    unseen_rows: UnseenRows | None = None
    no_estimate_reason: str = ""
    unit_codes: Integers | None = None
    positive_code: int = 0
    missing_columns_note: str = ""
    caution: str = ""
    separator: str = ","
    decimal: str = "."
    table: str = ""
    unit: str = ""
    deciding_columns: tuple[str, ...] = ()
    decimals: int = -1
    observed: Floats = float_field()
    observed_note: str = ""
    target: str = ""
    probability_note: str = ""

    def get_ranking_scores(self, positive_code: int) -> Floats:
        """Return the ranking score, (n,): a class probability, or the value."""
        return self.probabilities[:, positive_code] if self.classes else self.predictions


@dataclass(frozen=True)
class ExpectedOutcome:
    """The expected total outcome of selected rows.

    Attributes:
        mean, low, high: Number of hits, or total value: the expectation and its interval.
        usual: The expectation for the same number of random rows.
        label: The positive class; empty for numbers.
        summed: The sum of the rows' predictions as shown in the table.
        unit: The unit of the total; empty without one, and for hits.
        lowest, highest: The lowest and highest rate of hits among past rows, if it varied over
            time; else 0.
        beyond: Number of selected new rows with a higher probability than all rows used for the
            estimate, if not explained by chance; else 0.
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
    lowest: float = 0.0
    highest: float = 0.0
    beyond: int = 0


_MAX_SHOWN = 6
"""Maximum number of changed columns that are named."""


GUESSING_AUC = 0.5
"""The AUC of a random model."""


@dataclass(frozen=True)
class ColumnChange:
    """A column with a changed distribution: the largest difference of two shares, in words."""

    name: str
    size: float
    description: str


@dataclass(frozen=True)
class TrainingComparison:
    """Comparison of new rows with the training rows.

    Attributes:
        auc: Share of pairs (one row of each table) in which a model of all columns recognises the
            new one; 0.5 is guessing. NaN if not computed.
        low, high: Its 95 % interval.
        reason: Why nothing was tested; empty otherwise.
    """

    changed_columns: tuple[ColumnChange, ...] = ()
    auc: float = math.nan
    low: float = math.nan
    high: float = math.nan
    conclusion: str = ""
    reason: str = ""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The conclusion, the changed columns and the overall test; empty without a difference."""
        n_more = len(self.changed_columns) - _MAX_SHOWN
        texts = (
            self.conclusion,
            *(each.description for each in self.changed_columns[:_MAX_SHOWN]),
            phrase("other columns that have changed: {count:,}", count=n_more)
            if n_more > 0
            else "",
            phrase(
                "all columns together: new rows are recognised as such in {share:.0f} of 100 cases "
                "(guessing: 50)",
                share=100 * self.auc,
            )
            if self.low > GUESSING_AUC
            else "",
        )
        return tuple(filter(None, texts))

"""A table with its predictions, and what is to be expected of some of its rows."""

import itertools
import math
from dataclasses import dataclass

from studio.analysis.answers.empty import floats
from studio.arrays import AnyArray, Floats, Integers


@dataclass(frozen=True)
class OwnColumn:
    """A column of the table that was predicted, its texts in the order of their values.

    Attributes:
        name: The column.
        codes: Shape (n,). Which text each row has; they sort as the values do, and empty cells come
            last.
        octets: Shape (b,). The texts as written, in UTF-8 one after another.
        ends: Shape (k,). Where each of them ends.
        right: Whether they are numbers.
        aliases: Other names of the column.
    """

    name: str
    codes: AnyArray
    octets: AnyArray
    ends: AnyArray
    right: bool = False
    aliases: tuple[str, ...] = ()

    def text(self, code: int) -> str:
        """Return one of the texts."""
        start = self.ends[code - 1] if code else 0
        return self.octets[start : self.ends[code]].tobytes().decode()

    def cell(self, row: int) -> str:
        """Return what a row has."""
        return self.text(int(self.codes[row]))

    def texts(self) -> list[str]:
        """Return all of them."""
        whole, starts = self.octets.tobytes(), [0, *self.ends.tolist()]
        return [whole[start:end].decode() for start, end in itertools.pairwise(starts)]


@dataclass(frozen=True)
class UnseenRows:
    """What an ensemble says of rows that it has not learned from.

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
        caution: That the rows differ from the training rows; empty where nothing says so.
        separator, decimal: How the table is written.
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
    caution: str = ""
    separator: str = ","
    decimal: str = "."

    def ranked_by(self, looked_for: int) -> Floats:
        """Return by what rows come first, (n,): a class' probability, or the value."""
        return self.shares[:, looked_for] if self.classes else self.answers


@dataclass(frozen=True)
class Expected:
    """What is to be expected of chosen rows together.

    Attributes:
        count: How many rows are chosen.
        mean, low, high: Hits among them, or what they add up to: the expectation, and the ends of
            its interval.
        share: How often such an interval holds the true number.
        usual: The expectation of as many rows drawn at random.
        label: The class that is looked for; empty for numbers.
    """

    count: int
    mean: float
    low: float
    high: float
    share: float
    usual: float
    label: str = ""

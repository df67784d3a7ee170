"""Records of advice, light enough for the window to import."""

from dataclasses import dataclass

from studio.data.splits import SplitPlan


@dataclass(frozen=True)
class Advice:
    """Advice for a table; the metric is the user's own choice.

    Attributes:
        refit: Whether final models are refitted on all rows.
        division: The split in a few words, with the reason.
        table: Rows, columns and target, in a few words.
        sentence: All of it in one sentence, with the reasons.
    """

    method: str
    space: str
    plan: SplitPlan
    refit: bool
    division: str
    table: str
    sentence: str

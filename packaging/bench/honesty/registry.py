"""The list of sections; a new one is one module and one line here."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from bench.honesty import (
    chance,
    chosen_rows,
    columns,
    gap,
    headline,
    intervals,
    learning_curve,
    new_rows,
    predictions,
)

QUICK_SHARE = 0.1


@dataclass(frozen=True)
class PageSection:
    """A section of the page.

    Attributes:
        title: Its heading.
        write: Takes the number of samples per cell, and yields Markdown.
        repeats: That number of samples.
    """

    title: str
    write: Callable[[int], Iterator[str]]
    repeats: int

    def text(self, *, quick: bool) -> str:
        """Run the section and return its Markdown; ``quick``: with a tenth of the samples."""
        repeats = max(10, round(QUICK_SHARE * self.repeats)) if quick else self.repeats
        return f"## {self.title}\n\n" + "\n".join(self.write(repeats)).rstrip() + "\n"


SECTIONS: Mapping[str, PageSection] = {
    "intervals": PageSection("Intervals of test errors", intervals.section, intervals.REPEATS),
    "chance": PageSection("More than chance", chance.section, chance.REPEATS),
    "gap": PageSection("The optimism gap", gap.section, gap.REPEATS),
    "headline": PageSection("Hits of the headline", headline.section, headline.REPEATS),
    "columns": PageSection("Which columns matter", columns.section, columns.REPEATS),
    "predictions": PageSection(
        "Intervals of predicted numbers", predictions.section, predictions.REPEATS
    ),
    "learning_curve": PageSection(
        "Would more rows help?", learning_curve.section, learning_curve.REPEATS
    ),
    "new_rows": PageSection(
        "Rows that differ from the training rows", new_rows.section, new_rows.REPEATS
    ),
    "chosen_rows": PageSection(
        "Hits and sums of chosen rows", chosen_rows.section, chosen_rows.REPEATS
    ),
}

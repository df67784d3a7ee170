"""Whether a model is useful: the first words about a result, which agree with its caveats."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from studio.analysis.class_text import warn_of_missed_classes
from studio.analysis.headline_text import (
    BETTER_BY_METRIC,
    DEPENDENT_ROWS_CAVEATS,
    GUESSING_MAY_BE_BETTER,
    NO_BETTER,
    NO_BETTER_ON_IMBALANCED,
    NO_SIGNAL,
    ONLY_RANKING_BETTER,
    PROBABILITIES_BETTER,
    VALIDATION_IS_OPTIMISTIC,
    describe_metric_caveat,
    find_main_caveat,
    name_baseline,
)
from studio.data.metrics.plain_score import PlainScore
from studio.document.results import Result
from studio.phrases import phrase

Grade = Literal[
    "yes",
    "if known",
    "these rows",
    "some classes",
    "slightly",
    "in part",
    "probably",
    "perhaps",
    "unclear",
    "unreliable",
    "no",
]

_VERDICTS: dict[Grade, str] = {
    "yes": phrase("Useful: {reason}"),
    "if known": phrase("Useful if {columns} can be known beforehand: {reason}"),
    "these rows": phrase("Useful on these test rows: {reason}"),
    "some classes": phrase("Useful, but not for every class: {reason}"),
    "slightly": phrase("Slightly useful: {reason}"),
    "in part": phrase("Useful in part: {reason}"),
    "probably": phrase("Probably useful: {reason}"),
    "perhaps": phrase("Perhaps useful: {reason}"),
    "unclear": phrase("Not clear yet: {reason}"),
    "unreliable": phrase("Not reliable yet: {reason}"),
    "no": phrase("Not useful so far: {reason}"),
}
_ANSWERS: dict[Grade, str] = {
    "yes": phrase("Yes: {reason}"),
    "if known": phrase("Yes, if {columns} can be known beforehand: {reason}"),
    "these rows": phrase("Yes, on these test rows: {reason}"),
    "some classes": phrase("Yes, but not every class: {reason}"),
    "slightly": phrase("Slightly: {reason}"),
    "in part": phrase("In part: {reason}"),
    "probably": phrase("Probably: {reason}"),
    "perhaps": phrase("Perhaps: {reason}"),
    "unclear": phrase("Not clear yet: {reason}"),
    "unreliable": phrase("Not reliably yet: {reason}"),
    "no": phrase("No: {reason}"),
}
"""Answers to the question whether the target can be predicted."""

PREDICTS_AND_RANKS = phrase("predictions and ranking are clearly better than guessing.")
PREDICTS = phrase("its predictions are clearly better than guessing.")
PREDICTS_APPARENTLY = phrase("its predictions are better than guessing.")
RANKS = phrase("it ranks the rows better than chance.")
BETTER_THAN_CONSTANT = phrase("it is clearly better than {baseline}.")
BETTER_APPARENTLY = phrase("it is better than {baseline}.")
CLOSER = phrase("on average {percent:.0f} % closer than {baseline}.")
HARDLY_CLOSER = phrase("on average less than 1 % closer than {baseline}.")
CLOSER_BY_METRIC = phrase("by the metric of this run it is clearly better than guessing.")
CLOSER_BY_PROBABILITIES = phrase("its probabilities are clearly better than guessing.")
UNTESTED = phrase("better than guessing so far, but not tested on new rows.")
MAY_LEAK = phrase("a column that may already contain the answer was kept.")
FAR_OFF = phrase("some predictions are far off.")

_REASONS: dict[str, tuple[Grade, str]] = {
    ONLY_RANKING_BETTER: ("in part", RANKS),
    BETTER_BY_METRIC: ("in part", CLOSER_BY_METRIC),
    PROBABILITIES_BETTER: ("in part", CLOSER_BY_PROBABILITIES),
    DEPENDENT_ROWS_CAVEATS[""]: (
        "perhaps",
        phrase("too few groups or times were tested to be sure."),
    ),
    DEPENDENT_ROWS_CAVEATS["groups"]: ("perhaps", phrase("too few groups were tested to be sure.")),
    DEPENDENT_ROWS_CAVEATS["copies"]: (
        "perhaps",
        phrase("too few different rows were tested to be sure."),
    ),
    DEPENDENT_ROWS_CAVEATS["times"]: (
        "perhaps",
        phrase("the tested period was too short to be sure."),
    ),
    NO_SIGNAL: ("no", phrase("it is not clearly better than guessing.")),
    NO_BETTER: ("no", phrase("it is no better than guessing.")),
    NO_BETTER_ON_IMBALANCED: (
        "unclear",
        phrase(
            "its predictions are no better than guessing, which says little with one class so "
            "common."
        ),
    ),
    VALIDATION_IS_OPTIMISTIC: ("probably", UNTESTED),
    GUESSING_MAY_BE_BETTER: ("perhaps", phrase("its lead over guessing may be chance.")),
}
"""Grades and reasons of results with a caveat."""

_SLIGHT_LEAD = 0.1
"""Share of the baseline's mean error below which a lead over it is called slight."""

_HARDLY_ANY_LEAD = 0.01


@dataclass(frozen=True)
class Verdict:
    """Whether a model is useful.

    Attributes:
        reason: The second half of a sentence.
        columns: The columns that must be known beforehand, separated by commas; may be empty.
    """

    grade: Grade
    reason: str
    columns: str = ""

    @property
    def sentence(self) -> str:
        """The verdict as a phrase."""
        return phrase(_VERDICTS[self.grade], reason=self.reason, columns=self.columns)

    @property
    def answer(self) -> str:
        """The answer to the question whether the target can be predicted, as a phrase."""
        return phrase(_ANSWERS[self.grade], reason=self.reason, columns=self.columns)


def make_verdict(
    score: PlainScore,
    positive_class: str | None = None,
    result: Result | None = None,
    dominant_columns: Sequence[str] = (),
    *,
    has_decision: bool = False,
) -> Verdict:
    """Judge a result.

    Args:
        score, positive_class, result: As for
            :func:`studio.analysis.headline_text.describe_caveats`.
        dominant_columns: See :func:`studio.questions.columns.answer.find_dominant_columns`; empty
            while unknown.
        has_decision: Whether a decision labels the rows, so that the ranking counts.
    """
    caveat = find_main_caveat(score, positive_class)
    if describe_metric_caveat(score, result) and caveat in {"", GUESSING_MAY_BE_BETTER}:
        return Verdict("unreliable", FAR_OFF)
    grade, reason = _REASONS.get(caveat) or _find_strength(score, positive_class, has_decision)
    if grade in {"perhaps", "unclear", "no"}:
        return Verdict(grade, reason)
    if result is not None and result.overruled:
        return Verdict("perhaps", MAY_LEAK)
    if not score.tested:
        return Verdict("probably", UNTESTED)
    if grade == "yes" and dominant_columns:
        return Verdict("if known", reason, ", ".join(dominant_columns))
    if grade == "yes" and (warn_of_missed_classes(score) or (score.weakest and score.missed)):
        grade = "some classes"
    elif grade == "yes" and result is not None and result.test_notes:
        grade = "these rows"
    return Verdict(grade, reason)


def _find_strength(
    score: PlainScore, positive_class: str | None, has_decision: bool
) -> tuple[Grade, str]:
    """Return the grade and the reason of a result without a caveat of its own."""
    if not score.of_classes:
        return _find_lead(score)
    ranked = score.get_ranking(positive_class)
    ranks = ranked is not None and ranked.beyond_chance
    if score.beyond_chance and not (has_decision and ranks):
        return "yes", PREDICTS_AND_RANKS if ranks else PREDICTS
    if ranks:
        return "yes", RANKS
    if score.by_metric:
        return "yes", CLOSER_BY_PROBABILITIES if score.by_probabilities else CLOSER_BY_METRIC
    return "probably", PREDICTS_APPARENTLY


def _find_lead(score: PlainScore) -> tuple[Grade, str]:
    baseline = name_baseline(score)
    if score.beyond_chance is None and not score.by_metric:
        return "probably", phrase(BETTER_APPARENTLY, baseline=baseline)
    if score.metric or not 0 <= score.average < score.guess:
        return "yes", phrase(BETTER_THAN_CONSTANT, baseline=baseline)
    lead = 1 - score.average / score.guess
    grade: Grade = "slightly" if lead < _SLIGHT_LEAD else "yes"
    if lead < _HARDLY_ANY_LEAD:
        return grade, phrase(HARDLY_CLOSER, baseline=baseline)
    return grade, phrase(CLOSER, percent=100 * lead, baseline=baseline)

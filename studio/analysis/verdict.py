"""Whether a model is useful: the first words about a result, which agree with its caveats."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
    describe_metric_caveat,
    find_main_caveat,
    name_baseline,
)
from studio.data.metrics.plain_score import HEADLINE_METRICS, PlainScore
from studio.data.metrics.registry import find_metric
from studio.document.results import Result
from studio.phrases import join_phrases, phrase

Grade = Literal[
    "yes",
    "if known",
    "these rows",
    "some classes",
    "slightly",
    "for ranking",
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
    "for ranking": phrase("Useful for ranking: {reason}"),
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
    "for ranking": phrase("Yes, for ranking: {reason}"),
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
ORDERS_ONLY = phrase("set a threshold before using its classes.")
ORDERS_AND_ESTIMATES = phrase(
    "its probabilities are useful too, but set a threshold before using its classes."
)
UNTESTED = phrase("better than guessing so far, but not tested on new rows.")
UNTESTED_IF_KNOWN = phrase(
    "better than guessing so far, if {columns} can be known beforehand, but not tested on new rows."
)
NOT_TESTED = phrase("It was not tested on new rows.")
NOT_CLEAR_BY_METRIC = phrase(
    "by the metric of this run it is not clearly better than guessing, and it was not tested on "
    "new rows."
)
MAY_LEAK = phrase("a column that may already contain the answer was kept.")
FAR_OFF = phrase("some predictions are far off.")

_REASONS: dict[str, tuple[Grade, str]] = {
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
    if score.tested:
        return _judge(score, positive_class, result, dominant_columns, has_decision=has_decision)
    as_tested = replace(score, tested=True)
    verdict = _judge(as_tested, positive_class, result, dominant_columns, has_decision=has_decision)
    return _judge_untested(verdict, as_tested, positive_class, result)


def _judge(
    score: PlainScore,
    positive_class: str | None,
    result: Result | None,
    dominant_columns: Sequence[str],
    *,
    has_decision: bool,
) -> Verdict:
    """Judge a result on test rows."""
    caveat = find_main_caveat(score, positive_class)
    if describe_metric_caveat(score, result) and caveat in {"", GUESSING_MAY_BE_BETTER}:
        return Verdict("unreliable", FAR_OFF)
    if caveat in {"", ONLY_RANKING_BETTER}:
        grade, reason = _find_strength(score, positive_class, result, has_decision=has_decision)
    else:
        grade, reason = _REASONS[caveat]
    if grade in {"perhaps", "unclear", "no"}:
        return Verdict(grade, reason)
    if result is not None and result.overruled:
        return Verdict("perhaps", MAY_LEAK)
    if grade == "yes" and dominant_columns:
        return Verdict("if known", reason, ", ".join(dominant_columns))
    if grade == "yes" and (warn_of_missed_classes(score) or (score.weakest and score.missed)):
        grade = "some classes"
    elif grade == "yes" and result is not None and result.test_notes:
        grade = "these rows"
    return Verdict(grade, reason)


def _judge_untested(
    verdict: Verdict, score: PlainScore, positive_class: str | None, result: Result | None
) -> Verdict:
    """Lower the verdict that the same figures would have on test rows."""
    may_be_far_off = (
        score.by_metric is False
        and (result is None or result.metric not in HEADLINE_METRICS)
        and find_main_caveat(score, positive_class) in {"", GUESSING_MAY_BE_BETTER}
    )
    if may_be_far_off:
        return Verdict("unreliable", NOT_CLEAR_BY_METRIC)
    if verdict.grade in {"perhaps", "unclear", "unreliable", "no"}:
        return verdict
    if verdict.grade == "yes":
        return Verdict("probably", UNTESTED)
    if verdict.columns:
        return Verdict("perhaps", phrase(UNTESTED_IF_KNOWN, columns=verdict.columns))
    reason = RANKS if verdict.grade == "for ranking" else verdict.reason
    return Verdict("perhaps", join_phrases((reason, NOT_TESTED)))


def _find_strength(
    score: PlainScore, positive_class: str | None, result: Result | None, *, has_decision: bool
) -> tuple[Grade, str]:
    """Return the grade and the reason of a result that beats guessing, or ranks its rows."""
    if not score.of_classes:
        return _find_lead(score)
    ranked = score.get_ranking(positive_class)
    ranks = ranked is not None and ranked.beyond_chance
    if ranks and has_decision:
        return "yes", RANKS
    predicts = score.is_better_than_guessing and score.beyond_chance
    if predicts:
        return "yes", PREDICTS_AND_RANKS if ranks else PREDICTS
    if ranks:
        return _judge_ranking(score, result)
    if score.by_metric:
        return "yes", CLOSER_BY_PROBABILITIES if score.by_probabilities else CLOSER_BY_METRIC
    return "probably", PREDICTS_APPARENTLY


def _judge_ranking(score: PlainScore, result: Result | None) -> tuple[Grade, str]:
    """Return the grade and the reason of a ranking whose classes do not clearly beat guessing."""
    if score.by_metric and score.by_probabilities:
        return "for ranking", ORDERS_AND_ESTIMATES
    metric = None if result is None else find_metric(result.metric)
    if score.by_metric and (metric is None or metric.prediction_type == "labels"):
        return "yes" if score.is_better_than_guessing else "in part", RANKS
    if score.is_better_than_guessing and score.beyond_chance is None:
        return "yes", RANKS
    return "for ranking", ORDERS_ONLY


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

"""Conclusions of a study in sentences: the better methods, the differences, and open questions.

Nothing is tested here: significance is decided by the paired test over repetitions for one data
set, and by Wilcoxon's test for several, both with Holm's correction (docs/decisions/0038).
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from studio.compare.cell_names import drop_repetition, enumerate_methods, quote_method
from studio.compare.comparison import (
    Comparison,
    Pair,
    explain_fixed_tests,
    explain_unranked,
    format_repetitions,
)
from studio.compare.outcomes import CellOutcome
from studio.compare.refit import explain_changed_order
from studio.compare.statistics.intervals import MIN_REPETITIONS, SIGNIFICANCE_LEVEL
from studio.compare.statistics.two_methods import compute_relative_differences
from studio.compare.study import Study
from studio.compare.tables.pairs import DIFFERENCES
from studio.compare.tables.table import MAX_PERCENT_DECIMALS, format_error_phrase, format_points
from studio.numerals import NumeralFormat, break_tie
from studio.phrases import count_phrase, join_phrases, phrase

_ROUNDING = 1e-9
"""Mean difference that counts as 0, relative to those by data set and their intervals."""

_MAX_NAMES = 4

_NOTHING_YET = phrase(
    "Nothing can be compared yet: a comparison needs two methods and a repetition finished by all "
    "of them."
)


def explain_single_trials(outcomes: Sequence[CellOutcome]) -> tuple[str, ...]:
    """Return a sentence if some runs finished only one trial, which shows no search."""
    n_single = sum(each.trials - each.failed - each.unfinished <= 1 for each in outcomes)
    if not n_single:
        return ()
    return (
        count_phrase(
            "{count} of {runs} runs finished only one trial, which says nothing about the search.",
            "{count:,} of {runs} runs finished only one trial, which says nothing about their "
            "searches.",
            n_single,
            runs=len(outcomes),
        ),
    )


def list_conclusions(
    study: Study, comparison: Comparison, failures: Mapping[str, str], *, is_finished: bool = False
) -> tuple[str, ...]:
    """Return the study's conclusions, the most important sentence first."""
    conclusions: list[str] = []
    if comparison.pairs:
        conclusions = [
            _describe_overall_result(study, comparison, is_finished=is_finished),
            *filter(None, (explain_changed_order(comparison),)),
            *_explain_contrary_means(comparison),
            *explain_unranked(comparison),
            *explain_fixed_tests(comparison),
        ]
    conclusions += list_provisional_conclusions(study, comparison)
    if failures:
        names = _join_names(list(dict.fromkeys(map(drop_repetition, failures))))
        conclusions.append(phrase("Left out: {names}.", names=names))
    return tuple(conclusions)


def list_provisional_conclusions(study: Study, comparison: Comparison) -> tuple[str, ...]:
    """Return the sentences that the next finished cell may contradict."""
    conclusions = [*_explain_undecided(comparison)] if comparison.pairs else [_NOTHING_YET]
    missing = [
        each.name
        for each in study.methods
        if each.name not in {*comparison.methods, *comparison.duplicate_of}
    ]
    if missing:
        conclusions.append(
            phrase("Not compared, as nothing has finished: {names}.", names=_join_names(missing))
        )
    return tuple(conclusions)


def _describe_overall_result(study: Study, comparison: Comparison, *, is_finished: bool) -> str:
    """Return the headline: the finding, then its basis in brackets."""
    order = np.argsort(comparison.mean_ranks, kind="stable")
    first = comparison.ranked[int(order[0])]
    pair_by_opponent = {
        _get_opponent(pair, first): pair
        for pair in comparison.pairs
        if first in (pair.first, pair.second)
    }
    other_methods = [comparison.ranked[int(index)] for index in order[1:]]
    winners = {name: comparison.find_better(pair_by_opponent[name]) for name in other_methods}
    clauses = [
        _describe_advantage(comparison, [pair_by_opponent[name]], name)
        for name, winner in winners.items()
        if winner == name
    ]
    if worse := [pair_by_opponent[name] for name in other_methods if winners[name] == first]:
        clauses.append(_describe_advantage(comparison, worse, first))
    else:
        clauses += _describe_other_differences(comparison, other_methods)
    undecided = [name for name in other_methods if not winners[name]]
    findings = join_phrases(clauses, "; ")
    if clauses and undecided:
        findings = phrase(
            "{decided}; {names} undecided", decided=findings, names=_choose_verb(undecided)
        )
    counts = [len(matrix) for matrix in comparison.complete.values()]
    partial = not is_finished and (len(counts) < len(study.data) or min(counts) < study.repetitions)
    scope = _describe_scope(study, comparison)
    if not clauses:
        leader = _describe_leader(comparison)
        if partial:
            return phrase("No clear winner yet: {leader} ({scope}).", leader=leader, scope=scope)
        return phrase("No clear winner: {leader} ({scope}).", leader=leader, scope=scope)
    if partial:
        return phrase("So far, {findings} ({scope}).", findings=findings, scope=scope)
    return phrase("{findings} ({scope}).", findings=findings, scope=scope)


def _describe_advantage(comparison: Comparison, pairs: Sequence[Pair], first: str) -> str:
    """Return "A is better than B and C, by 1.2 to 3.1 points"."""
    names = _join_names([_get_opponent(pair, first) for pair in pairs])
    advantages = [_compute_gap(comparison, pair, first) for pair in pairs]
    positive_advantages = [each for each in advantages if each is not None and each[0] > 0]
    if len(positive_advantages) < len(advantages):
        return phrase("{first} is better than {others}", first=quote_method(first), others=names)
    lowest, highest = min(positive_advantages), max(positive_advantages)
    advantage_text = lowest[1]
    if lowest[1] != highest[1]:
        advantage_text = phrase("{low} to {high}", low=lowest[1], high=highest[1])
    return phrase(
        "{first} is better than {others}, by {by}{unit}",
        first=quote_method(first),
        others=names,
        by=advantage_text,
        unit=_get_unit(comparison),
    )


def _describe_other_differences(comparison: Comparison, names: Sequence[str]) -> Iterator[str]:
    """Yield significant differences among methods without a significant winner."""
    for pair in comparison.pairs:
        if pair.first in names and pair.second in names:
            better_method = comparison.find_better(pair)
            if better_method:
                yield _describe_advantage(comparison, [pair], better_method)


def _describe_leader(comparison: Comparison) -> str:
    """Name the leading method if nothing is significant, or state that several are level."""
    if len(comparison.complete) == 1:
        return _describe_lowest_error(comparison)
    leaders = _list_leaders(comparison)
    n = len(comparison.complete)
    if len(leaders) == len(comparison.ranked) == 2 and n > 1:
        return phrase(
            "{names} are ahead on the same number of data sets", names=_join_names(leaders)
        )
    if len(leaders) > 1:
        return phrase("{names} share the best mean rank by data set", names=_join_names(leaders))
    (first,) = leaders
    if len(comparison.ranked) == 2:
        (pair,) = comparison.pairs
        advantage = _compute_gap(comparison, pair, first)
        if advantage is not None and advantage[0] > 0:
            return _describe_lead(comparison, pair, first, advantage[1])
    return phrase(
        "{first} has the best mean rank by data set, which may be chance", first=quote_method(first)
    )


def _list_leaders(comparison: Comparison) -> list[str]:
    """Return the methods with the best mean rank, which may be several."""
    best = min(comparison.mean_ranks)
    return [
        name
        for name, rank in zip(comparison.ranked, comparison.mean_ranks, strict=True)
        if math.isclose(rank, best)
    ]


def _explain_contrary_means(comparison: Comparison) -> Iterator[str]:
    """Explain why mean errors and ranks of two undecided methods disagree."""
    if len(comparison.ranked) != 2 or len(comparison.complete) < 2:
        return
    (pair,) = comparison.pairs
    leaders = _list_leaders(comparison)
    advantage = _compute_gap(comparison, pair, pair.first)
    if comparison.find_better(pair) or advantage is None or advantage[0] == 0:
        return
    lower = pair.first if advantage[0] > 0 else pair.second
    if leaders != [lower]:
        yield phrase(
            "{lower} has lower errors on average, by {by}{unit}, but does not win more data "
            "sets: ranks count who wins, not by how much.",
            lower=quote_method(lower),
            by=_format_gap(comparison, abs(advantage[0]), _find_common_unit(comparison)),
            unit=_get_unit(comparison),
        )


def _describe_lead(comparison: Comparison, pair: Pair, first: str, gap_text: str) -> str:
    return phrase(
        "{first} is ahead of {other} by {by}{unit}, which may be chance",
        first=quote_method(first),
        other=quote_method(_get_opponent(pair, first)),
        by=gap_text,
        unit=_get_unit(comparison),
    )


def _describe_lowest_error(comparison: Comparison) -> str:
    """Name the lowest mean error of one data set, and the next ones, in the metric's unit.

    Errors that are equal as displayed count as ties, as in the table.
    """
    (name,) = comparison.complete
    unit, error_format = comparison.units[name], comparison.get_error_format(name)
    means = comparison.get_mean_errors(name)
    texts = {
        method: format_error_phrase(mean, unit, error_format) for method, mean in means.items()
    }
    order = sorted(means, key=means.__getitem__)
    lowest = texts[order[0]]
    leaders = [method for method in order if texts[method] == lowest]
    if len(leaders) == len(order):
        return phrase(
            "{names} have the same mean error, {error}", names=_join_names(leaders), error=lowest
        )
    next_methods = order[len(leaders) :][: _MAX_NAMES - 1]
    other_texts = join_phrases(
        (join_phrases((quote_method(method), texts[method])) for method in next_methods), ", "
    )
    if len(leaders) > 1:
        return phrase(
            "{names} share the lowest mean error, {error} ({others}), which may be chance",
            names=_join_names(leaders),
            error=lowest,
            others=other_texts,
        )
    if len(order) == 2:
        (pair,) = comparison.pairs
        advantage = _compute_gap(comparison, pair, order[0])
        if advantage is not None:
            return _describe_lead(comparison, pair, order[0], advantage[1])
    return phrase(
        "{first} has the lowest mean error, {error} ({others}), which may be chance",
        first=quote_method(order[0]),
        error=lowest,
        others=other_texts,
    )


def _compute_gap(comparison: Comparison, pair: Pair, first: str) -> tuple[float, str] | None:
    """Return the mean advantage of one of two methods, as a number and formatted.

    In percentage points, or the metric's unit on one data set; over data sets with different units,
    relative to the mean of both errors, in per cent.
    """
    sign = -1.0 if pair.first == first else 1.0
    unit = _find_common_unit(comparison)
    mean_differences = [each.interval.mean for each in pair.difference.values()]
    if unit is None:
        i, j = (comparison.ranked.index(name) for name in (pair.first, pair.second))
        mean_errors = np.array([matrix.mean(axis=0) for matrix in comparison.complete.values()])
        relative = compute_relative_differences(mean_errors[:, i], mean_errors[:, j])
        advantage = 100 * sign * float(relative.mean())
    else:
        advantage = sign * float(np.mean(mean_differences)) * (100 if unit == "%" else 1)
    if not math.isfinite(advantage):
        return None
    if _is_rounding_error(pair):
        return 0.0, _format_gap(comparison, 0.0, unit)
    displayed = _format_displayed_gap(comparison, pair, first)
    return advantage, displayed or _format_gap(comparison, advantage, unit)


def _is_rounding_error(pair: Pair) -> bool:
    """Whether the mean differences of two methods are 0 but for rounding errors."""
    intervals = [each.interval for each in pair.difference.values()]
    mean = math.fsum(each.mean for each in intervals)
    sizes = (abs(size) for each in intervals for size in (each.low, each.mean, each.high))
    return abs(mean) <= _ROUNDING * max(filter(math.isfinite, sizes), default=0.0)


def _format_displayed_gap(comparison: Comparison, pair: Pair, first: str) -> str:
    """Format the difference of the two errors as displayed beside it, in their digits.

    Empty for several data sets, whose errors are not displayed together, and for errors that are
    equal as displayed.
    """
    if len(comparison.complete) > 1:
        return ""
    (name,) = comparison.complete
    means, unit = comparison.get_mean_errors(name), comparison.units[name]
    number_format = comparison.get_error_format(name)
    if number_format.power:
        return ""
    scale = 100 if unit == "%" else 1
    lower, higher = (
        _round(scale * means[method], number_format.decimals)
        for method in (first, _get_opponent(pair, first))
    )
    gap = _round(higher - lower, number_format.decimals)
    if not gap:
        return ""
    if unit == "%":
        return format_points(gap, number_format)
    return format_error_phrase(gap, unit, number_format)


def _format_gap(comparison: Comparison, gap: float, unit: str | None) -> str:
    """Format a difference of errors; percentage points with at least one decimal."""
    if unit is None:
        return _format_percent(gap)
    if unit == "%":
        decimals = max(
            1, *(comparison.get_error_format(each).decimals for each in comparison.complete)
        )
        while decimals < MAX_PERCENT_DECIMALS and _round(gap, decimals) == 0:
            decimals += 1
        return format_points(gap, NumeralFormat(decimals))
    (name,) = comparison.complete
    return format_error_phrase(gap, unit, comparison.get_error_format(name))


def _round(value: float, decimals: int) -> float:
    """Round as all displayed numbers: ties away from zero."""
    return round(break_tie(value, decimals), decimals)


def _format_percent(value: float) -> str:
    if abs(value) >= 1000:
        return phrase("{value:,.0f}", value=value)
    if abs(value) >= 0.05:
        return phrase("{value:.1f}", value=value)
    return phrase("{value:.2g}", value=value)


def _find_common_unit(comparison: Comparison) -> str | None:
    """Return the unit in which differences can be averaged; ``None`` if there is none."""
    units = {comparison.units[name] for name in comparison.complete}
    if units == {"%"} or len(comparison.complete) == 1:
        return units.pop()
    return None


def _get_unit(comparison: Comparison) -> str:
    unit = _find_common_unit(comparison)
    if unit is None:
        return phrase(" % of the error")
    if unit == "%":
        return phrase(" points")
    (name,) = comparison.complete
    return phrase(" ({metric})", metric=comparison.get_metric_title(name))


def _describe_scope(study: Study, comparison: Comparison) -> str:
    """Return "6 data sets, 10 repetitions on each", and the total where some are missing."""
    counts = [len(matrix) for matrix in comparison.complete.values()]
    n, n_requested = len(counts), len(study.data)
    repetitions_text = format_repetitions(counts)
    if min(counts) < study.repetitions:
        repetitions_text = phrase(
            "{times} of {asked}", times=repetitions_text, asked=study.repetitions
        )
    if n_requested == 1:
        (name,) = comparison.complete
        return phrase("{name}, {times}", name=name, times=repetitions_text)
    if n == 1:
        (name,) = comparison.complete
        return phrase(
            "{name}, 1 of {asked} data sets, {times}",
            name=name,
            asked=n_requested,
            times=repetitions_text,
        )
    if n < n_requested:
        return phrase(
            "{n} of {asked} data sets, {times} on each",
            n=n,
            asked=n_requested,
            times=repetitions_text,
        )
    return phrase("{n} data sets, {times} on each", n=n, times=repetitions_text)


def _explain_undecided(comparison: Comparison) -> Iterator[str]:
    """Yield sentences about the study's size and its undecided questions."""
    n, pairs = len(comparison.complete), len(comparison.pairs)
    if not comparison.is_decidable:
        few_repetitions = [
            name
            for name, matrix in comparison.complete.items()
            if len(matrix) < MIN_REPETITIONS and name not in comparison.fixed_tests
        ]
        if few_repetitions:  # more repetitions on the same test rows add no evidence
            yield phrase(
                "Too few repetitions to decide (fewer than {fewest}): {names}.",
                fewest=MIN_REPETITIONS,
                names=_join_names(few_repetitions),
            )
    elif n > 1 and pairs * 2.0 ** (1 - n) >= SIGNIFICANCE_LEVEL:
        n_needed = next(k for k in range(2, 60) if pairs * 2.0 ** (1 - k) < SIGNIFICANCE_LEVEL)
        yield phrase(
            "With {n_methods} methods, at least {needed} data sets are needed for a significant "
            "difference over all of them; for single data sets see the table “{table}”.",
            n_methods=len(comparison.ranked),
            needed=n_needed,
            table=DIFFERENCES,
        )
    elif undecided := [
        each.detectable
        for each in comparison.pairs
        if each.shift.has_known_spread and not comparison.find_better(each)
    ]:
        yield phrase(
            "In undecided cases, a difference of {least} % of the error would probably have been "
            "detected.",
            least=_format_percent(100 * max(undecided)),
        )


def _get_opponent(pair: Pair, name: str) -> str:
    return pair.second if pair.first == name else pair.first


def _choose_verb(names: Sequence[str]) -> str:
    if len(names) == 1:
        return phrase("{name} is", name=quote_method(names[0]))
    return phrase("{names} are", names=_join_names(names))


def _join_names(names: Sequence[str]) -> str:
    """Write "A", "A and B", "A, B and C"; long lists are truncated."""
    if len(names) == 1:
        return quote_method(names[0])
    if len(names) > _MAX_NAMES:
        first_names = enumerate_methods(names[: _MAX_NAMES - 1])
        return phrase("{names} and {n} more", names=first_names, n=len(names) - _MAX_NAMES + 1)
    return phrase(
        "{names} and {last}", names=enumerate_methods(names[:-1]), last=quote_method(names[-1])
    )

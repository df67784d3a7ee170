"""Conclusions of a study in sentences: the better methods, the differences, and open questions.

Nothing is tested here: of one data set it is the paired test over repetitions with Holm's
correction that decides, of several Wilcoxon's over data sets, likewise (docs/decisions/0038).
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from studio.compare.comparison import Comparison, Pair, format_repetitions
from studio.compare.statistics.intervals import MIN_REPETITIONS, SIGNIFICANCE_LEVEL
from studio.compare.statistics.two_methods import relative_differences
from studio.compare.study import Study
from studio.compare.tables.pairs import DIFFERENCES
from studio.compare.tables.table import format_error
from studio.data.metrics.registry import find_metric
from studio.phrases import joined, phrase

_MAX_NAMES = 4
_NOTHING_YET = phrase(
    "Nothing can be compared yet: a comparison needs two methods and a repetition that all of them "
    "have finished."
)


def verdict(
    study: Study, comparison: Comparison, failures: Mapping[str, str], *, over: bool = False
) -> tuple[str, ...]:
    """Return the study's conclusions, the most important sentence first.

    Args:
        study: Tells what is missing.
        comparison: Of its finished cells.
        failures: Failed cells and data sets, with the reason.
        over: Whether all cells have ended.
    """
    provisional = list_provisional_conclusions(study, comparison)
    conclusions = (
        [_describe_overall_result(study, comparison, over=over), *provisional]
        if comparison.pairs
        else [*provisional]
    )
    if failures:
        conclusions.append(
            phrase("Failed, so not counted: {names}.", names=_join_names(tuple(failures)))
        )
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


def _describe_overall_result(study: Study, comparison: Comparison, *, over: bool) -> str:
    order = np.argsort(comparison.mean_ranks, kind="stable")
    first = comparison.methods[int(order[0])]
    pair_by_opponent = {
        _get_opponent(pair, first): pair for pair in comparison.pairs if first in _get_methods(pair)
    }
    other_methods = [comparison.methods[int(index)] for index in order[1:]]
    beaten = [
        name for name in other_methods if comparison.find_better(pair_by_opponent[name]) == first
    ]
    better_methods = [
        name for name in other_methods if comparison.find_better(pair_by_opponent[name]) == name
    ]
    level = [name for name in other_methods if name not in {*beaten, *better_methods}]
    clauses = [
        *(_is_better(comparison, [pair_by_opponent[name]], name) for name in better_methods),
        *(
            [_is_better(comparison, [pair_by_opponent[name] for name in beaten], first)]
            if beaten
            else []
        ),
        *_describe_other_differences(comparison, [] if beaten else other_methods),
    ]
    if not clauses:
        findings = _describe_leader(
            comparison, pair_by_opponent[other_methods[0]], first, other_methods
        )
    elif level:
        findings = phrase(
            "{decided}; {names} undecided.", decided=joined(clauses, "; "), names=_is_or_are(level)
        )
    else:
        findings = phrase("{decided}.", decided=joined(clauses, "; "))
    return phrase(
        "{scope}, {findings}",
        scope=_describe_scope(study, comparison, over=over),
        findings=findings,
    )


def _is_better(comparison: Comparison, pairs: Sequence[Pair], first: str) -> str:
    """Return "A is better than B and C, by 1.2 to 3.1 points"."""
    names = _join_names([_get_opponent(pair, first) for pair in pairs])
    advantages = [_compute_gap(comparison, pair, first) for pair in pairs]
    positive = [advantage for advantage in advantages if advantage is not None and advantage[0] > 0]
    if len(positive) < len(advantages):
        return phrase("{first} is better than {others}", first=first, others=names)
    lowest, highest = min(positive), max(positive)
    by = (
        lowest[1]
        if lowest[1] == highest[1]
        else phrase("{low} to {high}", low=lowest[1], high=highest[1])
    )
    return phrase(
        "{first} is better than {others}, by {by}{unit}",
        first=first,
        others=names,
        by=by,
        unit=_get_unit(comparison),
    )


def _describe_other_differences(comparison: Comparison, names: Sequence[str]) -> Iterator[str]:
    """Yield significant differences among methods without a significant winner."""
    for pair in comparison.pairs:
        if pair.first in names and pair.second in names:
            better_method = comparison.find_better(pair)
            if better_method:
                yield _is_better(comparison, [pair], better_method)


def _describe_leader(
    comparison: Comparison, pair: Pair, first: str, other_methods: Sequence[str]
) -> str:
    advantage = _compute_gap(comparison, pair, first)
    if len(other_methods) == 1 and advantage is not None and advantage[0] > 0:
        return phrase(
            "nothing is decided: {first} is ahead of {other} by {by}{unit}, which may be chance.",
            first=first,
            other=other_methods[0],
            by=advantage[1],
            unit=_get_unit(comparison),
        )
    if len(comparison.errors) == 1 and len(comparison.complete) == 1:
        return _describe_lowest_error(comparison)
    if comparison.mean_ranks.count(min(comparison.mean_ranks)) > 1:
        return phrase("nothing is decided, and no method is ahead.")
    return phrase(
        "nothing is decided: {first} has the best mean rank, which may be chance.", first=first
    )


def _describe_lowest_error(comparison: Comparison) -> str:
    """Name the lowest mean error of one data set, and the next ones, in the metric's unit."""
    ((name, row),) = comparison.errors.items()
    unit = comparison.units[name]
    percent = " %" if unit == "%" else ""
    texts = {method: format_error(each.mean, unit) + percent for method, each in row.items()}
    order = sorted(row, key=lambda each: row[each].mean)
    if texts[order[0]] == texts[order[1]]:
        return phrase("nothing is decided, and no method is ahead.")
    others = ", ".join(f"{method} {texts[method]}" for method in order[1:_MAX_NAMES])
    return phrase(
        "nothing is decided: {first} has the lowest mean error, {error} ({others}), which may be "
        "chance.",
        first=order[0],
        error=texts[order[0]],
        others=others,
    )


def _compute_gap(comparison: Comparison, pair: Pair, first: str) -> tuple[float, str] | None:
    """Return the mean advantage of one of two methods, as a number and formatted.

    Points of per cent, the metric's unit on one data set; over data sets with errors of different
    units the share of the two errors' mean, in per cent.
    """
    sign = -1.0 if pair.first == first else 1.0
    unit = _find_common_unit(comparison)
    mean_differences = [each.interval.mean for each in pair.difference.values()]
    if unit is None:
        i, j = (comparison.methods.index(name) for name in (pair.first, pair.second))
        mean_errors = np.array([matrix.mean(axis=0) for matrix in comparison.complete.values()])
        advantage = (
            100 * sign * float(relative_differences(mean_errors[:, i], mean_errors[:, j]).mean())
        )
    else:
        advantage = sign * float(np.mean(mean_differences)) * (100 if unit == "%" else 1)
    if not math.isfinite(advantage):
        return None
    return advantage, _format_percent(advantage)


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
    # For one data set, the metric's own unit.
    (key,) = {comparison.metrics[name] for name in comparison.complete}
    metric = find_metric(key)
    return phrase(" ({metric})", metric=key if metric is None else phrase(metric.title))


def _describe_scope(study: Study, comparison: Comparison, *, over: bool) -> str:
    """Return "Over 6 data sets with 10 repetitions on each", and the total if some are missing."""
    counts = [len(matrix) for matrix in comparison.complete.values()]
    n, n_requested = len(counts), len(study.data)
    partial = not over and (n < n_requested or min(counts) < study.repetitions)
    if n_requested == 1:
        (name,) = comparison.complete
        scope = (
            phrase("So far, on {name}", name=name) if partial else phrase("On {name}", name=name)
        )
    elif n < n_requested:
        scope = (
            phrase("So far, over {n} of {asked} data sets", n=n, asked=n_requested)
            if partial
            else phrase("Over {n} of {asked} data sets", n=n, asked=n_requested)
        )
    elif partial:
        scope = phrase("So far, over {n} data sets", n=n)
    else:
        scope = phrase("Over {n} data sets", n=n)
    times = format_repetitions(counts)
    if min(counts) < study.repetitions:
        times = phrase("{times} of {asked}", times=times, asked=study.repetitions)
    if n_requested == 1:
        return phrase("{where} with {times}", where=scope, times=times)
    return phrase("{where} with {times} on each", where=scope, times=times)


def _explain_undecided(comparison: Comparison) -> Iterator[str]:
    """Yield sentences about the study's size and its undecided questions."""
    n, pairs = len(comparison.complete), len(comparison.pairs)
    if not comparison.decidable:
        few_repetitions = [
            name for name, matrix in comparison.complete.items() if len(matrix) < MIN_REPETITIONS
        ]
        yield phrase(
            "Too few repetitions to decide (fewer than {fewest}): {names}.",
            fewest=MIN_REPETITIONS,
            names=_join_names(few_repetitions),
        )
    elif n > 1 and pairs * 2.0 ** (1 - n) >= SIGNIFICANCE_LEVEL:
        n_needed = next(k for k in range(2, 60) if pairs * 2.0 ** (1 - k) < SIGNIFICANCE_LEVEL)
        yield phrase(
            "With {n_methods} methods it takes at least {needed} data sets to decide anything "
            "over all of them; what is decided on a single one is in the table “{table}”.",
            n_methods=len(comparison.methods),
            needed=n_needed,
            table=DIFFERENCES,
        )
    elif undecided := [
        each.detectable
        for each in comparison.pairs
        if each.shift.known and not comparison.find_better(each)
    ]:
        yield phrase(
            "Where it is undecided, a difference of {least} % of the error would most likely have "
            "been found.",
            least=_format_percent(100 * max(undecided)),
        )


def _get_methods(pair: Pair) -> tuple[str, str]:
    return pair.first, pair.second


def _get_opponent(pair: Pair, name: str) -> str:
    return pair.second if pair.first == name else pair.first


def _is_or_are(names: Sequence[str]) -> str:
    if len(names) == 1:
        return phrase("{name} is", name=names[0])
    return phrase("{names} are", names=_join_names(names))


def _join_names(names: Sequence[str]) -> str:
    """Write "A", "A and B", "A, B and C"; long lists are cut."""
    if len(names) == 1:
        return names[0]
    if len(names) > _MAX_NAMES:
        named = ", ".join(names[: _MAX_NAMES - 1])
        return phrase("{names} and {n} more", names=named, n=len(names) - _MAX_NAMES + 1)
    return phrase("{names} and {last}", names=", ".join(names[:-1]), last=names[-1])

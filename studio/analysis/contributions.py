"""Contribution of each member to an ensemble: its own error, and the error without it.

Everything is computed from the stored predictions of trials and of refitted final members, so
nothing is trained. Test errors at an earlier iteration are those of the search's models.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from studio.analysis.answers.ensemble import Contributions
from studio.analysis.final_test import FinalTest, load_final_test
from studio.analysis.what_if import make_test_reader
from studio.arrays import AnyArray, Floats
from studio.document.store import Document
from studio.ensembles.base import Ensemble, add_member, combine, prepare_for_scoring
from studio.errors import EnsembleError
from studio.phrases import phrase
from studio.runs.finish import compute_guess_error, find_best_single
from studio.runs.load import follow, get_final_ensemble
from studio.runs.prepare import PreparedRun, build_ensemble
from studio.runs.uncertainty import compute_test_difference_interval
from studio.trial import History

NO_MEMBER = phrase("No model has been trained yet, so there is no ensemble to show.")


def load_contributions(path: Path, run_id: int, iteration: int | None = None) -> Contributions:
    """Return the contributions in a run's ensemble.

    Args:
        iteration: The iteration of the search's ensemble. ``None``: the final ensemble, or the
            newest. In a run with a result, the last iteration also selects the final ensemble if
            it is the search's: not where a refit left members out or a second layer corrects it.
    """
    with Document.open(path, writable=False) as document:
        row = document.runs.get(run_id)
        if not row.prepared:
            return Contributions(reason=NO_MEMBER)
        prepared, history = follow(document, run_id)
        is_last = row.result is not None and iteration is not None and iteration >= len(history)
        if iteration is not None and iteration < len(history):
            history = history.take_first(iteration)
        if not history.succeeded:
            return Contributions(reason=NO_MEMBER)
        ensemble = None if iteration is None else build_ensemble(prepared, history)
        if ensemble is None or is_last:
            final_ensemble = get_final_ensemble(row, prepared, history)
            # Apart from a refit of its members, it may be that of the search.
            if ensemble is None or (
                final_ensemble.correction is None
                and set(final_ensemble.members) == set(ensemble.members)
            ):
                ensemble, iteration = final_ensemble, None
        best = find_best_single(history).number
        final = FinalTest(make_test_reader(document, run_id, prepared, history))
        if iteration is None:
            final = load_final_test(document, row, prepared, history)
        test_predictions = {}
        if prepared.split.test.size:
            for number in {*ensemble.members, best}:
                with suppress(EnsembleError):
                    test_predictions[number] = final.get_predictions(number)
    result = compute_contributions(prepared, history, ensemble, test_predictions, best)
    return replace(result, is_refitted=final.is_refitted)


def compute_contributions(
    prepared_run: PreparedRun,
    history: History,
    ensemble: Ensemble,
    test: dict[int, AnyArray],
    single: int,
) -> Contributions:
    """Return the contributions in any ensemble of a history's trials, such as a what-if ensemble.

    Args:
        test: Test predictions, shape (n, C) or (n,), of the members and of ``single``, by number;
            empty without test rows, and without ``single`` if it was not refitted.
    """
    order = np.argsort(-np.array(ensemble.weights), kind="stable")
    numbers = [ensemble.members[position] for position in order]
    split = prepared_run.split
    if history.comparable:
        compute_loss = partial(prepared_run.compute_loss, split.validation)
        validation = _leave_one_out_losses(ensemble, numbers, history.get_predictions, compute_loss)
    else:
        losses = [history.trials[number - 1].loss for number in numbers]
        validation = _compute_single_losses(np.array(losses, dtype=np.float64))
    has_test = split.test.size > 0 and all(number in test for number in numbers)
    test_losses = _compute_single_losses(np.full(len(numbers), np.nan))
    if has_test:
        compute_loss = partial(prepared_run.compute_loss, split.test)
        test_losses = _leave_one_out_losses(ensemble, numbers, test.__getitem__, compute_loss)
    difference: tuple[float, float] | None = None
    if has_test and single in test and tuple(numbers) != (single,):
        difference = compute_test_difference_interval(
            prepared_run,
            combine(test.__getitem__, ensemble),
            combine(test.__getitem__, Ensemble.from_single_trial(single)),
        )
    guess_loss = compute_guess_error(prepared_run) if has_test else None
    return Contributions(
        members=np.array(numbers, dtype=np.int64),
        weights=np.array(ensemble.weights)[order],
        validation=validation.ensemble,
        test=test_losses.ensemble,
        member_validation_losses=validation.members,
        member_test_losses=test_losses.members,
        without_validation=validation.without,
        without_test=test_losses.without,
        best_single_trial=single,
        difference=difference,
        constant_loss=math.nan if guess_loss is None else guess_loss,
    )


class _Losses(NamedTuple):
    """Losses of an ensemble, of each member, and without each, shape (m,); NaN if unknown."""

    ensemble: float
    members: Floats
    without: Floats


def _leave_one_out_losses(
    ensemble: Ensemble,
    numbers: list[int],
    predictions: Callable[[int], AnyArray],
    loss: Callable[[AnyArray], float],
) -> _Losses:
    single_losses = [
        loss(combine(predictions, Ensemble.from_single_trial(number))) for number in numbers
    ]
    without = np.full(len(numbers), np.nan)
    if len(numbers) > 1:
        losses = {
            number: loss(without_member)
            for number, without_member in iterate_leave_one_out(predictions, ensemble)
        }
        without[:] = [losses[number] for number in numbers]
    return _Losses(loss(combine(predictions, ensemble)), np.array(single_losses), without)


def _compute_single_losses(losses: Floats) -> _Losses:
    """Return the individual losses (m,) of members that cannot be combined."""
    ensemble_loss = float(losses[0]) if len(losses) == 1 else math.nan
    return _Losses(ensemble_loss, losses, np.full(len(losses), np.nan))


def iterate_leave_one_out(
    predictions: Callable[[int], AnyArray], ensemble: Ensemble
) -> Iterator[tuple[int, Floats]]:
    """Yield each member with the others' combined prediction, as :func:`combine` computes it.

    The others' weights are scaled to sum to 1, with the ensemble's temperature and correction. Sums
    over half of the members are shared. Nothing is subtracted, so huge predictions cause no
    rounding errors.

    Args:
        predictions: By trial number: shape (n, C), or (n,).

    Yields:
        number: The omitted member, in the order of the ensemble.
        combined: Shape (n, C) or (n,).

    Raises:
        EnsembleError: If there are no other members, or predicted values (regression) cannot be
            combined by a vote.
    """
    members = ensemble.members
    if len(members) < 2:
        raise EnsembleError("An ensemble of one member is empty without it.")
    if ensemble.layer is not None:
        for number in members:
            remaining = ensemble.select_members(
                [other_number for other_number in members if other_number != number]
            )
            yield number, combine(predictions, remaining)
        return
    total_weight = sum(ensemble.weights)
    temperature = ensemble.temperature if len(members) > 2 else 1.0
    zeros = np.zeros(predictions(members[0]).shape, dtype=np.float64)
    for index, total in _iterate_leave_one_out(predictions, ensemble, 0, len(members), zeros):
        combined: Floats = total / (total_weight - ensemble.weights[index])
        combined = prepare_for_scoring(combined, temperature)
        if ensemble.correction is not None and len(members) > 2:
            others = {each: predictions(each) for each in members if each != members[index]}
            combined = ensemble.correction.apply(combined, others)
        yield members[index], combined


def _iterate_leave_one_out(
    predictions: Callable[[int], AnyArray], ensemble: Ensemble, low: int, high: int, total: Floats
) -> Iterator[tuple[int, Floats]]:
    """Yield each index in [low, high) with the weighted sum of all others, (n, C) or (n,).

    ``total``, of that shape, is the sum of the members outside of [low, high).
    """
    if high - low == 1:
        yield low, total
        return
    middle_index = (low + high) // 2
    for predictions_with, outside in (
        ((low, middle_index), (middle_index, high)),
        ((middle_index, high), (low, middle_index)),
    ):
        extended_sum = total.copy()
        for position in range(*outside):
            member, weight = ensemble.members[position], ensemble.weights[position]
            add_member(extended_sum, predictions(member), weight, ensemble.combination)
        yield from _iterate_leave_one_out(predictions, ensemble, *predictions_with, extended_sum)

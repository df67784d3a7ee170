"""Fast exact search for the model with the lowest error of mean probabilities after addition.

Brute force computes argmax(total + p) in every row of every model p. Almost all of these decisions
follow from two precomputed numbers: the model's margin of the true class over all other classes
(its *lead*), and over the ensemble's strongest wrong class (its *edge*). If the ensemble's gap lies
outside both, the row is decided without the probabilities. Both are stored as single bytes, rounded
down, and compared with thresholds widened by the rounding error, so these decisions are exact. They
bound each model's number of correct rows from below and above; models are evaluated in the order of
their upper bounds, only in the undecided rows, by the same sums as brute force, until no other
model can be as good. The result equals that of brute force, including ties and floating-point
rounding.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from studio.arrays import AnyArray, Array, Flags, Floats, Integers

Codes = Array[np.int8]

_CODE_SCALE = 126.0
_BELOW_ALL_CODES, _ABOVE_ALL_CODES = -128, 127
"""Differences of probabilities, in [−1, 1], have codes floor(126 · difference) in [−126, 126]: all
are above ``_BELOW_ALL_CODES`` and below ``_ABOVE_ALL_CODES``."""

_BLOCK_CELLS = 1 << 17
"""Rows of probabilities per block, to fit the processor's cache."""


@dataclass(frozen=True)
class _Thresholds:
    """Bounds of codes for each row; all arrays have shape (n,).

    A row can only be correct if edge ≥ ``possible_edges``; it is certainly correct if edge >
    ``certain_edges`` and lead > ``certain_leads``.
    """

    possible_edges: Codes
    certain_edges: Codes
    certain_leads: Codes


class MeanError(ABC):
    """Zero-one loss of mean class probabilities, as members are added.

    Args:
        pool: Shape (n, C). Class probabilities in [0, 1] of each model, in any floating type.
        truth: Shape (n,). True class codes.
        precision: The type of the sums. In double precision the sums of half precision
            probabilities are exact.
        weights: Shape (n,). Whole numbers (:func:`studio.ensembles.weights.make_exact_weights`);
            ``None``: 1.
    """

    def __init__(
        self,
        pool: Sequence[AnyArray],
        truth: AnyArray,
        precision: npt.DTypeLike = np.float64,
        weights: Floats | None = None,
    ) -> None:
        self._weights = weights
        self._pool = pool
        self._truth = truth
        self._rows: Integers = np.arange(len(truth), dtype=np.int64)
        self._classes = pool[0].shape[1]
        self._true_indices: Integers = self._rows * self._classes + truth
        self._total = np.zeros(pool[0].shape, dtype=precision)
        self._size = 0
        self._lead = np.empty((len(pool), len(truth)), dtype=np.int8)
        self._edge = self._lead
        self._prepare()

    @abstractmethod
    def _prepare(self) -> None:
        """Compute the leads of all models."""

    def add(self, index: int) -> None:
        """Add a model of the pool, possibly again."""
        self._total += self._pool[index]
        self._size += 1

    def find_best(self, allowed: Flags) -> Integers:
        """Return the allowed models, (k,), with the lowest error after addition, ascending.

        Args:
            allowed: Shape (len(pool),). At least one.
        """
        if self._size:
            thresholds = self._compute_thresholds(self._bound_rounding_error())
        else:  # A model alone is right where its lead is positive.
            zero = np.zeros(len(self._rows))
            certain_codes, possible = (
                _to_codes(zero + self._bound_rounding_error()),
                _to_codes(zero - self._bound_rounding_error()),
            )
            thresholds = _Thresholds(
                possible, certain_codes, np.full_like(certain_codes, _BELOW_ALL_CODES)
            )
        edges = self._edge if self._size else self._lead
        candidates = np.flatnonzero(allowed)
        min_weights, max_weights = self._compute_bounds(edges, thresholds, candidates)
        best_weight = -1.0
        best: list[int] = []
        for position in np.argsort(-max_weights):
            if max_weights[position] < best_weight:
                break
            index = int(candidates[position])
            correct_weight = float(min_weights[position])
            if max_weights[position] > correct_weight:
                correct_weight += self._weigh_undecided_rows(index, edges[index], thresholds)
            if correct_weight > best_weight:
                best_weight, best = correct_weight, []
            if correct_weight == best_weight:
                best.append(index)
        return np.array(sorted(best), dtype=np.int64)

    def _bound_rounding_error(self) -> float:
        """Bound the rounding error of sums of the members in single or double precision."""
        return (self._size + 2) * 2.0**-19

    def _compute_bounds(
        self, edges: Codes, thresholds: _Thresholds, candidates: Integers
    ) -> tuple[Floats, Floats]:
        """Return the weights of the certainly and the possibly correct rows by candidate, (k,).

        ``edges`` has shape (models, n).
        """
        min_weights: Floats = np.empty(len(candidates))
        max_weights = np.empty_like(min_weights)
        flags = np.empty(len(self._rows), dtype=np.bool_)
        other_flags = np.empty_like(flags)
        two_tests = edges is not self._lead
        for position, index in enumerate(candidates):
            np.greater_equal(edges[index], thresholds.possible_edges, out=flags)
            max_weights[position] = self._weigh(flags)
            np.greater(edges[index], thresholds.certain_edges, out=flags)
            if two_tests:
                np.greater(self._lead[index], thresholds.certain_leads, out=other_flags)
                np.logical_and(flags, other_flags, out=flags)
            min_weights[position] = self._weigh(flags)
        return min_weights, max_weights

    def _weigh(self, flags: Flags) -> float:
        """Return the exact total weight of the flagged rows; flags have shape (n,)."""
        return float(np.count_nonzero(flags) if self._weights is None else flags @ self._weights)

    def _weigh_undecided_rows(self, index: int, edges: Codes, thresholds: _Thresholds) -> float:
        """Weigh the correct rows among those undecided by codes (n,), by direct computation."""
        is_undecided = (edges <= thresholds.certain_edges) | (
            self._lead[index] <= thresholds.certain_leads
        )
        rows = np.flatnonzero((edges >= thresholds.possible_edges) & is_undecided)
        labels = (self._total[rows] + self._pool[index][rows]).argmax(axis=1)
        is_right = labels == self._truth[rows]
        return float(
            np.count_nonzero(is_right) if self._weights is None else is_right @ self._weights[rows]
        )

    @abstractmethod
    def _compute_thresholds(self, slack: float) -> _Thresholds:
        """Return the thresholds from the running total, with at least one member."""


class TwoClassError(MeanError):
    """Two classes: the lead equals the edge, and decides everything except rounding."""

    def _prepare(self) -> None:
        self._sign = np.where(self._truth == 1, 1.0, -1.0).astype(np.float32)
        scale = self._sign * np.float32(_CODE_SCALE)
        leads = np.empty(len(self._truth), dtype=np.float32)
        for model, codes in zip(self._pool, self._lead, strict=True):
            np.subtract(model[:, 1], model[:, 0], out=leads, dtype=np.float32)
            np.multiply(leads, scale, out=leads)
            np.floor(leads, out=leads)
            np.copyto(codes, leads, casting="unsafe")

    def _compute_thresholds(self, slack: float) -> _Thresholds:
        lead = (self._total[:, 0] - self._total[:, 1]) * self._sign
        certain_codes = _to_codes(lead + slack)
        return _Thresholds(
            _to_codes(lead - slack), certain_codes, np.full_like(certain_codes, _BELOW_ALL_CODES)
        )


class ManyClassError(MeanError):
    """Three classes or more.

    The edge is stored against one wrong class per row, the *rival*, and only in rows that some
    model can still change; it is updated when another wrong class becomes the ensemble's strongest.
    """

    def _prepare(self) -> None:
        n = len(self._truth)
        self._highest_own = np.zeros(n, dtype=np.float32)
        step = max(1, _BLOCK_CELLS // self._classes)
        for start in range(0, n, step):
            rows = slice(start, min(start + step, n))
            true_index = self._true_indices[rows] - start * self._classes
            for model, codes in zip(self._pool, self._lead, strict=True):
                block = model[rows].astype(np.float32).reshape(-1)
                true_values = block.take(true_index)
                np.maximum(self._highest_own[rows], true_values, out=self._highest_own[rows])
                block[true_index] = -1.0
                true_values -= compute_row_maxima(block, self._classes)
                true_values *= np.float32(_CODE_SCALE)
                np.floor(true_values, out=true_values)
                np.copyto(codes[rows], true_values, casting="unsafe")
        self._lowest_lead = self._lead.min(axis=0) / _CODE_SCALE
        self._edge = np.zeros_like(self._lead)
        self._runner_up: Integers = np.full(n, -1, dtype=np.int64)

    def _compute_thresholds(self, slack: float) -> _Thresholds:
        runner_up_totals = self._total.copy()
        runner_up_totals.reshape(-1)[self._true_indices] = -np.inf
        true_totals = self._total.reshape(-1)[self._true_indices].astype(np.float64)
        lead = compute_row_maxima(runner_up_totals.reshape(-1), self._classes) - true_totals
        is_certainly_right = lead + slack < self._lowest_lead
        is_certainly_wrong = lead - slack > self._highest_own
        turning = np.flatnonzero(~(is_certainly_right | is_certainly_wrong))
        ambiguous = runner_up_totals[turning]
        runner_up_classes = ambiguous.argmax(axis=1)
        ambiguous[np.arange(len(ambiguous)), runner_up_classes] = -np.inf
        second = compute_row_maxima(ambiguous.reshape(-1), self._classes) - true_totals[turning]
        self._prepare_edges(turning, runner_up_classes)
        possible = np.where(is_certainly_right, _BELOW_ALL_CODES, _ABOVE_ALL_CODES).astype(np.int8)
        certain_codes, ahead_codes = possible.copy(), np.full_like(possible, _BELOW_ALL_CODES)
        possible[turning] = _to_codes(lead[turning] - slack)
        certain_codes[turning] = _to_codes(lead[turning] + slack)
        ahead_codes[turning] = _to_codes(second + slack)
        return _Thresholds(possible, certain_codes, ahead_codes)

    def _prepare_edges(self, undecided_rows: Integers, runners_up: Integers) -> None:
        """Prepare the edges over the rivals of these rows, (k,), if they have changed."""
        is_new = self._runner_up[undecided_rows] != runners_up
        rows, runners_up = undecided_rows[is_new], runners_up[is_new]
        self._runner_up[rows] = runners_up
        true_index, runner_up_index = self._true_indices[rows], rows * self._classes + runners_up
        for model, codes in zip(self._pool, self._edge, strict=True):
            flat = model.reshape(-1)
            edge_values = flat.take(true_index).astype(np.float32)
            edge_values -= flat.take(runner_up_index)
            edge_values *= np.float32(_CODE_SCALE)
            codes[rows] = np.floor(edge_values, out=edge_values)


def make_mean_error(
    pool: Sequence[AnyArray],
    truth: AnyArray,
    precision: npt.DTypeLike = np.float64,
    weights: Floats | None = None,
) -> MeanError:
    """Return the search by the error of mean probabilities, depending on the number of classes.

    Probabilities in the pool have shape (n, C) each; truth and weights (n,).
    """
    kind = TwoClassError if pool[0].shape[1] == 2 else ManyClassError
    return kind(pool, truth, precision, weights)


def compute_row_maxima(flat: AnyArray, width: int) -> AnyArray:
    """Return each row's maximum of a flattened matrix, shape (n · width,).

    Pairwise halving followed by a loop over columns is several times faster than numpy's maximum
    along a short last axis.
    """
    while width % 2 == 0:
        flat = np.maximum(flat[0::2], flat[1::2])
        width //= 2
    columns = flat.reshape(-1, width)
    highest = columns[:, 0].copy()
    for column in range(1, width):
        np.maximum(highest, columns[:, column], out=highest)
    return highest


def _to_codes(differences: AnyArray) -> Codes:
    """Return the codes of thresholds, (k,); differences outside [−1, 1] have the extreme codes."""
    scaled = np.clip(np.floor(differences * _CODE_SCALE), _BELOW_ALL_CODES, _ABOVE_ALL_CODES)
    codes: Codes = scaled.astype(np.int8)
    return codes

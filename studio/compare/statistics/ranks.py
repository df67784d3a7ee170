"""Ranks, winning frequencies and win counts of methods over blocks (SMBEO 6.2; thesis 3.3)."""

import numpy as np

from studio.arrays import Floats, Integers


def average_ranks(errors: Floats) -> Floats:
    """Return each method's rank in each block; equal errors share their average rank.

    Args:
        errors: Shape (n_blocks, n_methods). Lower is better; infinite where a method gave nothing
            yet.

    Returns:
        Shape (n_blocks, n_methods). From 1 (best) to n_methods; every row sums to n_methods ·
        (n_methods + 1) / 2.
    """
    from scipy.stats import rankdata

    ranks: Floats = rankdata(errors, axis=1)
    return ranks


def winning_frequency(errors: Floats) -> Floats:
    """Return the share of blocks in which method i beats method j; a tie is half a win of both.

    Errors have shape (n_blocks, n_methods).

    Returns:
        Shape (n_methods, n_methods). Entry (i, j) + entry (j, i) = 1; ½ on the diagonal.
    """
    mine, theirs = errors[:, :, None], errors[:, None, :]
    frequency: Floats = ((mine < theirs) + 0.5 * (mine == theirs)).mean(axis=0)
    return frequency


def win_rate(mean_rank: Floats, n_methods: int) -> Floats:
    """Return the share of the other methods beaten at these ranks, any shape; ½ without others.

    ``(m − rank) / (m − 1)``: with ties as halves this is the mean of its row of
    :func:`winning_frequency` but for the diagonal. (The thesis, eq. 3.11, counts a method against
    itself, and prints the complement.)
    """
    if n_methods < 2:
        return np.full_like(mean_rank, 0.5)
    rate: Floats = (n_methods - mean_rank) / (n_methods - 1)
    return rate


def win_loss_counts(errors: Floats) -> tuple[Integers, Integers]:
    """Return in how many blocks method i beats method j, and in how many it is beaten.

    Errors have shape (n_blocks, n_methods).

    Returns:
        wins, losses: Shape (n_methods, n_methods). Ties count in neither; net wins are ``wins −
            losses``.
    """
    mine, theirs = errors[:, :, None], errors[:, None, :]
    wins: Integers = (mine < theirs).sum(axis=0)
    return wins, wins.T

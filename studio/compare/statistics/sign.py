"""The sign test: are wins and losses as even as tosses of a coin? (Demšar 2006)."""

from dataclasses import dataclass

from studio.errors import UsageError


@dataclass(frozen=True)
class SignTest:
    """Outcome of a sign test; ties are dropped before it.

    Attributes:
        wins, losses: Blocks won and lost.
        p_two_sided: Probability of so uneven a count, in either direction, if both were equally
            good.
    """

    wins: int
    losses: int
    p_two_sided: float

    @property
    def reversed(self) -> "SignTest":
        """The same seen from the other side."""
        return sign_test(self.losses, self.wins)


def sign_test(wins: int, losses: int) -> SignTest:
    """Test wins against losses.

    Args:
        wins, losses: Not negative; ties are in neither. With none at all p is 1.

    Raises:
        UsageError: If a count is negative.
    """
    if min(wins, losses) < 0:
        raise UsageError(
            "Wins and losses are counts; {wins} and {losses} were given.", wins=wins, losses=losses
        )
    from scipy.stats import binom

    n = wins + losses
    # P(X <= min), doubled: 2 Σ C(n, i) 2^-n, at most 1 (both tails overlap when wins = losses).
    two_sided = min(1.0, 2 * float(binom.cdf(min(wins, losses), n, 0.5)))
    return SignTest(wins, losses, two_sided)

"""A clock set by the test."""


class ManualClock:
    """A clock with the constant time ``now``, set by the test."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

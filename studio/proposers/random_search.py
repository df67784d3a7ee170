"""Random search: the baseline that every other method must beat."""

from dataclasses import dataclass
from typing import ClassVar

from studio.phrases import phrase
from studio.proposers.base import Proposer, Search, Suggestion, random_suggestion


@dataclass(frozen=True)
class RandomSearch(Proposer):
    """Uniform over the tree: each branch choice uniform, then its children."""

    key: ClassVar[str] = "random"
    title: ClassVar[str] = "Random search"
    summary: ClassVar[str] = (
        "Tries configurations drawn at random. Simple, fair, and hard to beat with many workers."
    )
    reference: ClassVar[str] = "Bergstra & Bengio 2012; thesis 2.1"

    def suggest(self, search: Search) -> Suggestion:
        """Return a uniform draw that has not been tried."""
        return random_suggestion(search, phrase("random draw"))
